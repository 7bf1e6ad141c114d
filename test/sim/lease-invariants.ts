import { parseAttemptId, taskIdOf, type AttemptId, type QueueId, type WorkerId } from '../../src/core/ids.ts';
import { HeldAmounts } from './amounts-oracle.ts';
import { isPassedOver } from './avoidance-oracle.ts';
import { hasSlots } from './pools-oracle.ts';
import { heldOn } from './preemption-oracle.ts';
import { isHeldFor, waitsForCanaries } from './guard-rules.ts';
import { needsOf } from './retry-rule-oracle.ts';
import { hasOwnRoom } from './caps-oracle.ts';
import { hasGroupRoom } from './group-caps-oracle.ts';
import { coresNeeded, mayRun, takesTasks } from './eligibility-oracle.ts';
import type { FarmView } from './service-view.ts';
import {
  type Invariant,
  tasksOf,
  nameOf,
  ofTouchedSteps,
  ofFarms,
  isLeasable,
  isTerminal,
} from './invariant-frame.ts';

/** I8: the bookings of workers are their open attempts, and fit their cores. */
export const bookingsAreOpenAttempts: Invariant = {
  name: 'the bookings of a worker are the open attempts on it, and fit its cores',
  check: ofFarms(({ jobs, workers }) => {
    const open = new Map<AttemptId, WorkerId>();
    for (const job of jobs)
      for (const attempt of job.openAttempts.values()) open.set(attempt.id, attempt.workerId);
    for (const worker of workers) {
      const { record, bookings } = worker;
      const cores = heldOn(worker).reduce((sum, booking) => sum + booking.cores, 0);
      for (const booking of bookings.all()) {
        if (open.get(booking.attemptId) !== record.id)
          return `${booking.attemptId} is booked on ${record.id} but not open there`;
        open.delete(booking.attemptId);
      }
      if (cores > record.cpuCount)
        return `${record.id} has ${record.cpuCount} cores, and ${cores} are booked`;
    }
    for (const [attemptId, worker] of open) return `${attemptId} is open on ${worker} but not booked there`;
    return null;
  }),
};

/** Holdings of tasks fit their worker in every dimension, not only in cores. */
export const bookedAmountsFit: Invariant = {
  name: 'the committed amounts of a worker never exceed its capacity in any dimension',
  check: ofFarms(({ workers }) => {
    for (const worker of workers) {
      const excess = new HeldAmounts(heldOn(worker)).excess(worker.record);
      if (excess !== null) return `tasks on ${worker.record.id} hold ${excess}`;
    }
    return null;
  }),
};

/** The task that waits needs the memory of the tasks that were taken back for it, not only their cores. */
export const endingTasksHoldResources: Invariant = {
  name: 'a task that was taken back holds its resources until its processes have ended',
  check: ofFarms(({ workers }, { attemptsOf }) => {
    for (const { record, exiting, ending } of workers) {
      const held = new Set((ending?.bookings ?? []).map(({ attemptId }) => attemptId));
      for (const attemptId of exiting) {
        const address = parseAttemptId(attemptId);
        const attempts = address === null ? [] : attemptsOf(taskIdOf(address));
        const attempt = attempts.find(({ id }) => id === attemptId);
        if ((attempt?.preemption !== undefined) !== held.has(attemptId))
          return `${attemptId} on ${record.id} holds ${held.has(attemptId) ? '' : 'no '}resources`;
      }
      for (const attemptId of held)
        if (!exiting.has(attemptId)) return `${attemptId} has ended and holds resources of ${record.id}`;
    }
    return null;
  }),
};

/** The state of the lease actor is derived from workers and jobs. */
export const leaseKnowsWorkers: Invariant = {
  name: 'the lease actor has the free cores of every worker',
  check: ofFarms(({ lease, workers }) => {
    let offered = 0;
    for (const worker of workers) {
      const { record } = worker;
      const known = lease.workers.get(record.id);
      if ((known !== undefined) !== (record.status !== 'offline'))
        return `${record.id} is ${record.status}, the lease actor has it ${known === undefined ? 'not' : ''}`;
      if (known === undefined) continue;
      offered++;
      const cores = heldOn(worker).reduce((sum, booking) => sum + booking.cores, 0);
      if (known.committedCores !== cores)
        return `${record.id} has ${cores} booked cores, the lease actor counts ${known.committedCores}`;
      const held = new HeldAmounts(heldOn(worker)).text;
      const counted = HeldAmounts.of(known.amounts).text;
      if (counted !== held) return `tasks on ${record.id} hold ${held}, the lease actor counts ${counted}`;
      if (known.incarnation !== record.incarnation)
        return `${record.id} has the incarnation ${record.incarnation}, the lease actor ${known.incarnation}`;
    }
    return offered === lease.workers.size
      ? null
      : `the lease actor has ${lease.workers.size} workers, expected ${offered}`;
  }),
};

