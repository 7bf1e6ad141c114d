import { readFileSync } from 'node:fs';

/** Whether a process with this id runs (a zombie does not). */
export function isProcessAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
