import { lastOf, sizeOfRuns, type Run } from '../../openjd/primitives/integer-set.ts';
import { parseRange } from '../../openjd/primitives/range-expression.ts';
import { pathsOf, type NamedPath } from '../../openjd/template/path-values.ts';
import type { ParameterValue, TaskParameterValue } from '../../openjd/template/plan.ts';
import { isImagePath, pickEvenly } from './preview-limits.ts';

/** Where a worker looks for images that a task has written to an OUT parameter (docs/outputs.md#previews). */
export type OutputSearch =
  /** Files of these names, as far as they exist. */
  | { readonly kind: 'files'; readonly parameter: string; readonly paths: readonly string[] }
  /** Images directly in a directory. */
  | {
      readonly kind: 'directory';
      readonly parameter: string;
      readonly directory: string;
      /** Text before and after the frame number in a name; null for any name. */
      readonly around: { readonly before: string; readonly after: string } | null;
      /** If a name has one of these numbers, only such names count. */
      readonly frames: readonly number[];
    };

/** Parameters of a task and its job. */
export interface TaskValues {
  readonly job: Readonly<Record<string, ParameterValue>>;
  readonly task: Readonly<Record<string, TaskParameterValue>>;
}

const SEARCHES_MAX = 16;
/** Frames of a chunk that are compared with names. */
const FRAMES_MAX = 1000;
const RANGE_PARTS_MAX = 4096;
/** `####` or `%04d` in a file name. The last one is the frame number. */
const FRAME_MARK = /#+|%(?:0?\d{1,2})?d/g;
const TASK_REFERENCE = /\{\{\s*Task\.(?:Raw)?Param\.([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;

/**
 * Returns where to look for the images of a task, in the order of the parameters. `pathAt` returns the place of a path on
 * this worker, or null to leave it out.
 */
export function outputSearches(
  { job, task }: TaskValues,
  pathAt: (path: NamedPath) => string | null,
): readonly OutputSearch[] {
  const frames = framesOf(task);
  const searches: OutputSearch[] = [];
  for (const [parameter, value] of Object.entries(job)) {
    if (value.dataFlow !== 'OUT') continue;
    for (const named of pathsOf(parameter, value)) {
      const path = pathAt(named);
      if (path?.startsWith('/') !== true || searches.length === SEARCHES_MAX) continue;
      const search = searchOf(parameter, withTaskValues(path, task), value.objectType === 'FILE', frames);
      if (search !== null) searches.push(search);
    }
  }
  return searches;
}

/** Reports whether a search can find a path. */
export function canFind(search: OutputSearch, path: string): boolean {
  if (search.kind === 'files') return search.paths.includes(path);
  const { directory } = search;
  const prefix = directory === '/' ? '/' : `${directory}/`;
  return path.startsWith(prefix) && isImagePath(path) && !path.slice(prefix.length).includes('/');
}

function searchOf(
  parameter: string,
  path: string,
  isFile: boolean,
  frames: readonly number[],
): OutputSearch | null {
  // A parameter without an objectType is a directory, but programs are often given a file name.
  if (!isFile && !isImagePath(path))
    return { kind: 'directory', parameter, directory: path.replace(/\/+$/, '') || '/', around: null, frames };
  if (!isImagePath(path)) return null;
  const mark = frameMarkOf(path);
  if (mark === null) return { kind: 'files', parameter, paths: [path] };
  const { start, before, after, digits } = mark;
  if (frames.length > 0) {
    const paths = pickEvenly(frames).map((frame) => `${start}${before}${numberText(frame, digits)}${after}`);
    return { kind: 'files', parameter, paths };
  }
  return {
    kind: 'directory',
    parameter,
    directory: start.replace(/\/+$/, '') || '/',
    around: { before, after },
    frames,
  };
}

/** Returns the parts of a path around its frame number: its directory with a slash, and its name. Null without one. */
function frameMarkOf(path: string): {
  readonly start: string;
  readonly before: string;
  readonly after: string;
  readonly digits: number;
} | null {
  const start = path.slice(0, path.lastIndexOf('/') + 1);
  const name = path.slice(start.length);
  const mark = [...name.matchAll(FRAME_MARK)].at(-1);
  if (mark === undefined) return null;
  const [text] = mark;
  const digits = text.startsWith('#') ? text.length : Number(/\d+/.exec(text)?.[0] ?? 1);
  return { start, before: name.slice(0, mark.index), after: name.slice(mark.index + text.length), digits };
}

const numberText = (frame: number, digits: number): string =>
  `${frame < 0 ? '-' : ''}${String(Math.abs(frame)).padStart(digits, '0')}`;

/** Fills in `{{Task.Param.Frame}}`. Another reference stays as it is. */
const withTaskValues = (path: string, task: TaskValues['task']): string =>
  path.replace(TASK_REFERENCE, (text, name: string) =>
    Object.hasOwn(task, name) ? (task[name]?.value ?? text) : text,
  );

/** Returns the frames of a task: its chunk, the integer parameter with "frame" in its name, or its only integer parameter. */
function framesOf(task: TaskValues['task']): readonly number[] {
  const numbers = Object.entries(task).filter(([, { type }]) => type === 'INT' || type === 'CHUNK[INT]');
  const found =
    numbers.find(([, { type }]) => type === 'CHUNK[INT]') ??
    numbers.find(([name]) => /frame/i.test(name)) ??
    (numbers.length === 1 ? numbers[0] : undefined);
  if (found === undefined) return [];
  const range = parseRange(found[1].value, RANGE_PARTS_MAX);
  return range.ok ? valuesOf(range.runs) : [];
}

/** Returns the integers of runs; of many, some evenly from the first to the last. */
function valuesOf(runs: readonly Run[]): readonly number[] {
  const size = sizeOfRuns(runs);
  const count = size < BigInt(FRAMES_MAX) ? Number(size) : FRAMES_MAX;
  const last = runs.at(-1);
  if (last === undefined) return [];
  const values: number[] = [];
  for (const { start, step, count: length } of runs)
    for (let nth = 0n; nth < length && values.length < count; nth++) values.push(Number(start + step * nth));
  return size > BigInt(count) ? [...values.slice(0, -1), Number(lastOf(last))] : values;
}
