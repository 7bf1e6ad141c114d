import { join } from 'node:path';
import { DAEMON_GROUP, isRootGroup, words } from '../host/cgroup-controllers.ts';
import { makeGroup, readGroupFile, writeGroupFile } from './session-cgroup.ts';

/**
 * Enables those of the controllers of version 2 that `own` offers, for groups of sessions below `worker`, a group in `own`. Only a
 * group without processes may have controllers below it (cgroups(7), "no internal processes"), so this process moves to a group of its
 * own when necessary. Returns whether all of them are enabled.
 *
 * The kernel does not refuse all controllers below a group with processes: with `cpu` and `pids` alone, the group becomes
 * the domain of threads, and no process can enter the groups below it.
 */
export function enableControllers(own: string, worker: string, controllers: readonly string[]): boolean {
  const offered = words(readGroupFile(join(own, 'cgroup.controllers')));
  const wanted = controllers.filter((controller) => offered.includes(controller));
  if (!isEnabled(own, wanted)) {
    if (!isRootGroup(own) && !leave(own)) return false;
    if (!enable(own, wanted)) return false;
  }
  return enable(worker, wanted);
}

/** Moves this process out of the group, if it is in it. Returns whether the group has no process then. */
function leave(own: string): boolean {
  const pid = String(process.pid);
  const processes = words(readGroupFile(join(own, 'cgroup.procs')));
  if (processes.some((other) => other !== pid)) return false;
  if (!processes.includes(pid)) return true;
  const daemon = join(own, DAEMON_GROUP);
  makeGroup(daemon);
  return writeGroupFile(join(daemon, 'cgroup.procs'), pid) === null;
}

const enabledIn = (group: string): readonly string[] =>
  words(readGroupFile(join(group, 'cgroup.subtree_control')));

const isEnabled = (group: string, controllers: readonly string[]): boolean =>
  controllers.every((controller) => enabledIn(group).includes(controller));

function enable(group: string, controllers: readonly string[]): boolean {
  const enabled = enabledIn(group);
  const missing = controllers.filter((controller) => !enabled.includes(controller));
  if (missing.length === 0) return true;
  const text = missing.map((controller) => `+${controller}`).join(' ');
  return writeGroupFile(join(group, 'cgroup.subtree_control'), text) === null;
}
