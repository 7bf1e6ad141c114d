import { lstat, opendir } from 'node:fs/promises';
import { isImagePath, pickEvenly } from '../../core/previews/preview-limits.ts';
import type { OutputSearch } from '../../core/previews/declared-outputs.ts';
import { MAKER_LIMITS } from './limits.ts';
import type { FoundOutput } from './preview-work.ts';

const LAST_NUMBER = /-?\d+(?=\D*$)/;

/**
 * Returns the images of a task: regular files that were made or changed since it started; of many, some evenly from the
 * first to the last. Runs with the account of the task. What it may not read is not found.
 */
export async function findOutputs(
  searches: readonly OutputSearch[],
  startedAt: number,
): Promise<readonly FoundOutput[]> {
  const found = new Map<string, FoundOutput>();
  for (const [search, wanted] of searches.entries()) {
    const paths = wanted.kind === 'files' ? wanted.paths : await imagesIn(wanted);
    const changed: string[] = [];
    for (const path of paths) if (await isChanged(path, startedAt)) changed.push(path);
    for (const path of wanted.kind === 'files' ? changed : ofFrames(changed, wanted.frames))
      if (!found.has(path)) found.set(path, { search, path });
  }
  return pickEvenly([...found.values()]);
}

/** Returns the paths of images directly in a directory, in the order of their names. */
async function imagesIn({
  directory,
  around,
}: Extract<OutputSearch, { kind: 'directory' }>): Promise<readonly string[]> {
  const names: string[] = [];
  let entries = 0;
  try {
    for await (const entry of await opendir(directory)) {
      if (++entries > MAKER_LIMITS.entries) break;
      if (entry.isFile() && isImagePath(`/${entry.name}`) && isNumbered(entry.name, around))
        names.push(entry.name);
    }
  } catch {
    // A directory that does not exist, or that the account may not read, has no outputs of the task.
    return [];
  }
  const prefix = directory === '/' ? '/' : `${directory}/`;
  return names.sort(byName).map((name) => `${prefix}${name}`);
}

function isNumbered(name: string, around: Extract<OutputSearch, { kind: 'directory' }>['around']): boolean {
  if (around === null) return true;
  const { before, after } = around;
  const isAround = name.startsWith(before) && name.endsWith(after);
  return isAround && /^-?\d+$/.test(name.slice(before.length, name.length - after.length));
}

const byName = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);

/** Returns the files whose last number is a frame of the task; all if none has. Other tasks may write there as well. */
function ofFrames(paths: readonly string[], frames: readonly number[]): readonly string[] {
  const wanted = new Set(frames.map(Math.abs));
  const own = paths.filter((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
    const number = LAST_NUMBER.exec(name)?.[0];
    return number !== undefined && wanted.has(Math.abs(Number(number)));
  });
  return own.length > 0 ? own : paths;
}

/** The time of the change of state counts: a program may give a new file the date of another one. */
async function isChanged(path: string, startedAt: number): Promise<boolean> {
  try {
    const { ctimeMs, isFile } = await factsOf(path);
    return isFile && ctimeMs >= startedAt - MAKER_LIMITS.clockSkewMs;
  } catch {
    return false;
  }
}

async function factsOf(path: string): Promise<{ readonly ctimeMs: number; readonly isFile: boolean }> {
  const facts = await lstat(path);
  return { ctimeMs: facts.ctimeMs, isFile: facts.isFile() };
}
