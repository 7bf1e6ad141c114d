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

/** A farm with everything of it that is in memory. */
export interface FarmView {
  readonly farm: FarmState;
  readonly lease: LeaseState;
  /** Those that are not terminal. */
  readonly jobs: readonly JobState[];
  readonly workers: readonly WorkerState[];
}

/** State that the invariants check between two units of work: no message is half processed. */
export interface ServiceView {
  /** The time of day as the actors see it, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether the time of day has gone steadily so far. */
  readonly isClockSteady: boolean;
  /** Whether clients have taken away all that holds work back. */
  readonly isLifted: boolean;
  /** The server's end of the retry cascade. */
  readonly serverRetry: RetryPolicy;
  readonly tallies: Pick<Tallies, 'total'>;
  readonly unschedulableGraceMs: number;
  readonly retention: JobRetention;
  /** Time of the last change to the eligibility of workers in the farm, in milliseconds since the epoch; null if unknown. */
  readonly quietSince: (farm: FarmId) => number | null;
  /** Durable rows. */
  readonly store: StoreReader;
  readonly farms: readonly FarmView[];
  /** Those of which an actor has had a turn since the last look; all of them at the last look. */
  readonly touchedFarms: readonly FarmView[];
  /** Jobs that have had a turn since the last look. */
  readonly touchedJobs: readonly JobState[];
  readonly leaseOf: (farm: FarmId) => LeaseState | undefined;
  /** Attempts by task, in order of their numbers: all that was committed, whether on disk yet or not. */
  readonly attemptsOf: (task: TaskId) => readonly AttemptRecord[];
}

/**
 * Reads the states of actors out of a kernel. The kernel knows no types of state; that a kind has its own state is what
 * `anyActor` guarantees this; it is stated here once.
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
