import type { CommitWindow, LogMark } from './log-record.ts';
import type { LogFault } from './log-chain.ts';
import type { NodeState } from './node-states.ts';

/** A record with its position in the log. */
export interface StoredRecord {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/**
 * Inputs of a node. Each `append` effect leads to one of `append.stored`, `append.refused` and `append.unanswered`; each
 * `read` effect to one of `tail.read` and `tail.unreachable`. Results name the effect, not the position: another append
 * at the same position may have another result.
 */
export type NodeInput =
  /** Changes of the owner. The number is that of the caller. */
  | { readonly type: 'entry.submitted'; readonly entry: number; readonly windows: readonly CommitWindow[] }
  /** The owner is to hand the log over, when all earlier entries are accepted. Later entries get no outcome. */
  | { readonly type: 'hand-over.requested'; readonly successor: string }
  | { readonly type: 'append.stored'; readonly append: number; readonly position: number }
  /** The last position of the log was not the one before the record. */
  | { readonly type: 'append.refused'; readonly append: number }
  /** The append may have been stored, now or later. */
  | { readonly type: 'append.unanswered'; readonly append: number }
  | {
      readonly type: 'tail.read';
      /** Consecutive records from the requested position; perhaps not all of them. */
      readonly records: readonly StoredRecord[];
      /** Position of the first record that the log has; one more than the last if it is empty. */
      readonly first: number;
      /** Position of the last record of the log. */
      readonly last: number;
      /** The leader of the log has answered, or a server that considers itself the leader. */
      readonly isFromLeader: boolean;
    }
  | { readonly type: 'tail.unreachable' }
  /** `dueMs` of the node has come. */
  | { readonly type: 'time.passed' };

export type EndReason =
  | 'fenced'
  /** The node has handed the log over, as it was asked. */
  | 'handed-over'
  | LogFault
  /** The next record was removed from the log: the node needs a snapshot. */
  | 'behind'
  /** The log ends before a record that this node has read. */
  | 'log-shorter';

/** Effects of a node, in order. */
export type NodeEffect =
  /** Append the record if the last position of the log is the one before it. */
  | {
      readonly type: 'append';
      readonly append: number;
      readonly position: number;
      readonly bytes: Uint8Array;
    }
  /** Read records from a position. Wait for a moment if there are none. */
  | { readonly type: 'read'; readonly from: number }
  /** Apply the changes of a record of another process. The mark is stored in the same transaction. */
  | { readonly type: 'apply'; readonly windows: readonly CommitWindow[]; readonly mark: LogMark }
  /**
   * Entries of this owner are in the log. Apply them, in one transaction with the mark of their last record, then send their
   * output.
   */
  | { readonly type: 'accept'; readonly entries: readonly number[]; readonly mark: LogMark }
  | { readonly type: 'state'; readonly state: NodeState; readonly epoch: number }
  /** The node handles no more input. `position` is that of the last record that it has read. */
  | { readonly type: 'end'; readonly reason: EndReason; readonly position: number };
