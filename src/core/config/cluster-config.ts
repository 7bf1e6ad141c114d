import { textual, right, shown, wrong, type ListenAddress, type ValueType } from './value-type.ts';

/** A node of a cluster: its name, and the address at which the other nodes reach its nats-server. */
export interface ClusterPeer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Settings of a node of a cluster (docs/high-availability.md). */
export interface ClusterConfig {
  readonly name: string;
  /** Name of this node; one of `peers`. */
  readonly node: string;
  /** All nodes, this one included. */
  readonly peers: readonly ClusterPeer[];
  /** File with the secret that all nodes share; empty if `bus.url` names an external cluster. */
  readonly secretFile: string;
  /** The operator's statement that the servers of `bus.url` flush each message before they acknowledge it. */
  readonly serversSyncAlways: boolean;
}

/** Fewer nodes cannot lose one and keep a quorum. */
export const CLUSTER_NODES_MIN = 3;
/** Number of copies of each stream of a cluster, if `bus.replicas` is not set. */
export const CLUSTER_REPLICAS = 3;

/** Names are parts of subjects and of names of streams and consumers. */
const NAME = '[A-Za-z0-9_-]{1,32}';
const WHOLE_NAME = new RegExp(`^${NAME}$`);
const PEER = new RegExp(`^(${NAME})=(?:\\[([0-9a-fA-F:.]+)\\]|([A-Za-z0-9._-]+)):([0-9]{1,5})$`);
const PORT_MAX = 65_535;

/** Returns the type of the name of a cluster or node. */
export const clusterName = (): ValueType<string> =>
  textual('1 to 32 letters, digits, - and _', (value) =>
    WHOLE_NAME.test(value)
      ? right(value)
      : wrong(
          `must be 1 to 32 letters, digits, - or _, because streams and subjects contain it; got ${shown(value)}`,
        ),
  );

/** Returns the type of a node of a cluster: `NAME=HOST:PORT`, with an IPv6 address in brackets. */
export const clusterPeer = (): ValueType<ClusterPeer> =>
  textual('name=host:port', (value) => {
    const [, name = '', address, hostName, digits] = PEER.exec(value) ?? [];
    const host = address ?? hostName ?? '';
    const port = Number(digits);
    return name !== '' && port >= 1 && port <= PORT_MAX
      ? right({ name, host, port })
      : wrong(
          `must be NAME=HOST:PORT with a name of letters, digits, - and _ (an IPv6 address in brackets), got ${shown(value)}`,
        );
  });

/** Values of the keys of a cluster, and the keys of the bus that depend on it. */
export interface ClusterValues {
  readonly 'cluster.name': string | null;
  readonly 'cluster.node': string | null;
  readonly 'cluster.peers': readonly ClusterPeer[];
  readonly 'cluster.secret_file': string;
  readonly 'cluster.servers_sync_always': boolean;
  readonly 'bus.url': readonly string[];
  readonly 'bus.addr': ListenAddress;
  readonly 'bus.replicas': number | null;
}

/** Returns the settings of a node of a cluster, null for a single node. Contradictions are added to `lines`. */
export function clusterConfig(values: ClusterValues, lines: string[]): ClusterConfig | null {
  const name = values['cluster.name'];
  const node = values['cluster.node'];
  const peers = values['cluster.peers'];
  const secretFile = values['cluster.secret_file'];
  const isExternal = values['bus.url'].length > 0;
  if (name === null) {
    if (node !== null || peers.length > 0 || secretFile !== '')
      lines.push('cluster.name: must be set for the other keys of a cluster');
    return null;
  }
  if (node === null) lines.push('cluster.node: must be the name of this node in cluster.peers');
  addPeerFaults(peers, node, lines);
  if (isExternal && secretFile !== '')
    lines.push('cluster.secret_file: has no effect with bus.url; remove one of them');
  if (!isExternal && secretFile === '')
    lines.push(
      'cluster.secret_file: must name the file of `callsheet cluster secret`, the same on all nodes, or bus.url must name an external NATS cluster',
    );
  addBusFaults(values, lines);
  return {
    name,
    node: node ?? '',
    peers,
    secretFile,
    serversSyncAlways: values['cluster.servers_sync_always'],
  };
}

function addPeerFaults(peers: readonly ClusterPeer[], node: string | null, lines: string[]): void {
  const names = peers.map((peer) => peer.name);
  if (peers.length < CLUSTER_NODES_MIN)
    lines.push(
      `cluster.peers: names ${peers.length} nodes; a cluster needs at least ${CLUSTER_NODES_MIN}, so that a majority remains when one fails`,
    );
  const twice = firstRepeated(names.map((name) => name.toLowerCase()));
  if (twice !== null) lines.push(`cluster.peers: contains the node ${twice} twice`);
  const address = firstRepeated(peers.map(({ host, port }) => `${host.toLowerCase()}:${port}`));
  if (address !== null) lines.push(`cluster.peers: contains the address ${address} twice`);
  if (node !== null && peers.length > 0 && !names.includes(node))
    lines.push(`cluster.node: ${node} is not in cluster.peers (${names.join(', ')})`);
}

function addBusFaults(values: ClusterValues, lines: string[]): void {
  const replicas = values['bus.replicas'];
  const peers = values['cluster.peers'];
  if (replicas !== null && (replicas < CLUSTER_REPLICAS || replicas > peers.length))
    lines.push(
      `bus.replicas: must be from ${CLUSTER_REPLICAS} to the number of nodes (${peers.length}) in a cluster, got ${replicas}`,
    );
  const own = peers.find((peer) => peer.name === values['cluster.node']);
  if (values['bus.url'].length === 0 && own?.port === values['bus.addr'].port)
    lines.push(
      `cluster.peers: port ${own.port} of this node is also the port of bus.addr; the nodes need another one for their connections`,
    );
}

function firstRepeated(texts: readonly string[]): string | null {
  return texts.find((text, at) => texts.indexOf(text) < at) ?? null;
}
