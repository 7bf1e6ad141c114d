import type { StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { nodeOfServer, serverReports, type MetaPeer, type ServerReport } from './cluster-servers.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { readApiReply } from './log/api-reply.ts';
import { managerOf } from './streams.ts';

/** A server of the group that decides about streams. */
export interface ClusterMember {
  readonly server: string;
  /** Node whose managed server it is. */
  readonly node: string;
  readonly isConnected: boolean;
  readonly isLeader: boolean;
  /** Whether it has all decisions of the group. */
  readonly isCurrent: boolean;
}

/** A copy of a stream on a server. */
export interface StreamCopy {
  readonly server: string;
  readonly isLeader: boolean;
  readonly isCurrent: boolean;
  /** Number of messages that it lacks, as far as its leader knows. */
  readonly lag: number;
}

export interface StreamStanding {
  readonly stream: string;
  readonly copies: readonly StreamCopy[];
}

/**
 * Returns the servers of the cluster as their leader sees them. The connection must be one to the system account.
 *
 * @throws Error if there is no leader, or it does not answer.
 */
export async function clusterMembers(system: NatsConnection): Promise<readonly ClusterMember[]> {
  const reports = await serverReports(system);
  const leader = reports.find(({ server, data }) => data.meta_cluster?.leader === server.name);
  if (leader === undefined)
    throw new Error(
      'the servers of the cluster have no leader: a majority of the nodes must run. Start the missing nodes',
    );
  const connected = new Set(reports.map(({ server }) => server.name));
  return [
    ownMember(leader),
    ...(leader.data.meta_cluster?.replicas ?? []).map((peer) => memberOf(peer, connected)),
  ];
}

const ownMember = ({ server: { name } }: ServerReport): ClusterMember => ({
  server: name,
  node: nodeOfServer(name),
  isConnected: true,
  isLeader: true,
  isCurrent: true,
});

const memberOf = ({ name, current, offline }: MetaPeer, connected: ReadonlySet<string>): ClusterMember => ({
  server: name,
  node: nodeOfServer(name),
  isConnected: connected.has(name) && offline !== true,
  isLeader: false,
  isCurrent: current && offline !== true,
});

/** Returns the copies of all streams. */
export async function streamStandings(streams: NatsConnection): Promise<readonly StreamStanding[]> {
  const manager = await managerOf(streams);
  const standings: StreamStanding[] = [];
  for await (const info of manager.streams.list()) standings.push(standingOf(info));
  return standings;
}

function standingOf({ config, cluster }: StreamInfo): StreamStanding {
  const { leader } = cluster ?? {};
  const own: StreamCopy[] =
    leader === undefined || leader === ''
      ? []
      : [{ server: leader, isLeader: true, isCurrent: true, lag: 0 }];
  const others = (cluster?.replicas ?? []).map(({ name, current, offline, lag }): StreamCopy => ({
    server: name,
    isLeader: false,
    isCurrent: current && offline !== true,
    lag: lag ?? 0,
  }));
  return { stream: config.name, copies: [...own, ...others] };
}

/**
 * Returns why the members of the cluster must not be changed now; null if they may: each stream has a leader, and each copy is
 * complete, apart from those on the server that is to be removed.
 */
export function changeRefusal(
  members: readonly ClusterMember[],
  standings: readonly StreamStanding[],
  removed: string | null,
): string | null {
  const behind = members.filter((member) => member.server !== removed && !member.isCurrent);
  if (behind.length > 0)
    return `server ${behind.map(({ server }) => server).join(', ')} is not connected or not current: start its node and wait until \`callsheet cluster status\` shows it as current, or remove it first`;
  for (const { stream, copies } of standings) {
    if (!copies.some(({ isLeader }) => isLeader))
      return `stream ${stream} has no leader: wait until its servers have elected one`;
    const incomplete = copies.filter(
      ({ server, isCurrent, lag }) => server !== removed && (!isCurrent || lag > 0),
    );
    const [first] = incomplete;
    if (first !== undefined)
      return `the copy of stream ${stream} on server ${first.server} is not complete (${first.lag} messages behind): wait, and repeat the command`;
  }
  return null;
}

const REMOVE_SERVER = '$JS.API.SERVER.REMOVE';

/**
 * Removes a server that is not connected from the group. The copies that it had move to another server. The connection must
 * be one to the system account.
 *
 * @throws Error with the reason of the leader.
 */
export async function removeServer(system: NatsConnection, server: string): Promise<void> {
  const { data } = await system.request(REMOVE_SERVER, JSON.stringify({ peer: server }), {
    timeout: CONNECTION_LIMITS.apiMs,
  });
  const reply = readApiReply(data);
  if (reply.type === 'error') throw new Error(`server ${server} was not removed: ${reply.text}`);
}
