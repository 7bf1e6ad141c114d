import type { JobId, QueueId } from '../ids.ts';
import { durationText, sentenceOf } from '../explain/wording.ts';

/** Preemption of a queue for tasks that wait for a worker (docs/policy.md#preemption). */
export interface PreemptionSetting {
  /** Seconds of waiting after which it takes back tasks of preemptible queues. Absent: never. */
  readonly preemptAfterSeconds?: number;
  /** Whether other queues may take back its tasks. Absent is false. */
  readonly preemptible?: boolean;
}

/** Why a running task was taken back. Stored with its attempt. */
export interface Preemption {
  /** The waiting task's job, step and queue. */
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly queueId: QueueId;
  /** Name of the queue at that time. */
  readonly queue: string;
  readonly waitedMs: number;
  /** Setting of the queue by which it was decided. */
  readonly afterSeconds: number;
}

/** How often a task that has not ended was taken back, and when the last time was (milliseconds since the epoch). */
export interface PreemptionCount {
  readonly times: number;
  readonly lastAt: number;
}

/** `taken back for queue urgent, of which a task had waited 5 min`. */
export const preemptionText = ({ queue, waitedMs }: Pick<Preemption, 'queue' | 'waitedMs'>): string =>
  `taken back for queue ${queue}, of which a task had waited ${durationText(waitedMs)}`;

/** Returns the decision as a sentence. */
export const preemptionSentence = (preemption: Preemption): string =>
  sentenceOf(
    `${preemptionText(preemption)} (it may take back tasks after ${durationText(preemption.afterSeconds * 1000)}): the task runs again from its beginning, without using up an attempt`,
  );
