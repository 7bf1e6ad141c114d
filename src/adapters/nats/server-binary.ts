import { execFile } from 'node:child_process';
import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { hasSecurityFixes } from '../../core/bus-identity/server-release.ts';
import { reasonOf } from './connection.ts';

/** A usable nats-server program. */
export interface ServerBinary {
  readonly path: string;
  /** For example `2.9.10`. */
  readonly version: string;
  /** Set if it can flush every message before it acknowledges it (2.10 and newer). */
  readonly canSyncAlways: boolean;
  /** Set if the release line gets security fixes. */
  readonly hasSecurityFixes: boolean;
}

/** Why the managed server cannot be started: one line for the operator. */
export class ManagedServerError extends Error {
  override readonly name = 'ManagedServerError';
}

const NAME = 'nats-server';
/**
 * Searched besides the PATH: folders of system programs, which a user's PATH may not contain, and the one in which the set-up
 * of a clone puts a newer nats-server (scripts/newer-nats-server.js).
 */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/usr/local/lib/callsheet'];
const OLDEST = { major: 2, minor: 9 };
const SYNC_ALWAYS = { major: 2, minor: 10 };
const VERSION_MS = 10_000;
const VERSION = /v?(\d+)\.(\d+)\.(\d+\S*)/;

interface Release {
  readonly major: number;
  readonly minor: number;
}

const isAtLeast = (have: Release, want: Release): boolean =>
  have.major > want.major || (have.major === want.major && have.minor >= want.minor);

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the program of a path, or the programs of a name in the order of the folders. */
async function locate(configuredPath: string): Promise<readonly [string, ...string[]]> {
  if (configuredPath.includes('/')) {
    if (await isProgram(configuredPath)) return [configuredPath];
    throw new ManagedServerError(`bus.server_path: ${configuredPath} is not a program that can be run`);
  }
  const name = configuredPath === '' ? NAME : configuredPath;
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...SYSTEM_FOLDERS,
  ];
  const found = new Map<string, string>();
  for (const folder of folders) {
    const path = join(folder, name);
    if (!(await isProgram(path))) continue;
    const file = await realpath(path);
    if (!found.has(file)) found.set(file, path);
  }
  const [first, ...others] = found.values();
  if (first !== undefined) return [first, ...others];
  throw new ManagedServerError(
    `${name} is neither on the PATH nor in ${SYSTEM_FOLDERS.join(', ')}: install it (Debian and Ubuntu: ` +
      `apt-get install nats-server), name it with bus.server_path, or name a running server with bus.url`,
  );
}

async function versionOf(path: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: VERSION_MS });
    return stdout.trim();
  } catch (error) {
    throw new ManagedServerError(`${path} --version failed: ${reasonOf(error)}`);
  }
}

/** A program with its version. */
interface ReleasedProgram extends Release {
  readonly path: string;
  readonly patch: number;
  readonly version: string;
}

async function releaseOf(path: string): Promise<ReleasedProgram> {
  const text = await versionOf(path);
  const match = VERSION.exec(text);
  if (match === null) throw new ManagedServerError(`${path} printed no version but "${text.slice(0, 100)}"`);
  const release = {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: Number.parseInt(match[3] ?? '', 10),
  };
  return { path, ...release, version: `${release.major}.${release.minor}.${match[3] ?? ''}` };
}

/** The newest first; of the same release, the one that comes first in the order of the folders. */
const byRelease = (a: ReleasedProgram, b: ReleasedProgram): number =>
  b.major - a.major || b.minor - a.minor || b.patch - a.patch;

/** Returns the newest of the programs. Ignores those without a version, unless none has one. */
async function newestOf([first, ...others]: readonly [string, ...string[]]): Promise<ReleasedProgram> {
  if (others.length === 0) return releaseOf(first);
  const read = await Promise.allSettled([first, ...others].map(releaseOf));
  const [newest] = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])).toSorted(byRelease);
  return newest ?? releaseOf(first);
}

/**
 * Finds nats-server and reads its version. `configuredPath` is `bus.server_path`: a path, or the name for which to search
 * (`nats-server` if it is empty). Of several programs with the name, the newest is used. Throws a ManagedServerError if
 * there is none or it is too old.
 */
export async function findServerBinary(configuredPath: string): Promise<ServerBinary> {
  const program = await newestOf(await locate(configuredPath));
  const { path, version } = program;
  if (!isAtLeast(program, OLDEST)) {
    throw new ManagedServerError(
      `${path} is version ${version}: version ${OLDEST.major}.${OLDEST.minor} or newer is needed`,
    );
  }
  return {
    path,
    version,
    canSyncAlways: isAtLeast(program, SYNC_ALWAYS),
    hasSecurityFixes: hasSecurityFixes(version),
  };
}
