import type { FarmState } from '../../actors/farm/state.ts';
import type { JobState } from '../../actors/job/state.ts';
import type { JobMessage } from '../../actors/job/messages.ts';
import type { WorkerState } from '../../actors/worker/state.ts';
import { parseTaskId, taskIdOf } from '../../src/core/ids.ts';
import type { RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import { taskAt } from './invariants.ts';
import { mayRun } from './eligibility-oracle.ts';
import { pageOf, readTask } from '../../src/core/records/task-page.ts';
import { Violation } from './violation.ts';

type Take = Extract<JobMessage, { type: 'tasks.take' }>;

/** What the rules of a lease look at besides the job. */
export interface LeaseSurroundings {
  readonly farm: FarmState | undefined;
  readonly worker: WorkerState | undefined;
  /** Live tasks of the farm and of the job's queue. */
  readonly live: () => { readonly farm: number; readonly queue: number };
}

/**
 * What must hold whenever tasks are handed out (interface.md, "Lease (assignment) algorithm", rules 3 and 4): looks at
 * the job before the turn, and gives what looks at it after the turn.
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
  const openBefore = new Set(state.openAttempts.keys());
  return () => {
    const taken = [...before.keys()].filter((index) => {
      const taskId = taskIdOf({ jobId: state.record.id, stepOrder: pick.stepOrder, index });
      return state.openAttempts.has(taskId) && !openBefore.has(taskId);
    });
    if (taken.length === 0) return null;
    const at = `${state.record.id} step ${pick.stepOrder}`;
    if (statusBefore !== 'pending' && statusBefore !== 'running') {
      return new Violation(
        'a job that is blocked, paused or over gets no new lease',
        `${at} is ${statusBefore}`,
      );
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
    if (worker === undefined || worker.status !== 'online') {
      return new Violation(
        'only a worker that is online gets work',
        `${at}: ${message.workerId} is ${worker?.status ?? 'unknown'}`,
      );
    }
    if (!mayRun(worker, state.record.queueId, step.plan.requirements)) {
      return new Violation('only an eligible worker gets a task', `${at}: ${worker.id} may not run it`);
    }
    return null;
  };
}

/**
 * What must follow a genuine failure (interface.md, "Failure handling on a worker-reported failure"): exactly one of
 * retry, exhausted and auto-park, by the settings in force.
 */
export function watchReport(
  state: JobState,
  { report, attemptId }: Extract<JobMessage, { type: 'task.reported' }>,
  now: number,
  farm: FarmState | undefined,
  server: RetryPolicy,
): () => Violation | null {
  const task = parseTaskId(report.task_id);
  const step = task === null ? undefined : state.steps[task.stepOrder];
  const isOpen = state.openAttempts.get(report.task_id)?.id === attemptId;
  if (report.status !== 'failed' || task === null || step === undefined || !isOpen) return () => null;
  const levels = [
    state.record.retry,
    farm?.queues.get(state.record.queueId)?.retry,
    farm?.record.retry,
    server,
  ];
  const setting = (name: keyof RetryPolicy): number =>
    levels.find((level) => level?.[name] !== undefined)?.[name] ?? 0;
  const failures = (taskAt(step, task.index).own?.failedAttempts ?? 0) + 1;
  const limit = setting('failureLimit');
  const isParked = limit > 0 && state.record.failedAttempts + 1 >= limit;
  const wasPaused = state.record.status === 'paused';
  const isRetried = !isParked && failures < setting('maxAttempts');
  return () => {
    const { status, own } = taskAt(step, task.index);
    const expected = isRetried ? `ready at ${now + setting('retryDelaySeconds') * 1000}` : 'failed';
    const found = status === 'ready' ? `ready at ${own?.retryAfter ?? 0}` : status;
    if (found !== expected) {
      return new Violation(
        'a failure is retried, or exhausts its task',
        `${report.task_id} is ${found}, not ${expected}`,
      );
    }
    if (isParked && (state.record.status === 'running' || state.record.status === 'pending')) {
      return new Violation(
        'a job is parked when its failures reach the limit',
        `${state.record.id} is ${state.record.status}`,
      );
    }
    if (!isParked && !wasPaused && state.record.status === 'paused') {
      return new Violation('a job is parked only when its failures reach the limit', state.record.id);
    }
    return null;
  };
}

function checkLimits(state: JobState, { farm, live }: LeaseSurroundings, at: string): Violation | null {
  const queue = farm?.queues.get(state.record.queueId);
  if (farm === undefined || queue === undefined) {
    return new Violation('only a known queue gets a lease', `${at}: ${state.record.queueId}`);
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
  return null;
}
