import { readTask, pageOf, readTaskStatus } from '../../../src/core/records/task-page.ts';
import type { StepState } from './step-state.ts';

/** Runs from which on it is looked for those that wait for nothing any more. */
const RUNS_BEFORE_LOOK = 64;

/** Tasks of one step, side by side, that were handed out at the same time. Times are milliseconds since the epoch. */
export interface AssignedRun {
  readonly step: StepState;
  start: number;
  count: number;
  readonly assignedAt: number;
  /** When they should have been reported running. */
  readonly dueAt: number;
}

/**
 * Attempts that were handed out and perhaps not yet reported running, in the order in which they are due. Nothing is taken out when one is
 * reported: what has become of it is on the page of its task. A look now and then keeps them few.
 */
export class AssignedRuns {
  private runs: AssignedRun[] = [];
  private lookAt = RUNS_BEFORE_LOOK;

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

  /** When the first of them is due; null when none waits. */
  firstDueAt(): number | null {
    for (const run of this.runs) if (stillWaits(run)) return run.dueAt;
    return null;
  }

  /** Gives all of them, and forgets them. */
  takeAll(): readonly AssignedRun[] {
    const { runs } = this;
    this.runs = [];
    this.lookAt = RUNS_BEFORE_LOOK;
    return runs;
  }

  private push(run: AssignedRun): void {
    this.runs.push(run);
    if (this.runs.length < this.lookAt) return;
    this.runs = this.runs.filter((each) => each === run || stillWaits(each));
    this.lookAt = Math.max(RUNS_BEFORE_LOOK, 2 * this.runs.length);
  }
}

/** Whether a task of the run waits for its report; those before it are taken off the run. */
function stillWaits(run: AssignedRun): boolean {
  while (run.count > 0 && !isWaiting(run, run.start)) {
    run.start++;
    run.count--;
  }
  return run.count > 0;
}

/** Whether the task is still at the attempt that the run is about, and nobody has said that it runs. */
export function isWaiting({ step, assignedAt }: AssignedRun, index: number): boolean {
  const page = step.pages.get(pageOf(index));
  if (page === undefined || readTaskStatus(page, index) !== 'assigned') return false;
  return readTask(page, index)?.assignedAt === assignedAt;
}
