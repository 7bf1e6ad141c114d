import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withoutDaemonGroup } from '../host/cgroup-controllers.ts';
import { errorCode, messageOf } from './error-code.ts';

/**
 * Control groups as a fence around the processes of sessions: a process cannot leave its group by forking, by a new
 * session or with another environment. Used if the machine allows the worker to create groups, in the unified hierarchy
 * or else in the freezer's; needs no controller and sets no limit.
 */

/** A place for groups: the group of this process in a hierarchy. */
interface Place {
  readonly path: string;
  /** The group of the hierarchy at the path. */
  readonly root: string;
  /** `unified`: version 2, whose groups have `cgroup.procs` and may have `cgroup.kill` and `cgroup.freeze`. */
  readonly kind: 'unified' | 'freezer';
}

/** The groups of one worker, by its directory. */
export class WorkerCgroup {
  private readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates the worker's group. Returns null if that is impossible, and reports the reason with `unavailable`. */
  static open(workerDirectory: string, unavailable: (reason: string) => void): WorkerCgroup | null {
    const places = placesOfThisProcess();
    let reason = 'no hierarchy of control groups is mounted';
    for (const { path } of places) {
      const own = join(path, groupName(workerDirectory));
      try {
        makeGroup(own);
        proveJoining(own);
        return new WorkerCgroup(own);
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
      }
    }
    unavailable(reason);
    return null;
  }

  /** Creates the group of a session, or returns null. */
  session(sessionId: string): Cgroup | null {
    // A guard that has ended its session removes the worker's group if it is empty.
    Cgroup.make(this.path);
    return Cgroup.make(join(this.path, sessionId));
  }

  /** Removes the worker's group, unless a process still runs in it. */
  remove(): void {
    removeTree(this.path);
  }
}

/** Returns every group that a worker with this directory may have created. */
export function leftoverCgroups(workerDirectory: string): readonly Cgroup[] {
  const paths = new Set([...mounts().map(({ path }) => path), ...controllerMounts()]);
  return [...paths].flatMap((path) =>
    groupsNamed(path, groupName(workerDirectory), SEARCH_DEPTH).map((group) => new Cgroup(group)),
  );
}

/** Returns the hierarchies of version 1 in which sessions get limits. */
const controllerMounts = (): readonly string[] =>
  lines('/proc/self/mountinfo').flatMap((line) => {
    const [, , , , path = '', ...rest] = line.split(' ');
    const [kind, , options = ''] = rest.slice(rest.indexOf('-') + 1);
    return kind === 'cgroup' && options.split(',').some((option) => CONTROLLERS.has(option)) ? [path] : [];
  });

const CONTROLLERS = new Set(['memory', 'pids', 'cpu', 'cpuacct']);

