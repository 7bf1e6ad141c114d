import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { managedAccess, type ManagedAccess } from '../../src/adapters/nats/authority/managed-access.ts';
import { readClusterSecret } from '../../src/adapters/nats/authority/cluster-secret.ts';
import { connectOnce, type OpenConnection } from '../../src/adapters/nats/connect-once.ts';
import { configuredServers, type ServerList } from '../../src/adapters/nats/server-address.ts';
import type { ClusterConfig } from '../../src/core/config/cluster-config.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import { ending } from '../commands/data-options.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** Options of commands that run on a node and read its configuration. */
export interface NodeOptions {
  readonly config?: string;
  readonly dataDir?: string;
  readonly cluster?: string;
  readonly node?: string;
  readonly peers?: string;
  readonly clusterSecretFile?: string;
  readonly busAddr?: string;
  readonly busUrl?: string;
}

const FLAGS: readonly (readonly [keyof NodeOptions, string])[] = [
  ['config', '--config'],
  ['dataDir', '--data-dir'],
  ['cluster', '--cluster'],
  ['node', '--node'],
  ['peers', '--peers'],
  ['clusterSecretFile', '--cluster-secret-file'],
  ['busAddr', '--bus-addr'],
  ['busUrl', '--bus-url'],
];

/** Adds the options with which `callsheet server` finds its configuration and its cluster. */
export const withNodeOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'configuration file of the server')
    .option('--data-dir <directory>', 'data.dir of the server (SVC_DATA_DIR)')
    .option('--cluster <name>', 'cluster.name (SVC_CLUSTER_NAME)')
    .option('--node <name>', 'cluster.node (SVC_CLUSTER_NODE)')
    .option('--peers <list>', 'cluster.peers (SVC_CLUSTER_PEERS)')
    .option('--cluster-secret-file <file>', 'cluster.secret_file (SVC_CLUSTER_SECRET_FILE)')
    .option('--bus-addr <address>', 'bus.addr (SVC_BUS_ADDR)')
    .option('--bus-url <list>', 'bus.url (SVC_BUS_URL)');

/** A node of a cluster, by its configuration. */
export interface NodeConfig {
  readonly config: ServerConfig;
  readonly cluster: ClusterConfig;
  /** Absolute path of `data.dir`. */
  readonly dataDirectory: string;
}

/** Returns the configuration of the node on this machine. Throws a usage error if it is that of a single node. */
export async function nodeConfigOf(options: NodeOptions): Promise<NodeConfig> {
  const { serverConfigOf } = await import('../commands/daemon-config.ts');
  const config = serverConfigOf(
    FLAGS.flatMap(([name, flag]) => {
      const value = options[name];
      return value === undefined ? [] : [`${flag}=${value}`];
    }),
  );
  const { cluster } = config;
  if (cluster === null)
    throw new CommandError(
      EXIT.usage,
      'cluster.name: is not set. Name the configuration of the node with --config, or set the keys of its cluster',
    );
  return { config, cluster, dataDirectory: resolve(config.data.dir) };
}

/** Open connections to the servers of a cluster. */
export interface ClusterConnections {
  readonly system: OpenConnection;
  readonly streams: OpenConnection;
}

/**
 * Calls `use` with connections to the managed server of this node, with the secret of the cluster. Throws a CommandError if
 * the server cannot be reached, or is not a managed one.
 */
export async function withManagedServers<T>(
  node: NodeConfig,
  use: (connections: ClusterConnections) => Promise<T>,
): Promise<T> {
  if (node.config.bus.urls.length > 0)
    throw new CommandError(
      EXIT.conflict,
      'bus.url: names an external NATS cluster, whose servers Callsheet does not change. Use its own tools: `nats server cluster peer-remove`',
    );
  const { system, streams } = await managedServers(node);
  if (system === null) throw new CommandError(EXIT.failed, 'there is no access to the system account');
  return withConnection(system, (first) =>
    withConnection(streams, (second) => use({ system: first, streams: second })),
  );
}

/** Calls `use` with a connection to the streams of the cluster: of the managed server of this node, or of `bus.url`. */
export async function withStreams<T>(
  node: NodeConfig,
  use: (streams: OpenConnection) => Promise<T>,
): Promise<T> {
  const { urls, streamAccess } = node.config.bus;
  const servers =
    urls.length > 0 ? configuredServers(urls, streamAccess) : (await managedServers(node)).streams;
  return withConnection(servers, use);
}

async function managedServers({ config, cluster, dataDirectory }: NodeConfig): Promise<ManagedAccess> {
  const { name, node, peers, secretFile } = cluster;
  return managedAccess(join(dataDirectory, 'bus', 'cluster'), config.bus.addr, config.bus.authentication, {
    name,
    node,
    peers,
    secret: await ending(readClusterSecret(secretFile)),
  });
}

async function withConnection<T>(servers: ServerList, use: (nc: OpenConnection) => Promise<T>): Promise<T> {
  const nc = await connected(servers);
  try {
    return await use(nc);
  } finally {
    await nc.close();
  }
}

async function connected(servers: ServerList): Promise<OpenConnection> {
  try {
    return await connectOnce(servers, 'callsheet cluster');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      EXIT.unavailable,
      `nats-server at ${servers.servers.join(', ')} cannot be reached (${reason}): run the command on a node whose service runs`,
    );
  }
}
