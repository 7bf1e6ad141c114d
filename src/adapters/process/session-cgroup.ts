import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errorCode } from './error-code.ts';

/**
 * Control groups as a fence around the processes of sessions: what was put in cannot get out by forking, by a session of its own or with
 * another environment. Used where the machine lets the worker make groups, in the unified hierarchy or else in the freezer's; it needs no
 * controller and sets no limit.
 */

/** Where groups can be made: the group of this process in a hierarchy. */
interface Place {
  readonly path: string;
  /** Which group of the hierarchy is seen at the path. */
  readonly root: string;
  /** `unified`: version 2, whose groups have `cgroup.procs` and may have `cgroup.kill` and `cgroup.freeze`. */
  readonly kind: 'unified' | 'freezer';
}

/** The groups of one worker, by the directory that is its own. */
export class WorkerCgroup {
  private readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the worker's group. Null where that cannot be done: the reason goes to `unavailable`. */
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

  /** Makes the group of a session, or null when it cannot be made. */
  session(sessionId: string): Cgroup | null {
    // A guard that has ended its session takes the worker's group away when it is empty.
    Cgroup.make(this.path);
    return Cgroup.make(join(this.path, sessionId));
  }

  /** Removes the worker's group. Something that still runs in it keeps it. */
  remove(): void {
    removeTree(this.path);
  }
}

/** Every group that a worker with this directory may have made, wherever it was started from. */
export function leftoverCgroups(workerDirectory: string): readonly Cgroup[] {
  return mounts().flatMap(({ path }) =>
    groupsNamed(path, groupName(workerDirectory), SEARCH_DEPTH).map((group) => new Cgroup(group)),
  );
}

/** One group with the groups below it. */
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

  /** The processes in it and below it. */
  private members(): readonly number[] {
    return tree(this.path).flatMap((group) => lines(join(group, 'cgroup.procs')).map(Number));
  }

  isEmpty(): boolean {
    return this.members().length === 0;
  }

  /** Whether this process is in it, and no other. */
  holdsOnly(pid: number): boolean {
    const members = this.members();
    return members.length === 1 && members[0] === pid;
  }

  /** SIGKILL to all of them, at once where the kernel can do that. Gives those that were there. */
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

  /** Removes it with the groups below it. Something that still runs in one keeps that. */
  remove(): void {
    removeTree(this.path);
  }
}

const SEARCH_DEPTH = 6;

const groupName = (workerDirectory: string): string =>
  `callsheet-${createHash('sha256').update(workerDirectory).digest('hex').slice(0, 16)}`;

/** Hierarchies in the order in which they are tried. */
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
    return below.startsWith('..') ? [] : [{ path: join(path, below), root, kind }];
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

/** The group and all below it, each after those below it. */
const tree = (path: string): readonly string[] => [
  ...children(path).flatMap((child) => tree(join(path, child))),
  path,
];

function removeTree(path: string): void {
  for (const group of tree(path)) {
    try {
      rmdirSync(group);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
}

/** A group can often be made where no process may be put into it. */
function proveJoining(group: string): void {
  const proof = spawnSync('bash', ['-c', 'echo 0 >"$0/cgroup.procs"', group], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    encoding: 'utf8',
  });
  if (proof.status === 0) return;
  removeTree(group);
  throw new Error(proof.error?.message ?? proof.stderr.trim());
}

function makeGroup(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

const freeze = (group: string, on: boolean): boolean =>
  tryWrite(join(group, 'cgroup.freeze'), on ? '1' : '0') ||
  tryWrite(join(group, 'freezer.state'), on ? 'FROZEN' : 'THAWED');

function tryWrite(path: string, text: string): boolean {
  try {
    // Without O_CREAT: the file is the kernel's or is not there.
    writeFileSync(path, text, { flag: 'r+' });
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
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

/** The machine does not let the worker do it, or the group or process is gone. */
const isRefusal = (error: unknown): boolean => REFUSALS.has(errorCode(error) ?? '');
