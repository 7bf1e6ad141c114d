import { isDeepStrictEqual } from 'node:util';
import type { JobState, StepState } from '../../actors/job/state.ts';
import { attemptIdOf, taskIdOf, type AttemptId, type QueueId, type WorkerId } from '../../src/core/ids.ts';
import { TASK_STATUSES, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pageOf, readTask, type TaskState } from '../../src/core/records/task-page.ts';
import { rowsOfNoJob } from '../kit/rows-of-job.ts';
import { coresNeeded, mayRun } from './eligibility-oracle.ts';
import type { FarmView, ServiceView } from './service-view.ts';

/** Something that is always the case: `check` says what is wrong, or null. */
export interface Invariant {
  readonly name: string;
  readonly check: (view: ServiceView) => string | null;
}

type Counted = Record<TaskStatus, number>;

const LIVE: readonly TaskStatus[] = ['assigned', 'running'];

/** The record of a task and its status, read without the actors' own functions. */
export function taskAt(
  step: StepState,
  index: number,
): { readonly status: TaskStatus; readonly own: TaskState | null } {
  const page = step.pages.get(pageOf(index));
  const own = page === undefined ? null : readTask(page, index);
  return { own, status: own?.status ?? step.record.untouched.status };
}

function* tasksOf(step: StepState): Generator<{ index: number; status: TaskStatus; own: TaskState | null }> {
  for (let index = 0; index < step.record.taskCount; index++) yield { index, ...taskAt(step, index) };
}

function countTasks(step: StepState): Counted {
  const counted: Counted = {
    pending: 0,
    ready: 0,
    assigned: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
  };
  for (const { status } of tasksOf(step)) counted[status]++;
  return counted;
}

const nameOf = (job: JobState, step: StepState, index: number): string =>
  taskIdOf({ jobId: job.record.id, stepOrder: step.record.order, index });

/** Looks at every step of the jobs that had a turn. */
const ofTouchedSteps =
  (check: (job: JobState, step: StepState, view: ServiceView) => string | null) =>
  (view: ServiceView): string | null => {
    for (const job of view.touchedJobs) {
      for (const step of job.steps) {
        const wrong = check(job, step, view);
        if (wrong !== null) return wrong;
      }
    }
    return null;
  };

const ofTouchedJobs =
  (check: (job: JobState, view: ServiceView) => string | null) =>
  (view: ServiceView): string | null => {
    for (const job of view.touchedJobs) {
      const wrong = check(job, view);
      if (wrong !== null) return wrong;
    }
    return null;
  };

const ofFarms =
  (check: (farm: FarmView, view: ServiceView) => string | null) =>
  (view: ServiceView): string | null => {
    for (const farm of view.farms) {
      const wrong = check(farm, view);
      if (wrong !== null) return wrong;
    }
    return null;
  };

const isLeasable = (job: JobState): boolean =>
  job.record.status === 'pending' || job.record.status === 'running';
const isOver = (job: JobState): boolean =>
  job.record.status === 'completed' || job.record.status === 'failed' || job.record.status === 'canceled';

/** I6: each task is in exactly one status, and the counts of its step are those of the tasks. */
const stepCountsAddUp: Invariant = {
  name: 'the counts of a step are those of its tasks',
  check: ofTouchedSteps((job, step) => {
    const counted = countTasks(step);
    const { taskCounts } = step.record;
    const isRight =
      taskCounts.total === step.record.taskCount &&
      TASK_STATUSES.every((status) => counted[status] === taskCounts[status]);
    if (isRight) return null;
    return `${job.record.id} step ${step.record.order}: counted ${JSON.stringify(counted)}, noted ${JSON.stringify(taskCounts)}`;
  }),
};

/** I6: a job's counts are the sums of its steps'. */
const jobCountsAddUp: Invariant = {
  name: 'the counts of a job are those of its steps',
  check: ofTouchedJobs((job) => {
    for (const status of [...TASK_STATUSES, 'total'] as const) {
      let sum = 0;
      for (const step of job.steps) sum += step.record.taskCounts[status];
      if (sum !== job.record.taskCounts[status]) {
        return `${job.record.id}: ${sum} ${status} in the steps, ${job.record.taskCounts[status]} in the job`;
      }
    }
    return null;
  }),
};

