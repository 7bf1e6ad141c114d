import { isIP } from 'node:net';
import { join } from 'node:path';
import type { ClusterPeer } from '../../core/config/cluster-config.ts';
import type { ClusterSecret } from './authority/cluster-secret.ts';
import { fingerprintOf, routeCertificate } from './authority/certificates.ts';
import { SERVER_LIMITS } from './limits.ts';
import { addressText, isAnyHost, isLoopback, type ListenAddress } from './server-address.ts';

/** The cluster of a managed server. */
export interface ManagedCluster {
  readonly name: string;
  /** Name of this node; one of `peers`. */
  readonly node: string;
  readonly peers: readonly ClusterPeer[];
  readonly secret: ClusterSecret;
}

/** Connections of a server to the other servers of its cluster. */
export interface ClusterRoutes {
  readonly cluster: string;
  readonly listen: ListenAddress;
  /** Address at which the other nodes reach this one. */
  readonly advertised: ListenAddress;
  /**
   * All nodes, this one included: the server expects as many voters as it has routes. With the others only, two of three
   * servers would form a cluster of two.
   */
  readonly nodes: readonly ListenAddress[];
  readonly password: string;
  /** Paths of PEM files. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  /** Of the certificate: another one results in another text. */
  readonly certificateFingerprint: string;
  /** Address for clients that other servers tell theirs; null: the listen address. */
  readonly clientAddress: ListenAddress | null;
  /** Whether clients of other servers learn the address of this one. */
  readonly isToldToClients: boolean;
}

/** Name of the user of the connections between the servers. */
const ROUTE_USER = 'callsheet';

/** Returns the own entry of the list of nodes. Throws if the list lacks it. */
export function ownPeer({ node, peers }: Pick<ManagedCluster, 'node' | 'peers'>): ClusterPeer {
  const own = peers.find(({ name }) => name === node);
  if (own === undefined) throw new Error(`cluster.node: ${node} is not in cluster.peers`);
  return own;
}

/**
 * Returns the connections of this node's server to the others. Issues the certificate for them if it lacks one that is
 * valid.
 */
export async function clusterRoutes(
  folder: string,
  listen: ListenAddress,
  cluster: ManagedCluster,
): Promise<ClusterRoutes> {
  const own = ownPeer(cluster);
  const { certFile, keyFile, caFile, pem } = await routeCertificate(
    join(folder, 'tls'),
    [own.host],
    Date.now(),
    cluster.secret.authority,
  );
  const allAreLocal = cluster.peers.every((peer) => isLoopback(peer));
  return {
    cluster: cluster.name,
    // A host name may be an address of the loopback on its own machine, as in Debian's /etc/hosts.
    listen: { host: isIP(own.host) === 0 ? '0.0.0.0' : own.host, port: own.port },
    advertised: { host: own.host, port: own.port },
    nodes: cluster.peers.map(({ host, port }) => ({ host, port })),
    password: cluster.secret.routePassword,
    certFile,
    keyFile,
    caFile,
    certificateFingerprint: fingerprintOf(pem),
    clientAddress: isAnyHost(listen) ? { host: own.host, port: listen.port } : null,
    isToldToClients: allAreLocal || !isLoopback(listen),
  };
}

/**
 * A route is closed after the third ping without an answer, and then opened again. Without this it waits for TCP after a
 * partition, which repeats its packets more and more rarely.
 */
const ROUTE_PING_SECONDS = 2;

const quoted = (text: string): string => JSON.stringify(text);

/** Returns the lines of the configuration of the server. They contain the password. */
export function clusterLines(routes: ClusterRoutes): readonly string[] {
  const { cluster, listen, advertised, nodes, password, clientAddress } = routes;
  const urls = nodes.map((node) => quoted(`nats-route://${ROUTE_USER}:${password}@${addressText(node)}`));
  return [
    ...(clientAddress === null ? [] : [`client_advertise: ${quoted(addressText(clientAddress))}`]),
    `# route certificate ${routes.certificateFingerprint}`,
    'cluster {',
    `  name: ${quoted(cluster)}`,
    `  listen: ${quoted(addressText(listen))}`,
    `  cluster_advertise: ${quoted(addressText(advertised))}`,
    ...(routes.isToldToClients ? [] : ['  no_advertise: true']),
    `  ping_interval: ${quoted(`${ROUTE_PING_SECONDS}s`)}`,
    `  routes: [${urls.join(', ')}]`,
    '  authorization {',
    `    user: ${ROUTE_USER}`,
    `    password: ${quoted(password)}`,
    `    timeout: ${SERVER_LIMITS.tlsSeconds}`,
    '  }',
    '  tls {',
    `    cert_file: ${quoted(routes.certFile)}`,
    `    key_file: ${quoted(routes.keyFile)}`,
    `    ca_file: ${quoted(routes.caFile)}`,
    '    verify: true',
    `    timeout: ${SERVER_LIMITS.tlsSeconds}`,
    '  }',
    '}',
  ];
}
