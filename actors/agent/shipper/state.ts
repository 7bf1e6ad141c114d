import type { AttemptId, SessionId, TaskId } from '../../../src/core/ids.ts';
import type { OutputStream } from '../../../src/core/ports/task-processes.ts';
import type { LogMessage } from '../../../src/core/wire/bus-messages.ts';

/** Lines of one stream that have not been made a message yet. */
export interface OpenChunk {
  readonly stream: OutputStream;
  text: string;
  /** Size of the text in bytes. */
  size: number;
  /** Bytes of output that hold the process back until the chunk is stored. */
  holds: number;
}

export interface SealedChunk {
  readonly message: LogMessage;
  holds: number;
}

export interface ShipperState {
  readonly attemptId: AttemptId;
  readonly taskId: TaskId;
  readonly sessionId: SessionId;
  lastSequence: number;
  open: OpenChunk | null;
  /** Sealed and not stored, in order; the first `underWay` of them have been handed to the bus. */
  readonly sealed: SealedChunk[];
  underWay: number;
  /** Tries that failed one after another. */
  tries: number;
  /** What was dropped while the bus took nothing; null while nothing is dropped. */
  dropped: { lines: number; bytes: number } | null;
  /** The session waits for all lines so far to be on the bus. */
  isDraining: boolean;
  /** No more lines come. */
  isFinishing: boolean;
  isOver: boolean;
}

export function newShipper(attemptId: AttemptId, taskId: TaskId, sessionId: SessionId): ShipperState {
  return {
    attemptId,
    taskId,
    sessionId,
    lastSequence: 0,
    open: null,
    sealed: [],
    underWay: 0,
    tries: 0,
    dropped: null,
    isDraining: false,
    isFinishing: false,
    isOver: false,
  };
}
