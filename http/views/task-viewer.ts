import { stepIdOf, taskIdOf, type TaskAddress, type WorkerId } from '../../src/core/ids.ts';
import { isLiveTask, isTerminalTask } from '../../src/core/lifecycle/task-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { TaskState } from '../../src/core/records/task-page.ts';
import { taskName, taskStateOf } from '../../src/core/records/task-view.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from './schemas.ts';
import { rfc3339 } from './time.ts';

type Reads = Pick<Ports, 'store' | 'taskParameters'>;
type ParametersAt = (index: number) => Readonly<Record<string, string>>;

const NO_PARAMETERS: ParametersAt = () => ({});

/** Shows tasks of one job. What several of them share is read once. */
export class TaskViewer {
  readonly #reads: Reads;
  readonly #job: JobRecord;
  readonly #parameters = new Map<number, ParametersAt>();
  readonly #workers = new Map<number, WorkerId | null>();

  constructor(reads: Reads, job: JobRecord) {
    this.#reads = reads;
    this.#job = job;
  }

  /** interface.md, "Task". */
  view(step: StepRecord, index: number): Schemas['Task'] {
    const address: TaskAddress = { jobId: this.#job.id, stepOrder: step.order, index };
    const state = taskStateOf(step, this.#reads.store.get('taskPage', keys.taskPageOf(address)), index);
    const parameters = this.#parametersOf(step)(index);
    const wasHeld = isLiveTask(state.status) || isTerminalTask(state.status);
    const workerId = wasHeld ? this.#workerOf(state.workerOrdinal) : null;
    const failureReason = failureReasonOf(this.#reads.store, step, address, state);
    return {
      id: taskIdOf(address),
      job_id: this.#job.id,
      step_id: stepIdOf(this.#job.id, step.order),
      name: taskName(step.name, parameters),
      ...(Object.keys(parameters).length > 0 && { parameters }),
      status: state.status,
      ...(workerId !== null && { assigned_worker_id: workerId }),
      ...(wasHeld && state.assignedAt > 0 && { assigned_at: rfc3339(state.assignedAt) }),
      created_at: rfc3339(this.#job.createdAt),
      updated_at: rfc3339(state.updatedAt),
      ...(failureReason !== '' && { failure_reason: failureReason }),
      ...(state.retryAfter > 0 && { retry_after: rfc3339(state.retryAfter) }),
      failed_attempts: state.failedAttempts,
    };
  }

  #parametersOf(step: StepRecord): ParametersAt {
    const known = this.#parameters.get(step.order);
    if (known !== undefined) return known;
    const plan = this.#reads.store.get('plan', keys.plan(this.#job.id));
    for (const stepPlan of plan?.steps ?? [])
      this.#parameters.set(
        stepPlan.order,
        lazily(() => this.#reads.taskParameters(stepPlan)),
      );
    return this.#parameters.get(step.order) ?? NO_PARAMETERS;
  }

  #workerOf(ordinal: number): WorkerId | null {
    if (ordinal === 0) return null;
    const known = this.#workers.get(ordinal);
    if (known !== undefined) return known;
    const row = this.#reads.store.get('workerOrdinal', keys.workerOrdinal(this.#job.farmId, ordinal));
    const workerId = row?.workerId ?? null;
    this.#workers.set(ordinal, workerId);
    return workerId;
  }
}

/** Opens a parameter space when its first task is shown. */
function lazily(open: () => ParametersAt): ParametersAt {
  let opened: ParametersAt | null = null;
  return (index) => {
    opened ??= open();
    return opened(index);
  };
}

function failureReasonOf(
  store: StoreReader,
  step: StepRecord,
  address: TaskAddress,
  state: TaskState,
): string {
  if (state.hasText) return store.get('taskText', keys.taskText(address))?.failureReason ?? '';
  // Only an untouched task can be canceled without a text of its own.
  return state.status === 'canceled' ? step.untouched.failureReason : '';
}
