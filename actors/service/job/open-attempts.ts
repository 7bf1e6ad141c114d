import type { JobId, TaskAddress, WorkerId } from '../../../src/core/ids.ts';
import { isLiveTask } from '../../../src/core/lifecycle/task-transitions.ts';
import type { AttemptRecord } from '../../../src/core/records/attempt.ts';
import { openAttemptOf } from '../../../src/core/records/open-attempt.ts';
import { hasAssignment, type TaskState } from '../../../src/core/records/task-page.ts';
import { taskOf, materializedTasks, type StepState } from './step-state.ts';

/**
 * The open attempts of a job. An attempt without reports is derived from its task's page, in memory as on disk
 * (docs/decisions/open-attempts.md). Only attempts with reports are kept here.
 */
export class OpenAttempts {
  private readonly jobId: JobId;
  private readonly steps: readonly StepState[];
  /** Attempts with reports, by step and index of their tasks. */
  private readonly reported: readonly Map<number, AttemptRecord>[];
  /** Workers with tasks of the job since it was loaded, by ordinal. */
  private readonly workers = new Map<number, WorkerId>();

  constructor(jobId: JobId, steps: readonly StepState[]) {
    this.jobId = jobId;
    this.steps = steps;
    this.reported = steps.map(() => new Map<number, AttemptRecord>());
  }

  /** Number of open attempts. */
  get size(): number {
    let live = 0;
    for (const { record } of this.steps) live += record.taskCounts.assigned + record.taskCounts.running;
    return live;
  }

  /** Returns the open attempt of a task, or undefined if the task is not live. */
  of(step: StepState, index: number, task: TaskState = taskOf(step, index)): AttemptRecord | undefined {
    if (!isLiveTask(task.status)) return undefined;
    const reported = this.reportedOf(step, index);
    if (reported !== undefined) return reported;
    if (!hasAssignment(task)) return undefined;
    return openAttemptOf(this.addressOf(step, index), task, this.workerOf(step, index, task));
  }

  /** Returns the reported data of a task's open attempt, or undefined if there is none. */
  reportedOf(step: StepState, index: number): AttemptRecord | undefined {
    const ofStep = this.reported[step.record.order];
    return ofStep === undefined || ofStep.size === 0 ? undefined : ofStep.get(index);
  }

  /** Returns the worker of a live task. */
  workerOf(step: StepState, index: number, task: TaskState): WorkerId {
    const { workerOrdinal } = task;
    const worker =
      this.reportedOf(step, index)?.workerId ??
      (workerOrdinal === null ? undefined : this.workers.get(workerOrdinal));
    if (worker === undefined)
      throw new Error(`task ${step.record.order}-${index} of ${this.jobId} is live but has no worker`);
    return worker;
  }

  /** Records the id of a worker with tasks of the job. */
  recordWorker(ordinal: number, worker: WorkerId): void {
    this.workers.set(ordinal, worker);
  }

  /** Replaces the record of a task's open attempt. */
  setReported(step: StepState, index: number, attempt: AttemptRecord): void {
    this.reported[step.record.order]?.set(index, attempt);
  }

  /** Removes the open attempt of a task. The caller moves the task next. */
  remove(step: StepState, index: number): void {
    const ofStep = this.reported[step.record.order];
    if (ofStep !== undefined && ofStep.size > 0) ofStep.delete(index);
  }

  /** Iterates over all open attempts. Scans all tasks with a record of their own. */
  *values(): Generator<AttemptRecord> {
    for (const step of this.steps) {
      if (step.record.taskCounts.assigned + step.record.taskCounts.running === 0) continue;
      for (const { index, task } of materializedTasks(step)) {
        const attempt = this.of(step, index, task);
        if (attempt !== undefined) yield attempt;
      }
    }
  }

  /** Returns the workers of the live tasks of a step, one for each. Scans its tasks with a record of their own. */
  workersOf(step: StepState): readonly WorkerId[] {
    if (step.record.taskCounts.assigned + step.record.taskCounts.running === 0) return [];
    const workers: WorkerId[] = [];
    for (const { index, task } of materializedTasks(step))
      if (isLiveTask(task.status)) workers.push(this.workerOf(step, index, task));
    return workers;
  }

  private addressOf(step: StepState, index: number): TaskAddress {
    return { jobId: this.jobId, stepOrder: step.record.order, index };
  }
}
