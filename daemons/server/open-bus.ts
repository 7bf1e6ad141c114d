import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  startManagedServer,
  stopLeftServer,
  type ManagedServerEvent,
} from '../../src/adapters/nats/managed-server.ts';
import { accessOptions } from '../../src/adapters/nats/access.ts';
import { readClusterSecret } from '../../src/adapters/nats/authority/cluster-secret.ts';
import type { ManagedCluster } from '../../src/adapters/nats/cluster-routes.ts';
import { untilLeader } from '../../src/adapters/nats/cluster-servers.ts';
import { lockDirectory } from '../../src/adapters/system/disk-lock.ts';
import type { ClusterConfig } from '../../src/core/config/cluster-config.ts';
import { configuredServers, type ServerList } from '../../src/adapters/nats/server-address.ts';
import type { BusAuthority } from '../../src/core/ports/bus-authority.ts';
import type { Logger } from '../process/logging.ts';
import { storeDirectory } from '../maintenance/data-directory.ts';
import { onHangUp } from '../process/stop-signal.ts';
import { checkCluster } from './check-cluster.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

/** The bus as the parts of the service use it. */
export interface OpenedBus {
  /** Access for requests of workers, and replies to them. */
  readonly requests: ServerList;
  /** Access to the streams. */
  readonly streams: ServerList;
  /** Whether the subjects of workers name the worker. */
  readonly isScoped: boolean;
  /** Access to the system account of the managed servers of a cluster; null: a single or an external server. */
  readonly system: ServerList | null;
  /** Null: the service does not issue credentials, because the bus has no authentication or is external. */
  readonly authority: BusAuthority | null;
}

/** Opens the bus: the servers of `bus.url`, or a `nats-server` that it starts and supervises. */
export async function openBus(context: StartContext): Promise<OpenedBus> {
  const bus = await openServers(context);
  const { cluster } = context.config;
  if (cluster !== null) await checkCluster(context, cluster, bus);
  return bus;
}

async function openServers({
  config,
  directory,
  logger,
  stopping,
  shutdown,
  readiness,
}: StartContext): Promise<OpenedBus> {
  const single = join(directory, 'bus');
  const clustered = join(single, 'cluster');
  if (config.bus.urls.length > 0) {
    const requests = configuredServers(config.bus.urls, config.bus.access);
    const streams = configuredServers(config.bus.urls, config.bus.streamAccess);
    // A file that is missing now would be reported only as an unreachable bus.
    for (const servers of [requests, streams]) accessOptions(servers);
    for (const folder of [single, clustered])
      if (await stopLeftServer(folder))
        logger.warn(
          'stopped the nats-server of an earlier start without bus.url: workers must not use it any more',
        );
    const isScoped = config.bus.authentication !== null;
    return { requests, streams, isScoped, system: null, authority: null };
  }
  const cluster = await managedCluster(config.cluster);
  // The stores of a node of a cluster are opened after its bus.
  if (cluster !== null) assertUnused(directory);
  if (await stopLeftServer(cluster === null ? clustered : single))
    logger.warn(
      cluster === null
        ? 'stopped the nats-server of an earlier start as a node of a cluster'
        : 'stopped the nats-server of an earlier start as a single node',
    );
  const server = await startManagedServer(
    {
      folder: cluster === null ? single : clustered,
      listen: config.bus.addr,
      binaryPath: config.bus.serverPath,
      authentication: config.bus.authentication,
      cluster,
    },
    (event) => logServer(logger, event),
  );
  // The log of a cluster is on the bus, and the store thread writes to it until it stops.
  shutdown.add(cluster === null ? 'bus' : 'store', async () => {
    // A server of a start that failed is of no use to workers.
    const continues = !config.bus.stopsWithService && (readiness.isReady || server.isAdopted);
    if (!continues) return server.stop();
    logger.info(
      'nats-server continues, so that workers continue their tasks; --stop-bus stops it with the service',
    );
    return server.release();
  });
  throwIfStopping(stopping);
  if (config.bus.authentication !== null) onHangUp(() => server.reload());
  const { requests, streams, system, authority } = server.access;
  if (cluster !== null && system !== null)
    await untilLeader({ streams, system, peers: cluster.peers }, stopping, (text) => logger.warn(text));
  throwIfStopping(stopping);
  return { requests, streams, isScoped: authority !== null, system, authority };
}

/** Throws `DirectoryLockError` if a service uses `data.dir`: its nats-server must not be stopped or adopted. */
function assertUnused(directory: string): void {
  const state = storeDirectory(directory, 'state');
  if (existsSync(state)) lockDirectory(state).release();
}

/** Returns the cluster of the managed server with the secret of its file; null for a single node. */
async function managedCluster(cluster: ClusterConfig | null): Promise<ManagedCluster | null> {
  if (cluster === null) return null;
  const { name, node, peers, secretFile } = cluster;
  return { name, node, peers, secret: await readClusterSecret(secretFile) };
}

function logServer(logger: Logger, event: ManagedServerEvent): void {
  const { type, ...facts } = event;
  switch (type) {
    case 'started':
      logger.info(facts, 'nats-server answers');
      return;
    case 'warning':
      logger.warn(facts, 'nats-server');
      return;
    case 'died':
    case 'restarting':
    case 'failed':
      logger.error(facts, `nats-server: ${type}`);
  }
}