/** A group with its descendants. */
export class Cgroup {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static make(path: string): Cgroup | null {
    try {
      makeGroup(path);
      return new Cgroup(path);
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  below(name: string): Cgroup | null {
    return Cgroup.make(join(this.path, name));
  }

  /** Returns the processes in it and its descendants. */
  private members(): readonly number[] {
    return tree(this.path).flatMap((group) => lines(join(group, 'cgroup.procs')).map(Number));
  }

  isEmpty(): boolean {
    return this.members().length === 0;
  }

  /** Reports whether this process is its only member. */
  holdsOnly(pid: number): boolean {
    const members = this.members();
    return members.length === 1 && members[0] === pid;
  }

  /** Sends SIGKILL to all members, in one operation if the kernel supports it. Returns the members before that. */
  kill(): readonly number[] {
    const members = this.members();
    if (members.length === 0) return members;
    if (tryWrite(join(this.path, 'cgroup.kill'), '1')) return members;
    const frozen = tree(this.path).filter((group) => freeze(group, true));
    const found = this.members();
    for (const pid of found) sendKill(pid);
    for (const group of frozen) freeze(group, false);
    return found;
  }

  /** Removes it with its descendants, except for groups with running processes. */
  remove(): void {
    removeTree(this.path);
  }
}

const SEARCH_DEPTH = 6;

export const groupName = (workerDirectory: string): string =>
  `callsheet-${createHash('sha256').update(workerDirectory).digest('hex').slice(0, 16)}`;

/** Returns the hierarchies in the order in which they are tried. */
function mounts(): readonly Place[] {
  const unified: Place[] = [];
  const freezer: Place[] = [];
  for (const line of lines('/proc/self/mountinfo')) {
    const [, , , root = '', path = '', ...rest] = line.split(' ');
    const [kind, , options = ''] = rest.slice(rest.indexOf('-') + 1);
    if (kind === 'cgroup2') unified.push({ path, root, kind: 'unified' });
    if (kind === 'cgroup' && options.split(',').includes('freezer'))
      freezer.push({ path, root, kind: 'freezer' });
  }
  return [...unified, ...freezer];
}

function placesOfThisProcess(): readonly Place[] {
  const own = lines('/proc/self/cgroup').map((line) => line.split(':'));
  return mounts().flatMap(({ path, root, kind }) => {
    const entry = own.find(([, controllers = '']) =>
      kind === 'unified' ? controllers === '' : controllers.split(',').includes('freezer'),
    );
    const group = entry?.slice(2).join(':');
    if (group === undefined) return [];
    const below = relative(root, group);
    return below.startsWith('..') ? [] : [{ path: withoutDaemonGroup(join(path, below)), root, kind }];
  });
}

function groupsNamed(path: string, name: string, depth: number): readonly string[] {
  return children(path).flatMap((child) => {
    if (child === name) return [join(path, child)];
    return depth === 0 ? [] : groupsNamed(join(path, child), name, depth - 1);
  });
}

function children(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

/** Returns the group and all its descendants, children first. */
const tree = (path: string): readonly string[] => [
  ...children(path).flatMap((child) => tree(join(path, child))),
  path,
];

export function removeTree(path: string): void {
  for (const group of tree(path)) {
    try {
      rmdirSync(group);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
}

/**
 * A group can often be created where processes cannot be moved into it. Uses a child: the kernel allows no processes in a
 * group whose children have controllers.
 */
function proveJoining(worker: string): void {
  const group = join(worker, 'probe');
  makeGroup(group);
  const proof = spawnSync('bash', ['-c', 'echo 0 >"$0/cgroup.procs"', group], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    encoding: 'utf8',
  });
  removeTree(group);
  if (proof.status === 0) return;
  removeTree(worker);
  throw new Error(proof.error?.message ?? proof.stderr.trim());
}

export function makeGroup(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

const freeze = (group: string, on: boolean): boolean =>
  tryWrite(join(group, 'cgroup.freeze'), on ? '1' : '0') ||
  tryWrite(join(group, 'freezer.state'), on ? 'FROZEN' : 'THAWED');

const tryWrite = (path: string, text: string): boolean => writeGroupFile(path, text) === null;

/** Writes a file of a group. Returns why the machine refuses it, or null. */
export function writeGroupFile(path: string, text: string): string | null {
  try {
    // Without O_CREAT: the file belongs to the kernel or does not exist.
    writeFileSync(path, text, { flag: 'r+' });
    return null;
  } catch (error) {
    if (isRefusal(error)) return messageOf(error);
    throw error;
  }
}

/** Returns the text of a file of a group; null if it does not exist or is not readable. */
export function readGroupFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

function lines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

const REFUSALS = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'EBUSY',
  'ESRCH',
  'EOPNOTSUPP',
  'EINVAL',
  'ENODEV',
  'ENOTEMPTY',
  'EAGAIN',
  'ENOSPC',
]);

/** The machine does not allow it, or the group or process no longer exists. */
export const isRefusal = (error: unknown): boolean => REFUSALS.has(errorCode(error) ?? '');
