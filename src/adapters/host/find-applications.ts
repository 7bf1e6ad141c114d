import { access, constants, readdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { KnownApplication } from '../../core/applications/known-applications.ts';
import { filesOnPath, isProgram } from './program-files.ts';

/** The machine that is searched for applications. */
export interface SearchedMachine {
  /** OpenJD name of the system. */
  readonly system: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Root of the file system: install directories are looked up below it. */
  readonly root: string;
}

const DOCKER_SOCKETS = ['/var/run/docker.sock', '/run/docker.sock'];
const DOCKER_PIPE = '\\\\.\\pipe\\docker_engine';

/**
 * Returns the tags of the installed applications, in the order of the table. Checks only names and runs no program.
 * Checks are sequential, so that an unresponsive file system blocks only one of the worker's I/O threads.
 */
export async function findApplications(
  applications: readonly KnownApplication[],
  machine: SearchedMachine,
): Promise<readonly string[]> {
  const tags: string[] = [];
  for (const application of applications) {
    if (await isInstalled(application, machine)) tags.push(application.tag);
  }
  return tags;
}

async function isInstalled(application: KnownApplication, machine: SearchedMachine): Promise<boolean> {
  const { programs, places = {}, variables = [] } = application;
  const isThere =
    (await some(programs, (program) => isOnPath(program, machine))) ||
    (await some(variables, (name) => isNamed(machine.environment[name]))) ||
    (await some(placesOn(places, machine.system), (place) => exists(machine.root, place)));
  if (!isThere) return false;
  return application.needsDockerSocket === undefined || reachesDocker(machine);
}

const placesOn = (places: NonNullable<KnownApplication['places']>, system: string): readonly string[] =>
  Object.entries(places).find(([name]) => name === system)?.[1] ?? [];

async function some<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}

async function isOnPath(program: string, { system, environment }: SearchedMachine): Promise<boolean> {
  const endings = system === 'windows' ? ['.exe', '.bat', '.cmd'] : [''];
  return some(filesOnPath(program, environment, endings).filter(isAbsolute), isProgram);
}

const isNamed = async (path: string | undefined): Promise<boolean> =>
  path !== undefined && isAbsolute(path) && (await isThere(path));

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** Reports whether a file name matches this pattern: `*` matches any part of one name. */
async function exists(root: string, pattern: string): Promise<boolean> {
  const [first = '', ...rest] = pattern.split('/');
  // A Windows path begins with `C:`, any other with an empty name.
  return below(join(root, first === '' ? '/' : `${first}/`), rest);
}

async function below(directory: string, names: readonly string[]): Promise<boolean> {
  const [name, ...rest] = names;
  if (name === undefined) return isThere(directory);
  if (!name.includes('*')) return below(join(directory, name), rest);
  const fits = new RegExp(`^${name.split('*').map(literally).join('.*')}$`);
  const entries = await readdir(directory).catch(() => []);
  return some(
    entries.filter((entry) => fits.test(entry)),
    (entry) => below(join(directory, entry), rest),
  );
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Reports whether this process can connect to a Docker engine. A remote engine is assumed to be reachable. */
async function reachesDocker({ system, environment, root }: SearchedMachine): Promise<boolean> {
  const host = environment['DOCKER_HOST'] ?? '';
  if (host.startsWith('unix://')) return isWritable(host.slice('unix://'.length));
  if (host !== '') return true;
  if (system === 'windows') return isThere(DOCKER_PIPE);
  const session = environment['XDG_RUNTIME_DIR'] ?? '';
  const sockets = [
    ...DOCKER_SOCKETS.map((socket) => join(root, socket)),
    ...(session === '' ? [] : [join(session, 'docker.sock')]),
  ];
  return some(sockets, isWritable);
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return (await stat(path)).isSocket();
  } catch {
    return false;
  }
}
