/**
 * State of the job actor. Statuses and transitions of jobs, steps and tasks:
 * src/core/lifecycle/{job-transitions,step-rules,task-transitions}.ts. JobTurn applies them; nothing else changes a
 * status.
 *
 * Invariants: a task has at most one open attempt, and has one exactly while it is assigned or running. The counts of a
 * step equal the statuses of its tasks. The counts of the job are the sums of its steps', except while `isRecordStale`.
 * Rows change only in `saveJob`, at the end of the commit window.
 *
 * Exits: a terminal job is evicted from memory; a deleted job is removed, and the purge deletes its tasks.
 */

import { attemptIdOf, type JobId, type TaskAddress } from '../../../src/core/ids.ts';
import {
  effectiveRetry,
  inheritedRules,
  rulesOfPools,
  type InheritedRetry,
  type RetryPolicy,
} from '../../../src/core/lifecycle/retry-policy.ts';
import { isLiveTask, isTerminalTask } from '../../../src/core/lifecycle/task-transitions.ts';
import type { JobPlan, StepPlan } from '../../../src/openjd/template/plan.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { withoutEnd, type JobRecord } from '../../../src/core/records/job.ts';
import { attemptWithoutRow } from '../../../src/core/records/open-attempt.ts';
import { gatherPages } from '../../../src/core/records/page-arena.ts';
import { keys, lastNumberOfKey, taskOfTextKey } from '../../../src/core/records/tables.ts';
import type { TaskRulesRecord } from '../../../src/core/records/task-rules.ts';
import { hasAssignment } from '../../../src/core/records/task-page.ts';
import { AssignedRuns } from './assigned-runs.ts';
import { OpenAttempts } from './open-attempts.ts';
import { loadStepFailures, type FailuresOfSteps } from './step-failures.ts';
import { stepStateOf, materializedTasks, type StepState } from './step-state.ts';
import { failedOnKey, failedOnOf, readFailedOn, type FailedOn } from './failed-on.ts';

export interface JobState {
  record: JobRecord;
  readonly plan: JobPlan;
  readonly steps: readonly StepState[];
  /** Retry settings of server, farm and queue, and rules of queue and pools. The job's own come first. */
  inherited: InheritedRetry;
  readonly openAttempts: OpenAttempts;
  /** Failures that workers have reported. A manual retry keeps them. */
  readonly failures: FailuresOfSteps;
  readonly failedOn: FailedOn;
  /** Of the tasks that retry rules have applied to and that have not ended, by `failedOnKey`. */
  readonly ruleUses: Map<string, TaskRulesRecord>;
  /** Assigned attempts that the reaper watches. */
  readonly assigned: AssignedRuns;
  /** Whether the timer for the first of them is set. */
  isAssignedTimed: boolean;
  /** Steps with pages or records to write at the end of the commit window. */
  readonly dirtySteps: Set<StepState>;
  /** Whether the counts and the time of the record are those of an earlier commit window. */
  isRecordStale: boolean;
  /** Whether the job was deleted in this commit window. Later messages go to `onMissing`. */
  isDeleted: boolean;
}

export const policyOf = (state: JobState): RetryPolicy => effectiveRetry(state.inherited, state.record.retry);

/** Reports whether the job waits for its upstream jobs, paused or not. */
export const waitsForUpstreams = ({ record: { status, waitsWhilePaused } }: JobState): boolean =>
  status === 'blocked' || (status === 'paused' && waitsWhilePaused === true);

/** Loads a job. `serverRetry`: default retry policy of the server. */
export function loadJob(
  id: string,
  reader: StoreReader,
  serverRetry: RetryPolicy,
  staleAssignedMs: number,
): JobState | null {
  const record = reader.get('job', id);
  const plan = reader.get('plan', id);
  if (record === undefined || plan === undefined) return null;
  const steps = plan.steps.map((stepPlan) => loadStep(record.id, stepPlan, reader));
  const state: JobState = {
    // A job that an earlier version has retried has the end time 0.
    record: record.endedAt === 0 ? withoutEnd(record) : record,
    plan,
    steps,
    inherited: loadInherited(record, serverRetry, reader),
    openAttempts: new OpenAttempts(record.id, steps),
    failures: new Map(
      steps.map(({ record: { order } }) => [order, loadStepFailures(record.id, order, reader)]),
    ),
    failedOn: new Map(),
    ruleUses: new Map(),
    assigned: new AssignedRuns(),
    isAssignedTimed: false,
    dirtySteps: new Set(),
    isRecordStale: false,
    isDeleted: false,
  };
  for (const step of steps) {
    loadFailedOn(state, step, reader);
    loadRuleUses(state, step, reader);
  }
  const assigned = steps.flatMap((step) => loadOpenAttempts(state, step, reader));
  for (const { step, index, assignedAt } of assigned.sort((a, b) => a.assignedAt - b.assignedAt))
    state.assigned.add(step, index, assignedAt, assignedAt + staleAssignedMs);
  return state;
}

