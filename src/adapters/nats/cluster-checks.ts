import type { NatsConnection } from '@nats-io/transport-node';
import { CLUSTER_RELEASE_MIN, isClusterRelease } from '../../core/bus-identity/server-release.ts';
import { CLUSTER_NODES_MIN } from '../../core/config/cluster-config.ts';
import { serverReports } from './cluster-servers.ts';
import { connectOnce } from './connect-once.ts';
import { clusterNames } from './log/cluster-names.ts';
import { parseListenAddress, type ServerList } from './server-address.ts';
import { probeServer } from './server-probe.ts';
import { findNamedStream, managerOf } from './streams.ts';

/**
 * Returns why the managed servers cannot carry a cluster; null if they can: too old, without a flush before each
 * acknowledgement, or too few voters.
 *
 * @throws Error if they do not answer.
 */
export async function managedServersRefusal(system: ServerList): Promise<string | null> {
  const nc = await connectOnce(system, 'callsheet start');
  try {
    const reports = await serverReports(nc);
    for (const { server, data } of reports) {
      const release = releaseRefusal(server.name, server.ver);
      if (release !== null) return release;
      if (data.config?.sync_always !== true)
        return `nats-server ${server.name} does not flush each record before it acknowledges it (sync_interval: always): records would be lost when the power fails. Let Callsheet write its configuration`;
    }
    const sizes = reports.map(({ data }) => data.meta_cluster?.cluster_size ?? 0);
    return votersRefusal(Math.max(0, ...sizes));
  } finally {
    await nc.close();
  }
}

/**
 * Returns why the servers of `bus.url` cannot carry this cluster; null if they can. Their versions and number are read; that
 * they flush always only their operator knows (`serversSyncAlways`), because a client of an account cannot read it.
 *
 * @throws Error if no server can be reached.
 */
export async function externalServersRefusal(
  streams: ServerList,
  cluster: string,
  serversSyncAlways: boolean,
): Promise<string | null> {
  if (!serversSyncAlways)
    return (
      'cluster.servers_sync_always: must be true with bus.url. Set `jetstream { sync_interval: always }` on each server of the ' +
      'NATS cluster, restart it, and then set this key: otherwise acknowledged records are lost when the power fails'
    );
  const nc = await connectOnce(streams, 'callsheet start');
  try {
    if (clusterOf(nc) === null)
      return `bus.url: nats-server ${nc.info?.server_name ?? ''} is not part of a cluster; a cluster of Callsheet needs a NATS cluster of three servers`;
    const live = await liveServers(streams.servers, nc);
    for (const [name, version] of live) {
      const release = releaseRefusal(name, version);
      if (release !== null) return release;
    }
    const log = await findNamedStream(await managerOf(nc), clusterNames(cluster).stream);
    if (log === null) return votersRefusal(live.size);
    return log.config.num_replicas >= CLUSTER_NODES_MIN
      ? null
      : `stream ${log.config.name} has ${log.config.num_replicas} copies: raise it to ${CLUSTER_NODES_MIN} with \`nats stream edit --replicas=${CLUSTER_NODES_MIN} ${log.config.name}\``;
  } finally {
    await nc.close();
  }
}

const releaseRefusal = (name: string, version: string): string | null =>
  isClusterRelease(version)
    ? null
    : `nats-server ${name} is version ${version}: a cluster needs version ${CLUSTER_RELEASE_MIN} or newer on each server, because older versions flush each record twice`;

const votersRefusal = (voters: number): string | null =>
  voters >= CLUSTER_NODES_MIN
    ? null
    : `the NATS cluster has ${voters} servers that vote: at least ${CLUSTER_NODES_MIN} are needed, so that a majority remains when one fails`;

function clusterOf({ info }: NatsConnection): string | null {
  const name: unknown = info === undefined ? undefined : Reflect.get(info, 'cluster');
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Returns the versions of the servers that answer, by name: the configured ones, and those that a client learns. */
async function liveServers(
  configured: readonly string[],
  nc: NatsConnection,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Set([...configured, ...(nc.info?.connect_urls ?? [])]);
  const addresses = [...texts].map(parseListenAddress).filter((address) => address !== null);
  const greetings = await Promise.all(addresses.map(probeServer));
  const found = new Map<string, string>();
  for (const greeting of greetings)
    if (greeting !== null) found.set(greeting.server_name ?? '', greeting.version ?? 'unknown');
  return found;
}
