import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionFile } from '../../core/ports/task-processes.ts';
import { errorCode } from './error-code.ts';

const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_PROGRAM = 0o700;
const CANCEL_INFO_FILE = 'cancel_info.json';

/** Makes a session's directory for its owner alone. Fails when it is there already. */
export async function makeWorkspace(directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  await mkdir(directory, { mode: OWNER_ONLY_DIRECTORY });
}

/** Writes a file in place of what is there, never through a link (session_behaviours.md, 5). */
export async function writeSessionFile(file: SessionFile): Promise<void> {
  await mkdir(dirname(file.path), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const handle = await open(file.path, flags, OWNER_ONLY_FILE);
  try {
    await handle.chmod(file.runnable ? OWNER_ONLY_PROGRAM : OWNER_ONLY_FILE);
    await handle.writeFile(file.data);
  } finally {
    await handle.close();
  }
}

/** Tells a process that is about to be canceled when it will be killed (session_behaviours.md, 6). */
export async function writeCancelInfo(directory: string, notifyEndAt: number): Promise<void> {
  const notifyEnd = new Date(notifyEndAt).toISOString().replace(/\.[0-9]{3}Z$/, 'Z');
  const data = `${JSON.stringify({ NotifyEnd: notifyEnd })}\n`;
  await writeSessionFile({ path: join(directory, CANCEL_INFO_FILE), data, runnable: false });
}

/** Removes a session's directory, directories that a task made read-only included. */
export async function removeWorkspace(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true });
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOTEMPTY') throw error;
    await makeRemovable(directory);
    await rm(directory, { recursive: true, force: true });
  }
}

async function makeRemovable(directory: string): Promise<void> {
  await chmod(directory, OWNER_ONLY_DIRECTORY);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeRemovable(join(directory, entry.name));
  }
}