function loadInherited(record: JobRecord, serverRetry: RetryPolicy, reader: StoreReader): InheritedRetry {
  const queue = reader.get('queue', record.queueId);
  const pools = [...reader.scan('usagePool')].map(({ value }) => value);
  const ruleSets = inheritedRules(queue, rulesOfPools(pools));
  const farm = reader.get('farm', record.farmId);
  return {
    ...effectiveRetry(serverRetry, farm?.retry ?? {}, queue?.retry ?? {}),
    ...(ruleSets !== undefined && { ruleSets }),
    ...(farm?.outages?.isOn === true && { findsOutages: true }),
  };
}

/** Loads the uses of retry rules by tasks of a step, with the workers that these avoid. After `loadFailedOn`. */
function loadRuleUses({ record, ruleUses, failedOn }: JobState, step: StepState, reader: StoreReader): void {
  const stepOrder = step.record.order;
  for (const { key, value } of reader.scan('taskRules', { prefix: keys.taskRulesOf(record.id, stepOrder) })) {
    const { index } = taskOfTextKey(key);
    const name = failedOnKey(stepOrder, index);
    ruleUses.set(name, value);
    if (value.avoided === undefined) continue;
    failedOn.set(name, [...new Set([...failedOnOf(failedOn, stepOrder, index), ...value.avoided])].sort());
  }
}

function loadStep(job: JobId, plan: StepPlan, reader: StoreReader): StepState {
  const key = keys.step(job, plan.order);
  const record = reader.get('step', key);
  if (record === undefined) throw new Error(`the store has a job without its step ${key}`);
  const pages = gatherPages(numberedPages(job, plan.order, reader));
  return stepStateOf(record, plan, pages);
}

function* numberedPages(
  job: JobId,
  stepOrder: number,
  reader: StoreReader,
): Generator<readonly [number, Uint8Array]> {
  for (const row of reader.scan('taskPage', { prefix: keys.taskPagesOf(job, stepOrder) })) {
    yield [lastNumberOfKey(row.key), row.value];
  }
}

function loadFailedOn(state: JobState, step: StepState, reader: StoreReader): void {
  const stepOrder = step.record.order;
  for (const { index, task } of materializedTasks(step)) {
    if (task.failedAttempts === 0 || isTerminalTask(task.status)) continue;
    const address = { jobId: state.record.id, stepOrder, index };
    const { excused = [] } = reader.get('taskRules', keys.taskRules(address)) ?? {};
    const workers = readFailedOn(reader, address, task, excused);
    state.failedOn.set(failedOnKey(stepOrder, index), workers);
  }
}

/** Loads the open attempts of a step. Returns those that are assigned but not reported running. */
function loadOpenAttempts(
  state: JobState,
  step: StepState,
  reader: StoreReader,
): { readonly step: StepState; readonly index: number; readonly assignedAt: number }[] {
  if (step.record.taskCounts.assigned + step.record.taskCounts.running === 0) return [];
  const assigned = [];
  for (const { index, task } of materializedTasks(step)) {
    if (!isLiveTask(task.status)) continue;
    const address: TaskAddress = { jobId: state.record.id, stepOrder: step.record.order, index };
    const row = reader.get('attempt', keys.attempt(address, task.attemptNumber));
    const attempt = row ?? attemptWithoutRow(reader, { farmId: state.record.farmId, address, task });
    if (attempt === undefined) {
      throw new Error(
        `the store has neither a row nor a worker for attempt ${attemptIdOf({ ...address, attemptNumber: task.attemptNumber })}`,
      );
    }
    if (row !== undefined) state.openAttempts.setReported(step, index, row);
    if (!hasAssignment(task)) continue;
    state.openAttempts.recordWorker(task.workerOrdinal, attempt.workerId);
    if (task.status === 'assigned') assigned.push({ step, index, assignedAt: task.assignedAt });
  }
  return assigned;
}
