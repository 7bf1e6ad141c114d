import { WIRE_LIMITS } from '../../core/wire/limits.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const SECOND_MS = 1000;

/** Room for what is stored beside a message's text: its subject and headers. */
const ENVELOPE_BYTES = KIB;

/** What one stream may take up, so that none starves another. */
interface StreamLimits {
  readonly bytes: number;
  readonly messageBytes: number;
  /** How long a message id is remembered. */
  readonly duplicateWindowMs: number;
}

/** By the keys of STREAMS. */
export const STREAM_LIMITS = {
  status: {
    bytes: GIB,
    messageBytes: WIRE_LIMITS.statusText + ENVELOPE_BYTES,
    duplicateWindowMs: 120 * SECOND_MS,
  },
  /** Short: every id costs memory, and log chunks come by the thousand. The service knows attempt and number of each. */
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
  /** A lease reply carries the embedded files of its steps. */
  payloadBytes: WIRE_LIMITS.leaseReplyText,
  /** All streams at their caps, and some room for consumers. */
  storeBytes: streamBytes + 256 * MIB,
  /** Every stream is on disk. */
  memoryStoreBytes: MIB,
  logFileBytes: 8 * MIB,
  /** Rotated log files that are kept. */
  logFilesKept: 2,
  logSweepMs: 3600 * SECOND_MS,
  /** How long a server may take to recover its streams before it answers. */
  readyMs: 120 * SECOND_MS,
  probeMs: 50,
  probeTimeoutMs: 2 * SECOND_MS,
  /** How long a server may take to end when asked to. */
  stopMs: 8 * SECOND_MS,
  /** How often a server that is not a child of this process is looked at. */
  watchMs: 250,
  restartMsMin: 100,
  restartMsMax: 5 * SECOND_MS,
  /** A server that was up this long starts again without much delay. */
  settledMs: 10 * SECOND_MS,
} as const;

/** Limits of a connection. */
export const CONNECTION_LIMITS = {
  dialMs: 5 * SECOND_MS,
  /** The service's own connections. */
  redial: { msMin: 50, msMax: 2 * SECOND_MS },
  /** Those of workers, which may be thousands that are cut off in the same moment. */
  workerRedial: { msMin: 1 * SECOND_MS, msMax: 4 * SECOND_MS },
  /** A server that answers two pings late is given up: well before a worker has to stop its tasks. */
  pingMs: 3 * SECOND_MS,
  pingsOut: 2,
  drainMs: 2 * SECOND_MS,
  /** Frames of one turn that are handed on before it ends. */
  gatheredBytes: 64 * KIB,
  /** Answer of the JetStream API. */
  apiMs: 5 * SECOND_MS,
  /**
   * What was lost is not made again at once: the server still removes the files of a deleted stream when it has
   * already said so, and would remove those of its successor too.
   */
  repairMsMin: 1000,
  repairMsMax: 5 * SECOND_MS,
} as const;

/** Limits of a worker's publishing. */
export const PUBLISH_LIMITS = {
  acknowledgeMs: 5 * SECOND_MS,
  /** How long after a task is followed a cancel of before is looked for: one that is over by then needs no look. */
  cancelLookUpMs: 100,
  logsUnderWay: 256,
  logBytesUnderWay: 8 * MIB,
} as const;
