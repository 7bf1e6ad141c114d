import { WIRE_LIMITS } from '../../core/wire/limits.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const SECOND_MS = 1000;

/** Bytes stored in addition to a message's text: its subject and headers. */
const ENVELOPE_BYTES = KIB;

/** Maximum size of one stream, so that no stream takes the space of another. */
interface StreamLimits {
  readonly bytes: number;
  readonly messageBytes: number;
  /** Time for which a message id is remembered. */
  readonly duplicateWindowMs: number;
}

/** By the keys of STREAMS. */
export const STREAM_LIMITS = {
  status: {
    bytes: GIB,
    messageBytes: WIRE_LIMITS.statusText + ENVELOPE_BYTES,
    duplicateWindowMs: 120 * SECOND_MS,
  },
  /**
   * Short, because every id takes memory and there are thousands of log chunks. The service detects duplicates by
   * attempt and number.
   */
  logs: {
    bytes: 4 * GIB,
    messageBytes: WIRE_LIMITS.logText + ENVELOPE_BYTES,
    duplicateWindowMs: 30 * SECOND_MS,
  },
  cancel: {
    bytes: 64 * MIB,
    messageBytes: WIRE_LIMITS.cancelText + ENVELOPE_BYTES,
    duplicateWindowMs: 30 * SECOND_MS,
  },
  presence: {
    bytes: 256 * MIB,
    messageBytes: WIRE_LIMITS.presenceText + ENVELOPE_BYTES,
    duplicateWindowMs: 30 * SECOND_MS,
  },
} as const satisfies Record<string, StreamLimits>;

const streamBytes = Object.values(STREAM_LIMITS).reduce((sum, limits) => sum + limits.bytes, 0);

/** Limits of the managed nats-server. */
export const SERVER_LIMITS = {
  /** A lease reply contains the embedded files of its steps. */
  payloadBytes: WIRE_LIMITS.leaseReplyText,
  /** All streams at their limits, plus space for consumers. */
  storeBytes: streamBytes + 256 * MIB,
  /** Space for the log of a cluster and copies of it, in addition. */
  clusterStoreBytes: 64 * GIB,
  /** Every stream is on disk. */
  memoryStoreBytes: MIB,
  logFileBytes: 8 * MIB,
  /** Number of rotated log files that are kept. */
  logFilesKept: 2,
  logSweepMs: 3600 * SECOND_MS,
  /** Maximum time of a server to recover its streams before it answers. */
  readyMs: 120 * SECOND_MS,
  /** Maximum time of a TLS handshake. Many workers may connect at the same moment. */
  tlsSeconds: 10,
  /** Maximum time until a new client says who it is, without TLS. The server's default of 2 s cuts off clients of busy machines. */
  clientSeconds: 10,
  /** Interval at which the servers of a cluster compare their accounts. */
  accountExchangeSeconds: 5,
  probeMs: 50,
  probeTimeoutMs: 2 * SECOND_MS,
  /** Maximum time of a server to stop. */
  stopMs: 8 * SECOND_MS,
  /** Interval of checking a server that is not a child of this process. */
  watchMs: 250,
  restartMsMin: 100,
  restartMsMax: 5 * SECOND_MS,
  /** Below the first, writes of the server may have failed. At the second, it can write again. */
  disk: { lowBytes: 16 * MIB, okBytes: 64 * MIB },
  diskCheckMs: 1 * SECOND_MS,
  /** After this uptime a server is restarted with the minimum delay. */
  settledMs: 10 * SECOND_MS,
} as const;

/** Limits of requests to the servers of a cluster. */
export const CLUSTER_LIMITS = {
  /** Maximum time for the answers of all servers. */
  answersMs: SECOND_MS,
  /** Time without a further answer after which no more are expected. */
  stallMs: 300,
  leaderProbeMs: 250,
  firstNoteMs: 2 * SECOND_MS,
  noteMs: 10 * SECOND_MS,
} as const;

/** Limits of a connection. */
export const CONNECTION_LIMITS = {
  dialMs: 5 * SECOND_MS,
  /** For the service's own connections. */
  redial: { msMin: 50, msMax: 2 * SECOND_MS },
  /** For workers: thousands may be disconnected at the same moment. */
  workerRedial: { msMin: 1 * SECOND_MS, msMax: 4 * SECOND_MS },
  /** A connection is closed after two unanswered pings: well before a worker has to stop its tasks. */
  pingMs: 3 * SECOND_MS,
  pingsOut: 2,
  /** Servers of a cluster that a connection remembers. */
  learnedServers: 16,
  drainMs: 2 * SECOND_MS,
  /** Maximum bytes of frames gathered in one turn before they are sent. */
  gatheredBytes: 64 * KIB,
  /** Timeout of the JetStream API. */
  apiMs: 5 * SECOND_MS,
  /**
   * Delay before a lost stream is re-created: the server reports a deletion before it has removed the files, and would
   * remove those of the new stream too.
   */
  repairMsMin: 1000,
  repairMsMax: 5 * SECOND_MS,
  /** Timeout of a check of the streams for readiness, which has a budget of its own. */
  streamMs: 2 * SECOND_MS,
  /** Interval at which the streams are checked for changed settings and missing copies. */
  streamCheckMs: 15 * SECOND_MS,
} as const;

/** Limits of a worker's publishing. */
export const PUBLISH_LIMITS = {
  acknowledgeMs: 5 * SECOND_MS,
  /** Time between following a task and looking up an earlier cancel: a task that has ended by then needs no lookup. */
  cancelLookUpMs: 100,
  logsUnderWay: 256,
  logBytesUnderWay: 8 * MIB,
} as const;
