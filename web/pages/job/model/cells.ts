import type { TaskEvent } from '../../../../client/events/subjects.ts';
import type { TaskCounts, TaskGrid } from '../../../../client/resources.ts';
import { statusStyle } from '../../../parts/status-looks.ts';

const TASK_ID = /^(.{36})-([0-9]{1,10})-([0-9]{1,10})$/;

/** The place that a task id names: the order of its step, and its place in the task order; null when it is none. */
export function taskIndexOf(taskId: string): { readonly step: number; readonly place: number } | null {
  const match = TASK_ID.exec(taskId);
  return match === null ? null : { step: Number(match[2]), place: Number(match[3]) };
}

/** The id of the task at a place of a step. */
export const taskAt = (stepId: string, place: number): string => `${stepId}-${place}`;

/** The character of a grid for a task as an event tells of it. */
const cellOf = ({ status, unschedulable_reason: reason }: TaskEvent): string =>
  statusStyle('task', status === 'ready' && reason !== '' ? 'unschedulable' : status).letter;

/** The grid as task events leave it; the same object when they change nothing. */
export function gridAfter(grid: TaskGrid, events: readonly TaskEvent[]): TaskGrid {
  const changes = new Map<number, Map<number, string>>();
  for (const event of events) {
    const at = taskIndexOf(event.task_id);
    if (at === null || event.job_id !== grid.job_id) continue;
    const ofStep = changes.get(at.step) ?? new Map<number, string>();
    changes.set(at.step, ofStep.set(at.place, cellOf(event)));
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
  const wanted = [...changes].filter(([place, cell]) => place < cells.length && cells[place] !== cell);
  if (wanted.length === 0) return cells;
  wanted.sort(([one], [other]) => one - other);
  let after = '';
  let from = 0;
  for (const [place, cell] of wanted) {
    after += cells.slice(from, place) + cell;
    from = place + 1;
  }
  return after + cells.slice(from);
}

/** How many cells have each character. */
export function cellCounts(cells: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const cell of cells) counts[cell] = (counts[cell] ?? 0) + 1;
  return counts;
}

/** Whether the cells say what the counts of their step say; if not, events were missed, or none tells of what befell the whole step. */
export function cellsMatchCounts(cells: string, counts: TaskCounts): boolean {
  const found = cellCounts(cells);
  const of = (cell: string): number => found[cell] ?? 0;
  return (
    of('P') === counts.pending &&
    of('Q') + of('U') === counts.ready &&
    of('U') === counts.unschedulable &&
    of('A') === counts.assigned &&
    of('R') === counts.running &&
    of('S') === counts.succeeded &&
    of('F') === counts.failed &&
    of('C') === counts.canceled
  );
}
