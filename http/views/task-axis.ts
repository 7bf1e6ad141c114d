import { openTasks } from '../../src/openjd/template/space/adaptive-space.ts';
import type { StepShape } from './job-spaces.ts';
import type { Schemas } from './schemas.ts';
import type { IntegerRun } from '../../src/openjd/primitives/integer-set.ts';

/** Longer descriptions are omitted, because grids are requested often. */
const PARTS_MAX = 1000;

type TaskAxis = Schemas['TaskAxis'];

/**
 * Returns the values of the only task parameter of a step, in task order; null if there is none, several, or too many
 * ranges.
 */
export function taskAxis({ space, taskParameters, sections }: StepShape, taskCount: number): TaskAxis | null {
  const [parameter, ...others] = taskParameters;
  const axis = space.kind === 'product' && space.parts.length === 1 ? space.parts[0] : space;
  if (parameter === undefined || others.length > 0 || axis?.kind !== 'axis') return null;
  const about = { parameter: parameter.name, type: parameter.type };
  if (axis.values.kind === 'runs') {
    const runs = axis.values.runs.map(plainRun);
    return runs.length > PARTS_MAX || runs.some((run) => run === null)
      ? null
      : { ...about, runs: runs.flatMap((run) => run ?? []) };
  }
  if (taskCount > PARTS_MAX) return null;
  const opened = openTasks({ space: axis }, sections);
  const values = Array.from({ length: opened.length }, (_, place) => opened.at(place)[parameter.name] ?? '');
  return { ...about, values };
}

/** Null if an integer is not exact as a number. */
function plainRun({ start, step, count }: IntegerRun): NonNullable<TaskAxis['runs']>[number] | null {
  const run = { start: Number(start), step: Number(step), count };
  const last = run.start + run.step * (count - 1);
  return [run.start, run.step, last].every(Number.isSafeInteger) ? run : null;
}
