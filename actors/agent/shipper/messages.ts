import type { SessionId, TaskId } from '../../../src/core/ids.ts';
import type { OutputBatch } from '../../../src/core/ports/task-processes.ts';

interface OfSession {
  readonly taskId: TaskId;
  readonly sessionId: SessionId;
}

/** The log shipper of one attempt: lines to chunks to the bus. Id: attempt id. */
export type ShipperMessage =
  /** From the session. */
  | (OfSession & { readonly type: 'logs.lines'; readonly batch: OutputBatch })
  /** From the session. Answered by its `logs.drained` when every line so far is on the bus; others may come. */
  | (OfSession & { readonly type: 'logs.drain' })
  /** From the session: no more lines come. Answered by its `logs.drained`. */
  | (OfSession & { readonly type: 'logs.finish' })
  /** From the bus: how many of the chunks, from the first on, are stored; and why not the rest, or null. */
  | { readonly type: 'logs.stored'; readonly stored: number; readonly failure: string | null }
  /** Own timer: what has gathered is sent. */
  | { readonly type: 'chunk.due' }
  /** Own timer: what was not stored is sent again. */
  | { readonly type: 'logs.retry' }
  /** Own timer: the bus has not taken logs for too long. */
  | { readonly type: 'logs.stalled' }
  /** Own timer: the rest is given up. */
  | { readonly type: 'logs.give-up' };
