import type { AttemptAddress, AttemptId, JobId, TaskAddress, TaskId } from '../ids.ts';
import { keys } from './tables.ts';

export type LogStream = 'stdout' | 'stderr';

/** A piece of a task's output (docs/contract/resources.md#log-chunk). */
export interface LogChunk {
  readonly id: string;
  readonly taskId: TaskId;
  readonly attemptId: AttemptId;
  /** From 1, without gaps in an attempt. */
  readonly seqNum: number;
  readonly busSeq: number;
  readonly stream: LogStream;
  readonly data: string;
  /** When the worker read it: RFC 3339, by the clock of the worker. */
  readonly at: string;
  /** When the service received it: milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** Stored value of a chunk; the other fields are in the key. */
export interface LogChunkRecord {
  readonly version: 1;
  readonly attemptNumber: number;
  readonly seqNum: number;
  readonly stream: LogStream;
  readonly data: string;
  readonly at: string;
  readonly receivedAt: number;
}

/** Stored amount of a task's log, over all its attempts, which the limit per task applies to. */
export interface LogTotalRecord {
  readonly version: 1;
  /** Bytes of UTF-8 of the data of all its chunks. */
  readonly bytes: number;
  /** Set if the limit was reached: no more chunks are stored. */
  readonly isCut: boolean;
}

/** Extent of a task's log. */
export interface LogExtent {
  /** Of its newest chunk; 0 if there is none. */
  readonly lastBusSeq: number;
  /** Bytes of UTF-8 of the data of all its chunks. */
  readonly bytes: number;
}

/** Identifies a chunk by its attempt and number. */
export interface LogPosition {
  readonly attempt: AttemptAddress;
  readonly seqNum: number;
}

/** Digits of a `bus_seq` and of a number of lines. */
const NUMBER_DIGITS = 16;

/** Keys of the log store. Numbers are padded, so that the order of keys is the order of numbers. */
export const logKeys = {
  chunk: (task: TaskAddress, busSeq: number): string =>
    `${logKeys.task(task)}${String(busSeq).padStart(NUMBER_DIGITS, '0')}`,
  /** Key of the stored ranges of an attempt. */
  attempt: (attempt: AttemptAddress): string => keys.attempt(attempt, attempt.attemptNumber),
  /** Prefix of the keys of an attempt's line marks. */
  marks: (attempt: AttemptAddress): string => `${logKeys.attempt(attempt)}/`,
  /** Key of the mark after this many lines. */
  mark: (attempt: AttemptAddress, lines: number): string =>
    `${logKeys.marks(attempt)}${String(lines).padStart(NUMBER_DIGITS, '0')}`,
  /** Key of the stored amount of a task. */
  total: (task: TaskAddress): string => logKeys.task(task),
  /** Prefix of all keys of a task's chunks, attempts, total and lines. */
  task: (task: TaskAddress): string => keys.attemptsOf(task),
  /** Prefix of all keys of a job's chunks, attempts, totals and lines. */
  job: (job: JobId): string => keys.stepsOf(job),
} as const;

/** Returns the `bus_seq` at the end of a chunk's key. */
export const busSequenceOfKey = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1));
