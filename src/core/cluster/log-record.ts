/*
 * Records of the replicated log (docs/decisions/replicated-log.md#records). Positions and epochs are integers from 1.
 */

/** Maximum length of a record with header and digest. */
export const MAX_RECORD_BYTES = 512 * 1024;
export const DIGEST_BYTES = 32;
/** Number of random bytes that make each epoch record unique. */
export const NONCE_BYTES = 16;

/**
 * - `changes`: commit windows, or the last part of a body that is too long for one record;
 * - `part`: an earlier part of such a body;
 * - `epoch`: begins an epoch of an owner;
 * - `heartbeat`: proves that an idle owner is alive;
 * - `hand-over`: the last record of its owner, which names the node that is to take over.
 */
export type RecordKind = 'changes' | 'part' | 'epoch' | 'heartbeat' | 'hand-over';

/** The last valid record up to a position. A node stores it in the same transaction as the changes of the record. */
export interface LogMark {
  readonly position: number;
  readonly digest: Uint8Array;
  readonly epoch: number;
}

/** Mark of an empty log. */
export const EMPTY_LOG: LogMark = { position: 0, digest: new Uint8Array(DIGEST_BYTES), epoch: 0 };

/** A record without its digest. */
export interface RecordContent {
  /** The lowest format that can express the body, so that earlier versions read as many records as they can. */
  readonly format: number;
  readonly kind: RecordKind;
  /** The 16 bytes of the UUID of the log. */
  readonly logId: Uint8Array;
  readonly epoch: number;
  readonly position: number;
  /** The record of the chain before this one. */
  readonly previous: Pick<LogMark, 'position' | 'digest'>;
  /** Number of the part from 0. Of a closing part, it is the number of parts before it. 0 if the body is whole. */
  readonly part: number;
  readonly isCompressed: boolean;
  /** Length of the whole body before it was compressed. 0 in parts that do not close the body. */
  readonly bodyLength: number;
  /** The body, or a part of it, as it is stored. */
  readonly body: Uint8Array;
}

export interface LogRecord extends RecordContent {
  readonly digest: Uint8Array;
}

/** A commit window of a shard: everything that it committed together. */
export interface CommitWindow {
  /** Unix time in milliseconds. */
  readonly timeMs: number;
  readonly shard: number;
  /** Increases from window to window of a shard. */
  readonly number: number;
  /** The causes of the units of work, in order, as sections (`readCauses`). Empty if none is known. */
  readonly causes: Uint8Array;
  /** An encoded change set. */
  readonly changes: Uint8Array;
}

/** Owner of an epoch. */
export interface EpochOwner {
  readonly node: string;
  /** Random bytes: no two epoch records are equal. */
  readonly nonce: Uint8Array;
}
