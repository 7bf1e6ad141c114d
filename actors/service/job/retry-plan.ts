import { CASCADE_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import { nextTaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';
import { done, type Outcome } from '../../../src/core/problems.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import type { IndexRun, RetryRequest } from './messages.ts';
import { isSkippable, selectedTasks, type SelectedTasks } from './retry-selection.ts';
import { countSkipped } from './skip-tasks.ts';
import type { JobState } from './state.ts';
import { materializedTasks, taskOf, type StepState } from './step-state.ts';

/** Maximum number of runs of indices in a result. */
const RETRIED_RUNS_MAX = 1000;

/** The tasks of one step that a request retries or skips. */
export interface StepRetry {
  readonly step: StepState;
  /** As in SelectedTasks, or those that were canceled because of an upstream step, which a skip retries. */
  readonly indices: SelectedTasks['indices'] | 'cascaded';
  readonly retried: number;
  /** Number of failed and canceled tasks among them. */
  readonly ended: number;
  /** The tasks, for the result; null if the request needs none. */
  readonly runs: readonly IndexRun[] | null;
}

/** Returns the tasks that a request retries or skips, by step and in order. Steps without any are omitted. */
export function retriesOf(state: JobState, request: RetryRequest): Outcome<readonly StepRetry[]> {
  const selected = targetOf(state, request);
  if (!selected.ok) return selected;
  const retries = selected.value.map((tasks) => retryOf(tasks, request));
  const later = request.scope === 'later steps' ? laterSteps(state, retries, request.isDryRun) : [];
  const all = [...retries, ...later].filter(({ retried }) => retried > 0);
  return done(all.sort((one, other) => one.step.record.order - other.step.record.order));
}

function targetOf(state: JobState, request: RetryRequest): Outcome<readonly SelectedTasks[]> {
  const { target } = request;
  if (target === 'job') return done(state.steps.map((step) => ({ step, indices: 'all' })));
  if ('selection' in target) return selectedTasks(state, target.selection, request);
  const step = state.steps[target.stepOrder];
  return done(step === undefined ? [] : [{ step, indices: [target.index] }]);
}

function retryOf({ step, indices }: SelectedTasks, { skip, isDryRun }: RetryRequest): StepRetry {
  const { total, succeeded } = step.record.taskCounts;
  if (indices === 'skipped') {
    const retried = succeeded === 0 ? 0 : countSkipped(step);
    const runs = isDryRun && retried > 0 ? runsOf(indicesWhere(step, ({ skipped }) => skipped)) : null;
    return { step, indices, retried, ended: 0, runs };
  }
  if (indices !== 'all') {
    const ended = indices.filter((index) => hasEnded(taskOf(step, index))).length;
    return { step, indices, retried: indices.length, ended, runs: runsOf(indices) };
  }
  const ended = unretried(step);
  const retried = skip === undefined ? ended : total - succeeded;
  const isWanted = skip === undefined ? hasEnded : isSkippable;
  const runs = isDryRun && retried > 0 ? runsOf(indicesWhere(step, isWanted)) : null;
  return { step, indices, retried, ended, runs };
}

/**
 * Returns the retries of steps that were canceled only because of the retried ones: all their other upstream steps are
 * completed or active. Their own dependents follow.
 */
function laterSteps(state: JobState, retries: readonly StepRetry[], isDryRun: boolean): readonly StepRetry[] {
  const leftOf = new Map(state.steps.map((step) => [step.record.order, unretried(step)]));
  const retried = new Set<number>();
  for (const each of retries) {
    const { order } = each.step.record;
    leftOf.set(order, (leftOf.get(order) ?? 0) - each.ended);
    retried.add(order);
  }
  const later: StepRetry[] = [];
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const step of state.steps) {
      const { order, dependsOn } = step.record;
      if (retried.has(order) || !dependsOn.some((upstream) => retried.has(upstream))) continue;
      // A step with failed or canceled tasks that are left never completes.
      if (dependsOn.some((upstream) => (leftOf.get(upstream) ?? 0) > 0)) continue;
      const found = countCascaded(step);
      if (found === 0) continue;
      leftOf.set(order, unretried(step) - found);
      retried.add(order);
      const runs = isDryRun ? runsOf(cascaded(step)) : null;
      later.push({ step, indices: 'cascaded', retried: found, ended: found, runs });
      isChanged = true;
    }
  }
  return later;
}

const unretried = ({ record: { taskCounts } }: StepState): number => taskCounts.failed + taskCounts.canceled;

const hasCascaded = ({ record: { untouched } }: StepState): boolean =>
  untouched.status === 'canceled' && untouched.failureReason === CASCADE_REASON;

function countCascaded(step: StepState): number {
  if (step.record.taskCounts.canceled === 0) return 0;
  let own = 0;
  let found = 0;
  for (const { task } of materializedTasks(step)) {
    if (task.status !== 'canceled') continue;
    own++;
    if (task.cascaded) found++;
  }
  return hasCascaded(step) ? found + step.record.taskCounts.canceled - own : found;
}

/** Reports whether the task has failed or was canceled. */
const hasEnded = ({ status }: TaskState): boolean => nextTaskStatus(status, 'manual retry') !== null;

function* indicesWhere(step: StepState, isWanted: (task: TaskState) => boolean): Generator<number> {
  for (let index = 0; index < step.record.taskCount; index++) if (isWanted(taskOf(step, index))) yield index;
}

function* cascaded(step: StepState): Generator<number> {
  const own = new Map([...materializedTasks(step)].map(({ index, task }) => [index, task]));
  for (let index = 0; index < step.record.taskCount; index++) {
    const task = own.get(index);
    if (task === undefined ? hasCascaded(step) : task.status === 'canceled' && task.cascaded) yield index;
  }
}

/** Returns rising indices as runs, at most `RETRIED_RUNS_MAX`. */
function runsOf(indices: Iterable<number>): readonly IndexRun[] {
  const runs: { start: number; step: 1; count: number }[] = [];
  for (const index of indices) {
    const last = runs.at(-1);
    if (last !== undefined && last.start + last.count === index) last.count++;
    else if (runs.length === RETRIED_RUNS_MAX) break;
    else runs.push({ start: index, step: 1, count: 1 });
  }
  return runs;
}

/** Reports whether the job has failed or canceled tasks that the plan leaves as they are. */
export const leavesEnded = (state: JobState, plan: readonly StepRetry[]): boolean => {
  const all = state.steps.reduce((sum, step) => sum + unretried(step), 0);
  return all > plan.reduce((sum, { ended }) => sum + ended, 0);
};
