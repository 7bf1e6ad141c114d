import type { RecordTools } from '../ports/record-tools.ts';
import { MAX_RECORD_BYTES, type LogMark } from './log-record.ts';

/** Times and sizes of a node. */
export interface NodeLimits {
  /** An idle owner appends a heartbeat record at this interval. */
  readonly heartbeatMs: number;
  /** The lease of an owner ends this long after it first sent the record that was acknowledged last. */
  readonly leaseMs: number;
  /** A follower becomes a candidate when it has read nothing new for this long. Must exceed `leaseMs`. */
  readonly takeoverMs: number;
  /** A longer time between two successful reads is a stall of the log, after which `takeoverMs` begins again. */
  readonly stallMs: number;
  /** Minimum time between the beginnings of two reads that look for the end of the log. */
  readonly rereadMs: number;
  /** A leader whose log ends before a record that was read may be an earlier one. After this long it is not. */
  readonly shorterMs: number;
  /** Maximum number of records in flight. */
  readonly inFlight: number;
  readonly recordBytes: number;
  /** A record takes no further entry when its changes have this size. */
  readonly groupBytes: number;
}

export const NODE_LIMITS: NodeLimits = {
  heartbeatMs: 500,
  leaseMs: 1500,
  takeoverMs: 2000,
  stallMs: 750,
  rereadMs: 100,
  shorterMs: 20_000,
  inFlight: 4,
  recordBytes: MAX_RECORD_BYTES,
  groupBytes: MAX_RECORD_BYTES,
};

export interface LogNodeOptions {
  /** Name of this node. */
  readonly node: string;
  readonly logId: string;
  /** The last record that this node has applied. */
  readonly mark: LogMark;
  readonly tools: RecordTools;
  /** Returns random bytes (NONCE_BYTES). */
  readonly nonce: () => Uint8Array;
  readonly limits?: NodeLimits;
}
