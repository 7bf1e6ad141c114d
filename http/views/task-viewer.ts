import { stepIdOf, taskIdOf, type TaskAddress, type WorkerId } from '../../src/core/ids.ts';
import { isLiveTask, isTerminalTask, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pageOf, readTaskStatus, type TaskState } from '../../src/core/records/task-page.ts';
import type { SkipNote } from '../../src/core/records/task-text.ts';
import type { TaskProgress } from '../../src/core/records/task-progress.ts';
import { taskNameOf } from '../../src/openjd/template/task-name.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';
import { spacesOf, type SpaceOf } from './job-spaces.ts';
import type { Schemas } from './schemas.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** State of a task that a view shows. */
interface TaskFacts {
  readonly state: TaskState;
  readonly workerId: WorkerId | null;
  /** Assignment time of the current or last attempt; null if the task is neither live nor has run. */
  readonly assignedAt: number | null;
  /** End of that attempt; null while it is open. */
  readonly endedAt: number | null;
  readonly failureReason: string | null;
  readonly skipped: SkipNote | null;
  readonly progress: number | undefined;
  readonly statusMessage: string | undefined;
}

/** Text that all tasks of a step share. */
interface SharedText {
  readonly order: number;
  readonly beforeIndex: string;
  readonly afterIndex: string;
  /** For tasks without a record: everything after name and parameters. Null before the first use. */
  untouched: string | null;
}

/** Builds views of the tasks of one job. Reads shared data once. */
export class TaskViewer {
  readonly #store: StoreReader;
  readonly #job: JobRecord;
  readonly #spaceOf: SpaceOf;
  readonly #workers = new Map<number, WorkerId | null>();
  /** Last page that was read; the next task is often on it as well. */
  #page: Uint8Array | undefined;
  #pageStep = -1;
  #pageNumber = -1;
  #shared: SharedText = { order: -1, beforeIndex: '', afterIndex: '', untouched: null };
  readonly #createdAt: string;
  /** Parameter names as JSON. */
  readonly #quoted = new Map<string, string>();

  /** Pass `spaceOf` if it is already known. */
  constructor(store: StoreReader, job: JobRecord, spaceOf: SpaceOf = spacesOf(store, job.id)) {
    this.#store = store;
    this.#job = job;
    this.#spaceOf = spaceOf;
    this.#createdAt = timestampOf(job.createdAt);
  }

