import { readFileSync } from 'node:fs';

/** Reports whether a process with this ID runs (a zombie does not). */
export function isProcessAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
