import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './error-code.ts';
import { PROCESS_LIMITS } from './limits.ts';
import type { Cgroup } from './session-cgroup.ts';

/** A running process, from /proc. */
interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Start time: together with the pid it identifies a process. */
  readonly startedAt: string;
  /** Environment at its start; empty if it is not readable. */
  readonly environment: ReadonlySet<string>;
}

/** Processes by pid, with their start times. */
export type KnownProcesses = ReadonlyMap<number, string>;

/**
 * Processes that belong together: all with the marker in their environment, those in the control group, the process
 * group and session of the leader, earlier known ones, and the children of all these.
 */
export interface ProcessTree {
  /** An entry `NAME=value` of the environment. */
  readonly marker: string;
  readonly cgroup: Cgroup | null;
  /**
   * The first process, which leads a process group and a session; null if it ended some time ago, because its number
   * may have been reused.
   */
  readonly leader: number | null;
  readonly known: KnownProcesses;
  /**
   * Start time before which no process of the tree was started, in clock ticks since the start of the machine; null if
   * unknown.
   */
  readonly since: number | null;
}

/** Returns the start time of a process, in clock ticks since the start of the machine; null if unknown. */
export function startOf(pid: number): number | null {
  const stat = readStat(pid);
  return stat === null ? null : Number(stat[STARTED_AT]);
}

/**
 * Kills the tree with SIGKILL until no process is left. Returns the processes that could not be ended in
 * `PROCESS_LIMITS.killForMs`: usually none, except for processes that the kernel does not release. Without /proc only
 * the group is killed.
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
    // The number of a session is not reused while a process is in it.
    if (!processes.some(({ session }) => session === leader)) leader = null;
    await delay(PROCESS_LIMITS.killRoundMs);
  }
}

/**
 * Reports whether the tree has visibly exited. A process cannot leave a control group by itself. One that was moved out
 * may still be in the process group of the leader, which is killed. False without control groups.
 */
export const hasExited = ({ cgroup, leader }: ProcessTree): boolean =>
  cgroup?.isEmpty() === true && (leader === null || !signalGroup(leader, 'SIGKILL'));

/** Returns the running processes of the tree. */
export async function findTree(tree: ProcessTree): Promise<KnownProcesses> {
  const members = treeMembers(await listProcesses(tree.since), tree);
  return new Map(members.map(({ pid, startedAt }) => [pid, startedAt]));
}

/** Signals each process of the group; returns false if there is none. */
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

/** `since`: processes with an earlier start are skipped after reading their start. */
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

/** Indices of the used fields in /proc/PID/stat, after the name of the program. */
const STATE = 0;
const PARENT = 1;
const GROUP = 2;
const SESSION = 3;
const STARTED_AT = 19;

/**
 * Returns null for a process that has ended, including zombies, and for one that `/proc` hides (`hidepid`), which
 * cannot be one of this worker.
 */
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

/**
 * Returns the fields after the name of the program, which is in parentheses and may contain any characters; null if it
 * is not readable.
 */
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

/** Returns an empty set if it is not readable; null if the process has ended. */
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
