import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, mkdir, open, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import type { ProcessIds } from '../../core/access/isolation-names.ts';
import type { SessionFile } from '../../core/ports/task-processes.ts';
import { setprivArguments } from './launch.ts';
import { errorCode } from './error-code.ts';

/**
 * Operations of root in a directory that belongs to another account. That account may place links in the path at any
 * moment, also from another of its sessions. Therefore every step uses the descriptor of the parent directory
 * (/proc/self/fd), follows no link, and writes only to files that it has just created.
 */

const run = promisify(execFile);

const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_PROGRAM = 0o700;
/** Others can traverse the directory, but not list it. */
const PASSAGE = 0o711;
const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const MAKE_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const SAID_CHARACTERS = 4096;
const COMMAND_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

/**
 * Creates a session's directory that only the account can access; it must not exist. The directories from
 * `workerDirectory` on are made traversable. Fails if the account cannot reach it.
 */
export async function makeAccountWorkspace(
  directory: string,
  workerDirectory: string,
  ids: ProcessIds,
): Promise<void> {
  const sessions = dirname(directory);
  await mkdir(sessions, { recursive: true, mode: PASSAGE });
  await chmod(sessions, PASSAGE);
  await chmod(workerDirectory, PASSAGE);
  await mkdir(directory, { mode: OWNER_ONLY_DIRECTORY });
  await giveDirectory(directory, ids);
  await proveAccess(directory, ids);
}

/** Writes or replaces a file that only the account can access, in the session's directory or below. */
export async function writeAccountFile(directory: string, file: SessionFile, ids: ProcessIds): Promise<void> {
  const names = relative(directory, file.path).split(sep);
  const name = names.pop();
  if (name === undefined || [...names, name].some((part) => part === '' || part === '..')) {
    throw new Error(`${file.path} is not inside the session's directory`);
  }
  let parent = await open(directory, OPEN_DIRECTORY);
  try {
    for (const part of names) {
      const child = await openOrMake(parent, part, ids);
      await parent.close();
      parent = child;
    }
    await writeAnew(within(parent, name), file, ids);
  } finally {
    await parent.close();
  }
}

/**
 * Removes a directory that a task of any account has used: `rm` follows no link and uses descriptors, regardless of
 * concurrent changes and of the depth of the tree.
 */
export async function removeByDescriptors(directory: string): Promise<void> {
  await tidy('rm', ['-rf', '--one-file-system', '--', directory]);
}

/** Makes the directories of a tree accessible to their owner, without following links. */
export async function makeRemovable(directory: string): Promise<void> {
  await tidy('chmod', ['-R', '--silent', 'u+rwX', '--', directory]);
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Only one line of the error is kept; the program may write one for each file. */
function tidy(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      env: COMMAND_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < SAID_CHARACTERS) said += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(said === '' ? `${command} ended with ${String(code)}` : firstLine(said)));
    });
  });
}

/** Returns a path below the open directory. */
const within = (directory: FileHandle, name: string): string => `/proc/self/fd/${directory.fd}/${name}`;

async function openOrMake(parent: FileHandle, name: string, ids: ProcessIds): Promise<FileHandle> {
  const path = within(parent, name);
  try {
    await mkdir(path, { mode: OWNER_ONLY_DIRECTORY });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return open(path, OPEN_DIRECTORY);
  }
  const made = await open(path, OPEN_DIRECTORY);
  try {
    // The account may have moved another account's directory to this path.
    if ((await made.stat()).uid !== process.geteuid?.())
      throw new Error(`${name} was replaced while it was made`);
    await made.chown(ids.userId, ids.groupId);
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}

async function writeAnew(path: string, file: SessionFile, ids: ProcessIds): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) === 'EISDIR') await rmdir(path);
    else if (errorCode(error) !== 'ENOENT') throw error;
  }
  const handle = await open(path, MAKE_FILE, OWNER_ONLY_FILE);
  try {
    await handle.writeFile(file.data);
    await handle.chmod(file.runnable ? OWNER_ONLY_PROGRAM : OWNER_ONLY_FILE);
    await handle.chown(ids.userId, ids.groupId);
  } finally {
    await handle.close();
  }
}

async function giveDirectory(directory: string, ids: ProcessIds): Promise<void> {
  const handle = await open(directory, OPEN_DIRECTORY);
  try {
    await handle.chown(ids.userId, ids.groupId);
  } finally {
    await handle.close();
  }
}

/**
 * Only the account itself can verify this: its path may be inaccessible, and the kernel may refuse the change of the
 * account.
 */
async function proveAccess(directory: string, ids: ProcessIds): Promise<void> {
  const command = ['setpriv', ...setprivArguments(ids), '--', 'test', '-w', directory];
  try {
    await run(command[0] ?? '', command.slice(1), { env: COMMAND_ENVIRONMENT, cwd: '/' });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new Error('setpriv is missing; it is part of util-linux');
    throw new Error(`the account cannot get to ${directory}: a directory above it is closed to others`);
  }
}
