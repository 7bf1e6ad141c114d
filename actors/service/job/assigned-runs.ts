import { readTask, pageOf, readTaskStatus } from '../../../src/core/records/task-page.ts';
import type { StepState } from './step-state.ts';

/** Minimum number of runs before finished ones are removed. */
const COMPACT_MIN_RUNS = 64;

/** Adjacent tasks of one step that were assigned at the same time. Times are milliseconds since the epoch. */
export interface AssignedRun {
  readonly step: StepState;
  start: number;
  count: number;
  readonly assignedAt: number;
  /** Deadline for their first report. */
  readonly dueAt: number;
}

/**
 * Assigned attempts that may not have been reported running yet, in the order of their deadlines. Reports remove
 * nothing: the task's page has its current state. `push` removes finished runs now and then.
 */
export class AssignedRuns {
  private runs: AssignedRun[] = [];
  private compactAt = COMPACT_MIN_RUNS;

  add(step: StepState, index: number, assignedAt: number, dueAt: number): void {
    const last = this.runs.at(-1);
    const isNext =
      last?.step === step &&
      last.start + last.count === index &&
      last.assignedAt === assignedAt &&
      last.dueAt === dueAt;
    if (isNext) last.count++;
    else this.push({ step, start: index, count: 1, assignedAt, dueAt });
  }

  /** Returns the deadline of the first waiting run, or null for none. */
  firstDueAt(): number | null {
    for (const run of this.runs) if (hasWaitingTask(run)) return run.dueAt;
    return null;
  }

  /** Removes and returns all runs. */
  takeAll(): readonly AssignedRun[] {
    const { runs } = this;
    this.runs = [];
    this.compactAt = COMPACT_MIN_RUNS;
    return runs;
  }

  private push(run: AssignedRun): void {
    this.runs.push(run);
    if (this.runs.length < this.compactAt) return;
    this.runs = this.runs.filter((each) => each === run || hasWaitingTask(each));
    this.compactAt = Math.max(COMPACT_MIN_RUNS, 2 * this.runs.length);
  }
}

/**
 * Reports whether any task of the run waits for its first report. Removes tasks before the first waiting one from the
 * run.
 */
function hasWaitingTask(run: AssignedRun): boolean {
  while (run.count > 0 && !isWaiting(run, run.start)) {
    run.start++;
    run.count--;
  }
  return run.count > 0;
}

/** Reports whether the task is still assigned and at the attempt of this run. */
export function isWaiting({ step, assignedAt }: AssignedRun, index: number): boolean {
  const page = step.pages.get(pageOf(index));
  if (page === undefined || readTaskStatus(page, index) !== 'assigned') return false;
  return readTask(page, index)?.assignedAt === assignedAt;
}
