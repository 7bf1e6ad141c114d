import { visibleElsewhere, visibleLease, visibleUpstreams } from '../../src/core/explain/visible-facts.ts';
import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import type { TaskFacts } from '../../src/core/explain/task-facts.ts';
import type { JobId } from '../../src/core/ids.ts';
import type { TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { effectiveRetry } from '../../src/core/lifecycle/retry-policy.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { readAttempt, readAttempts, type TaskWithState } from '../../src/core/records/open-attempt.ts';
import { keys } from '../../src/core/records/tables.ts';
import { withRaised } from '../../src/core/retry-rules/raised-amounts.ts';
import type { TaskState } from '../../src/core/records/task-page.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';
import type { Ports } from '../ports.ts';
import { StoreNames } from '../views/store-names.ts';
import { failureReasonOf } from '../views/task-viewer.ts';
import { VisibleJobs } from '../views/visible-jobs.ts';
import type { SchedulerAnswer } from './query-schedulers.ts';
import { stepsOf, type FoundTask } from './find-task.ts';

/** Maximum number of attempts that are counted. */
const ATTEMPTS_COUNTED_MAX = 1_000;

/** Returns the stored state of a task. */
export function stateOf(store: StoreReader, { step, address }: FoundTask): TaskState {
  return taskStateOf(step, store.get('taskPage', keys.taskPageOf(address)), address.index);
}

/** Returns the task with its state, as needed to read attempts. */
export const withState = (store: StoreReader, found: FoundTask): TaskWithState => ({
  farmId: found.job.farmId,
  address: found.address,
  task: stateOf(store, found),
});

/** Returns the requirements of a task's step from the plan of the job, with the amounts that retry rules have raised. */
export function requirementsOf(
  store: StoreReader,
  { job, step }: Pick<FoundTask, 'job' | 'step'>,
): StepRequirements {
  const plan = store.get('plan', keys.plan(job.id))?.steps[step.order];
  if (plan === undefined) throw new Error(`the job ${job.id} has no plan of its step ${step.order}`);
  return withRaised(plan.requirements, step.raised);
}

/** Facts about a job that all its tasks share. */
type JobFacts = Pick<TaskFacts, 'steps' | 'retry' | 'upstreamJobs' | 'isQueuePaused'>;

/**
 * Collects the facts of explanations from the current store, as far as the reader may see them. Valid in one turn: reads
 * shared data once.
 */
export class FactsReader {
  readonly #ports: Ports;
  readonly #names: StoreNames;
  readonly #jobs = new Map<JobId, JobFacts>();
  readonly #visible: VisibleJobs;

  /** `scope` is that of the reader. */
  constructor(ports: Ports, scope: OwnerScope) {
    this.#ports = ports;
    this.#visible = new VisibleJobs(ports.store, scope);
    this.#names = new StoreNames(ports.store);
  }

  /** Returns everything that an explanation of the task needs, given the replies of the schedulers. */
  of(found: FoundTask, requirements: StepRequirements, { lease, elsewhere }: SchedulerAnswer): TaskFacts {
    const { store } = this.#ports;
    const { job, step, address } = found;
    const read = withState(store, found);
    const { task } = read;
    const { isEveryone, has } = this.#visible;
    return {
      ...this.#ofJob(job),
      now: this.#ports.now(),
      job,
      step,
      requirements,
      task,
      index: address.index,
      failureReason: failureReasonOf(store, step, address, task),
      attempt: task.attemptNumber === 0 ? null : (readAttempt(store, read, task.attemptNumber) ?? null),
      attempts:
        task.attemptNumber === 0 || isWaitingTask(task.status)
          ? 0
          : readAttempts(store, read, ATTEMPTS_COUNTED_MAX).length,
      lease: isEveryone || lease === null ? lease : visibleLease(lease, has),
      elsewhere: isEveryone ? elsewhere : visibleElsewhere(elsewhere, has),
      names: this.#names,
    };
  }

  #ofJob(job: JobRecord): JobFacts {
    const known = this.#jobs.get(job.id);
    if (known !== undefined) return known;
    const { store, serverRetry } = this.#ports;
    const farm = store.get('farm', keys.farm(job.farmId));
    const queue = store.get('queue', keys.queue(job.queueId));
    const facts = {
      steps: stepsOf(store, job.id),
      retry: effectiveRetry(serverRetry, farm?.retry ?? {}, queue?.retry ?? {}, job.retry),
      upstreamJobs: visibleUpstreams(
        job.dependsOn.map((id) => ({ id, record: store.get('job', keys.job(id)) ?? null })),
        this.#visible.has,
      ),
      isQueuePaused: queue?.paused === true,
    };
    this.#jobs.set(job.id, facts);
    return facts;
  }
}

/** Reports whether a task of this status waits. */
export const isWaitingTask = (status: TaskStatus): status is 'pending' | 'ready' =>
  status === 'pending' || status === 'ready';
