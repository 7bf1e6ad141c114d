import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** A process, and the number of the core that all its threads shall run on. */
export interface CoreUse {
  readonly pid: number;
  readonly core: number;
}

/** Reports whether this machine can give processes cores of their own: two cores, and `taskset` of util-linux. */
export function canSeparateCores(): boolean {
  if (availableParallelism() < 2) return false;
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Lets all present and later threads of each process run on its core only. Throws if `taskset` refuses. */
export function useCores(uses: readonly CoreUse[]): void {
  for (const { pid, core } of uses)
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
}
