import type { JobId, QueueId } from '../ids.ts';
import { durationText, sentenceOf } from '../explain/wording.ts';

/** Preemption of a queue for tasks that wait for a worker (docs/policy.md#preemption). */
export interface PreemptionSetting {
  /** Seconds of waiting after which it takes back tasks of preemptible queues. Absent: never. */
  readonly preemptAfterSeconds?: number;
  /** Whether other queues may take back its tasks. Absent is false. */
  readonly preemptible?: boolean;
  /** From 1; rises with each change of the other fields. Absent if they were last changed by a release without versions. */
  readonly preemptionVersion?: number;
}

/** Change of the preemption of a queue. Null: never. Undefined keeps the stored value. */
interface PreemptionInput {
  readonly preemptAfterSeconds?: number | null | undefined;
  readonly preemptible?: boolean | undefined;
}

/** Returns the version of a setting; 0 if the queue never had one. */
export const preemptionVersionOf = ({
  preemptAfterSeconds,
  preemptible = false,
  preemptionVersion,
}: PreemptionSetting): number =>
  preemptionVersion ?? (preemptAfterSeconds !== undefined || preemptible ? 1 : 0);

/** Returns the preemption of a queue after a change. `before`: null for a new queue. */
export function changedPreemption(
  { preemptAfterSeconds, preemptible }: PreemptionInput,
  before: PreemptionSetting | null,
): PreemptionSetting {
  const after = preemptAfterSeconds === undefined ? before?.preemptAfterSeconds : preemptAfterSeconds;
  const isAllowed = preemptible ?? before?.preemptible ?? false;
  const isSame =
    (after ?? undefined) === before?.preemptAfterSeconds && isAllowed === (before?.preemptible ?? false);
  const version = preemptionVersionOf(before ?? {}) + (isSame ? 0 : 1);
  return {
    ...(typeof after === 'number' && { preemptAfterSeconds: after }),
    ...(isAllowed && { preemptible: true }),
    ...(version > 0 && { preemptionVersion: version }),
  };
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
  /** Setting of the queue by which it was decided, and its version. */
  readonly afterSeconds: number;
  /** Absent if it was decided by a release without versions. */
  readonly policyVersion?: number;
}

/** How often a task that has not ended was taken back, and when the last time was (milliseconds since the epoch). */
export interface PreemptionCount {
  readonly times: number;
  readonly lastAt: number;
}

/** `taken back for queue urgent, of which a task had waited 5 min`. */
export const preemptionText = ({ queue, waitedMs }: Pick<Preemption, 'queue' | 'waitedMs'>): string =>
  `taken back for queue ${queue}, of which a task had waited ${durationText(waitedMs)}`;

type Decision = Pick<Preemption, 'queue' | 'waitedMs' | 'policyVersion'>;

/** The same with the version: `taken back for queue urgent, of which a task had waited 5 min (preemption setting 3)`. */
export const preemptionReason = (decision: Decision): string =>
  decision.policyVersion === undefined
    ? preemptionText(decision)
    : `${preemptionText(decision)} (preemption setting ${decision.policyVersion})`;

/** Returns the decision as a sentence. */
export const preemptionSentence = (preemption: Preemption): string =>
  sentenceOf(
    `${preemptionText(preemption)} (it may take back tasks after ${settingText(preemption)}): the task runs again from its beginning, without using up an attempt`,
  );

const settingText = ({ afterSeconds, policyVersion }: Preemption): string =>
  `${durationText(afterSeconds * 1000)}${policyVersion === undefined ? '' : `, preemption setting ${policyVersion}`}`;
