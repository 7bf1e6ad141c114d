import type { AttemptAddress, JobId, TaskAddress, TaskId } from '../ids.ts';
import type { LogChunk, LogExtent, LogPosition, LogStream } from '../records/log-chunk.ts';
import type { PreviewContent, StoredPreview } from '../previews/preview-record.ts';
import type { LineMark } from '../records/log-lines.ts';
import type { StreamFound } from '../wire/bus-sequence.ts';

/** A validated log message of the bus: its attempt belongs to its task. */
export interface IncomingLogChunk {
  readonly attempt: AttemptAddress;
  /** From 1, without gaps in an attempt. */
  readonly seqNum: number;
  readonly stream: LogStream;
  readonly data: string;
  /** RFC 3339, by the clock of the worker. */
  readonly at: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Sequence of the message in the bus's stream, from 1. */
  readonly streamSequence: number;
  /** Set if the chunk is stored even though the previous one has not arrived. */
  readonly mayOvertake: boolean;
}

/** A validated preview of the bus: its attempt belongs to its task. */
export interface IncomingPreview {
  readonly attempt: AttemptAddress;
  /** From 0, below `PREVIEW_LIMITS.perAttempt`. */
  readonly number: number;
  /** The output, as the task has named it, or as it was found at an OUT parameter. */
  readonly path: string;
  /** The name of that parameter. Absent: the task has named the output. */
  readonly parameter?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly content: PreviewContent;
}

export interface PreviewQuery {
  /** The last preview of the page before; null for the first page. */
  readonly after: Pick<StoredPreview, 'task' | 'number'> | null;
  readonly limit: number;
  /** Bytes of images at which a page is closed. */
  readonly enough: number;
}

export interface PreviewPage {
  readonly items: readonly StoredPreview[];
  /** Whether there are previews after these. */
  readonly isMore: boolean;
}

export type AppendOutcome =
  /** The chunks are on disk: their messages may be acknowledged. */
  | {
      readonly ok: true;
      /** Without chunks that were stored before or that exceed the limit of their task. */
      readonly stored: readonly LogChunk[];
      readonly duplicates: number;
      /**
       * Chunks that were not stored because the previous one has not arrived. They must be appended again later, or
       * redelivered.
       */
      readonly early: readonly IncomingLogChunk[];
      /** Tasks with new chunks, stored or over the limit. */
      readonly tasks: readonly TaskId[];
      /** Tasks that reached their limit with this batch. */
      readonly cut: readonly TaskId[];
    }
  /** Nothing was stored because the disk is low: do not acknowledge, so that the bus redelivers later. */
  | { readonly ok: false; readonly reason: 'disk-low' };

/**
 * `more`: rows remain, call again in a later turn of the event loop. `disk-low`: nothing was removed, because a removal
 * needs space too.
 */
export type RemovalOutcome = 'done' | 'more' | 'disk-low';

/** Writes task logs and previews. A commit that fails ends the process (docs/dependency-hazards.md#d3-failed-commits). */
export interface LogStoreWriter {
  /** Must be called at each connection to the bus, before the first `append`. */
  streamFound(stream: StreamFound): void;
  /**
   * Stores a batch in one flushed transaction, in the order of the stream. Skips a chunk whose attempt and `seqNum` are
   * already stored.
   */
  append(chunks: readonly IncomingLogChunk[]): AppendOutcome;
  /**
   * Stores previews in one flushed transaction. They replace those of earlier attempts of their tasks. `disk-low`: nothing was
   * stored.
   */
  keepPreviews(previews: readonly IncomingPreview[]): 'stored' | 'disk-low';
  /** Removes a bounded number of a job's rows. */
  removeJob(job: JobId): RemovalOutcome;
  /** Returns the first jobs after another one that have logs or previews, in the order of their ids. */
  loggedJobs(after: JobId | null, limit: number): readonly JobId[];
}

/**
 * Arrival of a task's log up to a chunk: `behind` if the chunk has not arrived, `gaps` if it has but an earlier one of
 * the task's attempts has not, `whole` if all have. Chunks over the limit count as arrived.
 */
export type LogArrival = 'behind' | 'gaps' | 'whole';

/** Reads task logs and previews, synchronously. */
export interface LogReader {
  /**
   * Returns chunks of a task with a `busSeq` above `afterBusSeq`, in its order. Stops at `limit` chunks, or when their
   * data has `enough` characters.
   */
  page(task: TaskAddress, afterBusSeq: number, limit: number, enough?: number): readonly LogChunk[];
  extent(task: TaskAddress): LogExtent;
  /** Returns the previews of a task, in the order of its outputs: those of one attempt. */
  previews(task: TaskAddress): readonly StoredPreview[];
  /** Returns previews of a job, in the order of its tasks. */
  jobPreviews(job: JobId, query: PreviewQuery): PreviewPage;
  /** Returns the image of a job that was stored last; null if there is none, or if it was replaced. */
  newestPreview(job: JobId): StoredPreview | null;
  /** Returns what has arrived of a task's log up to its `last` chunk. */
  arrival(task: TaskAddress, last: LogPosition): LogArrival;
  /**
   * Returns a position in the log of an attempt that has fewer complete lines than `line`, from 1, and is close to it
   * if the lines of the attempt were counted.
   */
  markBefore(attempt: AttemptAddress, line: number): LineMark;
}
