import { readFileSync } from 'node:fs';

/** Reads a file of a process in /proc. Returns an empty string if the process has ended or is not accessible. */
export function processFile(pid: number, file: 'cmdline' | 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  }
}
