/**
 * State of preemption in the lease actor (docs/policy.md#preemption). States: no survey, or a survey of workers, then
 * one of jobs. A survey ends within its unit of work. Invariants: `queues` has exactly the queues that preempt or are
 * preemptible. Exit: `setPreemption` removes a queue that is neither.
 */

import type { AttemptId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';
import { preemptionVersionOf, type PreemptionSetting } from '../../../src/core/records/preemption.ts';
import type { Booking } from '../../../src/core/records/worker.ts';
import type { SurveyedAttempt } from './messages.ts';

const SECOND_MS = 1000;

export interface PreemptingQueue {
  readonly name: string;
  /** Null: it takes back no tasks. */
  readonly afterMs: number | null;
  readonly isPreemptible: boolean;
  /** Version of the setting. */
  readonly version: number;
}

/** Attempts of a worker that may run one of the steps. */
export interface SurveyedWorker {
  readonly bookings: readonly Booking[];
  readonly isEnding: boolean;
}

/** Facts that are collected for steps that have waited long enough. */
export interface Survey {
  readonly waiters: readonly StepName[];
  readonly workers: Map<WorkerId, SurveyedWorker>;
  /** Attempts of preemptible queues. */
  readonly attempts: Map<AttemptId, SurveyedAttempt>;
  /** Number of answers that are missing. */
  outstanding: number;
}

export interface PreemptionState {
  readonly queues: Map<QueueId, PreemptingQueue>;
  survey: Survey | null;
}

export const newPreemption = (): PreemptionState => ({ queues: new Map(), survey: null });

/** Sets the preemption of a queue. */
export function setPreemption(
  { queues }: PreemptionState,
  queueId: QueueId,
  name: string,
  setting: PreemptionSetting,
): void {
  const { preemptAfterSeconds, preemptible = false } = setting;
  const afterMs = preemptAfterSeconds === undefined ? null : preemptAfterSeconds * SECOND_MS;
  if (afterMs === null && !preemptible) queues.delete(queueId);
  else {
    const version = preemptionVersionOf(setting);
    queues.set(queueId, { name, afterMs, isPreemptible: preemptible, version });
  }
}

/** Returns the time after which the queue takes back tasks, in milliseconds; null for never. */
export const preemptAfterOf = ({ queues }: PreemptionState, queueId: QueueId): number | null =>
  queues.get(queueId)?.afterMs ?? null;

/** Returns the shortest of these times; null if no queue preempts, or none is preemptible. */
export function shortestWaitOf({ queues }: PreemptionState): number | null {
  const settings = [...queues.values()];
  const waits = settings.flatMap(({ afterMs }) => afterMs ?? []);
  return waits.length === 0 || !settings.some(({ isPreemptible }) => isPreemptible)
    ? null
    : Math.min(...waits);
}
