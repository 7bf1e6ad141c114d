import type { AttemptAddress, JobId, TaskAddress, TaskId } from '../ids.ts';
import type { LogChunk, LogExtent, LogPosition, LogStream } from '../records/log-chunk.ts';
import type { StreamFound } from '../wire/bus-sequence.ts';

/** A log message of the bus, checked at the door: its attempt belongs to its task. */
export interface IncomingLogChunk {
  readonly attempt: AttemptAddress;
  /** From 1, without gaps in an attempt. */
  readonly seqNum: number;
  readonly stream: LogStream;
  readonly data: string;
  /** RFC 3339, as the worker said. */
  readonly at: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Sequence of the message in the bus's stream, from 1. */
  readonly streamSequence: number;
  /** Whether it is stored although the one before it has not come. */
  readonly mayOvertake: boolean;
}

export type AppendOutcome =
  /** On disk: the messages may be acknowledged. */
  | {
      readonly ok: true;
      /** Leaves out what had been stored before, and what is over the limit of its task. */
      readonly stored: readonly LogChunk[];
      readonly duplicates: number;
      /** What was not stored because the chunk before it has not come: to be given again, or left to be delivered again. */
      readonly early: readonly IncomingLogChunk[];
      /** Tasks of which something new came, whether it was stored or was over the limit. */
      readonly tasks: readonly TaskId[];
      /** Tasks that have reached their limit with this. */
      readonly cut: readonly TaskId[];
    }
  /** Nothing was stored, because the disk is low: do not acknowledge, let the bus deliver again later. */
  | { readonly ok: false; readonly reason: 'disk-low' };

/** `more`: rows are left, call again in a later turn of the event loop. `disk-low`: nothing was removed, because that takes room too. */
export type RemovalOutcome = 'done' | 'more' | 'disk-low';

/** Writes task logs. A commit that fails ends the process (docs/dependency-hazards.md#d3-failed-commits). */
export interface LogStoreWriter {
  /** To be said at each connection to the bus, before the first `append`. */
  streamFound(stream: StreamFound): void;
  /**
   * Stores a batch in one flushed transaction, in the order of the stream. A chunk whose attempt and `seqNum` are stored already is passed over.
   */
  append(chunks: readonly IncomingLogChunk[]): AppendOutcome;
  /** Removes a bounded number of a job's rows. */
  removeJob(job: JobId): RemovalOutcome;
}

/**
 * How much of a task's log has come: `behind` when the chunk has not, `gaps` when it has but not every earlier one of the task's attempts,
 * `whole` when all have. What is over the limit has come too.
 */
export type LogArrival = 'behind' | 'gaps' | 'whole';

/** Reads task logs, synchronously. */
export interface LogReader {
  /**
   * Chunks of a task with a `busSeq` above `afterBusSeq`, in its order, at most `limit`; no more once their data has `enough` characters.
   */
  page(task: TaskAddress, afterBusSeq: number, limit: number, enough?: number): readonly LogChunk[];
  extent(task: TaskAddress): LogExtent;
  /** What has come of a task's log, whose last chunk is told. */
  arrival(task: TaskAddress, last: LogPosition): LogArrival;
}
