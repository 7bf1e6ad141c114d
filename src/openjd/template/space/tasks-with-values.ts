import { lastOf, type Run } from '../../primitives/integer-set.ts';
import { parseRange } from '../../primitives/range-expression.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';
import type { StepPlan } from '../plan.ts';
import type { ChunkSection } from '../space-description.ts';
import { openTasks } from './adaptive-space.ts';
import type { AxisReader } from './axis-reader.ts';
import type { SpaceLeaf } from './open-space.ts';

/** start, start + step, ...: `count` task indices. */
export interface TaskRun {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

type SelectedTasks =
  | { readonly ok: true; readonly runs: readonly TaskRun[] }
  | { readonly ok: false; readonly detail: string };

/** Maximum number of parts of a selection. */
const PARTS_MAX = 1000;
/** Maximum number of parts of a chunk: more than any template has. */
const CHUNK_PARTS_MAX = 1_000_000;
/** Maximum number of runs of a result: with several parameters the tasks of one value are spread over the step. */
const RUNS_MAX = 100_000;

type Step = Pick<StepPlan, 'space' | 'taskParameters'> & {
  /** Of chunks that change their size. Absent or null for a space as described. */
  readonly sections?: readonly ChunkSection[] | null;
};
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
  const space = openTasks(step, step.sections ?? null);
  const leaves = parameter === undefined ? [] : space.leavesOf(parameter.name);
  if (parameter === undefined || leaves.length === 0) {
    const names = step.taskParameters.map((each) => each.name).join(', ');
    const known = names === '' ? 'the step has none' : `the step has ${names}`;
    return { ok: false, detail: `there is no task parameter ${quoteForMessage(name ?? '')}; ${known}` };
  }
  const values = named?.[2] ?? text;
  const runs: MutableRun[] = [];
  const known = new Map<AxisReader, Positions>();
  for (const leaf of leaves) {
    const positions = known.get(leaf.axis) ?? positionsOf(leaf.axis, parameter, values);
    if (typeof positions === 'string') return { ok: false, detail: positions };
    known.set(leaf.axis, positions);
    addTasksAt(runs, leaf, positions);
  }
  if (runs.length === 0) {
    const valueAt = (index: number): string =>
      index < 0 ? '' : quoteForMessage(space.at(index)[parameter.name] ?? '');
    const extent = `the step has ${parameter.name} ${valueAt(0)} to ${valueAt(space.length - 1)}`;
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

interface MutableRun extends TaskRun {
  readonly step: 1;
  count: number;
}

const positionsOf = (axis: AxisReader, parameter: Parameter, text: string): Positions | string =>
  isInteger(parameter) ? positionsOfIntegers(axis, parameter, text) : positionsOfTexts(axis, text);

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

/** Adds the tasks whose value is at one of the positions. */
function addTasksAt(
  runs: MutableRun[],
  { axis, divisor, first, count, offset }: SpaceLeaf,
  positions: Positions,
): void {
  const round = axis.length * divisor;
  if (round === 0) return;
  for (let block = Math.floor(offset / round) * round - offset; block < count; block += round) {
    for (const position of positions) {
      const from = Math.max(0, block + position * divisor);
      const to = Math.min(count, block + (position + 1) * divisor);
      if (from >= to) continue;
      const last = runs.at(-1);
      if (last !== undefined && last.start + last.count === first + from) last.count += to - from;
      else runs.push({ start: first + from, step: 1, count: to - from });
      if (runs.length > RUNS_MAX) return;
    }
  }
}
