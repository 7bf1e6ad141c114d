import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { JobMessage } from '../../actors/service/job/messages.ts';

import type { WorkerState } from '../../actors/service/worker/state.ts';
import { parseAttemptId, taskIdOf, type AttemptId, type TaskId, type WorkerId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { Booking } from '../../src/core/records/worker.ts';
import { taskOfTextKey } from '../../src/core/records/tables.ts';
import { HeldAmounts } from './amounts-oracle.ts';
import { isPassedOver, type AttemptsOf } from './avoidance-oracle.ts';
import { coresNeeded, mayRun, takesTasks } from './eligibility-oracle.ts';
import { taskAt } from './job-snapshot.ts';
import { needsOf } from './retry-rule-oracle.ts';
import type { ReservedBefore } from './reservation-rules.ts';
import type { FarmView } from './service-view.ts';
import { Violation } from './violation.ts';

/** Preemption, implemented a second time from docs/policy.md#preemption, without the code of the lease actor. */

type Preempt = Extract<JobMessage, { type: 'attempts.preempt' }>;

const PER_TASK_MAX = 3;
const PAUSE_MS = 3_600_000;

/** Times at which tasks were taken back since they were submitted or retried by hand. */
export class TakenBack {
  private readonly times = new Map<TaskId, number[]>();

  note({ attemptIds }: Preempt, now: number): void {
    for (const id of attemptIds) {
      const address = parseAttemptId(id);
      if (address === null) continue;
      const task = taskIdOf(address);
      this.times.set(task, [...(this.times.get(task) ?? []), now]);
    }
  }

  /** After a crash, decisions that were not durable have not happened. */
  reload(store: StoreReader): void {
    this.times.clear();
    for (const { key, value } of store.scan('taskRules')) {
      const { times = 0, lastAt = 0 } = value.preemptions ?? {};
      if (times > 0)
        this.times.set(
          taskIdOf(taskOfTextKey(key)),
          Array.from({ length: times }, () => lastAt),
        );
    }
  }

  /** Called for a task that has ended. */
  forget(task: TaskId): void {
    this.times.delete(task);
  }

  isProtected(task: TaskId, now: number): boolean {
    const times = this.times.get(task) ?? [];
    return times.length >= PER_TASK_MAX || times.some((at) => now - at < PAUSE_MS);
  }
}

export interface PreemptionSurroundings {
  readonly view: FarmView;
  readonly now: number;
  readonly isClockSteady: boolean;
  readonly attemptsOf: AttemptsOf;
  readonly takenBack: TakenBack;
}

interface Waiter {
  readonly job: JobState;
  readonly step: StepState;
}

/** Returns all bookings that hold resources of a worker. */
export const heldOn = ({ bookings, ending }: WorkerState): readonly Booking[] => [
  ...bookings.all(),
  ...(ending?.bookings ?? []),
];

/** Steps that have waited long enough must be examined by a sweep, unless no worker may run them. */
export function judgeDue(around: PreemptionSurroundings): Violation | null {
  const { view, now, isClockSteady } = around;
  const examined = view.lease.preemption.survey?.waiters ?? [];
  if (!isClockSteady || view.lease.recovery !== 'ready') return null;
  for (const job of view.jobs) {
    const queue = view.farm.queues.get(job.record.queueId);
    if (queue?.preemptAfterSeconds === undefined) continue;
    for (const step of job.steps) {
      const entry = view.lease.index.entry(job.record.id, step.record.order);
      if (entry === undefined || entry.ready.size === 0 || view.lease.index.roomOf(entry) <= 0) continue;
      const isServed = view.lease.reservations
        .list()
        .some(([, each]) => each.isPreemption === true && isFor(each, { job, step }));
      const since = waitsSince(step, (index) => entry.ready.has(index));
      const mayRunHere = view.workers.some((worker) =>
        isOpenTo(around, worker, { job, step }, view.lease.reservations),
      );
      if (isServed || now - since < queue.preemptAfterSeconds * 1000 || !mayRunHere) continue;
      if (!hasVictims(view, { job, step })) continue;
      if (!examined.some((each) => isFor(each, { job, step })))
        return new Violation(
          'a step that has waited long enough takes back tasks',
          `${job.record.id} step ${step.record.order} waits since ${now - since} ms`,
        );
    }
  }
  return null;
}

const isFor = (
  each: { readonly jobId: string; readonly stepOrder: number },
  { job, step }: Waiter,
): boolean => each.jobId === job.record.id && each.stepOrder === step.record.order;

/** Returns when the last of the ready tasks became ready that has waited longest. */
function waitsSince(step: StepState, isReady: (index: number) => boolean): number {
  let since = Infinity;
  for (let index = 0; index < step.record.taskCount; index++) {
    if (!isReady(index)) continue;
    const { own } = taskAt(step, index);
    const at = own === null ? step.record.untouched.updatedAt : Math.max(own.updatedAt, own.retryAfter ?? 0);
    since = Math.min(since, at);
  }
  return since;
}

const isBelow = ({ farm }: FarmView, victim: JobState, { job }: Waiter): boolean =>
  farm.queues.get(victim.record.queueId)?.preemptible === true &&
  victim.record.queueId !== job.record.queueId &&
  victim.record.priority <= job.record.priority;

const hasVictims = (view: FarmView, waiter: Waiter): boolean =>
  view.jobs.some((job) => job.openAttempts.size > 0 && isBelow(view, job, waiter));

/** Reports whether the waiting tasks may run on the worker, and it is not kept free for others. */
function isOpenTo(
  { view, attemptsOf }: PreemptionSurroundings,
  worker: WorkerState,
  { job, step }: Waiter,
  reserved: Pick<ReservedBefore, 'get'>,
): boolean {
  const { record } = worker;
  const only = reserved.get(record.id);
  if (only !== undefined && !isFor(only, { job, step })) return false;
  if (!takesTasks(worker) || !mayRun(record, job.record.queueId, needsOf(step))) return false;
  const ready = view.lease.index.entry(job.record.id, step.record.order)?.ready;
  for (let index = 0; index < step.record.taskCount; index++) {
    if (ready?.has(index) !== true) continue;
    if (!isPassedOver(view, attemptsOf, record.id, job, step.record.order, index)) return true;
  }
  return false;
}

/** Checks the workers that are kept free since this turn because tasks are taken back there. */
export function judgePreemptions(
  sent: readonly Preempt[],
  before: ReservedBefore,
  around: PreemptionSurroundings,
  waitedSince: (job: string, stepOrder: number) => number,
): Violation | null {
  const { view, now, isClockSteady } = around;
  const reserved = new Map(before);
  for (const [workerId, reservation] of view.lease.reservations.list()) {
    if (reservation.isPreemption !== true || before.get(workerId) === reservation) continue;
    const job = view.jobs.find(({ record }) => record.id === reservation.jobId);
    const step = job?.steps[reservation.stepOrder];
    const at = `${workerId} for ${reservation.jobId} step ${reservation.stepOrder}`;
    if (job === undefined || step === undefined)
      return new Violation('tasks are taken back for an existing step', at);
    const after = view.farm.queues.get(job.record.queueId)?.preemptAfterSeconds;
    if (after === undefined) return new Violation('only queues that preempt take back tasks', at);
    if (isClockSteady && now - waitedSince(job.record.id, step.record.order) < after * 1000)
      return new Violation('tasks are taken back after the wait', at);
    const mine = sent.filter(({ preemption }) => isFor(preemption, { job, step }));
    const victims = new Set(mine.flatMap(({ attemptIds }) => attemptIds));
    for (const [other, each] of [...reserved]) if (isFor(each, { job, step })) reserved.delete(other);
    const expected = expectedChoice({ job, step }, reserved, around);
    const found = { workerId, victims: [...victims].sort() };
    if (JSON.stringify(found) !== JSON.stringify(expected))
      return new Violation(
        'the newest tasks of preemptible queues are taken back where the least work is lost',
        `${at}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
      );
    reserved.set(workerId, reservation);
  }
  return null;
}

interface Choice {
  readonly workerId: WorkerId;
  readonly victims: readonly AttemptId[];
}

function expectedChoice(
  waiter: Waiter,
  reserved: Pick<ReservedBefore, 'get'>,
  around: PreemptionSurroundings,
): Choice | null {
  const { view, now, takenBack } = around;
  const needs = needsOf(waiter.step);
  const open = new Map<AttemptId, { readonly job: JobState; readonly attempt: AttemptRecord }>();
  for (const job of view.jobs)
    for (const attempt of job.openAttempts.values()) open.set(attempt.id, { job, attempt });
  const choices: (Choice & { readonly lost: number; readonly ordinal: number })[] = [];
  for (const worker of view.workers) {
    const { record } = worker;
    if (!isOpenTo(around, worker, waiter, reserved)) continue;
    const running = worker.bookings.all();
    const fitsWithout = (gone: readonly Booking[]): boolean => {
      const left = running.filter((each) => !gone.includes(each));
      const cores = left.reduce((sum, each) => sum + each.cores, coresNeeded(record, needs));
      return (
        cores <= record.cpuCount &&
        new HeldAmounts(left).next(record, needs, view.farm.record.bookedAmounts) !== null
      );
    };
    const startOf = ({ attemptId }: Booking): number => open.get(attemptId)?.attempt.startedAt ?? 0;
    const newest = running
      .filter(({ attemptId }) => {
        const address = parseAttemptId(attemptId);
        const known = open.get(attemptId);
        return (
          address !== null &&
          known !== undefined &&
          isBelow(view, known.job, waiter) &&
          !takenBack.isProtected(taskIdOf(address), now)
        );
      })
      .sort((a, b) => startOf(b) - startOf(a) || (a.attemptId < b.attemptId ? -1 : 1));
    if (!fitsWithout(newest)) continue;
    let gone: Booking[] = [];
    for (const each of newest) if (!fitsWithout(gone)) gone = [...gone, each];
    for (const each of gone.toReversed()) {
      const fewer = gone.filter((other) => other !== each);
      if (fitsWithout(fewer)) gone = fewer;
    }
    if (gone.length === 0 && worker.ending === null) return null;
    choices.push({
      workerId: record.id,
      victims: gone.map(({ attemptId }) => attemptId).sort(),
      lost: gone.reduce((sum, each) => sum + each.cores * Math.max(0, now - startOf(each)), 0),
      ordinal: record.ordinal,
    });
  }
  const [best] = choices.sort(
    (a, b) => a.lost - b.lost || a.victims.length - b.victims.length || a.ordinal - b.ordinal,
  );
  return best === undefined ? null : { workerId: best.workerId, victims: best.victims };
}