  /** docs/contract/resources.md#task. */
  view(step: StepRecord, index: number, waitingReason: string | null = null): Schemas['Task'] {
    const facts = this.#factsOf(step, index);
    const { state, workerId, assignedAt, endedAt, failureReason, skipped, progress, statusMessage } = facts;
    const parameters = this.#spaceOf(step).at(index);
    return {
      id: taskIdOf({ jobId: this.#job.id, stepOrder: step.order, index }),
      job_id: this.#job.id,
      step_id: stepIdOf(this.#job.id, step.order),
      name: taskNameOf(step.name, parameters),
      ...(Object.keys(parameters).length > 0 && { parameters }),
      status: state.status,
      ...(workerId !== null && { assigned_worker_id: workerId }),
      ...(assignedAt !== null && {
        assigned_at: timestampOf(assignedAt),
        started_at: timestampOf(assignedAt),
        ...(endedAt !== null && { ended_at: timestampOf(endedAt) }),
      }),
      created_at: this.#createdAt,
      updated_at: timestampOf(state.updatedAt),
      ...(state.unschedulable && { unschedulable_reason: step.unschedulableReason ?? '' }),
      ...(failureReason !== null && { failure_reason: failureReason }),
      ...(skipped !== null && { skipped: { ...skipped, at: timestampOf(state.updatedAt) } }),
      ...(state.retryAfter !== null && { retry_after: timestampOf(state.retryAfter) }),
      failed_attempts: state.failedAttempts,
      ...(progress !== undefined && { progress }),
      ...(statusMessage !== undefined && { status_message: statusMessage }),
      ...(waitingReason !== null && { waiting_reason: waitingReason }),
    };
  }

  /**
   * Returns the same text as `JSON.stringify` of the view, without an object per task, because pages of tasks are the
   * most frequent reads. `reasonOf` returns why a task of a status waits, or null.
   */
  text(
    step: StepRecord,
    index: number,
    reasonOf: (step: StepRecord, index: number, status: TaskStatus) => string | null = () => null,
  ): string {
    const { beforeIndex, afterIndex } = this.#shareOf(step);
    const parameters = this.#spaceOf(step).at(index);
    let text = beforeIndex + index + afterIndex + JSON.stringify(taskNameOf(step.name, parameters));
    let separator = ',"parameters":{';
    for (const name of Object.keys(parameters)) {
      text += separator + this.#quotedOf(name) + ':' + JSON.stringify(parameters[name]);
      separator = ',';
    }
    if (separator === ',') text += '}';
    const page = this.#pageOf(step, index);
    const ownStatus = page === undefined ? null : readTaskStatus(page, index);
    text += ownStatus === null ? this.#untouchedTextOf(step, index) : this.#stateTextOf(step, index);
    const reason = reasonOf(step, index, ownStatus ?? step.untouched.status);
    return reason === null ? text : `${text.slice(0, -1)},"waiting_reason":${JSON.stringify(reason)}}`;
  }

  /** Returns the text that all tasks of a step without a record share. */
  #untouchedTextOf(step: StepRecord, index: number): string {
    return (this.#shareOf(step).untouched ??= this.#stateTextOf(step, index));
  }

  /** Returns the members of the view that depend on the state, and the closing brace. */
  #stateTextOf(step: StepRecord, index: number): string {
    const facts = this.#factsOf(step, index);
    const { state, workerId, assignedAt, endedAt, failureReason, skipped, progress, statusMessage } = facts;
    let text = `,"status":"${state.status}`;
    if (workerId !== null) text += `","assigned_worker_id":"${workerId}`;
    if (assignedAt !== null) {
      const given = timestampOf(assignedAt);
      text += `","assigned_at":"${given}","started_at":"${given}`;
      if (endedAt !== null) text += `","ended_at":"${timestampOf(endedAt)}`;
    }
    text += `","created_at":"${this.#createdAt}","updated_at":"${timestampOf(state.updatedAt)}"`;
    if (state.unschedulable)
      text += `,"unschedulable_reason":${JSON.stringify(step.unschedulableReason ?? '')}`;
    if (failureReason !== null) text += `,"failure_reason":${JSON.stringify(failureReason)}`;
    if (skipped !== null)
      text += `,"skipped":${JSON.stringify({ ...skipped, at: timestampOf(state.updatedAt) })}`;
    if (state.retryAfter !== null) text += `,"retry_after":"${timestampOf(state.retryAfter)}"`;
    text += `,"failed_attempts":${state.failedAttempts}`;
    if (progress !== undefined) text += `,"progress":${JSON.stringify(progress)}`;
    if (statusMessage !== undefined) text += `,"status_message":${JSON.stringify(statusMessage)}`;
    return text + '}';
  }

  #factsOf(step: StepRecord, index: number): TaskFacts {
    const address: TaskAddress = { jobId: this.#job.id, stepOrder: step.order, index };
    const state = taskStateOf(step, this.#pageOf(step, index), index);
    const hasEnded = isTerminalTask(state.status);
    const wasHeld = isLiveTask(state.status) || hasEnded;
    const assignedAt = wasHeld ? state.assignedAt : null;
    const { progress, statusMessage } = this.#progressOf(address, state);
    return {
      state,
      workerId: wasHeld ? this.#workerOf(state.workerOrdinal) : null,
      assignedAt,
      endedAt: hasEnded && assignedAt !== null ? Math.max(state.updatedAt, assignedAt) : null,
      failureReason: failureReasonOf(this.#store, step, address, state),
      skipped: skipNoteOf(this.#store, step, address, state),
      progress,
      statusMessage,
    };
  }

  #shareOf({ order }: StepRecord): SharedText {
    if (order !== this.#shared.order) {
      const job = this.#job.id;
      this.#shared = {
        order,
        beforeIndex: `{"id":"${job}-${order}-`,
        afterIndex: `","job_id":"${job}","step_id":"${stepIdOf(job, order)}","name":`,
        untouched: null,
      };
    }
    return this.#shared;
  }

  #quotedOf(name: string): string {
    const known = this.#quoted.get(name);
    if (known !== undefined) return known;
    const quoted = JSON.stringify(name);
    this.#quoted.set(name, quoted);
    return quoted;
  }

  /** Returns the reported progress of the current or last attempt. */
  #progressOf(
    address: TaskAddress,
    { status, attemptNumber, workerOrdinal, silent }: TaskState,
  ): TaskProgress {
    if (silent || workerOrdinal === null || !(isLiveTask(status) || isTerminalTask(status))) return {};
    return this.#store.get('attempt', keys.attempt(address, attemptNumber)) ?? {};
  }

  /** Returns the page of packed records that contains the task. */
  #pageOf({ order }: StepRecord, index: number): Uint8Array | undefined {
    const number = pageOf(index);
    if (number !== this.#pageNumber || order !== this.#pageStep) {
      this.#pageNumber = number;
      this.#pageStep = order;
      this.#page = this.#store.get('taskPage', keys.taskPage(this.#job.id, order, number));
    }
    return this.#page;
  }

  #workerOf(ordinal: number | null): WorkerId | null {
    if (ordinal === null) return null;
    const known = this.#workers.get(ordinal);
    if (known !== undefined) return known;
    const row = this.#store.get('workerOrdinal', keys.workerOrdinal(this.#job.farmId, ordinal));
    const workerId = row?.workerId ?? null;
    this.#workers.set(ordinal, workerId);
    return workerId;
  }
}

/** Returns who skipped a task, and why; null if it is not skipped. */
function skipNoteOf(
  store: StoreReader,
  step: StepRecord,
  address: TaskAddress,
  { skipped, hasText }: TaskState,
): SkipNote | null {
  if (!skipped) return null;
  const own = hasText ? store.get('taskText', keys.taskText(address))?.skip : step.untouched.skip;
  return own ?? null;
}

/** Returns why a task has failed or was canceled; null for other statuses, and for a reason without text. */
export function failureReasonOf(
  store: StoreReader,
  step: StepRecord,
  address: TaskAddress,
  state: TaskState,
): string | null {
  // Only a task without a record can be canceled without its own text.
  const shared = state.status === 'canceled' ? step.untouched.failureReason : '';
  const reason = state.hasText
    ? (store.get('taskText', keys.taskText(address))?.failureReason ?? '')
    : shared;
  return reason === '' ? null : reason;
}
