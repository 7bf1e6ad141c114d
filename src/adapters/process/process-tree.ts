import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
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
  /** Nothing of it was started before this process was, in clock ticks since the start of the machine; null when that is not known. */
  readonly since: number | null;
}

/** When a process was started, in clock ticks since the start of the machine; null when that cannot be seen. */
export function startOf(pid: number): number | null {
  const stat = readStat(pid);
  return stat === null ? null : Number(stat[STARTED_AT]);
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
    const processes = await listProcesses(tree.since);
    const members = treeMembers(processes, { ...tree, leader });
    for (const { pid } of members) signalProcess(pid, 'SIGKILL');
    const left = new Set([...held, ...members.map(({ pid }) => pid)]);
    if (left.size === 0 || performance.now() > deadline) return [...left];
    // The number of a session is not given away while a process is in it.
    if (!processes.some(({ session }) => session === leader)) leader = null;
    await delay(PROCESS_LIMITS.killRoundMs);
  }
}

/**
 * Whether nothing of the tree is left, as far as can be seen at a glance: what is in a control group does not get out of it by itself, and what was
 * taken out on purpose may still be in the process group of the leader, which is killed. False where there are no control groups.
 */
export const hasExited = ({ cgroup, leader }: ProcessTree): boolean =>
  cgroup?.isEmpty() === true && (leader === null || !signalGroup(leader, 'SIGKILL'));

/** The processes of the tree that run now. */
export async function findTree(tree: ProcessTree): Promise<KnownProcesses> {
  const members = treeMembers(await listProcesses(tree.since), tree);
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

/** `since`: processes that were started earlier are left out, unread but for their start. */
async function listProcesses(since: number | null): Promise<readonly ProcessEntry[]> {
  const pids = (await entriesOfProc()).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  const processes: ProcessEntry[] = [];
  for (const [index, pid] of pids.entries()) {
    const each = readProcess(pid, since);
    if (each !== null) processes.push(each);
    if ((index + 1) % PROCESS_LIMITS.procReadsAtOnce === 0) await turn();
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
function readProcess(pid: number, since: number | null): ProcessEntry | null {
  const fields = readStat(pid);
  if (fields === null || fields[STATE] === 'Z' || fields[STATE] === 'X') return null;
  const startedAt = fields[STARTED_AT] ?? '';
  if (since !== null && Number(startedAt) < since) return null;
  const environment = readEnvironment(pid);
  if (environment === null) return null;
  return {
    pid,
    parent: Number(fields[PARENT]),
    group: Number(fields[GROUP]),
    session: Number(fields[SESSION]),
    startedAt,
    environment,
  };
}

/** Longer than any /proc/PID/stat. */
const statBuffer = Buffer.allocUnsafe(4096);

/** The fields behind the name of the program, which is in parentheses and may hold anything, parentheses too; null when it cannot be seen. */
function readStat(pid: number): readonly string[] | null {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      const stat = statBuffer.toString('latin1', 0, readSync(file, statBuffer));
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (UNSEEN.has(errorCode(error) ?? '')) return null;
    throw error;
  }
}

const UNSEEN = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/** Empty when it may not be read; null when the process has ended. */
function readEnvironment(pid: number): ReadonlySet<string> | null {
  try {
    return new Set(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'));
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'EACCES' || code === 'EPERM') return new Set();
    if (UNSEEN.has(code)) return null;
    throw error;
  }
}
