import type { SessionId, TaskId } from '../../../src/core/ids.ts';
import type { OutputBatch } from '../../../src/core/ports/task-processes.ts';

interface OfSession {
  readonly taskId: TaskId;
  readonly sessionId: SessionId;
}

/** The log shipper of one attempt: lines to chunks to the bus, by way of the spool while the bus is away. Id: attempt id. */
export type ShipperMessage =
  /** From the session. */
  | (OfSession & { readonly type: 'logs.lines'; readonly batch: OutputBatch })
  /**
   * From the session. Answered by its `logs.drained` when every line so far is on the bus, or in the spool while the bus
   * is away; others may come.
   */
  | (OfSession & { readonly type: 'logs.drain' })
  /** From the session: no more lines come. Answered by its `logs.drained`. */
  | (OfSession & { readonly type: 'logs.finish' })
  /** The daemon has started: an earlier one has left chunks of this attempt in the spool. */
  | { readonly type: 'logs.recovered'; readonly taskId: TaskId }
  /** From the bus: how many of the chunks, from the first on, are stored; and why not the rest, or null. */
  | { readonly type: 'logs.stored'; readonly stored: number; readonly failure: string | null }
  /** From the spool: how many of the chunks, from the first on, it has kept; and why not the rest, or null. */
  | { readonly type: 'logs.spooled'; readonly kept: number; readonly failure: string | null }
  /** From the bus: how many chunks of the spool are stored, whether the spool has others, and why it went no further, or null. */
  | {
      readonly type: 'logs.unspooled';
      readonly stored: number;
      readonly isRest: boolean;
      readonly failure: string | null;
    }
  /** Own timer: what has gathered is sent. */
  | { readonly type: 'chunk.due' }
  /** Own timer: what was not stored is sent again. */
  | { readonly type: 'logs.retry' }
  /** Own timer: the bus has taken nothing for a while; the spool is used. */
  | { readonly type: 'logs.spill-due' }
  /** Own timer: neither bus nor spool has taken logs for too long. */
  | { readonly type: 'logs.stalled' }
  /** Own timer: what is in memory is given up. */
  | { readonly type: 'logs.give-up' };
