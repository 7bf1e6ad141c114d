import type { TaskFacts } from '../../src/core/explain/task-facts.ts';
import { effectiveRetry } from '../../src/core/lifecycle/retry-policy.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { readAttempt, readAttempts, type TaskWithState } from '../../src/core/records/open-attempt.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { TaskState } from '../../src/core/records/task-page.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';
import type { Ports } from '../ports.ts';
import { StoreNames } from '../views/store-names.ts';
import { failureReasonOf } from '../views/task-viewer.ts';
import type { SchedulerAnswer } from './query-schedulers.ts';
import type { FoundTask } from './find-task.ts';

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

/** Returns the requirements of a task's step from the plan of the job. */
export function requirementsOf(store: StoreReader, { job, step }: FoundTask): StepRequirements {
  const plan = store.get('plan', keys.plan(job.id))?.steps[step.order];
  if (plan === undefined) throw new Error(`the job ${job.id} has no plan of its step ${step.order}`);
  return plan.requirements;
}

/** Collects everything that an explanation of the task needs: the current store, and the replies of the schedulers. */
export function factsOf(ports: Ports, found: FoundTask, { lease, elsewhere }: SchedulerAnswer): TaskFacts {
  const { store } = ports;
  const { job, step, address } = found;
  const read = withState(store, found);
  const { task } = read;
  const farm = store.get('farm', keys.farm(job.farmId));
  const queue = store.get('queue', keys.queue(job.queueId));
  return {
    now: ports.now(),
    job,
    steps: [...store.scan('step', { prefix: keys.stepsOf(job.id) })].map((row) => row.value),
    step,
    requirements: requirementsOf(store, found),
    task,
    failureReason: failureReasonOf(store, step, address, task),
    attempt: task.attemptNumber === 0 ? null : (readAttempt(store, read, task.attemptNumber) ?? null),
    attempts: task.attemptNumber === 0 ? 0 : readAttempts(store, read, ATTEMPTS_COUNTED_MAX).length,
    retry: effectiveRetry(ports.serverRetry, farm?.retry ?? {}, queue?.retry ?? {}, job.retry),
    upstreamJobs: job.dependsOn.map((id) => ({ id, record: store.get('job', keys.job(id)) ?? null })),
    isQueuePaused: queue?.paused === true,
    lease,
    elsewhere,
    names: new StoreNames(store),
  };
}
