import { join } from 'node:path';
import { killTree } from './process-tree.ts';
import { leftoverCgroups } from './session-cgroup.ts';
import { workerMarker } from './task-environment.ts';
import { removeWorkspace } from './workspace.ts';

/**
 * Ends every process that an earlier agent with this directory has left running, before the worker registers
 * (docs/faults.md#mechanisms). Returns the processes that could not be ended: while there are any, the worker must not
 * register.
 */
export async function killLeftoverProcesses(workerDirectory: string): Promise<readonly number[]> {
  const groups = leftoverCgroups(workerDirectory);
  const marker = workerMarker(workerDirectory);
  const left = await killTree({ marker, cgroup: null, leader: null, known: new Map(), since: null });
  const held = await Promise.all(
    groups.map((cgroup) => killTree({ marker, cgroup, leader: null, known: new Map(), since: null })),
  );
  for (const group of groups) group.remove();
  return [...new Set([...left, ...held.flat()])];
}

/**
 * Removes files of an earlier agent: the directories of sessions (null: they are kept), and its pipes. Must be called
 * after `killLeftoverProcesses`.
 */
export async function removeLeftovers(
  sessionsDirectory: string | null,
  workerDirectory: string,
): Promise<void> {
  await removeWorkspace(join(workerDirectory, 'pipes'));
  if (sessionsDirectory !== null) await removeWorkspace(sessionsDirectory);
}
