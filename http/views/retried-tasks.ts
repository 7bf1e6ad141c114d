import type { IndexRun } from '../../actors/service/job/messages.ts';
import { runsOfValues, shortestText } from '../../src/openjd/primitives/integer-set.ts';
import { openSpace } from '../../src/openjd/template/space/open-space.ts';
import type { StepShape } from './job-spaces.ts';

/** Maximum number of values that a text is made of. */
const VALUES_MAX = 10_000;
const TEXT_MAX = 500;

/**
 * Returns a text for selected tasks of a step: the values of its only parameter (`Frame=1003-1007`), or positions
 * (`positions 0-4`).
 */
export function retriedTasksText(step: StepShape, runs: readonly IndexRun[]): string {
  return clipped(valuesText(step, runs) ?? `positions ${runs.map(runText).join(',')}`);
}

/** Null for a step without a parameter or with several, or too many tasks. */
function valuesText({ space, taskParameters }: StepShape, runs: readonly IndexRun[]): string | null {
  const [parameter, ...others] = taskParameters;
  const leaf = parameter === undefined || others.length > 0 ? null : openSpace(space).leafOf(parameter.name);
  if (parameter === undefined || leaf === null) return null;
  if (runs.reduce((sum, { count }) => sum + count, 0) > VALUES_MAX) return null;
  const values: string[] = [];
  for (const { start, step, count } of runs)
    for (let nth = 0; nth < count; nth++) values.push(leaf.axis.valueAt(start + nth * step));
  const text = parameter.type === 'INT' ? shortestText(runsOfValues(values.map(BigInt))) : values.join(',');
  return `${parameter.name}=${text}`;
}

function runText({ start, step, count }: IndexRun): string {
  if (count === 1) return String(start);
  const last = start + step * (count - 1);
  return step === 1 ? `${start}-${last}` : `${start}-${last}:${step}`;
}

const clipped = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
