import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './error-code.ts';
import { PROCESS_LIMITS } from './limits.ts';
import type { Cgroup } from './session-cgroup.ts';

/** One running process, as /proc shows it. */
interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started: with the pid the name of this process and no other. */
  readonly startedAt: string;
  /** The environment that it was started with; empty when it may not be read. */
  readonly environment: ReadonlySet<string>;
}

/** Processes by pid, with when they were started. */
export type KnownProcesses = ReadonlyMap<number, string>;

/**
 * What belongs together: everything that was started with the marker in its environment, what the control group holds, the process group
 * and session of the leader, what was seen of it earlier, and the children of all these.
 */
export interface ProcessTree {
  /** An entry `NAME=value` of the environment. */
  readonly marker: string;
  readonly cgroup: Cgroup | null;
  /** The first process, which leads a process group and a session; null when it ended some time ago: the number may be another's by now. */
  readonly leader: number | null;
  readonly known: KnownProcesses;
}

/**
 * Kills the tree with SIGKILL until nothing of it is left. Gives the processes that could not be ended in
 * `PROCESS_LIMITS.killForMs`: none, but for processes that the kernel does not let go. Where there is no /proc only the
 * group is killed.
 */
export async function killTree(tree: ProcessTree): Promise<readonly number[]> {
  const deadline = performance.now() + PROCESS_LIMITS.killForMs;
  if (tree.leader !== null) signalGroup(tree.leader, 'SIGKILL');
  let { leader } = tree;
  for (;;) {
    const held = tree.cgroup?.kill() ?? [];
    const processes = await listProcesses();
    const members = treeMembers(processes, { ...tree, leader });
    for (const { pid } of members) signalProcess(pid, 'SIGKILL');
    const left = new Set([...held, ...members.map(({ pid }) => pid)]);
    if (left.size === 0 || performance.now() > deadline) return [...left];
    // The number of a session is not given away while a process is in it.
    if (!processes.some(({ session }) => session === leader)) leader = null;
    await delay(PROCESS_LIMITS.killRoundMs);
  }
}

/** The processes of the tree that run now. */
export async function findTree(tree: ProcessTree): Promise<KnownProcesses> {
  const members = treeMembers(await listProcesses(), tree);
  return new Map(members.map(({ pid, startedAt }) => [pid, startedAt]));
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

function treeMembers(processes: readonly ProcessEntry[], tree: ProcessTree): readonly ProcessEntry[] {
  const members = new Map<number, ProcessEntry>();
  for (const each of processes) {
    const isLed = each.group === tree.leader || each.session === tree.leader;
    const isKnown = tree.known.get(each.pid) === each.startedAt;
    if (isLed || isKnown || each.environment.has(tree.marker)) members.set(each.pid, each);
  }
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const each of processes) {
      if (members.has(each.parent)) members.set(each.pid, each);
    }
  }
  members.delete(process.pid);
  return [...members.values()];
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

/** Where the fields that are used stand in /proc/PID/stat, counted behind the name of the program. */
const STATE = 0;
const PARENT = 1;
const GROUP = 2;
const SESSION = 3;
const STARTED_AT = 19;

/** Null for a process that has ended, zombies included, and for one that `/proc` shows to its own account alone (`hidepid`): it is not ours. */
async function readProcess(pid: number): Promise<ProcessEntry | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may hold anything, parentheses too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[STATE] === 'Z' || fields[STATE] === 'X') return null;
    return {
      pid,
      parent: Number(fields[PARENT]),
      group: Number(fields[GROUP]),
      session: Number(fields[SESSION]),
      startedAt: fields[STARTED_AT] ?? '',
      environment: await readEnvironment(pid),
    };
  } catch (error) {
    if (UNSEEN.has(errorCode(error) ?? '')) return null;
    throw error;
  }
}

const UNSEEN = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

async function readEnvironment(pid: number): Promise<ReadonlySet<string>> {
  try {
    return new Set((await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0'));
  } catch (error) {
    if (errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM') return new Set();
    throw error;
  }
}
