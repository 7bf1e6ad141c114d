import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isProgram } from '../host/program-files.ts';
import { errorCode } from './error-code.ts';

/** Search path if the environment has none. */
const DEFAULT_PATH = '/bin:/usr/bin';
/** Number of bytes of a script that the kernel reads to find its interpreter. */
const SCRIPT_HEAD_BYTES = 256;

/**
 * Returns why a command certainly cannot be started, as text for the owner of the task, or null. Needed for commands
 * that are started through other programs, which would only exit with their own codes. `isOwnAccount`: it runs as this
 * process does; otherwise a directory or file that is inaccessible to this process proves nothing.
 */
export async function preflightError(
  command: string,
  path: string | undefined,
  workingDirectory: string,
  isOwnAccount: boolean,
): Promise<string | null> {
  const places = command.includes('/') ? [''] : (path ?? DEFAULT_PATH).split(':');
  const files = places.map((place) => resolve(workingDirectory, place, command));
  const found: string[] = [];
  for (const file of files) if (await mayBeThere(file)) found.push(file);
  if (found.length === 0) {
    return (await mayBeThere(workingDirectory))
      ? `command not found: ${command}`
      : 'its working directory does not exist';
  }
  if (!isOwnAccount) return null;
  const runnable: string[] = [];
  for (const file of found) if (await isProgram(file)) runnable.push(file);
  const [first] = runnable;
  if (first === undefined) return `command not executable: ${command}`;
  return (await hasInterpreter(first)) ? null : `the interpreter of ${command} was not found`;
}

async function mayBeThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

/** Returns true except for a script whose interpreter does not exist. */
async function hasInterpreter(file: string): Promise<boolean> {
  const head = await headOf(file);
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(head)?.[1];
  return interpreter === undefined || mayBeThere(interpreter);
}

async function headOf(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(SCRIPT_HEAD_BYTES),
        0,
        SCRIPT_HEAD_BYTES,
        0,
      );
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    // The program is executable but not readable.
    return '';
  }
}
