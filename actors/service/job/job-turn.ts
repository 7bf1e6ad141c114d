import {
  attemptIdOf,
  taskIdOf,
  type AttemptAddress,
  type TaskAddress,
  type WorkerId,
} from '../../../src/core/ids.ts';
import { CASCADE_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import {
  isTerminalJob,
  nextJobStatus,
  type JobTrigger,
} from '../../../src/core/lifecycle/job-transitions.ts';
import { completionTrigger, isTerminalStep, stepStatusOf } from '../../../src/core/lifecycle/step-rules.ts';
import { moveCounts } from '../../../src/core/lifecycle/task-counts.ts';
import {
  isLiveTask,
  isTerminalTask,
  nextTaskStatus,
  retryTriggerOf,
  type TaskTrigger,
} from '../../../src/core/lifecycle/task-transitions.ts';
import type { AttemptRecord } from '../../../src/core/records/attempt.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import type { OutageMark } from '../../../src/core/outages/outage.ts';
import type { Preemption } from '../../../src/core/records/preemption.ts';
import { withoutStart, type JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { meanOf } from '../../../src/core/records/step.ts';
import { PageArena } from '../../../src/core/records/page-arena.ts';
import { pageOf, writeTask, type TaskState } from '../../../src/core/records/task-page.ts';
import { indexAttempts } from '../../../src/core/records/attempts-of-worker.ts';
import type { AppliedRule } from '../../../src/core/retry-rules/applied-rule.ts';
import type { TaskTextRecord } from '../../../src/core/records/task-text.ts';
import type { TaskProgress } from '../../../src/core/records/task-progress.ts';
import type { AttemptUsage } from '../../../src/core/wire/usage-fields.ts';
import type { ServiceContext } from '../service-system.ts';
import { adaptChunks, measureChunk } from './adapt-chunks.ts';
import { probesOf, triesCanaries } from './canaries.ts';
import { failedOnKey } from './failed-on.ts';
import { judgeUnknown } from './judge-failures.ts';
import { isLeasable, offerOfStep } from './offers.ts';
import { publishJob } from './publish-job.ts';
import { raiseJobNotice } from './raise-notice.ts';
import { updateRecord } from './save-job.ts';
import { TaskPublisher } from './task-publisher.ts';
import { clearUnschedulable } from './unschedulable-marks.ts';
import { waitsForUpstreams, type JobState } from './state.ts';
import { holdBack } from './skip-tasks.ts';
import { taskOf, materializedTasks, type StepState } from './step-state.ts';

/** Fields of a task, besides its status, that a transition sets. `retryAfter` is reset to null unless it is here. */
type TaskPatch = Partial<
  Pick<
    TaskState,
    'failedAttempts' | 'attemptNumber' | 'assignedAt' | 'retryAfter' | 'workerOrdinal' | 'hasText' | 'exiting'
  >
>;
/** A transition that changes only the status. */
export const STATUS_ONLY: TaskPatch = {};
const EXITING: TaskPatch = { exiting: true };
const NONE: readonly AttemptAddress[] = [];
const NOT_PARKED: Partial<JobRecord> = { parkReason: '' };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export type ClosedAttempt = Pick<AttemptRecord, 'message'> & {
  readonly status: 'succeeded' | 'failed' | 'canceled';
  readonly exitCode?: number | undefined;
  readonly failureExcerpt?: string | undefined;
  readonly usage?: AttemptUsage;
  readonly sessionId?: string;
  readonly reclaimed?: true;
  readonly rule?: AppliedRule | undefined;
  /** Set if the failure belongs to an outage. */
  readonly outage?: OutageMark;
  /** Whether the lease actor has weighed the failure. Absent: it is notified of the end. */
  readonly isWeighed?: true;
  /** Set if the task is taken back: its resources stay booked until the worker has reported the end. */
  readonly preemption?: Preemption;
  /** Whether the worker has not reported the end: the process may still run. */
  readonly exiting?: true;
  /** Last reported progress of the task. If absent, that of the open attempt is kept. */
  readonly reported?: TaskProgress;
};

/**
 * One turn of a job. Handlers move tasks and close attempts through it. `end` then applies the consequences: step
 * statuses, cascade, promotion, completion of the job. Changed pages and records are written with the commit window.
 */
export class JobTurn {
  private readonly state: JobState;
  private readonly context: ServiceContext<'job'>;
  /** Each step once, in the order of first change. */
  private dirtySteps: StepState[] | null = null;
  /** Null until a step is offered: most turns offer none. */
  private offered: Set<StepState> | null = null;
  /** Attempts closed in this turn that have reported progress, by task id. Null until the first. */
  private closed: Map<string, AttemptRecord> | null = null;
  /** Attempts closed in this turn whose lease actor and workers are not notified yet. Null until the first. */
  private unnotified: UnnotifiedClose[] | null = null;
  /** Steps with chunks whose attempts were measured in this turn. Null until the first. */
  private measured: Set<StepState> | null = null;
  private readonly publisher: TaskPublisher;
  private hasStepMoved = false;
  private readonly statusBefore: JobRecord['status'] | null;
  private readonly recordBefore: JobRecord | null;

  constructor(state: JobState, context: ServiceContext<'job'>, isNew = false) {
    this.state = state;
    this.context = context;
    this.publisher = new TaskPublisher(state.record.id, context);
    this.statusBefore = isNew ? null : state.record.status;
    this.recordBefore = isNew ? null : state.record;
  }

  addressOf(step: StepState, index: number): TaskAddress {
    return { jobId: this.state.record.id, stepOrder: step.record.order, index };
  }

  /**
   * Applies a transition to a task. Returns the new state, or null without a change if the table does not allow the
   * transition. `before`: current state, if the caller has it. `preemption`: why the task is taken back.
   */
  move(
    step: StepState,
    index: number,
    trigger: TaskTrigger,
    patch: TaskPatch = STATUS_ONLY,
    before = taskOf(step, index),
    preemption: Preemption | null = null,
  ): TaskState | null {
    const status = nextTaskStatus(before.status, trigger);
    if (status === null) return null;
    const after: TaskState = {
      status,
      failedAttempts: patch.failedAttempts ?? before.failedAttempts,
      attemptNumber: patch.attemptNumber ?? before.attemptNumber,
      updatedAt: this.context.now,
      assignedAt: patch.assignedAt === undefined ? before.assignedAt : patch.assignedAt,
      retryAfter: patch.retryAfter ?? null,
      workerOrdinal: patch.workerOrdinal === undefined ? before.workerOrdinal : patch.workerOrdinal,
      hasText: patch.hasText ?? before.hasText,
      unschedulable: false,
      silent: this.endsWithoutProgress(step, index, before.status, status),
      exiting: patch.exiting ?? before.exiting,
      cascaded: trigger === 'cascade',
      skipped: trigger === 'skip',
    };
    this.write(step, index, after);
    const { failedOn } = this.state;
    if (failedOn.size > 0 && isTerminalTask(status)) {
      if (!isReportedEnd(trigger)) judgeUnknown(this.state, step, index, this.context);
      failedOn.delete(failedOnKey(step.record.order, index));
    }
    if (this.state.ruleUses.size > 0 && isTerminalTask(status)) this.forgetRules(step, index);
    const { taskCounts, attemptTimes } = step.record;
    const wereProbes = probesOf(this.state, step);
    moveCounts(taskCounts, before.status, status);
    if (wereProbes !== null || triesCanaries(this.state)) this.offerAfterProbes(step, wereProbes);
    if (before.unschedulable) taskCounts.unschedulable--;
    if (trigger === 'reported success' && before.assignedAt !== null) {
      const ms = Math.max(0, after.updatedAt - before.assignedAt);
      attemptTimes.count++;
      attemptTimes.totalMs += ms;
      if (step.adaptive !== null) this.measure(step, index, ms);
    }
    this.touch(step);
    this.publishTask(step, index, after, preemption);
    return after;
  }

  /** Offers the step again if its canary tasks have begun or ended to keep the others from starting. */
  private offerAfterProbes(step: StepState, before: readonly number[] | null): void {
    if ((before === null) !== (probesOf(this.state, step) === null)) this.offer(step);
  }

  private forgetRules(step: StepState, index: number): void {
    if (!this.state.ruleUses.delete(failedOnKey(step.record.order, index))) return;
    this.context.change(remove('taskRules', keys.taskRules(this.addressOf(step, index))));
  }

  private measure(step: StepState, index: number, ms: number): void {
    measureChunk(step, index, ms);
    if (this.measured === null) this.measured = new Set([step]);
    else this.measured.add(step);
  }

  /** Adapts the chunks of the steps with new measurements. Their untouched tasks may be others then. */
  private adaptMeasured(): void {
    for (const step of this.measured ?? []) {
      if (!adaptChunks(step)) continue;
      this.offer(step);
      this.publisher.publishLostAtEnd();
    }
  }

  /**
   * Reports whether the task ends without progress reports of its last attempt. That attempt is closed before the task
   * moves.
   */
  private endsWithoutProgress(
    step: StepState,
    index: number,
    before: TaskState['status'],
    after: TaskState['status'],
  ): boolean {
    if (!isLiveTask(before) || !isTerminalTask(after)) return false;
    return this.closed === null || !this.closed.has(taskIdOf(this.addressOf(step, index)));
  }

  /** Stores the texts of a task. `key` is that of its row. */
  putText(key: string, text: TaskTextRecord): void {
    this.context.change(put('taskText', key, text));
  }

  /** Stores the reason why a task failed or was canceled, with the error line of its log; empty if unknown. */
  setReason(step: StepState, index: number, failureReason: string, errorLine = ''): void {
    this.write(step, index, { ...taskOf(step, index), hasText: true });
    const text = { version: 1, failureReason, ...(errorLine !== '' && { errorLine }) } as const;
    this.putText(keys.taskText(this.addressOf(step, index)), text);
  }

  /**
   * Closes the open attempt of a task. The worker's cores are released at the end of the turn. `task`: current state,
   * if the caller has it.
   */
  closeAttempt(step: StepState, index: number, closed: ClosedAttempt, task = taskOf(step, index)): void {
    const attempt = this.state.openAttempts.of(step, index, task);
    if (attempt === undefined)
      throw new Error(`task ${taskIdOf(this.addressOf(step, index))} has no open attempt`);
    const { attemptNumber } = attempt;
    const address = { jobId: this.state.record.id, stepOrder: step.record.order, index, attemptNumber };
    this.state.openAttempts.remove(step, index);
    const record = closedAttempt(attempt, closed, this.context.now);
    if (record.progress !== undefined || record.statusMessage !== undefined)
      (this.closed ??= new Map()).set(taskIdOf(address), record);
    this.context.change(put('attempt', keys.attempt(address, attemptNumber), record));
    const unnotified = {
      attempt: address,
      workerId: attempt.workerId,
      endedAt: record.endedAt ?? this.context.now,
      isExiting: closed.exiting === true,
      hasSucceeded: closed.status === 'succeeded',
      preemption: closed.preemption ?? null,
      startedAt: attempt.startedAt,
      isWeighed: closed.isWeighed === true,
    };
    if (this.unnotified === null) this.unnotified = [unnotified];
    else this.unnotified.push(unnotified);
  }

  /**
   * Notifies the lease actor and the workers of closed attempts, and adds them to the index of their worker. Part of
   * `end`. Those of a deleted job are not indexed, and the worker actors need not track the ones that may still run.
   */
  notifyClosed(isDeleted = false): void {
    const { unnotified } = this;
    if (unnotified === null) return;
    this.unnotified = null;
    const { id: jobId, farmId } = this.state.record;
    for (const [stepOrder, ofStep] of grouped(unnotified, ({ attempt }) => attempt.stepOrder)) {
      const step = this.state.steps[stepOrder];
      const meanMs = step === undefined ? null : meanOf(step.record.attemptTimes);
      const ended = { type: 'tasks.ended', jobId, stepOrder, count: ofStep.length, meanMs } as const;
      const hasPools = step?.plan.requirements.pools.length !== 0;
      this.context.send(
        'lease',
        farmId,
        hasPools ? { ...ended, workers: ofStep.map(({ workerId }) => workerId) } : ended,
      );
    }
    if (this.state.inherited.findsOutages === true) this.notifyEnds(unnotified);
    for (const [workerId, ofWorker] of grouped(unnotified, (each) => each.workerId)) {
      const attempts = ofWorker.map(({ attempt }) => attempt);
      const [first] = ofWorker;
      if (!isDeleted && first !== undefined)
        this.context.change(indexAttempts(workerId, first.endedAt, attempts));
      const areExiting = !isDeleted && ofWorker.some(({ isExiting }) => isExiting);
      const exiting = areExiting ? ofWorker.flatMap((each) => (each.isExiting ? [each.attempt] : [])) : NONE;
      const succeeded = ofWorker.every(({ hasSucceeded }) => hasSucceeded)
        ? attempts
        : ofWorker.flatMap((each) => (each.hasSucceeded ? [each.attempt] : []));
      const released = { type: 'attempts.released', attempts, exiting, succeeded } as const;
      // A turn closes attempts in one way.
      const areTakenBack = !isDeleted && first !== undefined && first.preemption !== null;
      this.context.send('worker', workerId, areTakenBack ? { ...released, areTakenBack } : released);
    }
  }

  /** Notifies the lease actor, which looks for outages, of attempts that have ended without a failure to weigh. */
  private notifyEnds(unnotified: readonly UnnotifiedClose[]): void {
    const { id: jobId, farmId } = this.state.record;
    const ends = unnotified.flatMap(({ attempt, workerId, startedAt, hasSucceeded, isWeighed }) =>
      isWeighed
        ? []
        : {
            attemptId: attemptIdOf(attempt),
            workerId,
            startedAt,
            pools: this.state.steps[attempt.stepOrder]?.plan.requirements.pools ?? [],
            hasSucceeded,
          },
    );
    if (ends.length > 0) this.context.send('lease', farmId, { type: 'attempts.ended', jobId, ends });
  }

  /** Cancels all tasks of a step that are not terminal. Closes live ones and sends cancel requests to their workers. */
  cancelStep(step: StepState, trigger: 'cancel' | 'cascade', reason: string): void {
    const counts = step.record.taskCounts;
    const terminal = counts.succeeded + counts.failed + counts.canceled;
    if (terminal === counts.total) return;
    for (const { index, task } of [...materializedTasks(step)]) {
      if (nextTaskStatus(task.status, trigger) !== null) this.cancelTask(step, index, trigger, reason);
    }
    const { untouched } = step.record;
    const status = nextTaskStatus(untouched.status, trigger);
    if (status === null) return;
    const howMany = counts[untouched.status];
    moveCounts(counts, untouched.status, status, howMany);
    if (untouched.unschedulable === true) counts.unschedulable -= howMany;
    step.record.untouched = { status: 'canceled', updatedAt: this.context.now, failureReason: reason };
    if (howMany > 0) this.publishUntouched(step);
    this.touch(step);
  }

  /** Cancels one task that is not terminal. */
  cancelTask(step: StepState, index: number, trigger: 'cancel' | 'cascade', reason: string): void {
    const isStopped = this.stopAttempt(step, index, { status: 'canceled', message: reason });
    this.move(step, index, trigger, isStopped ? EXITING : STATUS_ONLY);
    if (!taskOf(step, index).hasText) this.setReason(step, index, reason);
  }

  /**
   * Closes the open attempt of a task and requests its worker to end the process. Returns false without a change if the
   * task is not live. The caller moves the task, with `exiting`: no other attempt starts before the process has ended.
   */
  stopAttempt(step: StepState, index: number, closed: Omit<ClosedAttempt, 'exiting'>): boolean {
    const before = taskOf(step, index);
    if (!isLiveTask(before.status)) return false;
    const attempt = { ...this.addressOf(step, index), attemptNumber: before.attemptNumber };
    const workerId = this.state.openAttempts.workerOf(step, index, before);
    this.closeAttempt(step, index, { ...closed, exiting: true });
    const reason = closed.message;
    this.context.effect({
      kind: 'cancel',
      workerId,
      message: { v: 1, task_id: taskIdOf(attempt), attempt_id: attemptIdOf(attempt), reason },
    });
    return true;
  }

  /** Moves all failed and canceled tasks of a step back to pending. Returns their number. */
  retryStep(step: StepState): number {
    const { failed, canceled } = step.record.taskCounts;
    if (failed + canceled === 0) return 0;
    for (const { index, task } of [...materializedTasks(step)]) {
      if (nextTaskStatus(task.status, 'manual retry') !== null) this.retryTask(step, index);
    }
    const { untouched, taskCounts } = step.record;
    const howMany = taskCounts.canceled;
    if (nextTaskStatus(untouched.status, 'manual retry') !== null && howMany > 0) {
      moveCounts(taskCounts, untouched.status, 'pending', howMany);
      step.record.untouched = { status: 'pending', updatedAt: this.context.now, failureReason: '' };
      this.publishUntouched(step);
      this.touch(step);
    }
    return failed + canceled;
  }

  /**
   * Moves the tasks of a step back to pending that were canceled because an upstream step failed or was canceled.
   * Returns their number.
   */
  retryCascaded(step: StepState): number {
    const { taskCounts, untouched } = step.record;
    if (taskCounts.canceled === 0) return 0;
    let retried = 0;
    let others = 0;
    for (const { index, task } of [...materializedTasks(step)]) {
      if (task.status !== 'canceled') continue;
      if (!task.cascaded) {
        others++;
        continue;
      }
      this.retryTask(step, index);
      retried++;
    }
    const howMany = taskCounts.canceled - others;
    if (untouched.status === 'canceled' && untouched.failureReason === CASCADE_REASON && howMany > 0) {
      moveCounts(taskCounts, 'canceled', 'pending', howMany);
      step.record.untouched = { status: 'pending', updatedAt: this.context.now, failureReason: '' };
      this.publishUntouched(step);
      this.touch(step);
      retried += howMany;
    }
    return retried;
  }

  /**
   * Records that no process of a canceled attempt runs any more. If its task was retried meanwhile and nothing else
   * blocks it, it becomes ready. Returns whether it has.
   */
  recordExit(step: StepState, index: number, waits: boolean): boolean {
    const task = taskOf(step, index);
    this.write(step, index, { ...task, exiting: false });
    this.context.markDirty();
    if (waits || task.status !== 'pending' || !this.isFree(step)) return false;
    return this.move(step, index, 'dependency resolution') !== null;
  }

  /** Moves a failed, canceled or skipped task back to pending. Resets its failures; its attempts remain. */
  retryTask(step: StepState, index: number): void {
    const before = taskOf(step, index);
    const trigger = retryTriggerOf(before);
    if (trigger === null) return;
    const { hasText } = before;
    const forgotten = { failedAttempts: 0, assignedAt: null, workerOrdinal: null, hasText: false };
    this.move(step, index, trigger, forgotten, before);
    if (!hasText) return;
    this.context.change(remove('taskText', keys.taskText(this.addressOf(step, index))));
  }

  /** Applies a transition to the job. Returns false without a change if the table does not allow it. */
  moveJob(trigger: JobTrigger, patch: Partial<JobRecord> = {}): boolean {
    const status = nextJobStatus(this.state.record.status, trigger);
    if (status === null) return false;
    this.state.record = { ...this.state.record, ...patch, status };
    return true;
  }

  /** Resumes a paused job: to blocked, running or pending, depending on its upstreams and live tasks. */
  resume(): void {
    const { waitsWhilePaused } = this.state.record;
    const reset = { parkReason: '', failedAttempts: 0, waitsWhilePaused: false };
    if (waitsWhilePaused === true) this.moveJob('resume to blocked', reset);
    else this.moveJob(this.state.openAttempts.size > 0 ? 'resume to running' : 'resume to pending', reset);
  }

  /** Sets the time before which no task starts, in milliseconds since the epoch; null removes it. */
  startAfter(time: number | null): void {
    this.state.record =
      time === null ? withoutStart(this.state.record) : { ...this.state.record, startAfter: time };
  }

  patchJob(patch: Partial<JobRecord>): void {
    this.state.record = { ...this.state.record, ...patch };
  }

  /**
   * Makes the tasks ready of every step whose dependencies are completed, except those whose earlier attempt may still
   * run. Only for a job without open upstreams.
   */
  promoteFreeSteps(): void {
    for (const step of this.state.steps) {
      if (this.isFree(step)) this.promote(step);
    }
  }

  touch(step: StepState): void {
    if (step.touchedBy === this) return;
    step.touchedBy = this;
    // An array literal with one element, because V8 gives an empty array a large first allocation.
    if (this.dirtySteps === null) this.dirtySteps = [step];
    else this.dirtySteps.push(step);
  }

  /** Applies the consequences of the turn. */
  end(): void {
    this.adaptMeasured();
    this.updateStepStatuses();
    const { record, steps } = this.state;
    // If no status has changed, the job status cannot change either.
    if (this.hasStepMoved || record.status !== this.statusBefore) {
      const trigger = completionTrigger(
        record.status,
        steps.map((step) => step.record.status),
      );
      // A parked job completes if its failed tasks are skipped.
      if (trigger !== null) this.moveJob(trigger, trigger === 'all steps completed' ? NOT_PARKED : {});
    }
    if (!isLeasable(this.state)) for (const step of steps) clearUnschedulable(this, step);
    this.recordJobEnd();
    this.markRecordsDirty();
    this.notifyClosed();
    const leasableBefore = this.recordBefore !== null && isLeasable({ record: this.recordBefore });
    if (leasableBefore && !isLeasable(this.state)) {
      this.context.send('lease', record.farmId, { type: 'job.withdrawn', jobId: record.id });
    }
    this.publishReadySteps();
    this.publisher.end();
    if (this.state.record.status !== this.statusBefore) this.publishJobStatus();
  }

  /** Lists a job that has ended for retention, by its end time. */
  private recordJobEnd(): void {
    const { id, farmId, status, endedAt } = this.state.record;
    if (!isTerminalJob(status) || endedAt !== undefined) return;
    this.patchJob({ endedAt: this.context.now });
    this.context.change(put('endedJob', keys.endedJob(farmId, status, this.context.now, id), { version: 1 }));
  }

  private updateStepStatuses(): void {
    // Each round may end steps that others depend on. Steps have no cyclic dependencies, so the rounds terminate.
    for (let changed = this.updateStepsOnce(); changed; changed = this.updateStepsOnce());
  }

  private updateStepsOnce(): boolean {
    let changed = false;
    // Steps that become dirty in this round are appended and handled in the same round.
    for (const step of this.dirtySteps ?? []) {
      // A skip of a step before it was undone. Tasks that are live then may become ready later.
      if (step.record.taskCounts.ready > 0 && !this.isFree(step)) holdBack(this, step, this.context.now);
      const before = step.record.status;
      const status = stepStatusOf(step.record.taskCounts);
      if (status === before) continue;
      step.record.status = status;
      this.hasStepMoved = true;
      changed = true;
      if (isTerminalStep(status)) this.updateDependents(step);
      else if (before === 'completed') this.touchDependents(step);
    }
    return changed;
  }

  private updateDependents(ended: StepState): void {
    for (const dependent of this.state.steps) {
      if (!dependent.record.dependsOn.includes(ended.record.order)) continue;
      if (ended.record.status !== 'completed') this.cancelStep(dependent, 'cascade', CASCADE_REASON);
      else if (this.isFree(dependent) && !waitsForUpstreams(this.state)) this.promote(dependent);
    }
  }

  private touchDependents({ record: { order } }: StepState): void {
    for (const dependent of this.state.steps)
      if (dependent.record.dependsOn.includes(order)) this.touch(dependent);
  }

  private isFree(step: StepState): boolean {
    return step.record.dependsOn.every((order) => this.state.steps[order]?.record.status === 'completed');
  }

  private promote(step: StepState): void {
    const { untouched, taskCounts } = step.record;
    if (taskCounts.pending === 0) return;
    let exiting = 0;
    for (const { index, task } of [...materializedTasks(step)]) {
      if (task.status !== 'pending') continue;
      if (task.exiting) exiting++;
      else this.move(step, index, 'dependency resolution');
    }
    const howMany = taskCounts.pending - exiting;
    if (untouched.status === 'pending' && howMany > 0) {
      moveCounts(taskCounts, 'pending', 'ready', howMany);
      step.record.untouched = { status: 'ready', updatedAt: this.context.now, failureReason: '' };
      this.publishUntouched(step);
    }
    this.touch(step);
    this.offer(step);
  }

  /** Marks a step whose ready tasks are reported to the lease actor at the end of the turn. */
  offer(step: StepState): void {
    this.offered ??= new Set();
    this.offered.add(step);
  }

  /**
   * Reports all ready tasks of the marked steps to the lease actor, in one message, so that it never leases with the
   * new queue or priority of only some of them. For a job that is not leasable, reports only steps with live tasks,
   * which count against caps.
   */
  publishReadySteps(): void {
    const { offered } = this;
    if (offered === null) return;
    this.offered = null;
    const { id, farmId } = this.state.record;
    const leasable = isLeasable(this.state);
    const offers = this.state.steps
      .filter((step) => offered.has(step))
      .map((step) => offerOfStep(this.state, step, this.context.now))
      .filter(({ live }) => leasable || live > 0);
    if (offers.length === 0) return;
    this.context.send('lease', farmId, { type: 'steps.ready', offers });
    if (!leasable) this.context.send('lease', farmId, { type: 'job.withdrawn', jobId: id });
  }

  /** Sets the state of one task. `end` applies the consequences. */
  write(step: StepState, index: number, task: TaskState): void {
    const number = pageOf(index);
    let page = step.pages.get(number);
    if (page === undefined) {
      page = (step.arena ??= new PageArena()).take(step.pages.size, pageOf(step.record.taskCount - 1) + 1);
      step.pages.set(number, page);
    }
    writeTask(page, index, task);
    step.dirtyPages.add(number);
    this.state.dirtySteps.add(step);
  }

  /**
   * Marks the records as dirty; they are written with the commit window. If more than counts and time of the job have
   * changed, its record is updated now, because this turn may return it to a client.
   */
  private markRecordsDirty(): void {
    for (const step of this.dirtySteps ?? []) {
      // No task has the reason any more.
      if (step.record.taskCounts.unschedulable === 0) step.record.unschedulableReason = null;
      step.isDirty = true;
      this.state.dirtySteps.add(step);
    }
    this.state.isRecordStale = true;
    if (this.state.record !== this.recordBefore) updateRecord(this.state, this.context.now);
    this.context.markDirty();
  }

  private publishJobStatus(): void {
    const { record } = this.state;
    if (isTerminalJob(record.status)) {
      this.context.change(remove('activeJob', keys.activeJob(record.farmId, record.id)));
      this.context.send('farm', record.farmId, {
        type: 'job.ended',
        jobId: record.id,
        queueId: record.queueId,
        status: record.status,
      });
    }
    raiseJobNotice(record, this.context);
    publishJob(record, record.status, record.updatedAt, this.context);
  }

  /** Publishes the current state of a task to clients. */
  publishTask(step: StepState, index: number, task: TaskState, preemption: Preemption | null = null): void {
    const { openAttempts } = this.state;
    const isLive = isLiveTask(task.status);
    const closed =
      this.closed !== null && isTerminalTask(task.status)
        ? this.closed.get(taskIdOf(this.addressOf(step, index)))
        : undefined;
    const reported: TaskProgress | undefined = isLive ? openAttempts.reportedOf(step, index) : closed;
    const workerId = isLive ? openAttempts.workerOf(step, index, task) : '';
    this.publisher.publish(step, index, task, workerId, reported, preemption);
  }

  /** Reports whether further events of this turn are not published, because too many tasks have changed. */
  get hasLostEvents(): boolean {
    return this.publisher.hasLost;
  }

  /** Publishes the state of all untouched tasks of a step. A new job has no subscribers yet. */
  publishUntouched(step: StepState): void {
    if (this.statusBefore !== null) this.publisher.publishUntouched(step);
  }
}

/** A closed attempt whose lease actor and worker are not notified yet. */
interface UnnotifiedClose {
  readonly attempt: AttemptAddress;
  readonly workerId: WorkerId;
  readonly endedAt: number;
  /** Whether its process may still run. */
  readonly isExiting: boolean;
  readonly hasSucceeded: boolean;
  /** Set if the task was taken back. */
  readonly preemption: Preemption | null;
  readonly startedAt: number;
  readonly isWeighed: boolean;
}

/** The reports of a worker are judged by their handler, which knows the worker. */
const isReportedEnd = (trigger: TaskTrigger): boolean =>
  trigger === 'reported success' || trigger === 'reported failure';

/** Groups by key, in the order of first occurrence. */
function grouped<T, Key>(all: readonly T[], keyOf: (each: T) => Key): Iterable<readonly [Key, readonly T[]]> {
  // Fast path: usually a turn closes one attempt.
  const [only] = all;
  if (only !== undefined && all.length === 1) return [[keyOf(only), all]];
  const groups = new Map<Key, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

/** Returns the record of the attempt after its end. */
function closedAttempt(attempt: AttemptRecord, closed: ClosedAttempt, now: number): AttemptRecord {
  const { progress, statusMessage } = closed.reported ?? attempt;
  const { exitCode, failureExcerpt, usage, reclaimed, rule, outage, preemption } = closed;
  const record: Mutable<AttemptRecord> = {
    version: 1,
    id: attempt.id,
    attemptNumber: attempt.attemptNumber,
    status: closed.status,
    workerId: attempt.workerId,
    startedAt: attempt.startedAt,
    message: closed.message,
    sessionId: closed.sessionId ?? attempt.sessionId,
    endedAt: Math.max(now, attempt.startedAt),
  };
  if (exitCode !== undefined) record.exitCode = exitCode;
  if (failureExcerpt !== undefined) record.failureExcerpt = failureExcerpt;
  if (usage?.maxRssMib !== undefined) record.maxRssMib = usage.maxRssMib;
  if (usage?.cpuMs !== undefined) record.cpuMs = usage.cpuMs;
  if (reclaimed === true) record.reclaimed = reclaimed;
  if (rule !== undefined) record.rule = rule;
  if (outage !== undefined) record.outage = outage;
  if (preemption !== undefined) record.preemption = preemption;
  if (progress !== undefined) record.progress = progress;
  if (statusMessage !== undefined) record.statusMessage = statusMessage;
  return record;
}
