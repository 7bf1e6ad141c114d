import { isDeepStrictEqual } from 'node:util';
import type { JobState, StepState } from '../../actors/job/state.ts';
import {
  attemptIdOf,
  parseAttemptId,
  taskIdOf,
  type AttemptId,
  type QueueId,
  type WorkerId,
} from '../../src/core/ids.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import { TASK_STATUSES, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { TaskState } from '../../src/core/records/task-page.ts';
import { rowsOfNoJob } from '../kit/rows-of-job.ts';
import { isPassedOver } from './avoidance-oracle.ts';
import { coresNeeded, mayRun } from './eligibility-oracle.ts';
import { taskAt } from './job-snapshot.ts';
import type { FarmView, ServiceView } from './service-view.ts';
import { judgeMarks, surroundingsOf } from './unschedulable-rules.ts';

/** Something that is always the case: `check` says what is wrong, or null. */
export interface Invariant {
  readonly name: string;
  readonly check: (view: ServiceView) => string | null;
}

type Counted = Record<TaskStatus, number>;

/** Retention removes a job within a period of its sweep, a tenth of the time for which it keeps jobs. */
const RETENTION_LATE = 1.2;
const LIVE: readonly TaskStatus[] = ['assigned', 'running'];

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

/** Ready tasks that say that nobody may run them; NaN when one that is not ready says so. */
function unschedulableTasks(step: StepState): number {
  let marked = 0;
  for (const { status, own } of tasksOf(step)) {
    const isMarked = own === null ? step.record.untouched.unschedulable === true : own.unschedulable;
    if (isMarked) marked += status === 'ready' ? 1 : NaN;
  }
  return marked;
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
    for (const farm of view.touchedFarms) {
      const wrong = check(farm, view);
      if (wrong !== null) return wrong;
    }
    return null;
  };

const isLeasable = (job: JobState): boolean =>
  job.record.status === 'pending' || job.record.status === 'running';
