import { access, constants, stat } from 'node:fs/promises';
import { errorCode, messageOf } from './error-code.ts';

/**
 * Returns why a process could not be started, as text for the owner of the task. `error`: of the system, with its code.
 */
export async function startFailure(
  error: unknown,
  { command, workingDirectory }: { readonly command: string; readonly workingDirectory: string },
): Promise<string> {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    if (!(await isDirectory(workingDirectory))) return 'its working directory does not exist';
    const hasPath = command.includes('/');
    if (hasPath && (await exists(command))) {
      return `the interpreter of ${command} was not found`;
    }
    return `command not found: ${command}`;
  }
  if (code === 'EACCES') return `command not executable: ${command}`;
  if (code === 'E2BIG') return 'its arguments and environment are too long';
  return `${command} could not be started: ${messageOf(error)}`;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}
