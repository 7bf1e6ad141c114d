import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isProgram } from '../host/program-files.ts';
import { errorCode } from './error-code.ts';

/** Where a program is looked for when the environment names no place. */
const DEFAULT_PATH = '/bin:/usr/bin';
/** The kernel reads so much of a script to find its interpreter. */
const SCRIPT_HEAD_BYTES = 256;

/**
 * Why a command can surely not be started, or null: in words for the one whose task it is. For a command that is started by way of others,
 * which could only end with a code of their own. `isOwnAccount`: whether it runs as this process does; otherwise a place that this process may
 * not look into, or a file that it may not run, proves nothing.
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
      : 'its working directory is gone';
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

/** True for everything but a script whose first line names a program that is not there. */
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
    // A program that may be run and not read.
    return '';
  }
}
