import type { NatsConnection } from '@nats-io/transport-node';
import type { ClusterPeer } from '../../core/config/cluster-config.ts';
import { finite, flag, list, messageParser, optional, record, text } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { BackoffTimer } from './backoff.ts';
import { connectOnce } from './connect-once.ts';
import { reasonOf } from './connection.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { readText } from './message-text.ts';
import type { ServerList } from './server-address.ts';

/** A server of the meta group, which decides about streams, as another server sees it. */
export interface MetaPeer {
  readonly name: string;
  /** Id in the meta group. */
  readonly peer?: string;
  readonly current: boolean;
  readonly offline?: boolean;
  /** Nanoseconds since the last message from it. */
  readonly active: number;
  readonly lag?: number;
}

/** A server of the cluster by its own report. */
export interface ServerReport {
  readonly server: { readonly name: string; readonly ver: string };
  readonly data: {
    readonly config?: { readonly sync_always?: boolean };
    readonly meta_cluster?: {
      readonly leader?: string;
      readonly cluster_size?: number;
      readonly replicas?: readonly MetaPeer[];
    };
  };
}

const NAME = text(WIRE_LIMITS.name);
const SERVERS_MAX = 64;
const REPORT_LENGTH = 1024 * 1024;

const parseReport = messageParser(
  record<ServerReport>({
    server: record<ServerReport['server']>({ name: NAME, ver: NAME }),
    data: record<ServerReport['data']>({
      config: optional(record<NonNullable<ServerReport['data']['config']>>({ sync_always: optional(flag) })),
      meta_cluster: optional(
        record<NonNullable<ServerReport['data']['meta_cluster']>>({
          leader: optional(NAME),
          cluster_size: optional(finite),
          replicas: optional(
            list(
              record<MetaPeer>({
                name: NAME,
                peer: optional(NAME),
                current: flag,
                offline: optional(flag),
                active: finite,
                lag: optional(finite),
              }),
              SERVERS_MAX,
            ),
          ),
        }),
      ),
    }),
  }),
  { length: REPORT_LENGTH, nesting: 16 },
);

const JETSTREAM_REPORTS = '$SYS.REQ.SERVER.PING.JSZ';

/**
 * Returns the reports of all servers that answer within a second. The connection must be one to the system account.
 *
 * @throws Error if a report cannot be read.
 */
export async function serverReports(system: NatsConnection): Promise<readonly ServerReport[]> {
  const answers = await system.requestMany(JETSTREAM_REPORTS, '', {
    strategy: 'stall',
    stall: CLUSTER_LIMITS.stallMs,
    maxWait: CLUSTER_LIMITS.answersMs,
  });
  const reports: ServerReport[] = [];
  for await (const { data } of answers) {
    const read = readText(data, parseReport);
    if (!read.ok) throw new Error(`the report of a server cannot be read: ${read.reason}`);
    reports.push(read.value);
  }
  return reports;
}

/** Returns the name of the node to which a managed server belongs: its name without the random part. */
export const nodeOfServer = (name: string): string => name.replace(/-[0-9a-f]{8}$/, '');

interface WaitForLeader {
  readonly streams: ServerList;
  /** Null for an external NATS cluster: its system account is not known. */
  readonly system: ServerList | null;
  readonly peers: readonly ClusterPeer[];
}

/**
 * Waits until the servers of the cluster have a leader: at the first start all of them must be connected, so that no two
 * halves each form a cluster, and later a majority. Calls `noted` with a line that names
 * the missing nodes, at first after two seconds and then every ten. Resolves early when `stopping` is aborted.
 */
export async function untilLeader(
  { streams, system, peers }: WaitForLeader,
  stopping: AbortSignal,
  noted: (text: string) => void,
): Promise<void> {
  const pauses = new BackoffTimer();
  const stop = (): void => pauses.end();
  stopping.addEventListener('abort', stop, { once: true });
  let nextNote = performance.now() + CLUSTER_LIMITS.firstNoteMs;
  try {
    while (!stopping.aborted && !(await hasLeader(streams))) {
      if (performance.now() >= nextNote) {
        noted(await waitingText(system, peers));
        nextNote = performance.now() + CLUSTER_LIMITS.noteMs;
      }
      await pauses.pause(CLUSTER_LIMITS.leaderProbeMs);
    }
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

const parseAccountInfo = messageParser(record<{ readonly error?: object }>({ error: optional(record({})) }), {
  length: REPORT_LENGTH,
  nesting: 16,
});

/** Only the leader of the servers answers this request. */
async function hasLeader(streams: ServerList): Promise<boolean> {
  try {
    const nc = await connectOnce(streams, 'callsheet start');
    try {
      const { data } = await nc.request('$JS.API.INFO', '', { timeout: CLUSTER_LIMITS.answersMs });
      const read = readText(data, parseAccountInfo);
      return read.ok && read.value.error === undefined;
    } finally {
      await nc.close();
    }
  } catch {
    // No answer, or the server restarts: the caller asks again.
    return false;
  }
}

async function waitingText(system: ServerList | null, peers: readonly ClusterPeer[]): Promise<string> {
  if (system === null)
    return 'waiting for the servers of bus.url to elect a leader for their streams. Start them, or check the network and JetStream';
  const needed = Math.floor(peers.length / 2) + 1;
  const rule = `at the first start of a cluster all ${peers.length} nodes must be connected, later ${needed}`;
  try {
    const nc = await connectOnce(system, 'callsheet start');
    try {
      const present = new Set((await serverReports(nc)).map(({ server }) => nodeOfServer(server.name)));
      const missing = peers.filter(({ name }) => !present.has(name));
      if (missing.length === 0) return 'waiting for the servers of the cluster to elect a leader';
      const names = missing.map(({ name, host, port }) => `${name} (${host}:${port})`).join(', ');
      return `waiting for the other nodes of the cluster: no connection to ${names}; ${rule}. Start them, or check the network and the secret`;
    } finally {
      await nc.close();
    }
  } catch (error) {
    return `waiting for the servers of the cluster: ${reasonOf(error)}; ${rule}`;
  }
}