/** I3: assigned and running tasks have exactly one open attempt, the others none. */
const liveTasksHaveOneOpenAttempt: Invariant = {
  name: 'a task is assigned or running exactly while it has one open attempt',
  check: ofTouchedSteps((job, step, view) => {
    for (const { index, status, own } of tasksOf(step)) {
      const address = { jobId: job.record.id, stepOrder: step.record.order, index };
      const taskId = taskIdOf(address);
      const attempts = own === null ? [] : view.attemptsOf(taskId);
      const open = attempts.filter((attempt) => attempt.status === 'running');
      const isLive = LIVE.includes(status);
      if (open.length !== (isLive ? 1 : 0))
        return `${taskId} is ${status} and has ${open.length} open attempts`;
      const held = job.openAttempts.get(taskId);
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

/** I4: attempt numbers are dense, and the task's record names the latest. */
const attemptsAreDense: Invariant = {
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

/** I5: at most one attempt is credited, and only a task that succeeded has it. */
const successIsCreditedOnce: Invariant = {
  name: 'a task succeeds once, by one attempt',
  check: ofTouchedSteps((job, step, view) => {
    for (const { index, status, own } of tasksOf(step)) {
      if (own === null) continue;
      const attempts = view.attemptsOf(
        taskIdOf({ jobId: job.record.id, stepOrder: step.record.order, index }),
      );
      const credited = attempts.filter((attempt) => attempt.status === 'succeeded').length;
      if (credited === (status === 'succeeded' ? 1 : 0)) continue;
      return `${nameOf(job, step, index)} is ${status} and ${credited} attempts of it succeeded`;
    }
    return null;
  }),
};

/** I5: terminal tasks stay what they are. */
const terminalTasksStay: Invariant = {
  name: 'a terminal task stays what it is',
  check: ofTouchedSteps((job, step, view) => {
    for (const { index, status } of tasksOf(step)) {
      const taskId = taskIdOf({ jobId: job.record.id, stepOrder: step.record.order, index });
      const end = view.endOf(taskId);
      if (end !== undefined && end !== status) return `${taskId} was ${end} and is ${status}`;
    }
    return null;
  }),
};

/** I9: only what a worker reported as failed is a failure; reclaimed work is none. */
const failuresAreGenuine: Invariant = {
  name: 'failed_attempts counts the failures that workers reported',
  check: ofTouchedJobs((job, view) => {
    let ofJob = 0;
    for (const step of job.steps) {
      for (const { index, own } of tasksOf(step)) {
        if (own === null) continue;
        const attempts = view.attemptsOf(
          taskIdOf({ jobId: job.record.id, stepOrder: step.record.order, index }),
        );
        const failures = attempts.filter(
          (each) => each.status === 'failed' && each.exitCode !== undefined,
        ).length;
        if (failures !== own.failedAttempts) {
          return `${nameOf(job, step, index)} failed ${failures} times, noted are ${own.failedAttempts}`;
        }
        ofJob += failures;
      }
    }
    if (ofJob === job.record.failedAttempts) return null;
    return `${job.record.id} has ${ofJob} failures, noted are ${job.record.failedAttempts}`;
  }),
};

/** I11: a step begins when those that it depends on have completed. */
const stepsWaitForTheirDependencies: Invariant = {
  name: 'a step waits until the steps that it depends on have completed',
  check: ofTouchedSteps((job, step, view) => {
    const { taskCounts } = step.record;
    const begun = taskCounts.total - taskCounts.pending - taskCounts.canceled;
    if (begun === 0) return null;
    if (job.record.status === 'blocked')
      return `${job.record.id} is blocked and step ${step.record.order} has begun`;
    // The plan is what was submitted; the step's record is what the actor made of it.
    const dependsOn =
      view.store.get('plan', job.record.id)?.steps[step.record.order]?.dependsOn ?? step.plan.dependsOn;
    for (const order of dependsOn) {
      const upstream = job.steps[order]?.record.taskCounts;
      if (upstream === undefined || upstream.succeeded === upstream.total) continue;
      return `${job.record.id} step ${step.record.order} has begun before step ${order} had completed`;
    }
    return null;
  }),
};

/** I11: what is over is over as a whole, and what is not over has work left. */
const jobsEndWithTheirTasks: Invariant = {
  name: 'a job is terminal exactly when all its tasks are',
  check: ofTouchedJobs((job) => {
    let left = 0;
    let unsuccessful = 0;
    for (const step of job.steps) {
      const counted = countTasks(step);
      left += step.record.taskCount - counted.succeeded - counted.failed - counted.canceled;
      unsuccessful += counted.failed + counted.canceled;
    }
    const { id, status } = job.record;
    if (isOver(job) && left > 0) return `${id} is ${status} and has ${left} tasks that are not terminal`;
    if (!isOver(job) && left === 0) return `${id} is ${status} and all its tasks are terminal`;
    if (status === 'completed' && unsuccessful > 0)
      return `${id} completed and ${unsuccessful} tasks did not succeed`;
    return null;
  }),
};

/** I11: a job is blocked only while an upstream job is not terminal. */
const blockedJobsWaitForSomething: Invariant = {
  name: 'a job is blocked only while an upstream job is not terminal',
  check: ofFarms(({ jobs }, view) => {
    const active = new Set(jobs.map((job) => job.record.id));
    for (const job of jobs) {
      if (job.record.status !== 'blocked') continue;
      if (job.record.dependsOn.some((upstream) => active.has(upstream))) continue;
      const upstreams = job.record.dependsOn.map((id) => view.store.get('job', id)?.status ?? 'unknown');
      return `${job.record.id} is blocked and its upstream jobs are ${upstreams.join(', ')}`;
    }
    return null;
  }),
};

/** I11: whoever waited for a job that was deleted is canceled with it. */
const blockedJobsHaveTheirUpstreams: Invariant = {
  name: 'no job is blocked on one that is not there',
  check: ofFarms(({ jobs }, view) => {
    for (const { record } of jobs) {
      if (record.status !== 'blocked') continue;
      const lost = record.dependsOn.find((id) => view.store.get('job', keys.job(id)) === undefined);
      if (lost !== undefined) return `${record.id} is blocked on ${lost}`;
    }
    return null;
  }),
};

/** I8: what is booked on workers are the open attempts, and it fits. */
const bookingsAreOpenAttempts: Invariant = {
  name: 'the bookings of a worker are the open attempts on it, and fit its cores',
  check: ofFarms(({ jobs, workers }) => {
    const open = new Map<AttemptId, WorkerId>();
    for (const job of jobs)
      for (const attempt of job.openAttempts.values()) open.set(attempt.id, attempt.workerId);
    for (const { record, bookings } of workers) {
      let cores = 0;
      for (const booking of bookings.values()) {
        cores += booking.cores;
        if (open.get(booking.attemptId) !== record.id)
          return `${booking.attemptId} is booked on ${record.id} and not open there`;
        open.delete(booking.attemptId);
      }
      if (cores > record.cpuCount)
        return `${record.id} has ${record.cpuCount} cores, and ${cores} are booked`;
    }
    for (const [attemptId, worker] of open) return `${attemptId} is open on ${worker} and not booked there`;
    return null;
  }),
};

/** The lease actor's state follows from what workers and jobs hold. */
const leaseKnowsWorkers: Invariant = {
  name: 'the lease actor knows the free cores of every worker',
  check: ofFarms(({ lease, workers }) => {
    let offered = 0;
    for (const { record, bookings } of workers) {
      const known = lease.workers.get(record.id);
      if ((known !== undefined) !== (record.status !== 'offline'))
        return `${record.id} is ${record.status}, the lease actor has it ${known === undefined ? 'not' : ''}`;
      if (known === undefined) continue;
      offered++;
      let cores = 0;
      for (const booking of bookings.values()) cores += booking.cores;
      if (known.committedCores !== cores)
        return `${record.id} has ${cores} cores booked, the lease actor counts ${known.committedCores}`;
      if (known.incarnation !== record.incarnation)
        return `${record.id} is at its start ${record.incarnation}, the lease actor at ${known.incarnation}`;
    }
    return offered === lease.workers.size
      ? null
      : `the lease actor has ${lease.workers.size} workers, there are ${offered}`;
  }),
};

const leaseKnowsReadyTasks: Invariant = {
  name: 'the lease actor knows the ready and the live tasks of every step',
  check: ofTouchedSteps((job, step, view) => {
    const { id, farmId, status } = job.record;
    const entry = view.leaseOf(farmId)?.index.entry(id, step.record.order);
    const at = `${id} (${status}) step ${step.record.order}`;
    const live = step.record.taskCounts.assigned + step.record.taskCounts.running;
    if ((entry?.live ?? 0) !== live)
      return `${at}: ${live} tasks are live, the lease actor counts ${entry?.live ?? 0}`;
    if (isOver(job)) return entry === undefined ? null : `${at}: the lease actor still has the step`;
    if (!isLeasable(job)) return entry?.open === true ? `${at}: the lease actor offers the step` : null;
    for (const { index, status: task, own } of tasksOf(step)) {
      const isReady = entry?.ready.has(index) === true;
      const heldUntil = entry?.held.get(index)?.until;
      const knows = isReady !== (heldUntil !== undefined);
      if (knows !== (task === 'ready'))
        return `${at} task ${index} is ${task}, the lease actor has it ready ${isReady}, held ${heldUntil ?? 'not'}`;
      if (heldUntil !== undefined && heldUntil !== own?.retryAfter)
        return `${at} task ${index} is held until ${heldUntil}, not ${own?.retryAfter ?? 0}`;
      if (isReady && (own?.retryAfter ?? 0) > view.now && view.isClockSteady)
        return `${at} task ${index} may be leased before its retry_after`;
    }
    return null;
  }),
};

/** What the caps count is what is live. */
const leaseCountsLive: Invariant = {
  name: 'the lease actor counts the live tasks of farm and queues',
  check: ofFarms(({ farm, lease, jobs }) => {
    const live = new Map<QueueId | null, number>([[null, 0]]);
    for (const job of jobs) {
      for (const each of [null, job.record.queueId])
        live.set(each, (live.get(each) ?? 0) + job.openAttempts.size);
    }
    for (const queue of [null, ...farm.queues.keys()]) {
      const counted = lease.index.caps.of(queue).live;
      if (counted !== (live.get(queue) ?? 0))
        return `${queue ?? 'the farm'} has ${live.get(queue) ?? 0} live tasks, the lease actor counts ${counted}`;
    }
    return null;
  }),
};

/** I12, at rest: no ready task waits while a worker that asks for work may run it. */
const noReadyTaskWaits: Invariant = {
  name: 'no ready task waits while an eligible worker that asks has room',
  check: ofFarms((view, { now, isClockSteady }) => {
    for (const worker of view.workers) {
      if (worker.record.status !== 'online') continue;
      const requests = view.lease.parked.ofWorker(worker.record.id);
      if (requests.length === 0) continue;
      let free = worker.record.cpuCount;
      for (const booking of worker.bookings.values()) free -= booking.cores;
      if (free <= 0) continue;
      for (const job of view.jobs) {
        if (
          !isLeasable(job) ||
          !requests.some(({ queueId }) => queueId === null || queueId === job.record.queueId)
        )
          continue;
        if (!hasRoom(view, job.record.queueId)) continue;
        for (const step of job.steps) {
          if (step.record.taskCounts.ready === 0) continue;
          const needs = step.plan.requirements;
          if (!mayRun(worker.record, job.record.queueId, needs) || coresNeeded(worker.record, needs) > free)
            continue;
          for (const { index, status, own } of tasksOf(step)) {
            if (status !== 'ready') continue;
            const retryAfter = own?.retryAfter ?? 0;
            if (retryAfter >= now || (retryAfter > 0 && !isClockSteady)) continue;
            return `${nameOf(job, step, index)} waits while ${worker.record.id} (${worker.record.name}) has ${free} free cores and asks for work`;
          }
        }
      }
    }
    return null;
  }),
};

function hasRoom({ farm, jobs }: FarmView, queueId: QueueId): boolean {
  const queue = farm.queues.get(queueId);
  if (queue === undefined || queue.paused) return false;
  let ofFarm = 0;
  let ofQueue = 0;
  for (const job of jobs) {
    ofFarm += job.openAttempts.size;
    if (job.record.queueId === queueId) ofQueue += job.openAttempts.size;
  }
  const { maxConcurrentTasks } = farm.record;
  if (maxConcurrentTasks > 0 && ofFarm >= maxConcurrentTasks) return false;
  return queue.maxConcurrentTasks === 0 || ofQueue < queue.maxConcurrentTasks;
}

/** State is what the store holds (design.md, "A turn"): once everything is on disk. */
const memoryIsWhatTheStoreHolds: Invariant = {
  name: 'what is in memory is what the store holds',
  check: (view) => {
    for (const { farm, jobs, workers } of view.farms) {
      if (!isDeepStrictEqual(view.store.get('farm', keys.farm(farm.record.id)), farm.record))
        return `farm ${farm.record.id}`;
      for (const queue of farm.queues.values()) {
        if (!isDeepStrictEqual(view.store.get('queue', keys.queue(queue.id)), queue))
          return `queue ${queue.id}`;
      }
      for (const { record, bookings } of workers) {
        if (!isDeepStrictEqual(view.store.get('worker', keys.worker(record.id)), record))
          return `worker ${record.id}`;
        const kept = view.store.get('booking', keys.booking(record.id))?.bookings ?? [];
        if (!isDeepStrictEqual(kept, [...bookings.values()])) return `bookings of ${record.id}`;
      }
      for (const job of jobs) {
        const wrong = jobDiffers(job, view);
        if (wrong !== null) return wrong;
      }
    }
    return null;
  },
};

function jobDiffers(job: JobState, view: ServiceView): string | null {
  const { id, farmId } = job.record;
  if (!isDeepStrictEqual(view.store.get('job', keys.job(id)), job.record)) return `job ${id}`;
  if (view.store.get('activeJob', keys.activeJob(farmId, id)) === undefined)
    return `job ${id} is not listed as active`;
  for (const step of job.steps) {
    const { order } = step.record;
    if (!isDeepStrictEqual(view.store.get('step', keys.step(id, order)), step.record))
      return `step ${order} of ${id}`;
    for (const [number, page] of step.pages) {
      const kept = view.store.get('taskPage', keys.taskPage(id, order, number));
      if (kept === undefined || Buffer.compare(kept, page) !== 0)
        return `task page ${number} of step ${order} of ${id}`;
    }
  }
  return null;
}

/** Nothing is left of what is over. */
const everyJobIsOverOrCannotRun: Invariant = {
  name: 'in the end every job is terminal, or waits for what does not come',
  check: ofFarms((view) => {
    const stuck = new Set(view.jobs.filter((job) => cannotRun(view, job)).map((job) => job.record.id));
    for (const job of view.jobs) {
      if (stuck.has(job.record.id)) continue;
      if (
        job.record.status === 'blocked' &&
        job.record.dependsOn.some((id) => view.jobs.some((each) => each.record.id === id))
      )
        continue;
      return `${job.record.id} is ${job.record.status}: ${JSON.stringify(job.record.taskCounts)}`;
    }
    return null;
  }),
};

/** Nothing of the job runs, and whatever is ready is held by a pause or wants a worker that there is not. */
function cannotRun({ farm, workers }: FarmView, job: JobState): boolean {
  if (job.openAttempts.size > 0 || job.record.status === 'blocked') return false;
  if (job.record.status === 'paused' || farm.queues.get(job.record.queueId)?.paused === true) return true;
  const ready = job.steps.filter((step) => step.record.taskCounts.ready > 0);
  return (
    ready.length > 0 &&
    ready.every(
      (step) => !workers.some(({ record }) => mayRun(record, job.record.queueId, step.plan.requirements)),
    )
  );
}

const nothingIsBookedInTheEnd: Invariant = {
  name: 'in the end nothing is booked',
  check: ofFarms(({ workers }) => {
    for (const { record, bookings } of workers) {
      for (const attemptId of bookings.keys()) return `${attemptId} is booked on ${record.id}`;
    }
    return null;
  }),
};

export const AFTER_EACH_STEP: readonly Invariant[] = [
  stepCountsAddUp,
  jobCountsAddUp,
  liveTasksHaveOneOpenAttempt,
  attemptsAreDense,
  successIsCreditedOnce,
  terminalTasksStay,
  failuresAreGenuine,
  stepsWaitForTheirDependencies,
  jobsEndWithTheirTasks,
  blockedJobsWaitForSomething,
  blockedJobsHaveTheirUpstreams,
  bookingsAreOpenAttempts,
  leaseKnowsWorkers,
  leaseKnowsReadyTasks,
  leaseCountsLive,
];

/** When no message waits and no timer is due. */
export const AT_REST: readonly Invariant[] = [noReadyTaskWaits];

/** When everything is on disk. */
export const WHEN_FLUSHED: readonly Invariant[] = [memoryIsWhatTheStoreHolds];

const deletedJobsLeaveNothing: Invariant = {
  name: 'in the end nothing is left of a job that is not there',
  check: ({ store }) => rowsOfNoJob(store)[0] ?? null,
};

export const IN_THE_END: readonly Invariant[] = [
  everyJobIsOverOrCannotRun,
  nothingIsBookedInTheEnd,
  deletedJobsLeaveNothing,
];
