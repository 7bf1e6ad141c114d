import type { AttemptId, FarmId, JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { StepRequirements } from '../../../src/openjd/template/plan.ts';
import type { PreemptionCount, PreemptionSetting } from '../../../src/core/records/preemption.ts';
import type { NamedCaps } from '../../../src/core/records/named-caps.ts';
import type { StorageLocationRecord } from '../../../src/core/records/storage-location.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import type { Booking, WorkerRecord } from '../../../src/core/records/worker.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import type { TaskRange } from '../../../src/core/lease/task-ranges.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type {
  Assignment,
  IsolationIdentity,
  LeaseReply,
  StepAssignment,
} from '../../../src/core/wire/bus-messages.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type {
  DemandExplanation,
  Holder,
  LeaseExplanation,
  PoolUse,
  StepExplanation,
  WaitingExplanation,
} from '../../../src/core/lease/explanation.ts';
import type { OutagePlace, OutageSetting } from '../../../src/core/outages/outage.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { BookedAmountsSetting } from '../../../src/core/records/farm.ts';
import type { WorkerDoubts } from '../../../src/core/records/worker-evidence.ts';
import type { Holding } from '../../../src/core/records/holding.ts';
import type { QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';
import type { DelayedTask } from '../../../src/core/lease/step-entry.ts';
import type { StepCores } from '../../../src/core/lease/worker-uses.ts';

/** A step of which tasks are explained. `indices`: the tasks; null for the first ready one. */
export interface StepInQuestion {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly indices: readonly number[] | null;
  readonly queueId: QueueId;
  readonly requirements: StepRequirements;
}

/** An open attempt that may be taken back. Times are milliseconds since the epoch. */
export interface SurveyedAttempt {
  readonly attemptId: AttemptId;
  readonly startedAt: number;
  /** How often its task was taken back; null for never. */
  readonly preemptions: PreemptionCount | null;
}

/** Ready tasks of one step, with all facts that determine their order and their eligible workers. */
export interface ReadyStep {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly queueId: QueueId;
  readonly priority: number;
  readonly jobCreatedAt: number;
  readonly requirements: StepRequirements;
  /** How often retry rules have raised the requirements. Absent is 0. */
  readonly raises?: number;
  /** Owner and project of the job. Absent is empty. */
  readonly owner?: string;
  readonly project?: string;
  /** Average run time of its successful tasks in milliseconds; null for none. */
  readonly meanMs: number | null;
  /** Number of assigned and running tasks of the step, which count against the caps of farm and queue. */
  readonly live: number;
  /** The workers of these tasks, one for each. Only for a step with usage pools. */
  readonly liveOn?: readonly WorkerId[];
  /** Caps on the live tasks of the step and of its job. Absent: none. */
  readonly maxConcurrentTasks?: number;
  readonly jobMaxConcurrentTasks?: number;
  /** Tasks that are ready now. */
  readonly ready: readonly ReadyRange[];
  /** Those of them that have failed on workers, with these workers. */
  readonly failed: readonly FailedTask[];
  /** Ready tasks that are delayed until a time (milliseconds since the epoch). */
  readonly held: readonly ({ readonly index: number } & DelayedTask)[];
  /** Time at which its newest ready task became ready; 0 if no task is ready now. */
  readonly lastReadyAt: number;
  /** Reason of the last `step.unschedulable` for its ready tasks, or null. */
  readonly unschedulableReason: string | null;
}

/** Tasks that became ready at the same time (milliseconds since the epoch). */
export interface ReadyRange extends TaskRange {
  readonly since: number;
}

/** A ready task with failures, and the workers on which it has failed. */
export interface FailedTask {
  readonly index: number;
  /** Time at which it became ready. */
  readonly since: number;
  readonly avoided: readonly WorkerId[];
}

/** An attempt that has ended, as far as outages are concerned (docs/outages.md). */
export interface EndedAttempt {
  readonly attemptId: AttemptId;
  readonly workerId: WorkerId;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Usage pools of its step, in lower case. */
  readonly pools: readonly string[];
  readonly hasSucceeded?: boolean;
  /** Of a failure: the key and the text of its message, and whether its task had not failed on the worker before. */
  readonly key?: string;
  readonly text?: string;
  readonly isFirstOnWorker?: boolean;
}

/**
 * Messages of the lease actor, which keeps the ready index, parked requests and free cores of a farm and assigns tasks.
 * Id: farm id.
 */
export type LeaseMessage =
  /** From the bus. Replies with a LeaseReply, at the latest when the hold expires. */
  | {
      readonly type: 'lease.requested';
      readonly workerId: WorkerId;
      readonly farmId: FarmId;
      readonly incarnation: string;
      readonly queue: QueueId | typeof ANY_QUEUE;
      readonly replyTo: ReplyTo<LeaseReply>;
    }
  /** From a job actor: all ready tasks of some of its steps. Replaces earlier data of these steps. */
  | { readonly type: 'steps.ready'; readonly offers: readonly ReadyStep[] }
  /**
   * From a job actor: these tasks are ready (again): at `until`, the end of their retry delay, or now if it is null.
   * They have failed on the workers in `avoided`.
   */
  | {
      readonly type: 'tasks.ready';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly ranges: readonly TaskRange[];
      readonly until: number | null;
      readonly avoided: readonly WorkerId[];
    }
  /** From a job actor: a ready task was canceled. */
  | {
      readonly type: 'task.withdrawn';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly index: number;
    }
  /**
   * From a job actor: failures of a ready task do not count any more (docs/outages.md). It could start at `readyAt`
   * (milliseconds since the epoch), and has failed on the workers in `avoided`.
   */
  | {
      readonly type: 'task.excused';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly index: number;
      readonly readyAt: number;
      readonly avoided: readonly WorkerId[];
    }
  /** From a job actor: no task of the job may be leased (ended, paused). */
  | { readonly type: 'job.withdrawn'; readonly jobId: JobId }
  /** From a job actor: the response to `tasks.take`. Lists only the tasks that were taken. */
  | {
      readonly type: 'tasks.taken';
      readonly leaseId: number;
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly queueId: QueueId;
      readonly assignments: readonly Assignment[];
      readonly step: StepAssignment;
      /** Cores that each selected task requires. */
      readonly cores: number;
      /** Number of selected tasks that the job refused. */
      readonly refused: number;
      /** Holdings of the refused tasks besides cores. Absent: none. */
      readonly refusedHoldings?: readonly Holding[];
    }
  /** From a job actor: this many live tasks of a step have ended. */
  | {
      readonly type: 'tasks.ended';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly count: number;
      /** Average run time of the step's successful tasks in milliseconds; null for none. */
      readonly meanMs: number | null;
      /** Their workers, one for each. Only for a step with usage pools. */
      readonly workers?: readonly WorkerId[];
    }
  /**
   * From a job actor of a farm that looks for outages: a worker has reported a failure about which no retry rule decides.
   * Answered by `failure.weighed` in the same unit of work, with the report.
   */
  | {
      readonly type: 'failure.weigh';
      readonly jobId: JobId;
      readonly failure: EndedAttempt;
      readonly report: AttemptReport;
    }
  /** From a job actor of such a farm: attempts have ended in another way. */
  | { readonly type: 'attempts.ended'; readonly jobId: JobId; readonly ends: readonly EndedAttempt[] }
  /** From a client. Replies with null; `conflict` if the place has no outage. */
  | {
      readonly type: 'outage.end';
      readonly place: OutagePlace;
      /** Username. */
      readonly by: string;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From a worker actor: its current offer. A worker that is not online offers nothing. */
  | {
      readonly type: 'worker.offered';
      readonly record: WorkerRecord;
      readonly committedCores: number;
      /** The same cores by step. */
      readonly uses: readonly StepCores[];
      /** Holdings of its tasks besides cores. */
      readonly holdings: readonly Holding[];
    }
  /**
   * From a worker actor: what it is kept from because of its failures. `asksForQuarantine`: its evidence is enough for a
   * quarantine as a whole; answered by `quarantine.granted` unless too many workers are in doubt.
   */
  | {
      readonly type: 'worker.doubted';
      readonly workerId: WorkerId;
      readonly doubts: WorkerDoubts;
      readonly asksForQuarantine: boolean;
    }
  /** From a worker actor: the answer to `bookings.survey`. `isEnding`: whether attempts that were taken back are ending. */
  | {
      readonly type: 'bookings.surveyed';
      readonly workerId: WorkerId;
      readonly bookings: readonly Booking[];
      readonly isEnding: boolean;
    }
  /** From a job actor: the answer to `attempts.survey`, without attempts that are not open. */
  | { readonly type: 'attempts.surveyed'; readonly attempts: readonly SurveyedAttempt[] }
  /** From a worker actor: the worker was deleted. */
  | { readonly type: 'worker.removed'; readonly workerId: WorkerId }
  /** From a worker actor: some of its cores that tasks of a step held are free again. */
  | {
      readonly type: 'cores.freed';
      readonly workerId: WorkerId;
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly cores: number;
      /** Other amounts that are free too. Absent: none. */
      readonly holdings?: readonly Holding[];
    }
  /** From the farm: its settings are these. `bookedAmounts`: null if it books only cores. `queuePolicy`: null if it never had one. */
  | {
      readonly type: 'farm.limits-changed';
      readonly maxConcurrentTasks: number;
      readonly bookedAmounts: BookedAmountsSetting | null;
      readonly queuePolicy: QueuePolicySetting | null;
      readonly namedCaps: NamedCaps;
      /** Null if it never looked for outages. */
      readonly outages: OutageSetting | null;
    }
  | { readonly type: 'farm.removed' }
  /** From the shard at shutdown: replies empty to all parked requests. No new requests arrive afterwards. */
  | { readonly type: 'service.stopping' }
  | {
      readonly type: 'queue.limits-changed';
      readonly queueId: QueueId;
      readonly maxConcurrentTasks: number;
      readonly paused: boolean;
      /** The account that its tasks run as from now on; null for the worker's own. */
      readonly isolation: IsolationIdentity | null;
      readonly name: string;
      readonly preemption: PreemptionSetting;
      readonly namedCaps: NamedCaps;
    }
  /** From the catalog: all usage pools of the service. Replaces earlier data. */
  | { readonly type: 'pools.changed'; readonly pools: readonly UsagePoolRecord[] }
  /** From the catalog: all storage locations of the service. Replaces earlier data. */
  | { readonly type: 'storage.changed'; readonly storage: readonly StorageLocationRecord[] }
  /** From the shard: the total of a tally that the farm waits for has fallen. */
  | { readonly type: 'capacity.freed'; readonly slot: number }
  /** From a client. Replies with a LeaseExplanation, or `not-found` for an unknown farm. */
  | {
      readonly type: 'task.explain';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly index: number;
      readonly queueId: QueueId;
      readonly requirements: StepRequirements;
      readonly replyTo: ReplyTo<Outcome<LeaseExplanation>>;
    }
  /**
   * From a client: for each of these requirements, the workers that could run such tasks of the queue. Replies with
   * DemandExplanation[].
   */
  | {
      readonly type: 'demands.explain';
      readonly queueId: QueueId;
      readonly requirements: readonly StepRequirements[];
      readonly replyTo: ReplyTo<Outcome<readonly DemandExplanation[]>>;
    }
  /** From a client: the steps that hold slots of a usage pool in this farm. Replies with Holder[], largest first. */
  | {
      readonly type: 'pool.explain';
      readonly pool: string;
      readonly replyTo: ReplyTo<Outcome<readonly Holder[]>>;
    }
  /** From a client: what holds slots of a usage pool in this farm, and what waits for them. Replies with a PoolUse. */
  | {
      readonly type: 'pool.use';
      readonly pool: string;
      readonly replyTo: ReplyTo<Outcome<PoolUse>>;
    }
  /**
   * From a client: explains waiting tasks of these steps, in less time than one `task.explain` for each. Replies with
   * StepExplanation[] in the same order; with none while the farm recovers after a start.
   */
  | {
      readonly type: 'steps.explain';
      readonly steps: readonly StepInQuestion[];
      readonly replyTo: ReplyTo<Outcome<readonly StepExplanation[]>>;
    }
  /**
   * From a client: the waiting tasks of the farm by cause, or only those of some jobs. Replies with a
   * WaitingExplanation.
   */
  | {
      readonly type: 'farm.explain';
      readonly jobIds: readonly JobId[] | null;
      readonly replyTo: ReplyTo<Outcome<WaitingExplanation>>;
    }
  /** From the farm, at its start: loads the actor, which then activates its jobs and workers. */
  | { readonly type: 'lease.activate' }
  /** The actor's own timer during recovery: activate the next batch of jobs. */
  | { readonly type: 'recovery.next' }
  /** From itself during recovery. After the last one, all jobs and workers have reported. */
  | { readonly type: 'lease.recovered'; readonly isLast: boolean }
  /**
   * The actor's own timers: the next sweep; the hold of the oldest parked request; the end of
   * a hold of a usage pool; the end of a hold or probe of an outage; the end of a task's retry delay.
   */
  | { readonly type: 'sweep.due' }
  | { readonly type: 'hold.expired' }
  | { readonly type: 'pool-hold.due' }
  | { readonly type: 'outage.due' }
  | { readonly type: 'task.due'; readonly jobId: JobId; readonly stepOrder: number; readonly index: number };
