import type { TaskEvent } from '../../../../client/events/subjects.ts';
import type { TaskCounts, TaskGrid } from '../../../../client/resources.ts';
import { statusStyle } from '../../../parts/status-looks.ts';

const TASK_ID = /^(.{36})-([0-9]{1,10})-([0-9]{1,10})$/;

/** Where a task is. */
export interface TaskPlace {
  readonly jobId: string;
  /** Order of its step. */
  readonly step: number;
  /** Its index in the step. */
  readonly index: number;
}

/** Parses a task id; null for an invalid one. */
export function taskIndexOf(taskId: string): TaskPlace | null {
  const match = TASK_ID.exec(taskId);
  return match === null ? null : { jobId: match[1] ?? '', step: Number(match[2]), index: Number(match[3]) };
}

/** Returns the id of the task at an index of a step. */
export const taskAt = (stepId: string, index: number): string => `${stepId}-${index}`;

/** Returns the grid character of the status that an event reports. */
function cellOf({ status, skipped, unschedulable_reason: reason }: TaskEvent): string {
  const isUnschedulable = status === 'ready' && reason !== '';
  const shown = skipped === true ? 'skipped' : isUnschedulable ? 'unschedulable' : status;
  return statusStyle('task', shown).letter;
}

/** Returns the grid after task events, or the same object if they change nothing. */
export function gridAfter(grid: TaskGrid, events: readonly TaskEvent[]): TaskGrid {
  const changes = new Map<number, Map<number, string>>();
  for (const event of events) {
    const at = taskIndexOf(event.task_id);
    if (at === null || event.job_id !== grid.job_id) continue;
    const ofStep = changes.get(at.step) ?? new Map<number, string>();
    changes.set(at.step, ofStep.set(at.index, cellOf(event)));
  }
  let isChanged = false;
  const steps = grid.steps.map((step) => {
    const cells = patched(step.cells, changes.get(step.order));
    if (cells === step.cells) return step;
    isChanged = true;
    return { ...step, cells };
  });
  return isChanged ? { ...grid, steps } : grid;
}

function patched(cells: string, changes: ReadonlyMap<number, string> | undefined): string {
  if (changes === undefined) return cells;
  const effective = [...changes].filter(([index, cell]) => index < cells.length && cells[index] !== cell);
  if (effective.length === 0) return cells;
  effective.sort(([one], [other]) => one - other);
  let after = '';
  let from = 0;
  for (const [index, cell] of effective) {
    after += cells.slice(from, index) + cell;
    from = index + 1;
  }
  return after + cells.slice(from);
}

/** Counts the cells by character. */
export function cellCounts(cells: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const cell of cells) counts[cell] = (counts[cell] ?? 0) + 1;
  return counts;
}

/**
 * Reports whether the cells match the counts of their step. They differ if events were lost, or after a change of the
 * whole step, which has no task events.
 */
export function cellsMatchCounts(cells: string, counts: TaskCounts): boolean {
  const found = cellCounts(cells);
  const of = (cell: string): number => found[cell] ?? 0;
  return (
    of('P') === counts.pending &&
    of('Q') + of('U') === counts.ready &&
    of('U') === counts.unschedulable &&
    of('A') === counts.assigned &&
    of('R') === counts.running &&
    of('S') + of('K') === counts.succeeded &&
    of('F') === counts.failed &&
    of('C') === counts.canceled
  );
}
