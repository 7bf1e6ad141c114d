import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Resource usage of a process. */
export interface ProcessUsage {
  /** Resident memory, shared pages included. */
  readonly residentMib: number;
  /** Since the start of the process. */
  readonly cpuSeconds: number;
}

const KIB_PER_MIB = 1024;
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Reads /proc (proc(5)): Linux only. */
export function usageOf(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return { residentMib: Number(resident) / KIB_PER_MIB, cpuSeconds: secondsOf(`/proc/${pid}/stat`) };
}

/** Processor time of one thread of a process since its start. The main thread has the id of the process. */
export const threadSecondsOf = (pid: number, thread: number): number =>
  secondsOf(`/proc/${pid}/task/${thread}/stat`);

function secondsOf(path: string): number {
  // The name in parentheses may contain blanks; the two times are fields 14 and 15.
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/**
 * Returns the child of a process that runs a program of this name (its first 15 characters). Throws if there is none.
 */
export function childOf(pid: number, program: string): number {
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ');
    for (const child of children) {
      if (child !== '' && readFileSync(`/proc/${child}/comm`, 'utf8').trim() === program)
        return Number(child);
    }
  }
  throw new Error(`process ${pid} runs no ${program}`);
}
