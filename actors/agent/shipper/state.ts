/**
 * State of a log shipper. A line is in the open chunk, then in a sealed one, then stored on the bus or in the spool;
 * lines of the spool go to the bus later. Routes: `bus`, and `spool` while the bus accepts nothing. Dropping (`dropped`
 * is set) starts when neither accepts logs and ends when one does.
 *
 * Invariants: sequence numbers have no gaps; chunks reach the bus in order; a chunk is handed to the bus or to the
 * spool, never to both at once. Exit: `isEnded`, after the last line was stored or discarded.
 */

import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { OutputStream } from '../../../src/core/ports/task-processes.ts';
import type { LogMessage } from '../../../src/core/wire/bus-messages.ts';

/** Lines of one stream that are not a message yet. */
export interface OpenChunk {
  readonly stream: OutputStream;
  text: string;
  /** Size of the text in bytes. */
  size: number;
  /** Bytes of output that count against the process's limit until the chunk is stored. */
  holds: number;
}

export interface SealedChunk {
  readonly message: LogMessage;
  holds: number;
}

/** Destination of sealed chunks. */
export type ShipperRoute =
  /** The bus, after the chunks in the spool. */
  | 'bus'
  /** The spool: the bus accepts nothing. */
  | 'spool';

export interface ShipperState {
  readonly attemptId: AttemptId;
  readonly taskId: TaskId;
  /** Null for chunks that an earlier agent left in the spool. */
  readonly sessionId: SessionId | null;
  route: ShipperRoute;
  lastSequence: number;
  open: OpenChunk | null;
  /** Sealed chunks that are not stored yet, in order. */
  readonly sealed: SealedChunk[];
  /** Numbers of leading chunks in flight to the bus and to the spool. Never both at once. */
  underWay: number;
  spooling: number;
  /** Whether the spool has chunks of this attempt. They precede all sealed chunks. */
  isSpooled: boolean;
  /** Whether chunks of the spool are in flight to the bus. */
  isUnspooling: boolean;
  /** Whether the last write to the spool failed. */
  isSpoolFull: boolean;
  /** Number of failed tries of the bus in a row. */
  tries: number;
  /** Output that was dropped; null while nothing is dropped. */
  dropped: { lines: number; bytes: number } | null;
  /** Whether the session waits until all lines so far are stored. */
  isDraining: boolean;
  /** Whether no more lines follow. */
  isFinishing: boolean;
  isEnded: boolean;
}

export function newShipper(attemptId: AttemptId, taskId: TaskId, sessionId: SessionId | null): ShipperState {
  return {
    attemptId,
    taskId,
    sessionId,
    route: 'bus',
    lastSequence: 0,
    open: null,
    sealed: [],
    underWay: 0,
    spooling: 0,
    isSpooled: false,
    isUnspooling: false,
    isSpoolFull: false,
    tries: 0,
    dropped: null,
    isDraining: false,
    isFinishing: false,
    isEnded: false,
  };
}
