import type { FarmState } from '../../actors/service/farm/state.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { Kernel } from '../../actors/kernel/kernel.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { JobRetention, ServiceSystem } from '../../actors/service/service-system.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import type { FarmId, JobId, TaskId } from '../../src/core/ids.ts';
import type { RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { Tallies } from '../../src/core/ports/tallies.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';

/** A farm with all of its actors in memory. */
export interface FarmView {
  readonly farm: FarmState;
  readonly lease: LeaseState;
  /** Jobs that are not terminal. */
  readonly jobs: readonly JobState[];
  readonly workers: readonly WorkerState[];
}

/** State that the invariants check between two units of work: no message is partly processed. */
export interface ServiceView {
  /** The time of day of the actors, in milliseconds since the epoch. */
  readonly now: number;
  /** The time of day was never set. */
  readonly isClockSteady: boolean;
  /** Clients have lifted all holds. */
  readonly isLifted: boolean;
  /** The server level of the retry settings. */
  readonly serverRetry: RetryPolicy;
  readonly tallies: Pick<Tallies, 'total'>;
  readonly unschedulableGraceMs: number;
  readonly retention: JobRetention;
  /** Time of the last change to the eligibility of workers in the farm, in milliseconds since the epoch; null if unknown. */
  readonly quietSince: (farm: FarmId) => number | null;
  /** Durable rows. */
  readonly store: StoreReader;
  readonly farms: readonly FarmView[];
  /** Jobs with a turn of one of their actors since the last check; all jobs in the last check. */
  readonly touchedFarms: readonly FarmView[];
  /** Jobs that had a turn since the last check. */
  readonly touchedJobs: readonly JobState[];
  readonly leaseOf: (farm: FarmId) => LeaseState | undefined;
  /** Attempts by task, ordered by number: all committed ones, durable or not. */
  readonly attemptsOf: (task: TaskId) => readonly AttemptRecord[];
}

/**
 * Reads the states of actors from a kernel. The kernel has no state types; `anyActor` guarantees that each kind has its
 * own, and the casts are only here.
 */
export class ActorStates {
  private readonly kernel: Kernel<ServiceSystem>;

  constructor(kernel: Kernel<ServiceSystem>) {
    this.kernel = kernel;
  }

  farm(id: FarmId): FarmState | undefined {
    return this.kernel.stateOf('farm', id) as FarmState | undefined;
  }

  lease(id: FarmId): LeaseState | undefined {
    return this.kernel.stateOf('lease', id) as LeaseState | undefined;
  }

  job(id: JobId): JobState | undefined {
    return this.kernel.stateOf('job', id) as JobState | undefined;
  }

  worker(id: string): WorkerState | undefined {
    return this.kernel.stateOf('worker', id) as WorkerState | undefined;
  }
}
