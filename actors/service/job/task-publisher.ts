import { taskIdOf, type JobId } from '../../../src/core/ids.ts';
import type { Preemption } from '../../../src/core/records/preemption.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import type { TaskProgress } from '../../../src/core/records/task-progress.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { TaskEvent } from '../../../src/core/wire/events.ts';
import { taskNameOf } from '../../../src/openjd/template/task-name.ts';
import type { ServiceContext } from '../service-system.ts';
import { materializedTasks, type StepState } from './step-state.ts';

/** Maximum number of tasks whose events are published if they change together (docs/contract/events.md#subjects). */
export const TASK_EVENTS_MAX = 1_000;
/** More than the number of tasks of a step. */
const TASKS_PER_STEP = 2 ** 32;

/**
 * Publishes the changes of the tasks of a job in one turn. Beyond the maximum number of tasks, it publishes that events
 * are lost instead: subscribers then load the tasks again. Each change is published in one of these ways.
 */
export class TaskPublisher {
  private readonly jobId: JobId;
  private readonly context: ServiceContext<'job'>;
  /** The task of each published event, as a number. Null until the first. */
  private published: number[] | null = null;
  /** Distinct published tasks. Null while there are fewer events than the maximum number of tasks. */
  private tasks: Set<number> | null = null;
  /** Steps whose untouched tasks have changed. Null until the first. */
  private steps: Set<StepState> | null = null;
  private isFull = false;

  constructor(jobId: JobId, context: ServiceContext<'job'>) {
    this.jobId = jobId;
    this.context = context;
  }

  /** Reports whether the events of this turn are lost because there are too many. */
  get hasLost(): boolean {
    return this.isFull;
  }

  /** Publishes the current state of a task. */
  publish(
    step: StepState,
    index: number,
    task: Pick<TaskState, 'status' | 'updatedAt' | 'unschedulable' | 'skipped'>,
    workerId: TaskEvent['worker_id'],
    reported: TaskProgress | undefined,
    preemption: Preemption | null = null,
  ): void {
    if (this.isFull || !this.count(step, index)) return;
    const payload: TaskEvent = {
      ...eventOf(this.jobId, step, index),
      status: task.status,
      worker_id: workerId,
      unschedulable_reason: (task.unschedulable ? step.record.unschedulableReason : null) ?? '',
      updated_at: timestampOf(task.updatedAt),
      ...(task.skipped && { skipped: true }),
      ...(preemption !== null && {
        preempted: true,
        ...(preemption.policyVersion !== undefined && { preemption_version: preemption.policyVersion }),
      }),
    };
    this.context.effect({
      kind: 'event',
      event: {
        subject: 'tasks',
        payload: reported === undefined ? payload : withProgress(payload, reported),
      },
    });
  }

  /** Publishes the state of all untouched tasks of a step at the end of the turn. */
  publishUntouched(step: StepState): void {
    this.steps ??= new Set();
    this.steps.add(step);
  }

  /** Must be called at the end of the turn. */
  end(): void {
    for (const step of this.steps ?? []) {
      if (this.isFull) break;
      this.publishUntouchedOf(step);
    }
    this.steps = null;
    if (this.isFull) this.publishLost();
  }

  /** Publishes at the end of the turn that subscribers must load the tasks of the job again, and no further changes. */
  publishLostAtEnd(): void {
    this.isFull = true;
  }

  /** Publishes that subscribers must load the tasks of the job again. */
  publishLost(): void {
    this.context.effect({
      kind: 'event',
      event: { subject: 'tasks-lost', payload: { job_id: this.jobId } },
    });
  }

  private publishUntouchedOf(step: StepState): void {
    const { taskCount, untouched, unschedulableReason } = step.record;
    const own = new Set<number>();
    if (step.pages.size > 0) for (const { index } of materializedTasks(step)) own.add(index);
    const before = this.tasks?.size ?? this.published?.length ?? 0;
    const count = taskCount - own.size;
    if (count === 0) return;
    if (before + count > TASK_EVENTS_MAX && this.distinct().size + count > TASK_EVENTS_MAX) {
      this.isFull = true;
      return;
    }
    const { jobId } = this;
    const { order, name } = step.record;
    // The events are made later, when the step may have other chunks.
    const { space } = step;
    const { status } = untouched;
    const reason = (untouched.unschedulable === true ? unschedulableReason : null) ?? '';
    const updatedAt = timestampOf(untouched.updatedAt);
    for (let index = 0; index < taskCount; index++) if (!own.has(index)) this.count(step, index);
    this.context.effect({
      kind: 'task-events',
      jobId,
      events: () => {
        const events: TaskEvent[] = [];
        for (let index = 0; index < taskCount; index++) {
          if (own.has(index)) continue;
          events.push({
            ...eventOf(jobId, { record: { order, name }, space }, index),
            status,
            worker_id: '',
            unschedulable_reason: reason,
            updated_at: updatedAt,
            // Only a skip ends a task that has no record.
            ...(status === 'succeeded' && { skipped: true }),
          });
        }
        return events;
      },
    });
  }

  /** Counts an event. Returns false if it is of one task too many. */
  private count({ record: { order } }: StepState, index: number): boolean {
    const task = order * TASKS_PER_STEP + index;
    if (this.tasks === null) {
      if (this.published === null) this.published = [task];
      else this.published.push(task);
      if (this.published.length <= TASK_EVENTS_MAX) return true;
    }
    const tasks = this.distinct();
    tasks.add(task);
    this.isFull = tasks.size > TASK_EVENTS_MAX;
    return !this.isFull;
  }

  private distinct(): Set<number> {
    this.tasks ??= new Set(this.published);
    return this.tasks;
  }
}

/** Returns the fields of a task event that never change. */
const eventOf = (
  jobId: JobId,
  step: Pick<StepState, 'space'> & { readonly record: Pick<StepState['record'], 'order' | 'name'> },
  index: number,
): Pick<TaskEvent, 'job_id' | 'task_id' | 'name'> => ({
  job_id: jobId,
  task_id: taskIdOf({ jobId, stepOrder: step.record.order, index }),
  name: taskNameOf(step.record.name, step.space.at(index)),
});

function withProgress(event: TaskEvent, { progress, statusMessage }: TaskProgress): TaskEvent {
  if (progress === undefined && statusMessage === undefined) return event;
  return {
    ...event,
    ...(progress !== undefined && { progress }),
    ...(statusMessage !== undefined && { status_message: statusMessage }),
  };
}
