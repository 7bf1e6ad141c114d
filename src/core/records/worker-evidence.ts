import type { JobId, WorkerId } from '../ids.ts';

/** Attempts of a step on other workers than one, as far as they have ended. */
export interface OtherAttempts {
  readonly failed: number;
  readonly succeeded: number;
}

/** A decision that a worker gets no tasks of a step, or none at all (docs/quarantine.md). */
export interface Quarantine {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Sentence without a final period. */
  readonly reason: string;
  /** Version of the farm's setting by which it was decided. */
  readonly policyVersion: number;
}

/** Evidence for and against a worker in one step. */
export interface StepEvidence {
  readonly jobId: JobId;
  readonly stepOrder: number;
  /** Tasks that have failed on the worker, and have not ended elsewhere yet. */
  readonly open: number;
  /** Tasks that have failed on the worker, and then succeeded on another one. */
  readonly elsewhere: number;
  /** Tasks that have failed on the worker and on another one. They do not speak against the worker. */
  readonly everywhere: number;
  /** Tasks of the step that have succeeded on the worker since its first failure that counts. */
  readonly successes: number;
  readonly others: OtherAttempts;
  /** Time of its last failure, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** Absent: the worker is not in quarantine for the step. */
  readonly quarantine?: Quarantine;
}

/** A failure since the last success of the worker. */
export interface StreakFailure {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly index: number;
  /** Whether the task has succeeded on another worker. Otherwise that is still open. */
  readonly isElsewhere: boolean;
}

/** Evidence about one worker, in a row of its own. Without a row, there is none. */
export interface WorkerEvidenceRecord {
  readonly version: 1;
  /** The latest failure last. Their number is limited. */
  readonly steps: readonly StepEvidence[];
  /** The latest last. Their number is limited. */
  readonly streak: readonly StreakFailure[];
  /** Set while the worker is in quarantine as a whole. */
  readonly quarantine: Quarantine | null;
}

/** A step that a worker is kept from, or all steps, with the reason. */
export interface Doubt {
  /** `suspected` ends by itself; `quarantined` does not. */
  readonly kind: 'suspected' | 'quarantined';
  readonly since: number;
  readonly reason: string;
}

/** A step with the doubt about a worker. */
export interface StepDoubt extends Doubt {
  readonly jobId: JobId;
  readonly stepOrder: number;
}

/** The steps that a worker is kept from, or all. */
export interface WorkerDoubts {
  readonly whole: Doubt | null;
  readonly steps: readonly StepDoubt[];
}

/** A worker with the doubt about it, as explanations name it. */
export interface DoubtedWorker extends Doubt {
  readonly workerId: WorkerId;
  /** Whether it gets no tasks at all, and not only none of the step. */
  readonly isWhole: boolean;
}
