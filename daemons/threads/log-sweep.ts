import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JobId } from '../../src/core/ids.ts';
import type { LogStoreWriter } from '../../src/core/ports/log-store.ts';
import type { KnownJobs } from './known-jobs.ts';
import type { LogRemoval } from './log-removal.ts';

/** Interval of the sweeps of a node of a cluster. */
export const LOG_SWEEP_MS = 600_000;
/** Jobs that are looked up in one turn. */
const JOBS_AT_ONCE = 500;

interface SweepParts {
  readonly writer: Pick<LogStoreWriter, 'loggedJobs'>;
  readonly jobs: Pick<KnownJobs, 'exists' | 'forget'>;
  readonly removal: Pick<LogRemoval, 'remove'>;
}

/**
 * Removes the logs of all jobs that are not in the state store. On the nodes of a cluster only the owner learns of a deletion by a
 * message; the others find it by this. The state must be current: a job is in it before its first chunk is stored.
 *
 * @returns The number of jobs whose logs were removed.
 */
export async function sweepLogs({ writer, jobs, removal }: SweepParts): Promise<number> {
  let removed = 0;
  let after: JobId | null = null;
  for (;;) {
    const logged: readonly JobId[] = writer.loggedJobs(after, JOBS_AT_ONCE);
    for (const job of logged) {
      if (jobs.exists(job)) continue;
      jobs.forget(job);
      await removal.remove(job);
      removed += 1;
    }
    after = logged.at(-1) ?? null;
    if (logged.length < JOBS_AT_ONCE) return removed;
    await nextTurn();
  }
}
