import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/**
 * The environment and the arguments with which this process was started stay readable in /proc/PID, also after
 * `process.env` has changed: for processes of the same account, the arguments for every account. Linux shows the memory
 * in which they were passed, so they are overwritten there.
 */

/** Numbers of the fields in /proc/PID/stat, counted from the one after the name of the program. */
const ARGUMENTS_FIELD = 45;
const ENVIRONMENT_FIELD = 47;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Variables that are cleared from the environment of this process. */
interface Clearing {
  /** Selects the variables to clear. */
  readonly isCleared: (name: string) => boolean;
  /** Selects those among them that stay in `process.env`, in memory that /proc does not show. */
  readonly isKept: (name: string) => boolean;
}

/**
 * Clears variables from the environment that other processes can read. Returns why they can still be read, or null; null
 * too if there is none. Call it before other threads start: they copy `process.env`.
 */
export function clearVariables({ isCleared, isKept }: Clearing): string | null {
  const names = Object.keys(process.env).filter(isCleared);
  if (names.length === 0) return null;
  for (const name of names) {
    const value = process.env[name];
    // First removed: setting a variable could otherwise reuse the memory of its old value.
    delete process.env[name];
    if (isKept(name)) process.env[name] = value;
  }
  return overwrite(ENVIRONMENT_FIELD, (bytes) => {
    const ranges: Range[] = [];
    for (const { start, end } of entriesOf(bytes)) {
      const equals = bytes.indexOf(EQUALS, start);
      if (equals < 0 || equals > end) continue;
      if (isCleared(bytes.toString('utf8', start, equals))) ranges.push({ start, end });
    }
    return ranges;
  });
}

/** Clears each match of `pattern`, which is global, in the arguments of this process. Returns why that failed, or null. */
export function clearArguments(pattern: RegExp): string | null {
  if (process.argv.join('\0').search(pattern) < 0) return null;
  return overwrite(ARGUMENTS_FIELD, (bytes) =>
    [...bytes.toString('latin1').matchAll(pattern)].map(({ index, 0: secret }) => ({
      start: index,
      end: index + secret.length,
    })),
  );
}

const EQUALS = '='.charCodeAt(0);
const NUL = 0;

function* entriesOf(bytes: Buffer): Generator<Range> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(NUL, start);
    const end = found < 0 ? bytes.length : found;
    if (end > start) yield { start, end };
    start = end + 1;
  }
}

/** Overwrites the found ranges of an area with zeros. Returns why that failed, or null. */
function overwrite(field: number, find: (bytes: Buffer) => readonly Range[]): string | null {
  if (process.platform !== 'linux') return `this system (${process.platform}) has no /proc`;
  let memory: number | null = null;
  try {
    const area = areaOf(field);
    memory = openSync('/proc/self/mem', 'r+');
    for (const { start, end } of find(bytesOf(memory, area)))
      writeSync(memory, Buffer.alloc(end - start), 0, end - start, area.start + start);
    return find(bytesOf(memory, area)).length === 0 ? null : 'the memory kept its content';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    if (memory !== null) closeSync(memory);
  }
}

function bytesOf(memory: number, { start, end }: Range): Buffer {
  const bytes = Buffer.alloc(end - start);
  const read = readSync(memory, bytes, 0, bytes.length, start);
  return bytes.subarray(0, read);
}

/** Returns the addresses of an area of this process's memory. */
function areaOf(field: number): Range {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const start = Number(fields[field]);
  const end = Number(fields[field + 1]);
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start <= 0 || end < start)
    throw new Error('/proc/self/stat does not contain the addresses');
  return { start, end };
}
