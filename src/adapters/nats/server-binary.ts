import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
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
/** Searched after the PATH: directories of system programs, which a user's PATH may not contain. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin'];
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

/** Returns a path unchanged, or all programs with a name, at least one. */
async function locate(configuredPath: string): Promise<readonly string[]> {
  if (configuredPath.includes('/')) {
    if (await isProgram(configuredPath)) return [configuredPath];
    throw new ManagedServerError(`bus.server_path: ${configuredPath} is not a program that can be run`);
  }
  const name = configuredPath === '' ? NAME : configuredPath;
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...SYSTEM_FOLDERS,
  ];
  const paths = [...new Set(folders)].map((folder) => join(folder, name));
  const arePrograms = await Promise.all(paths.map(isProgram));
  const programs = paths.filter((_, at) => arePrograms[at]);
  if (programs.length > 0) return programs;
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
interface Program {
  readonly path: string;
  readonly version: string;
  readonly release: Release;
}

async function readProgram(path: string): Promise<Program> {
  const text = await versionOf(path);
  const match = VERSION.exec(text);
  if (match === null) throw new ManagedServerError(`${path} printed no version but "${text.slice(0, 100)}"`);
  const release = { major: Number(match[1]), minor: Number(match[2]) };
  return { path, release, version: `${release.major}.${release.minor}.${match[3] ?? ''}` };
}

/** Returns the newest program, the first one of several; throws the error of the first if none has a version. */
async function newestOf(paths: readonly string[]): Promise<Program> {
  const results = await Promise.allSettled(paths.map(readProgram));
  const programs = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first, ...others] = programs;
  if (first !== undefined)
    return others.reduce(
      (newest, other) => (isAtLeast(newest.release, other.release) ? newest : other),
      first,
    );
  const failed = results.find((result) => result.status === 'rejected');
  throw new ManagedServerError(reasonOf(failed?.reason));
}

/**
 * Finds nats-server and reads its version. `configuredPath` is `bus.server_path`: a path, or a name, of which the newest
 * program is used; empty to search for nats-server. Throws a ManagedServerError if there is none or it is too old.
 */
export async function findServerBinary(configuredPath: string): Promise<ServerBinary> {
  const { path, version, release } = await newestOf(await locate(configuredPath));
  if (!isAtLeast(release, OLDEST)) {
    throw new ManagedServerError(
      `${path} is version ${version}: version ${OLDEST.major}.${OLDEST.minor} or newer is needed`,
    );
  }
  return {
    path,
    version,
    canSyncAlways: isAtLeast(release, SYNC_ALWAYS),
    hasSecurityFixes: hasSecurityFixes(version),
  };
}
