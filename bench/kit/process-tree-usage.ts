import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process and all its descendants, in seconds since its start. */
interface TreeUsage {
  /** Its own threads. */
  readonly own: number;
  /** Its descendants: those that it has waited for, and those that still run. */
  readonly children: number;
}

interface Row {
  readonly parent: number;
  readonly name: string;
  readonly own: number;
  readonly waited: number;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Reads /proc (proc(5)): Linux only. */
export function treeUsageOf(pid: number): TreeUsage {
  const rows = allProcesses();
  const root = rows.get(pid);
  if (root === undefined) throw new Error(`process ${pid} has exited`);
  let children = root.waited;
  for (const [each, row] of rows)
    if (each !== pid && descendsFrom(rows, each, pid)) children += row.own + row.waited;
  return { own: root.own / ticksPerSecond, children: children / ticksPerSecond };
}

/** Returns the child of a process that runs a program of this name. Throws if there is none. */
export function childNamed(parent: number, name: string): number {
  for (const [pid, row] of allProcesses()) if (row.parent === parent && row.name === name) return pid;
  throw new Error(`process ${parent} has no child ${name}`);
}

function descendsFrom(rows: ReadonlyMap<number, Row>, pid: number, ancestor: number): boolean {
  for (let at = rows.get(pid)?.parent; at !== undefined; at = rows.get(at)?.parent)
    if (at === ancestor) return true;
  return false;
}

function allProcesses(): ReadonlyMap<number, Row> {
  const rows = new Map<number, Row>();
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    const row = readRow(name);
    if (row !== null) rows.set(Number(name), row);
  }
  return rows;
}

/** Returns null if it has ended meanwhile. */
function readRow(pid: string): Row | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  const fields = stat
    .slice(close + 2)
    .split(' ')
    .map(Number);
  const at = (index: number): number => fields[index] ?? 0;
  return {
    parent: at(1),
    name: stat.slice(open + 1, close),
    own: at(11) + at(12),
    waited: at(13) + at(14),
  };
}
