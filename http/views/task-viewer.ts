import { stepIdOf, taskIdOf, type TaskAddress, type WorkerId } from '../../src/core/ids.ts';
import { isLiveTask, isTerminalTask } from '../../src/core/lifecycle/task-transitions.ts';
import type { JobPlan } from '../../src/core/openjd/plan.ts';
import { openSpace, type Space } from '../../src/core/openjd/space/open-space.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pageOf, type TaskState } from '../../src/core/records/task-page.ts';
import type { TaskProgress } from '../../src/core/records/task-progress.ts';
import { taskNameOf } from '../../src/core/records/task-name.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';
import type { Schemas } from './schemas.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** Shows tasks of one job. What several of them share is read once. */
export class TaskViewer {
  readonly #store: StoreReader;
  readonly #job: JobRecord;
  #plan: JobPlan | undefined;
  readonly #spaces = new Map<number, Space>();
  readonly #workers = new Map<number, WorkerId | null>();
  /** The page that was read last: the next task is often on it as well. */
  #page: Uint8Array | undefined;
  #pageStep = -1;
  #pageNumber = -1;

  constructor(store: StoreReader, job: JobRecord) {
    this.#store = store;
    this.#job = job;
  }

  /** interface.md, "Task". */
  view(step: StepRecord, index: number): Schemas['Task'] {
    const address: TaskAddress = { jobId: this.#job.id, stepOrder: step.order, index };
    const state = taskStateOf(step, this.#pageOf(address), index);
    const parameters = this.#spaceOf(step).at(index);
    const hasEnded = isTerminalTask(state.status);
    const wasHeld = isLiveTask(state.status) || hasEnded;
    const wasStarted = wasHeld && state.assignedAt > 0;
    const workerId = wasHeld ? this.#workerOf(state.workerOrdinal) : null;
    const { progress, statusMessage } = this.#progressOf(address, state);
    const failureReason = failureReasonOf(this.#store, step, address, state);
    return {
      id: taskIdOf(address),
      job_id: this.#job.id,
      step_id: stepIdOf(this.#job.id, step.order),
      name: taskNameOf(step.name, parameters),
      ...(Object.keys(parameters).length > 0 && { parameters }),
      status: state.status,
      ...(workerId !== null && { assigned_worker_id: workerId }),
      ...(wasStarted && {
        assigned_at: timestampOf(state.assignedAt),
        started_at: timestampOf(state.assignedAt),
        ...(hasEnded && { ended_at: timestampOf(Math.max(state.updatedAt, state.assignedAt)) }),
      }),
      created_at: timestampOf(this.#job.createdAt),
      updated_at: timestampOf(state.updatedAt),
      ...(state.unschedulable && { unschedulable_reason: step.unschedulableReason ?? '' }),
      ...(failureReason !== '' && { failure_reason: failureReason }),
      ...(state.retryAfter > 0 && { retry_after: timestampOf(state.retryAfter) }),
      failed_attempts: state.failedAttempts,
      ...(progress !== undefined && { progress }),
      ...(statusMessage !== undefined && { status_message: statusMessage }),
    };
  }

  /** What the task has said in its attempt, while a worker holds it or was the last to hold it. */
  #progressOf(
    address: TaskAddress,
    { status, attemptNumber, workerOrdinal, silent }: TaskState,
  ): TaskProgress {
    if (silent || workerOrdinal === 0 || !(isLiveTask(status) || isTerminalTask(status))) return {};
    return this.#store.get('attempt', keys.attempt(address, attemptNumber)) ?? {};
  }

  /** The packed states of the task and its neighbours. */
  #pageOf(address: TaskAddress): Uint8Array | undefined {
    const number = pageOf(address.index);
    if (number !== this.#pageNumber || address.stepOrder !== this.#pageStep) {
      this.#pageNumber = number;
      this.#pageStep = address.stepOrder;
      this.#page = this.#store.get('taskPage', keys.taskPageOf(address));
    }
    return this.#page;
  }

  #spaceOf(step: StepRecord): Space {
    const known = this.#spaces.get(step.order);
    if (known !== undefined) return known;
    this.#plan ??= this.#store.get('plan', keys.plan(this.#job.id));
    const plan = this.#plan?.steps[step.order];
    if (plan === undefined) throw new Error(`the job ${this.#job.id} has no plan of its step ${step.order}`);
    const space = openSpace(plan.space);
    this.#spaces.set(step.order, space);
    return space;
  }

  #workerOf(ordinal: number): WorkerId | null {
    if (ordinal === 0) return null;
    const known = this.#workers.get(ordinal);
    if (known !== undefined) return known;
    const row = this.#store.get('workerOrdinal', keys.workerOrdinal(this.#job.farmId, ordinal));
    const workerId = row?.workerId ?? null;
    this.#workers.set(ordinal, workerId);
    return workerId;
  }
}

/** Why a task has failed or was canceled; empty when it has and was not. */
export function failureReasonOf(
  store: StoreReader,
  step: StepRecord,
  address: TaskAddress,
  state: TaskState,
): string {
  if (state.hasText) return store.get('taskText', keys.taskText(address))?.failureReason ?? '';
  // Only an untouched task can be canceled without a text of its own.
  return state.status === 'canceled' ? step.untouched.failureReason : '';
}
