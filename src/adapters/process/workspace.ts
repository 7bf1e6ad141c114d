import { mkdir, open, rm } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionFile } from '../../core/ports/task-processes.ts';
import type { ProcessIds } from '../../core/access/isolation-names.ts';
import {
  makeAccountWorkspace,
  makeRemovable,
  removeByDescriptors,
  writeAccountFile,
} from './account-files.ts';

const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_PROGRAM = 0o700;
const CANCEL_INFO_FILE = 'cancel_info.json';

/** A session's directory, accessible to the account that its actions run as. */
export class Workspace {
  readonly directory: string;
  private readonly workerDirectory: string;
  private ids: ProcessIds | null = null;

  /** `workerDirectory`: the worker's own directory, which contains it. */
  constructor(directory: string, workerDirectory: string) {
    this.directory = directory;
    this.workerDirectory = workerDirectory;
  }

  /** Creates the directory for the account alone; null is the worker's own. Fails if it exists. */
  async make(ids: ProcessIds | null): Promise<void> {
    this.ids = ids;
    if (ids === null) await makeWorkspace(this.directory);
    else await makeAccountWorkspace(this.directory, this.workerDirectory, ids);
  }

  /** Writes or replaces a file, never through a link (docs/contract/sessions.md#embedded-files). */
  async write(file: SessionFile): Promise<void> {
    if (this.ids === null) await writeSessionFile(file);
    else await writeAccountFile(this.directory, file, this.ids);
  }

  /**
   * Writes the time of the kill for a process that is about to be canceled
   * (docs/contract/sessions.md#timeouts-and-cancelation).
   */
  async writeCancelInfo(notifyEndAt: number): Promise<void> {
    const notifyEnd = new Date(notifyEndAt).toISOString().replace(/\.[0-9]{3}Z$/, 'Z');
    const data = `${JSON.stringify({ NotifyEnd: notifyEnd })}\n`;
    await this.write({ path: join(this.directory, CANCEL_INFO_FILE), data, runnable: false });
  }

  async remove(): Promise<void> {
    await removeWorkspace(this.directory);
  }
}

async function makeWorkspace(directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  await mkdir(directory, { mode: OWNER_ONLY_DIRECTORY });
}

async function writeSessionFile(file: SessionFile): Promise<void> {
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

/**
 * Removes a session's directory, including read-only directories of a task and trees deeper than the maximum path
 * length.
 */
export async function removeWorkspace(directory: string): Promise<void> {
  if (process.platform !== 'linux') await rm(directory, { recursive: true, force: true });
  else if (process.geteuid?.() === 0) await removeByDescriptors(directory);
  else await removeOwn(directory);
}

/** Directories are made accessible only if a first attempt fails: most are removed at once. */
async function removeOwn(directory: string): Promise<void> {
  try {
    await removeByDescriptors(directory);
  } catch {
    // Directories that it could not change may be removable anyway; otherwise the second attempt reports them.
    await makeRemovable(directory).catch(() => undefined);
    await removeByDescriptors(directory);
  }
}