export const leaseKnowsReadyTasks: Invariant = {
  name: 'the lease actor has the ready and the live tasks of every step',
  check: ofTouchedSteps((job, step, view) => {
    const { id, farmId, status } = job.record;
    const lease = view.leaseOf(farmId);
    // The step is queried soon, and nothing is leased before that.
    if (lease?.pendingJobs.includes(id) === true) return null;
    const entry = lease?.index.entry(id, step.record.order);
    const at = `${id} (${status}) step ${step.record.order}`;
    if (entry !== undefined && entry.job.live !== job.openAttempts.size)
      return `${at}: ${job.openAttempts.size} tasks of the job are live, the lease actor counts ${entry.job.live}`;
    const live = step.record.taskCounts.assigned + step.record.taskCounts.running;
    if ((entry?.live ?? 0) !== live)
      return `${at}: ${live} tasks are live, the lease actor counts ${entry?.live ?? 0}`;
    if (isTerminal(job)) return entry === undefined ? null : `${at}: the lease actor still has the step`;
    if (!isLeasable(job)) return entry?.open === true ? `${at}: the lease actor offers the step` : null;
    let oldest = Infinity;
    for (const { index, status: task, own } of tasksOf(step)) {
      const isReady = entry?.ready.has(index) === true;
      const heldUntil = entry?.held.get(index)?.until;
      const knows = isReady !== (heldUntil !== undefined);
      const mayStart = task === 'ready' && step.record.hold === null && !waitsForCanaries(job, step, index);
      if (knows !== mayStart)
        return `${at} task ${index} is ${task}, the lease actor has it ready ${isReady}, held ${heldUntil ?? 'not'}`;
      if (heldUntil !== undefined && heldUntil !== own?.retryAfter)
        return `${at} task ${index} is held until ${heldUntil}, expected ${own?.retryAfter ?? 0}`;
      if (isReady && (own?.retryAfter ?? 0) > view.now && view.isClockSteady)
        return `${at} task ${index} may be leased before its retry_after`;
      const { updatedAt } = own ?? step.record.untouched;
      if (isReady) oldest = Math.min(oldest, Math.max(updatedAt, own?.retryAfter ?? 0));
    }
    if (view.isClockSteady && entry !== undefined && entry.ready.since !== oldest)
      return `${at} waits since ${oldest}, by the lease actor since ${entry.ready.since}`;
    return null;
  }),
};

/** The counts of the caps equal the live tasks. */
export const leaseCountsLive: Invariant = {
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

/** I12, at rest: no ready task waits while an eligible worker has an open request. */
export const noReadyTaskWaits: Invariant = {
  name: 'no ready task waits while an eligible worker with an open request has free cores',
  check: ofFarms((view, { now, isClockSteady, attemptsOf }) => {
    for (const worker of view.workers) {
      const { id } = worker.record;
      if (!takesTasks(worker)) continue;
      const only = view.lease.reservations.get(id);
      const requests = view.lease.parked.ofWorker(worker.record.id);
      if (requests.length === 0) continue;
      let free = worker.record.cpuCount;
      for (const booking of heldOn(worker)) free -= booking.cores;
      if (free <= 0) continue;
      for (const job of view.jobs) {
        if (
          !isLeasable(job) ||
          !requests.some(({ queueId }) => queueId === null || queueId === job.record.queueId)
        )
          continue;
        if (!hasRoom(view, job.record.queueId) || !hasGroupRoom(view.farm, view.jobs, job)) continue;
        for (const step of job.steps) {
          if (step.record.taskCounts.ready === 0 || step.record.hold !== null) continue;
          if (!hasSlots(view, step.plan.requirements, id)) continue;
          if (!hasOwnRoom(job, step.record.order)) continue;
          // A reserved worker serves one step, as soon as it has enough free cores.
          const isForIt = only?.jobId === job.record.id && only.stepOrder === step.record.order;
          if (only !== undefined && !isForIt) continue;
          const needs = needsOf(step);
          if (!mayRun(worker.record, job.record.queueId, needs) || coresNeeded(worker.record, needs) > free)
            continue;
          const held = new HeldAmounts(heldOn(worker));
          if (held.next(worker.record, needs, view.farm.record.bookedAmounts) === null) continue;
          for (const { index, status, own } of tasksOf(step)) {
            if (status !== 'ready') continue;
            const retryAfter = own?.retryAfter ?? 0;
            if (retryAfter >= now || (retryAfter > 0 && !isClockSteady)) continue;
            if (waitsForCanaries(job, step, index) || isHeldFor(view.lease, step, worker)) continue;
            if (isPassedOver(view, attemptsOf, id, job, step.record.order, index)) continue;
            return `${nameOf(job, step, index)} waits while ${worker.record.id} (${worker.record.name}) has ${free} free cores and an open request`;
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
