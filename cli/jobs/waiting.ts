import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, type ExitCode } from '../terminal/exit-codes.ts';
import { retryWhileUnavailable } from '../client/retry-while-unavailable.ts';
import type { JobView } from './progress.ts';
import type { JobDetail, JobStatus } from '../../client/resources.ts';
import type { TaggedAnswer } from '../../client/rest.ts';
import type { RestClient } from '../client/rest-client.ts';
import { printable } from '../terminal/terminal.ts';

/** Intervals at which a job is requested: short after a change, longer while nothing changes. */
export interface Pace {
  readonly firstMs: number;
  readonly lastMs: number;
}

const GROWTH = 1.5;

/** For users who watch the progress. */
export const WATCHING: Pace = { firstMs: 500, lastMs: 2_000 };
/** For scripts, many of which may share the rate limit of one address. */
export const WAITING: Pace = { firstMs: 500, lastMs: 5_000 };

/** Returns the delay in milliseconds before the next request, after `unchanged` responses without a change. */
export const pauseMs = ({ firstMs, lastMs }: Pace, unchanged: number): number =>
  Math.min(lastMs, Math.round(firstMs * GROWTH ** unchanged));

const ENDED: ReadonlySet<JobStatus> = new Set(['completed', 'failed', 'canceled']);

/**
 * Waits until a job is completed, failed or canceled, and returns its last state. Continues through outages as long as
 * those of a restart. Rejects with the reason of `signal` when it is aborted.
 */
export async function waitForJob(
  client: RestClient,
  jobId: string,
  view: JobView,
  pace: Pace,
  signal?: AbortSignal,
): Promise<JobDetail> {
  let etag: string | null = null;
  let unchanged = 0;
  let wasPaused = false;
  try {
    for (;;) {
      const known: string | null = etag;
      const changed: TaggedAnswer<JobDetail> | null = await retryWhileUnavailable(
        () => client.ifChanged(known, '/jobs/{id}', { path: { id: jobId }, signal }),
        () => view.note(`waiting for the server at ${client.url}`),
      );
      unchanged = changed === null ? unchanged + 1 : 0;
      if (changed !== null) {
        const job = changed.body;
        etag = changed.etag;
        view.show(job);
        if (ENDED.has(job.status)) return job;
        if (job.status === 'paused' && !wasPaused)
          view.note(`paused: ${printable(job.park_reason ?? 'by a user')}`);
        wasPaused = job.status === 'paused';
      }
      await delay(pauseMs(pace, unchanged), undefined, { signal });
    }
  } finally {
    view.end();
  }
}

/** Returns the exit status of a command that waited for a job. */
export function exitCodeOfJob({ status }: Pick<JobDetail, 'status'>): ExitCode {
  if (status === 'completed') return EXIT.ok;
  return status === 'canceled' ? EXIT.canceled : EXIT.failed;
}
