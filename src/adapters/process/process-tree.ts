import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './error-code.ts';
import { PROCESS_LIMITS } from './limits.ts';

/** One running process, as /proc shows it. */
interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The environment that it was started with; empty when it may not be read. */
  readonly environment: ReadonlySet<string>;
}

/** What belongs together: everything that was started with the marker in its environment, the group, and their children. */
export interface ProcessTree {
  /** An entry `NAME=value` of the environment. */
  readonly marker: string;
  /** A process group, or null. */
  readonly group: number | null;
}

/**
 * Kills the tree with SIGKILL until nothing of it is left. Gives the processes that could not be ended in
 * `PROCESS_LIMITS.killForMs`: none, but for processes that the kernel does not let go. Where there is no /proc only the
 * group is killed.
 */
export async function killTree(tree: ProcessTree): Promise<readonly number[]> {
  const deadline = performance.now() + PROCESS_LIMITS.killForMs;
  if (tree.group !== null) signalGroup(tree.group, 'SIGKILL');
  for (;;) {
    const members = treeMembers(await listProcesses(), tree);
    for (const pid of members) signalProcess(pid, 'SIGKILL');
    if (members.length === 0 || performance.now() > deadline) return members;
    await delay(PROCESS_LIMITS.killRoundMs);
  }
}

/** Signals each process of the group; false when there is none. */
export function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  return signalProcess(-group, signal);
}

function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

function treeMembers(processes: readonly ProcessEntry[], tree: ProcessTree): readonly number[] {
  const members = new Set<number>();
  for (const each of processes) {
    if (each.group === tree.group || each.environment.has(tree.marker)) members.add(each.pid);
  }
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const each of processes) {
      if (members.has(each.parent)) members.add(each.pid);
    }
  }
  members.delete(process.pid);
  return [...members];
}

async function listProcesses(): Promise<readonly ProcessEntry[]> {
  const pids = (await entriesOfProc()).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  const processes: ProcessEntry[] = [];
  for (let from = 0; from < pids.length; from += PROCESS_LIMITS.procReadsAtOnce) {
    const batch = await Promise.all(pids.slice(from, from + PROCESS_LIMITS.procReadsAtOnce).map(readProcess));
    for (const each of batch) {
      if (each !== null) processes.push(each);
    }
  }
  return processes;
}

async function entriesOfProc(): Promise<readonly string[]> {
  try {
    return await readdir('/proc');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Null for a process that has ended, zombies included. */
async function readProcess(pid: number): Promise<ProcessEntry | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may hold anything, parentheses too.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    return { pid, parent: Number(parent), group: Number(group), environment: await readEnvironment(pid) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

async function readEnvironment(pid: number): Promise<ReadonlySet<string>> {
  try {
    return new Set((await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0'));
  } catch (error) {
    if (errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM') return new Set();
    throw error;
  }
}
