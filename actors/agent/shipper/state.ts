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

/** Where sealed chunks go. */
export type ShipperRoute =
  /** To the bus, behind what is in the spool. */
  | 'bus'
  /** To the spool: the bus takes nothing. */
  | 'spool';

export interface ShipperState {
  readonly attemptId: AttemptId;
  readonly taskId: TaskId;
  /** Null for what an earlier daemon has left in the spool. */
  readonly sessionId: SessionId | null;
  route: ShipperRoute;
  lastSequence: number;
  open: OpenChunk | null;
  /** Sealed and neither on the bus nor in the spool, in order. */
  readonly sealed: SealedChunk[];
  /** The first of them that have been handed to the bus, or to the spool: never to both at once. */
  underWay: number;
  spooling: number;
  /** The spool holds chunks of this attempt that are not on the bus. They come before all that is sealed. */
  isSpooled: boolean;
  /** Chunks of the spool have been handed to the bus. */
  isUnspooling: boolean;
  /** The spool has taken nothing since this was said. */
  isSpoolFull: boolean;
  /** Tries to reach the bus that failed one after another. */
  tries: number;
  /** What was dropped because nothing took it; null while nothing is dropped. */
  dropped: { lines: number; bytes: number } | null;
  /** The session waits for all lines so far to be in safety. */
  isDraining: boolean;
  /** No more lines come. */
  isFinishing: boolean;
  isOver: boolean;
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
    isOver: false,
  };
}
