import type { AttemptAddress, AttemptId, JobId, TaskAddress, TaskId } from '../ids.ts';
import { keys } from './tables.ts';

export type LogStream = 'stdout' | 'stderr';

/** A piece of a task's output (interface.md, "Log chunk"). */
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

const BUS_SEQUENCE_DIGITS = 16;

/** Every key of the log store. Numbers are padded, so that the order of keys is the order of numbers. */
export const logKeys = {
  chunk: (task: TaskAddress, busSeq: number): string =>
    `${logKeys.task(task)}${String(busSeq).padStart(BUS_SEQUENCE_DIGITS, '0')}`,
  /** What of an attempt was stored. */
  attempt: (attempt: AttemptAddress): string => keys.attempt(attempt, attempt.attemptNumber),
  /** Begins every key of a task's chunks and attempts. */
  task: (task: TaskAddress): string => keys.attemptsOf(task),
  /** Begins every key of a job's chunks and attempts. */
  job: (job: JobId): string => keys.stepsOf(job),
} as const;

/** The `bus_seq` that a chunk's key ends with. */
export const busSequenceOfKey = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1));
