import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hierarchyOf } from './cgroup-limits.ts';

/** A controller that limits or measures the tasks of a session. In version 2, `cpuacct` is a part of `cpu`. */
export type Controller = 'memory' | 'pids' | 'cpu' | 'cpuacct';

/** The group in which this process can create groups with the controller, or why it cannot. */
export type ControllerPlace =
  | { readonly isUsable: true; readonly version: 1 | 2; readonly directory: string }
  | { readonly isUsable: false; readonly reason: string; readonly fix: string };

export type ControllerPlaces = Readonly<Record<Controller, ControllerPlace>>;

/** Group below that of the worker's unit which the worker itself moves to, so that controllers can be enabled. */
export const DAEMON_GROUP = 'callsheet-daemon';

/** Returns the group that groups of sessions are created in. */
export const withoutDaemonGroup = (path: string): string =>
  basename(path) === DAEMON_GROUP ? dirname(path) : path;

const RUN_WITH_GROUPS =
  'Run the worker as root, or in a systemd unit with Delegate=yes; in a container, mount /sys/fs/cgroup writable.';

/** Finds the controllers for this process. Changes nothing. `root` is the root of the file system. */
export function findControllers(root = '/'): ControllerPlaces {
  const groups = read(join(root, '/proc/self/cgroup'));
  const mounts = read(join(root, '/proc/self/mountinfo'));
  const find = (controller: Controller): ControllerPlace => {
    if (groups === null || mounts === null)
      return missing('this system has no control groups', 'Run the worker on Linux.');
    const old = hierarchyOf(groups, mounts, controller);
    if (old !== null) return versionOne(join(root, old.mount, old.group));
    const unified = hierarchyOf(groups, mounts, null);
    if (unified === null)
      return missing(
        `no hierarchy with the controller ${controller} is mounted`,
        'Mount control groups version 2 at /sys/fs/cgroup.',
      );
    const own = withoutDaemonGroup(join(root, unified.mount, unified.group));
    return versionTwo(own, controller === 'cpuacct' ? 'cpu' : controller);
  };
  return { memory: find('memory'), pids: find('pids'), cpu: find('cpu'), cpuacct: find('cpuacct') };
}

function versionOne(directory: string): ControllerPlace {
  return isWritable(directory)
    ? { isUsable: true, version: 1, directory }
    : missing(`groups cannot be created in ${directory}`, RUN_WITH_GROUPS);
}

function versionTwo(directory: string, controller: string): ControllerPlace {
  const offered = words(read(join(directory, 'cgroup.controllers')));
  if (!offered.includes(controller))
    return missing(
      `the controller ${controller} is not available in ${directory}`,
      `Delegate it to the worker: Delegate=yes in its systemd unit.`,
    );
  if (!isWritable(directory) || !isWritable(join(directory, 'cgroup.subtree_control')))
    return missing(`groups cannot be created in ${directory}`, RUN_WITH_GROUPS);
  const isEnabled = words(read(join(directory, 'cgroup.subtree_control'))).includes(controller);
  if (isEnabled || isRootGroup(directory) || !hasOthers(directory))
    return { isUsable: true, version: 2, directory };
  return missing(
    `other processes run in ${directory}, so the kernel does not allow controllers below it`,
    'Start the worker alone in its control group: as a systemd unit with Delegate=yes.',
  );
}

/** Only the root of the whole hierarchy has no type; it may have processes and controllers below it. */
export const isRootGroup = (directory: string): boolean => !existsSync(join(directory, 'cgroup.type'));

/** Reports whether a process other than this one runs in the group. */
const hasOthers = (directory: string): boolean =>
  words(read(join(directory, 'cgroup.procs'))).some((pid) => Number(pid) !== process.pid);

const missing = (reason: string, fix: string): ControllerPlace => ({ isUsable: false, reason, fix });

export const words = (text: string | null): readonly string[] =>
  (text ?? '').split(/\s+/).filter((word) => word !== '');

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // Missing, or not permitted.
    return false;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A missing or unreadable file: the system has no control groups, or the group was removed.
    return null;
  }
}
