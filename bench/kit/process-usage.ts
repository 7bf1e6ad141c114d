import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Resources that a process uses. */
export interface ProcessUsage {
  /** Resident, with what it shares with others. */
  readonly residentMib: number;
  /** Since its start. */
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

/** Processor time of one thread of a process since its start; the main thread has the number of the process. */
export const threadSecondsOf = (pid: number, thread: number): number =>
  secondsOf(`/proc/${pid}/task/${thread}/stat`);

function secondsOf(path: string): number {
  // The name in brackets may hold blanks; the two times are the 14th and 15th field.
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The child of a process that runs a program of this name (the first 15 characters of it). Throws when there is none. */
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
