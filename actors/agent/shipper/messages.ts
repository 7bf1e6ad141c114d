import type { SessionId, TaskId } from '../../../src/core/ids.ts';
import type { OutputBatch } from '../../../src/core/ports/task-processes.ts';

interface OfSession {
  readonly taskId: TaskId;
  readonly sessionId: SessionId;
}

/**
 * Messages of the log shipper of one attempt, which sends lines as chunks to the bus, through the spool while the bus
 * is unreachable. Id: attempt id.
 */
export type ShipperMessage =
  /** From the session: output lines. */
  | (OfSession & { readonly type: 'logs.lines'; readonly batch: OutputBatch })
  /**
   * From the session. Answered by its `logs.drained` when all lines so far are on the bus, or in the spool while the
   * bus is unreachable. More lines may follow.
   */
  | (OfSession & { readonly type: 'logs.drain' })
  /** From the session: no more lines follow. Answered by its `logs.drained`. */
  | (OfSession & { readonly type: 'logs.finish' })
  /** From the agent at its start: an earlier agent left chunks of this attempt in the spool. */
  | { readonly type: 'logs.recovered'; readonly taskId: TaskId }
  /** From the bus: number of chunks that were stored, in order, and the reason why not the others, or null. */
  | { readonly type: 'logs.stored'; readonly stored: number; readonly failure: string | null }
  /** From the spool: number of chunks that were kept, in order, and the reason why not the others, or null. */
  | { readonly type: 'logs.spooled'; readonly kept: number; readonly failure: string | null }
  /**
   * From the bus: number of chunks from the spool that were stored, whether the spool has more, and the error, or null.
   */
  | {
      readonly type: 'logs.unspooled';
      readonly stored: number;
      readonly isRest: boolean;
      readonly failure: string | null;
    }
  /** Own timer: send the open chunk. */
  | { readonly type: 'chunk.due' }
  /** Own timer: retry. */
  | { readonly type: 'logs.retry' }
  /** Own timer: the bus has accepted nothing for a while, use the spool. */
  | { readonly type: 'logs.spill-due' }
  /** Own timer: neither bus nor spool has accepted logs for too long. */
  | { readonly type: 'logs.stalled' }
  /** Own timer: discard the chunks in memory. */
  | { readonly type: 'logs.give-up' };
