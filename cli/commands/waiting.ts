import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';
import type { JobView } from './progress.ts';
import type { JobDetail, JobStatus } from '../../client/resources.ts';
import type { TaggedAnswer } from '../../client/rest.ts';
import type { RestClient } from './rest-client.ts';
import { printable } from './terminal.ts';

/** How often a job is asked for: soon again after a change, and less and less often while nothing changes. */
export interface Pace {
  readonly firstMs: number;
  readonly lastMs: number;
}

const GROWTH = 1.5;

/** For who looks on. */
export const WATCHING: Pace = { firstMs: 500, lastMs: 2_000 };
/** For scripts, of which many may share the rate limit of one address. */
export const WAITING: Pace = { firstMs: 500, lastMs: 5_000 };

/** Milliseconds until the job is asked for again, when the last `unchanged` answers told nothing new. */
export const pauseMs = ({ firstMs, lastMs }: Pace, unchanged: number): number =>
  Math.min(lastMs, Math.round(firstMs * GROWTH ** unchanged));

const ENDED: ReadonlySet<JobStatus> = new Set(['completed', 'failed', 'canceled']);

/**
 * Waits until a job is completed, failed or canceled, and gives its last state. Goes on while the service is away as long as
 * a restart takes.
 */
export async function waitForJob(
  client: RestClient,
  jobId: string,
  view: JobView,
  pace: Pace,
): Promise<JobDetail> {
  let etag: string | null = null;
  let unchanged = 0;
  let wasPaused = false;
  try {
    for (;;) {
      const known: string | null = etag;
      const changed: TaggedAnswer<JobDetail> | null = await retryWhileUnavailable(
        () => client.ifChanged(known, '/jobs/{id}', { path: { id: jobId } }),
        () => view.note(`waiting for the service at ${client.url}`),
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
      await delay(pauseMs(pace, unchanged));
    }
  } finally {
    view.end();
  }
}

/** How a command that waited for a job exits. */
export function exitCodeOfJob({ status }: Pick<JobDetail, 'status'>): ExitCode {
  if (status === 'completed') return EXIT.ok;
  return status === 'canceled' ? EXIT.canceled : EXIT.failed;
}
