import { Command } from 'commander';
import {
  changeRefusal,
  clusterMembers,
  removeServer,
  streamStandings,
  type ClusterMember,
} from '../../src/adapters/nats/cluster-membership.ts';
import { CLUSTER_NODES_MIN, clusterPeer, type ClusterPeer } from '../../src/core/config/cluster-config.ts';
import { ending } from '../commands/data-options.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import {
  nodeConfigOf,
  withManagedServers,
  withNodeOptions,
  type ClusterConnections,
  type NodeOptions,
} from './node-access.ts';

/** The copies of the streams move to another server after a removal. */
const MOVE_MS = 120_000;
const LOOK_MS = 500;

const peerText = ({ name, host, port }: ClusterPeer): string =>
  `${name}=${host.includes(':') ? `[${host}]` : host}:${port}`;

async function refuseUnsafe(
  connections: ClusterConnections,
  removed: string | null,
): Promise<readonly ClusterMember[]> {
  const members = await clusterMembers(connections.system);
  const refusal = changeRefusal(members, await streamStandings(connections.streams), removed);
  if (refusal !== null) throw new CommandError(EXIT.conflict, refusal);
  return members;
}

async function add(given: string, options: NodeOptions): Promise<void> {
  const parsed = clusterPeer().fromText(given);
  if (!parsed.ok) throw new CommandError(EXIT.usage, `${given}: ${parsed.wrong}`);
  const added = parsed.value;
  const node = await nodeConfigOf(options);
  const { peers } = node.cluster;
  const twin = peers.find(({ name }) => name.toLowerCase() === added.name.toLowerCase());
  if (twin !== undefined)
    throw new CommandError(
      EXIT.conflict,
      `node ${twin.name} is already in cluster.peers. To replace its machine, start the new one under this name, then run: callsheet cluster remove ${twin.name}`,
    );
  await ending(
    withManagedServers(node, async (connections) => {
      await refuseUnsafe(connections, null);
    }),
  );
  process.stdout.write(
    [
      `All copies are complete: node ${added.name} can be added.`,
      '1. Set on all nodes, the new one included:',
      `   cluster.peers: ${[...peers, added].map(peerText).join(',')}`,
      `2. Start the new node: callsheet server --cluster ${node.cluster.name} --node ${added.name}, with the same secret.`,
      '3. Restart the other nodes, the owner last (callsheet cluster hand-over), and wait for each until',
      '   `callsheet cluster status` shows it as current.',
      '',
    ].join('\n'),
  );
}

/** Returns the server of a node that is to be removed: one that is not connected. */
function removableServer(members: readonly ClusterMember[], name: string): ClusterMember {
  const servers = members.filter(({ node, server }) => node === name || server === name);
  const gone = servers.filter(({ isConnected }) => !isConnected);
  const [first, second] = gone;
  if (servers.length === 0)
    throw new CommandError(
      EXIT.notFound,
      `no server of node ${name} is part of the cluster; its servers are ${members.map(({ server }) => server).join(', ')}`,
    );
  if (first === undefined)
    throw new CommandError(
      EXIT.conflict,
      `node ${name} is connected: stop its service together with nats-server first (callsheet server --stop-bus, or bus.stop_with_service), and repeat the command`,
    );
  if (second !== undefined)
    throw new CommandError(
      EXIT.conflict,
      `node ${name} has left several servers; name one of them: ${gone.map(({ server }) => server).join(', ')}`,
    );
  return first;
}

async function remove(name: string, options: NodeOptions): Promise<void> {
  const node = await nodeConfigOf(options);
  await ending(
    withManagedServers(node, async (connections) => {
      const members = await clusterMembers(connections.system);
      const { server } = removableServer(members, name);
      if (members.length - 1 < CLUSTER_NODES_MIN)
        throw new CommandError(
          EXIT.conflict,
          `without ${server} the cluster has ${members.length - 1} servers, and ${CLUSTER_NODES_MIN} are needed: start the node that replaces it first`,
        );
      await refuseUnsafe(connections, server);
      await removeServer(connections.system, server);
      process.stdout.write(`Removed ${server}. Waiting until the other servers have complete copies.\n`);
      await untilComplete(connections);
    }),
  );
  const isStillPeer = node.cluster.peers.some((peer) => peer.name === name);
  process.stdout.write(
    isStillPeer
      ? `All copies are complete. If ${name} does not come back, remove it from cluster.peers on all nodes.\n`
      : 'All copies are complete.\n',
  );
}

async function untilComplete(connections: ClusterConnections): Promise<void> {
  const deadline = performance.now() + MOVE_MS;
  for (;;) {
    const refusal = await whyIncomplete(connections);
    if (refusal === null) return;
    if (performance.now() > deadline)
      throw new CommandError(EXIT.unavailable, `the server is removed, but ${refusal}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** A leader may be elected meanwhile, and does not answer then. */
async function whyIncomplete({ system, streams }: ClusterConnections): Promise<string | null> {
  try {
    const standings = await streamStandings(streams);
    const few = standings.find(({ copies }) => copies.length < CLUSTER_NODES_MIN);
    if (few !== undefined) return `stream ${few.stream} has ${few.copies.length} copies`;
    return changeRefusal(await clusterMembers(system), standings, null);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** `callsheet cluster add` */
export const addCommand = (): Command =>
  withNodeOptions(
    new Command('add')
      .description('Check that a node can be added to the cluster, and print the next steps. Runs on a node.')
      .argument('<node=host:port>', 'name of the new node, and the address of its routes'),
  ).action(add);

/** `callsheet cluster remove` */
export const removeCommand = (): Command =>
  withNodeOptions(
    new Command('remove')
      .description('Remove a node that is stopped for good, so that another has its copies. Runs on a node.')
      .argument('<node>', 'name of the node, or of its server'),
  ).action(remove);