const isOverStatus = (status: JobStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';
const isOver = (job: JobState): boolean => isOverStatus(job.record.status);

/** I6: each task is in exactly one status, and the counts of its step are those of the tasks. */
const stepCountsAddUp: Invariant = {
  name: 'the counts of a step are those of its tasks',
  check: ofTouchedSteps((job, step) => {
    const counted = countTasks(step);
    const { taskCounts, unschedulableReason = '' } = step.record;
    const marked = unschedulableTasks(step);
    if (marked !== taskCounts.unschedulable || marked > 0 !== (unschedulableReason !== ''))
      return `${job.record.id} step ${step.record.order}: ${marked} tasks are marked, noted are ${taskCounts.unschedulable}: ${unschedulableReason}`;
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

/** interface.md, "Job": a job that runs something says so, and one that is parked says why. */
const jobStatusFits: Invariant = {
  name: 'a job with live tasks is running or paused, and a park_reason is that of a parked job',
  check: ofTouchedJobs((job) => {
    const { id, status, parkReason } = job.record;
    if (job.openAttempts.size > 0 && status !== 'running' && status !== 'paused')
      return `${id} is ${status} and has ${job.openAttempts.size} live tasks`;
    if (parkReason !== '' && status !== 'paused' && status !== 'failed')
      return `${id} is ${status}: ${parkReason}`;
    return null;
  }),
};

/** What a farm must know of its jobs to let queues be deleted, and dependents go. */
const farmKnowsJobs: Invariant = {
  name: 'the farm knows the queue of each job, and which jobs wait for which',
  check: ofFarms(({ farm, jobs }) => {
    const active = new Set(jobs.map(({ record }) => record.id));
    for (const { record } of jobs) {
      const known = farm.activeJobs.get(record.id);
      if (isOverStatus(record.status)) return `${record.id} is ${record.status} and listed as active`;
      if (known?.queueId !== record.queueId)
        return `${record.id} is in the queue ${record.queueId}, the farm has it in ${known?.queueId ?? 'none'}`;
      if (!farm.queues.has(record.queueId))
        return `${record.id} is in the queue ${record.queueId} that is gone`;
      const waits = record.status === 'blocked' || record.waitsWhilePaused === true;
      const expected = waits ? record.dependsOn.filter((id) => active.has(id)) : [];
      const waitsFor = [...known.waitsFor];
      if (expected.length === waitsFor.length && expected.every((id) => waitsFor.includes(id))) continue;
      return `${record.id} waits for ${expected.join(', ')}, the farm has it waiting for ${waitsFor.join(', ')}`;
    }
    return null;
  }),
};

/** The cascade server, farm, queue: each active job has the settings that hold now. */
const jobsKnowTheirSettings: Invariant = {
  name: 'a job inherits the retry settings of server, farm and queue',
  check: ofFarms(({ farm, jobs }, { serverRetry }) => {
    for (const job of jobs) {
      const levels = [farm.queues.get(job.record.queueId)?.retry, farm.record.retry, serverRetry];
      for (const name of ['maxAttempts', 'retryDelaySeconds', 'failureLimit'] as const) {
        const expected = levels.find((level) => level?.[name] !== undefined)?.[name];
        if (job.inherited[name] !== expected)
          return `${job.record.id} inherits the ${name} ${job.inherited[name]}, not ${expected ?? 0}`;
      }
    }
    return null;
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
      const { status, waitsWhilePaused } = job.record;
      if (status !== 'blocked' && !(status === 'paused' && waitsWhilePaused === true)) continue;
      if (job.record.dependsOn.some((upstream) => active.has(upstream))) continue;
      const upstreams = job.record.dependsOn.map((id) => view.store.get('job', id)?.status ?? 'unknown');
      return `${job.record.id} is ${status} and its upstream jobs are ${upstreams.join(', ')}`;
    }
    return null;
  }),
};

/** I11: whoever waited for a job that was deleted is canceled with it. */
const blockedJobsHaveTheirUpstreams: Invariant = {
  name: 'no job is blocked on one that is not there',
  check: ofFarms(({ farm, jobs }, view) => {
    for (const { record } of jobs) {
      if (record.status !== 'blocked') continue;
      const lost = record.dependsOn.find(
        (id) => !farm.activeJobs.has(id) && view.store.get('job', keys.job(id)) === undefined,
      );
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
  check: ofFarms((view, { now, isClockSteady, attemptsOf }) => {
    for (const worker of view.workers) {
      const { id } = worker.record;
      if (worker.record.status !== 'online') continue;
      const only = view.lease.reservations.get(id);
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
        const hasSlots = ({ plan }: StepState): boolean =>
          plan.requirements.pools.every((name) => {
            const { maxConcurrent, inUse } = view.lease.pools.stateOf(name);
            return inUse < maxConcurrent;
          });
        for (const step of job.steps) {
          if (step.record.taskCounts.ready === 0 || !hasSlots(step)) continue;
          // A worker that is kept free is so for one step, and takes that as soon as it has the cores.
          const isForIt = only?.jobId === job.record.id && only.stepOrder === step.record.order;
          if (only !== undefined && !isForIt) continue;
          const needs = step.plan.requirements;
          if (!mayRun(worker.record, job.record.queueId, needs) || coresNeeded(worker.record, needs) > free)
            continue;
          for (const { index, status, own } of tasksOf(step)) {
            if (status !== 'ready') continue;
            const retryAfter = own?.retryAfter ?? 0;
            if (retryAfter >= now || (retryAfter > 0 && !isClockSteady)) continue;
            if (isPassedOver(view, attemptsOf, id, job, step.record.order, index)) continue;
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
  check: ofFarms((view, { isLifted }) => {
    const stuck = new Set(
      view.jobs.filter((job) => cannotRun(view, job, isLifted)).map((job) => job.record.id),
    );
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

/**
 * Nothing of the job runs, and whatever is ready is held by a pause or wants a worker that there is not, or nothing is
 * ready and what is pending waits for a step that did not complete.
 */
function cannotRun({ farm, workers, lease }: FarmView, job: JobState, isLifted: boolean): boolean {
  if (job.openAttempts.size > 0 || job.record.status === 'blocked') return false;
  const isPaused = job.record.status === 'paused' || farm.queues.get(job.record.queueId)?.paused === true;
  if (isPaused) return !isLifted;
  const ready = job.steps.filter((step) => step.record.taskCounts.ready > 0);
  if (ready.length === 0) return job.steps.every((step) => isOverStep(step) || waitsInVain(job, step));
  // A pool that is full has holders, and those end; one that is not registered has no slots.
  const isUnregistered = (name: string): boolean => lease.pools.stateOf(name).maxConcurrent === 0;
  return ready.every(
    (step) =>
      step.plan.requirements.pools.some(isUnregistered) ||
      !workers.some(
        ({ record }) =>
          (isLifted || record.status !== 'disabled') &&
          mayRun(record, job.record.queueId, step.plan.requirements),
      ),
  );
}

function isOverStep({ record: { taskCounts } }: StepState): boolean {
  return taskCounts.succeeded + taskCounts.failed + taskCounts.canceled === taskCounts.total;
}

/** A task was tried again alone, and a step before it has ended without having completed. */
function waitsInVain(job: JobState, step: StepState): boolean {
  return step.plan.dependsOn.some((order) => {
    const upstream = job.steps[order];
    if (upstream === undefined) return false;
    const { succeeded, total } = upstream.record.taskCounts;
    return isOverStep(upstream) ? succeeded < total : waitsInVain(job, upstream);
  });
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

/** I6: `unschedulable` is a subset of ready, set only while nobody may run the task, and set and cleared in time. */
const unschedulableIsTrue: Invariant = {
  name: 'a task is marked as unschedulable while no online worker may run it, and then alone',
  check: ofFarms((farm, view) =>
    judgeMarks(
      surroundingsOf(farm, view.farms),
      view.now,
      view.unschedulableGraceMs,
      view.quietSince(farm.farm.record.id),
    ),
  ),
};

/** I7: a pool is held by the open attempts of the steps that name it, and by nothing else. */
const poolsAreHeldByOpenAttempts: Invariant = {
  name: 'the slots of a usage pool that are in use are those of open attempts',
  check: ({ store, farms, tallies }) => {
    for (const { value: pool } of store.scan('usagePool')) {
      const name = pool.name.toLowerCase();
      let holders = 0;
      for (const { jobs, lease } of farms) {
        if (lease.pools.stateOf(name).maxConcurrent !== pool.maxConcurrent) return null;
        for (const job of jobs) holders += holdersOf(job, name);
      }
      const inUse = tallies.total(pool.slot);
      if (inUse !== holders) return `${pool.name}: ${inUse} slots are in use, ${holders} are held`;
    }
    return null;
  },
};

/** Live tasks of the job that hold a slot of the pool. */
export function holdersOf(job: JobState, pool: string): number {
  let holders = 0;
  for (const { plan, record } of job.steps) {
    if (plan.requirements.pools.includes(pool))
      holders += record.taskCounts.assigned + record.taskCounts.running;
  }
  return holders;
}

/** What was counted of failures is what attempts say, by step and worker. */
const failuresAreCounted: Invariant = {
  name: 'the failures of a step by worker are its genuinely failed attempts',
  check: ({ store }) => {
    const expected = new Map<string, number>();
    for (const { value: attempt } of store.scan('attempt')) {
      const address = parseAttemptId(attempt.id);
      if (address === null || attempt.status !== 'failed' || attempt.exitCode === undefined) continue;
      const key = keys.stepFailures(address.jobId, address.stepOrder, attempt.workerId);
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
    for (const { key, value } of store.scan('stepFailures')) {
      if (value.failures !== (expected.get(key) ?? 0))
        return `${key}: ${value.failures} are counted, ${expected.get(key) ?? 0} attempts failed`;
      expected.delete(key);
    }
    for (const [key, failures] of expected) return `${key}: ${failures} attempts failed, none is counted`;
    return null;
  },
};

/** Nothing is left of a worker that was deleted, but for its number. */
const deletedWorkersAreGone: Invariant = {
  name: 'what is kept of a worker goes with it',
  check: ({ store }) => {
    for (const table of ['booking', 'workerFailures'] as const) {
      for (const { key } of store.scan(table)) {
        if (!isThere(store.get('worker', key))) return `${table} ${key} is of no worker`;
      }
    }
    return null;
  },
};

const isThere = (row: unknown): boolean => row !== undefined;

/** What lease actors have been told of pools is what the catalog holds. */
const farmsKnowPools: Invariant = {
  name: 'in the end every farm knows every usage pool',
  check: ({ store, farms }) => {
    for (const { value: pool } of store.scan('usagePool')) {
      for (const { lease } of farms) {
        const { maxConcurrent } = lease.pools.stateOf(pool.name.toLowerCase());
        if (maxConcurrent !== pool.maxConcurrent)
          return `${pool.name} has ${pool.maxConcurrent}, not ${maxConcurrent}`;
      }
    }
    return null;
  },
};

export const AFTER_EACH_STEP: readonly Invariant[] = [
  stepCountsAddUp,
  jobCountsAddUp,
  liveTasksHaveOneOpenAttempt,
  attemptsAreDense,
  successIsCreditedOnce,
  stepsWaitForTheirDependencies,
  jobsEndWithTheirTasks,
  jobStatusFits,
  farmKnowsJobs,
  jobsKnowTheirSettings,
  blockedJobsWaitForSomething,
  blockedJobsHaveTheirUpstreams,
  bookingsAreOpenAttempts,
  leaseKnowsWorkers,
  leaseKnowsReadyTasks,
  leaseCountsLive,
];

/** When no message waits and no timer is due. */
export const AT_REST: readonly Invariant[] = [noReadyTaskWaits, unschedulableIsTrue];

/** When everything is on disk. */
export const WHEN_FLUSHED: readonly Invariant[] = [
  memoryIsWhatTheStoreHolds,
  deletedWorkersAreGone,
  poolsAreHeldByOpenAttempts,
];

const deletedJobsLeaveNothing: Invariant = {
  name: 'in the end nothing is left of a job that is not there',
  check: ({ store }) => rowsOfNoJob(store)[0] ?? null,
};

/** What retention may remove is removed in time. */
const retentionIsDone: Invariant = {
  name: 'in the end retention has removed what it may',
  check: ({ store, farms, now, isClockSteady, retention }) => {
    if (retention.afterMs === 0 || !isClockSteady) return null;
    const needed = new Set(farms.flatMap(({ jobs }) => jobs.flatMap(({ record }) => record.dependsOn)));
    for (const { value: job } of store.scan('job')) {
      const mayGo = job.status === 'completed' || (retention.includeFailed && isOverStatus(job.status));
      if (!mayGo || needed.has(job.id)) continue;
      const keptMs = now - (job.endedAt ?? now);
      if (keptMs > retention.afterMs * RETENTION_LATE) return `${job.id} is ${job.status} since ${keptMs} ms`;
    }
    return null;
  },
};

export const IN_THE_END: readonly Invariant[] = [everyJobIsOverOrCannotRun, nothingIsBookedInTheEnd];

/** When everything has come to its end: looks that are too slow to be taken often. */
export const LAST_LOOK: readonly Invariant[] = [
  farmsKnowPools,
  failuresAreCounted,
  deletedJobsLeaveNothing,
  retentionIsDone,
];
