import { readdirSync } from 'node:fs';
import { processFile } from '../kit/process-file.ts';

/** Returns the running processes that a worker with this directory has started, without zombies. */
export function startedBy(workerDirectory: string): number[] {
  const mark = `CALLSHEET_WORKER_DIR=${workerDirectory}`;
  return pids().filter((pid) => processFile(pid, 'environ').split('\0').includes(mark) && !isZombie(pid));
}

/** Returns the resident memory of a process, or 0 if it has exited. */
export function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(processFile(pid, 'status'))?.[1] ?? 0) / 1024;
}

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);

const isZombie = (pid: number): boolean => /^State:\s+[ZX]/m.test(processFile(pid, 'status'));

/** Returns a process with its descendants, except those that were re-parented. */
export function descendants(pid: number): number[] {
  const parents = new Map(
    pids().map((each) => [each, Number(/^PPid:\s+(\d+)/m.exec(processFile(each, 'status'))?.[1])]),
  );
  const found = new Set([pid]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const [each, parent] of parents) if (found.has(parent)) found.add(each);
  }
  return [...found];
}
