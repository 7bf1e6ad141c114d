import { TASK_STATUSES, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StepTasks } from '../../src/core/lists/step-tasks.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { statusCodeOf, unschedulableOn } from '../../src/core/records/task-page.ts';

/** Character of each task status. */
const CELLS: Readonly<Record<TaskStatus, string>> = {
  pending: 'P',
  ready: 'Q',
  assigned: 'A',
  running: 'R',
  succeeded: 'S',
  failed: 'F',
  canceled: 'C',
};
/** A ready task that no online worker can run. */
const UNSCHEDULABLE = 'U';

/** Meaning of each character. */
export const GRID_LEGEND: Readonly<Record<string, string>> = Object.fromEntries<string>([
  ...TASK_STATUSES.map((status) => [CELLS[status], status] as const),
  [UNSCHEDULABLE, 'unschedulable'],
]);

/** Page of packed task records, with its number. */
interface NumberedPage {
  readonly number: number;
  readonly page: Uint8Array;
}

/**
 * Returns the tasks of a step in task order, one character each. `tasks` contains their status. Only the pages tell
 * which are unschedulable; they are read if the step has any.
 */
export function gridCells(step: StepRecord, tasks: StepTasks, pages: () => Iterable<NumberedPage>): string {
  const cells = Buffer.alloc(step.taskCount);
  const byCode = new Uint8Array(1 + TASK_STATUSES.length);
  const { status, unschedulable } = step.untouched;
  byCode[0] = codeOf(unschedulable === true ? UNSCHEDULABLE : CELLS[status]);
  for (const each of TASK_STATUSES) byCode[statusCodeOf(each)] = codeOf(CELLS[each]);
  tasks.writeCells(cells, byCode);
  if (step.taskCounts.unschedulable > 0) {
    const mark = codeOf(UNSCHEDULABLE);
    for (const { number, page } of pages()) {
      for (const index of unschedulableOn(page, number)) if (index < cells.length) cells[index] = mark;
    }
  }
  return cells.toString('latin1');
}

const codeOf = (character: string): number => character.charCodeAt(0);
