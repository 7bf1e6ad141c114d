import { lastOf, type Run } from '../../primitives/integer-set.ts';
import { parseRange } from '../../primitives/range-expression.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';
import type { StepPlan } from '../plan.ts';
import type { AxisReader } from './axis-reader.ts';
import { openSpace, type SpaceLeaf } from './open-space.ts';

/** start, start + step, ...: `count` task indices. */
export interface TaskRun {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

type SelectedTasks =
  { readonly ok: true; readonly runs: readonly TaskRun[] } | { readonly ok: false; readonly detail: string };

/** Maximum number of parts of a selection. */
const PARTS_MAX = 1000;
/** Maximum number of parts of a chunk: more than any template has. */
const CHUNK_PARTS_MAX = 1_000_000;
/** Maximum number of runs of a result: with several parameters the tasks of one value are spread over the step. */
const RUNS_MAX = 100_000;

type Step = Pick<StepPlan, 'space' | 'taskParameters' | 'taskCount'>;
type Parameter = Step['taskParameters'][number];

const isInteger = ({ type }: Parameter): boolean => type === 'INT' || type === 'CHUNK[INT]';

/**
 * Returns the tasks of a step with the given values of a task parameter, in task order: `Frame=1003-1007`, or only the
 * numbers if the step has one integer parameter. A chunk is selected if it has any of the numbers. The values of other
 * parameters are separated by commas. Values that no task has are ignored, unless all are.
 */
export function tasksWithValues(step: Step, text: string): SelectedTasks {
  const named = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/s.exec(text);
  const integers = step.taskParameters.filter(isInteger);
  const [only, ...others] = integers;
  const name = named?.[1];
  if (named === null && (only === undefined || others.length > 0)) {
    const detail =
      only === undefined
        ? 'the step has no integer task parameter; select tasks by NAME=VALUE or by their positions'
        : `the step has several integer task parameters; name one: ${integers.map((each) => `${each.name}=1-10`).join(' or ')}`;
    return { ok: false, detail };
  }
  const parameter = name === undefined ? only : step.taskParameters.find((each) => each.name === name);
  const leaf = parameter === undefined ? null : openSpace(step.space).leafOf(parameter.name);
  if (parameter === undefined || leaf === null) {
    const names = step.taskParameters.map((each) => each.name).join(', ');
    const known = names === '' ? 'the step has none' : `the step has ${names}`;
    return { ok: false, detail: `there is no task parameter ${quoteForMessage(name ?? '')}; ${known}` };
  }
  const values = named?.[2] ?? text;
  const positions = isInteger(parameter)
    ? positionsOfIntegers(leaf.axis, parameter, values)
    : positionsOfTexts(leaf.axis, values);
  if (typeof positions === 'string') return { ok: false, detail: positions };
  const runs = tasksAt(leaf, step.taskCount, positions);
  if (runs.length === 0) {
    const first = leaf.axis.length === 0 ? '' : leaf.axis.valueAt(0);
    const last = leaf.axis.length === 0 ? '' : leaf.axis.valueAt(leaf.axis.length - 1);
    const extent = `the step has ${parameter.name} ${quoteForMessage(first)} to ${quoteForMessage(last)}`;
    return {
      ok: false,
      detail: `no task has ${parameter.name}=${quoteForMessage(values.trim())}; ${extent}`,
    };
  }
  if (runs.length > RUNS_MAX)
    return {
      ok: false,
      detail: `the values are spread over more than ${RUNS_MAX} runs of tasks; select fewer`,
    };
  return { ok: true, runs };
}

/** Rising, without duplicates. */
type Positions = readonly number[];

function positionsOfTexts(axis: AxisReader, text: string): Positions {
  const wanted = new Set(text.split(',').map((value) => value.trim()));
  return positionsIf(axis, (value) => wanted.has(value));
}

function positionsOfIntegers(axis: AxisReader, { type }: Parameter, text: string): Positions | string {
  const range = parseRange(text, PARTS_MAX);
  if (!range.ok) return range.detail;
  if (type === 'CHUNK[INT]') {
    return positionsIf(axis, (chunk) => {
      const parsed = parseRange(chunk, CHUNK_PARTS_MAX);
      return parsed.ok && parsed.runs.some((run) => range.runs.some((wanted) => haveCommon(run, wanted)));
    });
  }
  return positionsIf(axis, (value) => hasInteger(range.runs, BigInt(value)));
}

function positionsIf(axis: AxisReader, isWanted: (value: string) => boolean): Positions {
  const positions: number[] = [];
  for (let position = 0; position < axis.length; position++)
    if (isWanted(axis.valueAt(position))) positions.push(position);
  return positions;
}

/** Reports whether sorted, disjoint runs contain an integer. */
function hasInteger(runs: readonly Run[], value: bigint): boolean {
  let low = 0;
  let high = runs.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((runs[middle]?.start ?? value) <= value) low = middle;
    else high = middle - 1;
  }
  const run = runs[low];
  return (
    run !== undefined && value >= run.start && value <= lastOf(run) && (value - run.start) % run.step === 0n
  );
}

/** Reports whether two runs have a common integer. Tries the integers of the one with fewer. */
function haveCommon(one: Run, other: Run): boolean {
  if (lastOf(one) < other.start || lastOf(other) < one.start) return false;
  if (one.step === 1n && other.step === 1n) return true;
  const [few, many] = one.count < other.count ? [one, other] : [other, one];
  for (let value = few.start; value <= lastOf(few); value += few.step)
    if (hasInteger([many], value)) return true;
  return false;
}

/** Returns the tasks whose value is at one of the positions. */
function tasksAt({ axis, divisor }: SpaceLeaf, taskCount: number, positions: Positions): TaskRun[] {
  const runs: { start: number; step: 1; count: number }[] = [];
  for (let block = 0; block < taskCount; block += axis.length * divisor) {
    for (const position of positions) {
      const start = block + position * divisor;
      const last = runs.at(-1);
      if (last !== undefined && last.start + last.count === start) last.count += divisor;
      else runs.push({ start, step: 1, count: divisor });
      if (runs.length > RUNS_MAX) return runs;
    }
    if (axis.length === 0) break;
  }
  return runs;
}
