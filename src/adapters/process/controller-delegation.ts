import { join } from 'node:path';
import { DAEMON_GROUP, words } from '../host/cgroup-controllers.ts';
import { makeGroup, readGroupFile, writeGroupFile } from './session-cgroup.ts';

/**
 * Enables those of the controllers of version 2 that `own` offers, for groups of sessions below `worker`, a group in `own`. The kernel
 * allows controllers below a group only if no process runs in it, so this process moves to a group of its own when necessary
 * (cgroups(7), "no internal processes"). Returns whether all of them are enabled.
 */
export function enableControllers(own: string, worker: string, controllers: readonly string[]): boolean {
  const offered = words(readGroupFile(join(own, 'cgroup.controllers')));
  const wanted = controllers.filter((controller) => offered.includes(controller));
  const isEnabled = enable(own, wanted);
  if (!isEnabled) {
    const daemon = join(own, DAEMON_GROUP);
    makeGroup(daemon);
    const isMoved = writeGroupFile(join(daemon, 'cgroup.procs'), String(process.pid)) === null;
    if (!isMoved || !enable(own, wanted)) return false;
  }
  return enable(worker, wanted);
}

function enable(group: string, controllers: readonly string[]): boolean {
  const file = join(group, 'cgroup.subtree_control');
  const enabled = words(readGroupFile(file));
  const missing = controllers.filter((controller) => !enabled.includes(controller));
  if (missing.length === 0) return true;
  return writeGroupFile(file, missing.map((controller) => `+${controller}`).join(' ')) === null;
}
