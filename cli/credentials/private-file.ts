import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** Environment that determines where the files are. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Access of others than the owner. */
const OTHERS = 0o077;

/** Returns the path of a file of this user: in `XDG_CONFIG_HOME`, else in `~/.config`. */
export function privatePath(name: string, environment: Environment = process.env): string {
  const given = environment['XDG_CONFIG_HOME'] ?? '';
  // A relative path is invalid and ignored (XDG Base Directory Specification).
  const folder = isAbsolute(given) ? given : join(environment['HOME'] || homedir(), '.config');
  return join(folder, 'callsheet', name);
}

/** Returns the parsed JSON of a private file: undefined if the file does not exist, null if it is not JSON. */
export function readPrivateJson(path: string): unknown {
  const text = readPrivate(path);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Writes a value as JSON into a file that only this user can read. */
export const writePrivateJson = (path: string, value: unknown): void =>
  writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);

/** Reports whether a value is an object, not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the text of a file that only this user can read; null if it does not exist. */
function readPrivate(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw unusable(path, error);
  }
  try {
    const { mode, uid } = fstatSync(file);
    if ((mode & OTHERS) !== 0)
      throw new CommandError(EXIT.usage, `${path}: can be read by other users; run: chmod 600 ${path}`);
    if (uid !== process.getuid?.()) throw new CommandError(EXIT.usage, `${path}: belongs to another user`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Writes a file as a whole, readable by this user only: a reader sees the old or the new content. */
function writeWhole(path: string, text: string): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path, '.json')}-${process.pid}.json`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(EXIT.failed, `${path}: cannot be used: ${reason}`);
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
