import { TASK_STATUSES, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StepTasks } from '../../src/core/lists/step-tasks.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { skippedOn, statusCodeOf, unschedulableOn } from '../../src/core/records/task-page.ts';

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
/** A succeeded task that a user has skipped. */
const SKIPPED = 'K';

/** Meaning of each character. */
export const GRID_LEGEND: Readonly<Record<string, string>> = Object.fromEntries<string>([
  ...TASK_STATUSES.map((status) => [CELLS[status], status] as const),
  [UNSCHEDULABLE, 'unschedulable'],
  [SKIPPED, 'skipped'],
]);

/** Page of packed task records, with its number. */
interface NumberedPage {
  readonly number: number;
  readonly page: Uint8Array;
}

/**
 * Returns the tasks of a step in task order, one character each. `tasks` contains their status. Only the pages tell
 * which are unschedulable or skipped; they are read if the step may have any.
 */
export function gridCells(step: StepRecord, tasks: StepTasks, pages: () => Iterable<NumberedPage>): string {
  const cells = Buffer.alloc(step.taskCount);
  const byCode = new Uint8Array(1 + TASK_STATUSES.length);
  const { status, unschedulable, skip } = step.untouched;
  byCode[0] = codeOf(skip !== undefined ? SKIPPED : unschedulable === true ? UNSCHEDULABLE : CELLS[status]);
  for (const each of TASK_STATUSES) byCode[statusCodeOf(each)] = codeOf(CELLS[each]);
  tasks.writeCells(cells, byCode);
  const { taskCounts, hasSkipped } = step;
  if (taskCounts.unschedulable > 0 || hasSkipped === true) {
    for (const { number, page } of pages()) {
      for (const index of unschedulableOn(page, number))
        if (index < cells.length) cells[index] = codeOf(UNSCHEDULABLE);
      for (const index of skippedOn(page, number)) if (index < cells.length) cells[index] = codeOf(SKIPPED);
    }
  }
  return cells.toString('latin1');
}

const codeOf = (character: string): number => character.charCodeAt(0);
