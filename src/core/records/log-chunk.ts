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
  /** When the worker read it: RFC 3339, as it said. */
  readonly at: string;
  /** When the service received it: milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** What the store holds of a chunk; the key says the rest. */
export interface LogChunkRecord {
  readonly version: 1;
  readonly attemptNumber: number;
  readonly seqNum: number;
  readonly stream: LogStream;
  readonly data: string;
  readonly at: string;
  readonly receivedAt: number;
}

/** How much of a task's log was stored, over all its attempts: what the limit for a task counts. */
export interface LogTotalRecord {
  readonly version: 1;
  /** Bytes of UTF-8 of the data of all its chunks. */
  readonly bytes: number;
  /** The limit was reached: nothing more is stored. */
  readonly isCut: boolean;
}

/** How far a task's log reaches. */
export interface LogExtent {
  /** Of its newest chunk; 0 when there is none. */
  readonly lastBusSeq: number;
  /** Bytes of UTF-8 of the data of all its chunks. */
  readonly bytes: number;
}

/** Which chunk of which attempt. */
export interface LogPosition {
  readonly attempt: AttemptAddress;
  readonly seqNum: number;
}

const BUS_SEQUENCE_DIGITS = 16;

/** Every key of the log store. Numbers are padded, so that the order of keys is the order of numbers. */
export const logKeys = {
  chunk: (task: TaskAddress, busSeq: number): string =>
    `${logKeys.task(task)}${String(busSeq).padStart(BUS_SEQUENCE_DIGITS, '0')}`,
  /** What of an attempt was stored. */
  attempt: (attempt: AttemptAddress): string => keys.attempt(attempt, attempt.attemptNumber),
  /** How much of a task was stored. */
  total: (task: TaskAddress): string => logKeys.task(task),
  /** Begins every key of a task's chunks and attempts, and its total's. */
  task: (task: TaskAddress): string => keys.attemptsOf(task),
  /** Begins every key of a job's chunks, attempts and totals. */
  job: (job: JobId): string => keys.stepsOf(job),
} as const;

/** The `bus_seq` that a chunk's key ends with. */
export const busSequenceOfKey = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1));
