import { attemptIdOf, taskIdOf } from '../../src/core/ids.ts';
import { TASK_STATUSES } from '../../src/core/lifecycle/task-transitions.ts';
import {
  type Invariant,
  LIVE,
  tasksOf,
  countTasks,
  unschedulableTasks,
  nameOf,
  ofTouchedSteps,
  ofTouchedJobs,
} from './invariant-frame.ts';

/** I6: each task is in exactly one status, and the counts of its step are those of the tasks. */
export const stepCountsAddUp: Invariant = {
  name: 'the counts of a step are those of its tasks',
  check: ofTouchedSteps((job, step) => {
    const counted = countTasks(step);
    const { taskCounts, unschedulableReason } = step.record;
    const marked = unschedulableTasks(step);
    if (marked !== taskCounts.unschedulable || marked > 0 !== (unschedulableReason !== null))
      return `${job.record.id} step ${step.record.order}: ${marked} tasks are marked, noted are ${taskCounts.unschedulable}: ${unschedulableReason}`;
    const isRight =
      taskCounts.total === step.record.taskCount &&
      TASK_STATUSES.every((status) => counted[status] === taskCounts[status]);
    if (isRight) return null;
    return `${job.record.id} step ${step.record.order}: counted ${JSON.stringify(counted)}, recorded ${JSON.stringify(taskCounts)}`;
  }),
};

/** I6: a job's counts are the sums of its steps'. */
export const jobCountsAddUp: Invariant = {
  name: 'the counts of a job are those of its steps',
  check: ofTouchedJobs((job) => {
    for (const status of [...TASK_STATUSES, 'total', 'unschedulable'] as const) {
      let sum = 0;
      for (const step of job.steps) sum += step.record.taskCounts[status];
      if (sum !== job.record.taskCounts[status]) {
        return `${job.record.id}: ${sum} ${status} in the steps, ${job.record.taskCounts[status]} in the job`;
      }
    }
    return null;
  }),
};

/** I3: assigned and running tasks have exactly one open attempt, other tasks have none. */
export const liveTasksHaveOneOpenAttempt: Invariant = {
  name: 'exactly the assigned and running tasks have one open attempt',
  check: ofTouchedSteps((job, step, view) => {
    for (const { index, status, own } of tasksOf(step)) {
      const address = { jobId: job.record.id, stepOrder: step.record.order, index };
      const taskId = taskIdOf(address);
      const attempts = own === null ? [] : view.attemptsOf(taskId);
      const open = attempts.filter((attempt) => attempt.status === 'running');
      const isLive = LIVE.includes(status);
      if (open.length !== (isLive ? 1 : 0))
        return `${taskId} is ${status} and has ${open.length} open attempts`;
      const held = job.openAttempts.of(step, index);
      if ((held !== undefined) !== isLive)
        return `${taskId} is ${status} and its open attempt is ${held?.id ?? 'none'}`;
      if (!isLive || own === null) continue;
      const expected = attemptIdOf({ ...address, attemptNumber: own.attemptNumber });
      if (held?.id !== expected || open[0]?.id !== expected) {
        return `${taskId} is at attempt ${expected} and ${held?.id ?? ''} is open, ${open[0]?.id ?? ''} in the commits`;
      }
    }
    return null;
  }),
};

/** I4: attempt numbers have no gaps, and the task's record has the latest. */
export const attemptsAreDense: Invariant = {
  name: 'the attempts of a task are numbered from 1 without gaps',
  check: ofTouchedSteps((job, step, view) => {
    for (const { index, own } of tasksOf(step)) {
      if (own === null) continue;
      const attempts = view.attemptsOf(
        taskIdOf({ jobId: job.record.id, stepOrder: step.record.order, index }),
      );
      const isDense = attempts.every((attempt, place) => attempt.attemptNumber === place + 1);
      if (isDense && own.attemptNumber === attempts.length) continue;
      const numbers = attempts.map((attempt) => attempt.attemptNumber).join();
      return `${nameOf(job, step, index)} is at attempt ${own.attemptNumber} and has the attempts ${numbers}`;
    }
    return null;
  }),
};

/** I5: at most one attempt is credited with success, and only if the task succeeded. */
export const successIsCreditedOnce: Invariant = {
  name: 'a task succeeds once, by one attempt',
  check: ofTouchedSteps((job, step, view) => {
    for (const { index, status, own } of tasksOf(step)) {
      if (own === null) continue;
      const attempts = view.attemptsOf(
        taskIdOf({ jobId: job.record.id, stepOrder: step.record.order, index }),
      );
      const credited = attempts.filter((attempt) => attempt.status === 'succeeded').length;
      if (credited === (status === 'succeeded' && !own.skipped ? 1 : 0)) continue;
      return `${nameOf(job, step, index)} is ${status} and ${credited} attempts of it succeeded`;
    }
    return null;
  }),
};

/** I11: a step starts when its dependencies have completed. */
export const stepsWaitForTheirDependencies: Invariant = {
  name: 'a step starts after its dependencies have completed',
  check: ofTouchedSteps((job, step, view) => {
    const { taskCounts } = step.record;
    // A skip ends tasks of any step, and its undo leaves live and ended tasks of later steps. They get no new ready ones.
    const hasSkipped = job.steps.some(({ record }) => record.hasSkipped);
    const begun = hasSkipped ? taskCounts.ready : taskCounts.total - taskCounts.pending - taskCounts.canceled;
    if (begun === 0) return null;
    // Tasks of a retried job that had ended before stay as they are.
    if (job.record.status === 'blocked' && taskCounts.ready + taskCounts.assigned + taskCounts.running > 0)
      return `${job.record.id} is blocked and step ${step.record.order} has started`;
    // The plan is the submitted one; the step record was derived from it by the actor.
    const dependsOn =
      view.store.get('plan', job.record.id)?.steps[step.record.order]?.dependsOn ?? step.plan.dependsOn;
    for (const order of dependsOn) {
      const upstream = job.steps[order]?.record.taskCounts;
      if (upstream === undefined || upstream.succeeded === upstream.total) continue;
      return `${job.record.id} step ${step.record.order} started before step ${order} completed`;
    }
    return null;
  }),
};
