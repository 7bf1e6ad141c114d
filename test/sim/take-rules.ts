import type { FarmState } from '../../actors/service/farm/state.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import { exceededGroup } from './group-caps-oracle.ts';
import { waitsForCanaries } from './guard-rules.ts';
import { needsOf } from './retry-rule-oracle.ts';
import { mayRun, takesTasks } from './eligibility-oracle.ts';
import { pageOf, readTask } from '../../src/core/records/task-page.ts';
import { Violation } from './violation.ts';

type Take = Extract<JobMessage, { type: 'tasks.take' }>;

/** Input of the lease rules in addition to the job. */
export interface LeaseSurroundings {
  readonly farm: FarmState | undefined;
  readonly worker: WorkerState | undefined;
  /** Live tasks of the farm and of the job's queue. */
  /**
   * The number of tasks that may hold a slot of the pool according to the farm, and the number that do in all farms.
   */
  readonly poolOf: (name: string) => { readonly max: number; readonly holders: number };
  readonly live: () => { readonly farm: number; readonly queue: number };
  /** The jobs of the farm. */
  readonly jobs: () => readonly JobState[];
}

const isOpen = (state: JobState, step: StepState, index: number): boolean =>
  state.openAttempts.of(step, index) !== undefined;

/**
 * Checks the rules for every assignment of tasks (docs/contract/lease.md#order-of-candidates,
 * docs/contract/lease.md#first-fit). Reads the job before the turn, and returns the check for after the turn.
 */
export function watchTake(
  state: JobState,
  message: Take,
  now: number,
  isClockSteady: boolean,
  around: LeaseSurroundings,
): () => Violation | null {
  const { pick } = message;
  const statusBefore = state.record.status;
  const step = state.steps[pick.stepOrder];
  const before = new Map<number, number>();
  if (step === undefined) return () => null;
  const pages = step.pages;
  for (const { start, count } of pick.ranges) {
    for (let index = start; index < start + count; index++) {
      const page = pages.get(pageOf(index));
      before.set(index, (page === undefined ? null : readTask(page, index))?.retryAfter ?? 0);
    }
  }
  const waitedForCanaries = new Set(
    [...before.keys()].filter((index) => waitsForCanaries(state, step, index)),
  );
  const openBefore = new Set([...before.keys()].filter((index) => isOpen(state, step, index)));
  return () => {
    const taken = [...before.keys()].filter((index) => isOpen(state, step, index) && !openBefore.has(index));
    if (taken.length === 0) return null;
    const at = `${state.record.id} step ${pick.stepOrder}`;
    if (statusBefore !== 'pending' && statusBefore !== 'running') {
      return new Violation('a blocked, paused or terminal job gets no new lease', `${at} is ${statusBefore}`);
    }
    for (const index of taken) {
      const retryAfter = before.get(index) ?? 0;
      if (retryAfter <= now || !isClockSteady) continue;
      return new Violation(
        'retry_after is respected',
        `${at} task ${index}: ${retryAfter - now} ms too early`,
      );
    }
    const overLimit = checkLimits(state, around, at);
    if (overLimit !== null) return overLimit;
    const worker = around.worker?.record;
    if (around.worker === undefined || worker === undefined || !takesTasks(around.worker)) {
      return new Violation(
        'only an online worker gets tasks',
        `${at}: ${message.workerId} is ${worker?.status ?? 'unknown'}`,
      );
    }
    for (const pool of step.plan.requirements.pools) {
      const { max, holders } = around.poolOf(pool);
      if (holders <= max) continue;
      const detail = `${at}: ${holders} tasks hold a slot of ${pool}, allowed are ${max}`;
      return new Violation('the number of tasks in a usage pool is limited', detail);
    }
    const early = taken.find((index) => waitedForCanaries.has(index));
    if (early !== undefined)
      return new Violation('a task waits for the canary tasks of its step', `${at} task ${early}`);
    if (!mayRun(worker, state.record.queueId, needsOf(step))) {
      return new Violation('only an eligible worker gets a task', `${at}: ${worker.id} is not eligible`);
    }
    return null;
  };
}

function checkLimits(state: JobState, { farm, live, jobs }: LeaseSurroundings, at: string): Violation | null {
  const queue = farm?.queues.get(state.record.queueId);
  if (farm === undefined || queue === undefined) {
    return new Violation('only an existing queue gets a lease', `${at}: ${state.record.queueId}`);
  }
  if (queue.paused) return new Violation('a paused queue gets no new lease', at);
  const counts = live();
  const ofFarm = farm.record.maxConcurrentTasks;
  if (ofFarm > 0 && counts.farm > ofFarm) {
    return new Violation('the cap of the farm holds', `${at}: ${counts.farm} live tasks, ${ofFarm} allowed`);
  }
  if (queue.maxConcurrentTasks > 0 && counts.queue > queue.maxConcurrentTasks) {
    return new Violation(
      'the cap of a queue holds',
      `${at}: ${counts.queue} live tasks, ${queue.maxConcurrentTasks} allowed`,
    );
  }
  const exceeded = exceededGroup(farm, jobs(), state);
  if (exceeded !== null) return new Violation('the caps of owners and projects hold', `${at}: ${exceeded}`);
  return null;
}
