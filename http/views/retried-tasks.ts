import type { IndexRun, RetriedStep } from '../../actors/service/job/messages.ts';
import { stepIdOf, type JobId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import { runsOfValues, shortestText } from '../../src/openjd/primitives/integer-set.ts';
import { openTasks } from '../../src/openjd/template/space/adaptive-space.ts';
import { shapesOf, type StepShape } from './job-spaces.ts';
import type { Schemas } from './schemas.ts';

/** Maximum number of values that a text is made of. */
const VALUES_MAX = 10_000;
const TEXT_MAX = 500;

/** Returns the views of the steps of a retry. */
export function retriedSteps(
  store: StoreReader,
  id: JobId,
  steps: readonly RetriedStep[],
): Schemas['RetriedStep'][] {
  const shapeOf = shapesOf(store, id);
  return steps.map(({ stepOrder, retried, indices }) => {
    const step = store.get('step', keys.step(id, stepOrder));
    const shape = indices === null || step === undefined ? undefined : shapeOf(step);
    // A step without task parameters has one task.
    const hasValues = shape !== undefined && shape.taskParameters.length > 0;
    return {
      step_id: stepIdOf(id, stepOrder),
      name: step?.name ?? '',
      retried,
      ...(indices !== null && hasValues && { tasks: retriedTasksText(shape, indices) }),
    };
  });
}

/**
 * Returns a text for selected tasks of a step: the values of its only parameter (`Frame=1003-1007`), or positions
 * (`positions 0-4`).
 */
function retriedTasksText(step: StepShape, runs: readonly IndexRun[]): string {
  return clipped(valuesText(step, runs) ?? `positions ${runs.map(runText).join(',')}`);
}

/** Null for a step without a parameter or with several, or too many tasks. */
function valuesText(shape: StepShape, runs: readonly IndexRun[]): string | null {
  const [parameter, ...others] = shape.taskParameters;
  if (parameter === undefined || others.length > 0) return null;
  if (runs.reduce((sum, { count }) => sum + count, 0) > VALUES_MAX) return null;
  const space = openTasks(shape, shape.sections);
  // The chunks may have changed since the tasks were found.
  if (runs.some(({ start, step, count }) => start + step * (count - 1) >= space.length)) return null;
  const values: string[] = [];
  for (const { start, step, count } of runs)
    for (let nth = 0; nth < count; nth++) values.push(space.at(start + nth * step)[parameter.name] ?? '');
  const text = parameter.type === 'INT' ? shortestText(runsOfValues(values.map(BigInt))) : values.join(',');
  return `${parameter.name}=${text}`;
}

function runText({ start, step, count }: IndexRun): string {
  if (count === 1) return String(start);
  const last = start + step * (count - 1);
  return step === 1 ? `${start}-${last}` : `${start}-${last}:${step}`;
}

const clipped = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
