import { readFileSync } from 'node:fs';

/** A file of /proc about a process; empty when the process has ended (also since it was listed), or is not ours to look at. */
export function processFile(pid: number, file: 'cmdline' | 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  }
}
