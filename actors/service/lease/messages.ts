import type { FarmId, JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { StepRequirements } from '../../../src/openjd/template/plan.ts';
import type { StorageLocationRecord } from '../../../src/core/records/storage-location.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import type {
  Assignment,
  IsolationIdentity,
  LeaseReply,
  StepAssignment,
} from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import type { TaskRange } from '../../../src/core/lease/task-ranges.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type {
  DemandExplanation,
  Holder,
  LeaseExplanation,
  WaitingExplanation,
} from '../../../src/core/lease/explanation.ts';
import type { DelayedTask } from '../../../src/core/lease/step-entry.ts';

/** Ready tasks of one step, with all that their place in the order and their eligibility depend on. */
export interface ReadyStep {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly queueId: QueueId;
  readonly priority: number;
  readonly jobCreatedAt: number;
  readonly requirements: StepRequirements;
  /** Tasks of the step that are assigned or running: what the caps of farm and queue count. */
  readonly live: number;
  /** Ready at once. */
  readonly ready: readonly TaskRange[];
  /** Those of them that workers have failed, with the workers. */
  readonly failed: readonly { readonly index: number; readonly avoided: readonly WorkerId[] }[];
  /** Ready tasks that are held back until a time (milliseconds since the epoch). */
  readonly held: readonly ({ readonly index: number } & DelayedTask)[];
  /** Since when the oldest of its ready tasks is ready (milliseconds since the epoch). */
  readonly readySince: number;
  /** Since when the youngest is. */
  readonly lastReadyAt: number;
  /** What the job was told of its ready tasks by `step.unschedulable`; empty when nothing. */
  readonly unschedulableReason: string;
}

/** The lease actor: ready index, parked requests, free cores. Decides who gets what. Id: farm id. */
export type LeaseMessage =
  /** From the bus. Answer: LeaseReply, at the latest when the hold ends. */
  | {
      readonly type: 'lease.requested';
      readonly workerId: WorkerId;
      readonly farmId: FarmId;
      readonly incarnation: string;
      readonly queue: QueueId | typeof ANY_QUEUE;
      readonly replyTo: ReplyTo<LeaseReply>;
    }
  /** From a job actor: all that is ready of some of its steps, in place of what was known of them. */
  | { readonly type: 'steps.ready'; readonly offers: readonly ReadyStep[] }
  /**
   * From a job actor: these tasks are ready (again); `until` holds them back to that time. The workers in `avoided`
   * have failed them.
   */
  | {
      readonly type: 'tasks.ready';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly ranges: readonly TaskRange[];
      readonly until: number;
      readonly avoided: readonly WorkerId[];
    }
  /** From a job actor: a ready task is ready no longer (canceled). */
  | {
      readonly type: 'task.withdrawn';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly index: number;
    }
  /** From a job actor: nothing of the job is to be leased any more (ended, paused). */
  | { readonly type: 'job.withdrawn'; readonly jobId: JobId }
  /** From a job actor: the answer to `tasks.take`. Tasks that could not be taken are not in it. */
  | {
      readonly type: 'tasks.taken';
      readonly leaseId: number;
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly queueId: QueueId;
      readonly assignments: readonly Assignment[];
      readonly step: StepAssignment;
      /** Cores that each picked task was to take. */
      readonly cores: number;
      /** How many of the picked tasks were refused. */
      readonly refused: number;
    }
  /** From a job actor: so many live tasks of a step are live no longer. */
  | {
      readonly type: 'tasks.ended';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly count: number;
    }
  /** From a worker actor: what it offers; a status other than online offers nothing. */
  | { readonly type: 'worker.offered'; readonly record: WorkerRecord; readonly committedCores: number }
  /** From a worker actor: it does not exist any more. */
  | { readonly type: 'worker.removed'; readonly workerId: WorkerId }
  /** From a worker actor: cores of it are free again. */
  | { readonly type: 'cores.freed'; readonly workerId: WorkerId; readonly cores: number }
  /** From the farm: its cap or a queue's cap, pause or account has changed. */
  | { readonly type: 'farm.limits-changed'; readonly maxConcurrentTasks: number }
  | { readonly type: 'farm.removed' }
  /** The service stops: parked requests are answered. The shard lets none come any more. */
  | { readonly type: 'service.stopping' }
  | {
      readonly type: 'queue.limits-changed';
      readonly queueId: QueueId;
      readonly maxConcurrentTasks: number;
      readonly paused: boolean;
      /** The account that its tasks run as from now on; null for the worker's own. */
      readonly isolation: IsolationIdentity | null;
    }
  /** From the catalog: the usage pools of the service, in place of what was known of them. */
  | { readonly type: 'pools.changed'; readonly pools: readonly UsagePoolRecord[] }
  /** From the catalog: the storage locations of the service, in place of what was known of them. */
  | { readonly type: 'storage.changed'; readonly storage: readonly StorageLocationRecord[] }
  /** The total of a tally that the actor waits for has fallen. */
  | { readonly type: 'capacity.freed'; readonly slot: number }
  /** From a client. Answer: LeaseExplanation. 404 for a task that is not there. */
  | {
      readonly type: 'task.explain';
      readonly jobId: JobId;
      readonly stepOrder: number;
      readonly index: number;
      readonly queueId: QueueId;
      readonly requirements: StepRequirements;
      readonly replyTo: ReplyTo<Outcome<LeaseExplanation>>;
    }
  /** From a client: which workers could run tasks of a queue with each of these requirements. Answer: DemandExplanation[]. */
  | {
      readonly type: 'demands.explain';
      readonly queueId: QueueId;
      readonly requirements: readonly StepRequirements[];
      readonly replyTo: ReplyTo<Outcome<readonly DemandExplanation[]>>;
    }
  /** From a client: who holds slots of a usage pool in this farm. Answer: Holder[], the most first. */
  | {
      readonly type: 'pool.explain';
      readonly pool: string;
      readonly replyTo: ReplyTo<Outcome<readonly Holder[]>>;
    }
  /** From a client: what waits in the farm, and on what. Answer: WaitingExplanation. */
  | { readonly type: 'farm.explain'; readonly replyTo: ReplyTo<Outcome<WaitingExplanation>> }
  /** From the farm, at its start: load, and ask jobs and workers for what they offer. */
  | { readonly type: 'lease.activate' }
  /** The actor's own timer, at its start: the next jobs are to be asked for what they offer. */
  | { readonly type: 'recovery.next' }
  /** To itself, at its start: every job and worker has said what it offers. */
  | { readonly type: 'lease.recovered'; readonly isLast: boolean }
  /** The actor's own timers: time for a sweep; the oldest parked requests have waited long enough; a held task is due. */
  | { readonly type: 'sweep.due' }
  | { readonly type: 'hold.expired' }
  | { readonly type: 'task.due'; readonly jobId: JobId; readonly stepOrder: number; readonly index: number };
