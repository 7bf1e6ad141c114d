import { ProblemError, ServiceUnreachable } from '../problem.ts';
import type { JobDetail, JobStatus } from '../resources.ts';
import type { Rest } from '../rest.ts';
import { backoffMs } from './backoff.ts';
import type { EventChannel } from './channel.ts';

const ENDED: ReadonlySet<JobStatus> = new Set(['completed', 'failed', 'canceled']);
/** Statuses of responses after which the request is repeated. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface WaitOptions {
  /** Ends the wait, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Called with the job at first, and whenever its status may have changed. */
  readonly onJob?: (job: JobDetail) => void;
}

/**
 * Waits until a job is completed, failed or canceled, and resolves with the job. Follows the events of `jobs` and
 * requests the job only after an event. Continues through outages of the service. Rejects with a `ProblemError` of
 * status 404 if the job does not exist or was deleted.
 */
export function waitForJob(
  rest: Rest,
  events: EventChannel,
  jobId: string,
  { signal, onJob }: WaitOptions = {},
): Promise<JobDetail> {
  const ending = new AbortController();
  const asking = AbortSignal.any(signal === undefined ? [ending.signal] : [ending.signal, signal]);
  return new Promise<JobDetail>((resolve, reject) => {
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
    let isAsking = false;
    let isStale = false;
    let failures = 0;
    const look = async (): Promise<void> => {
      isStale = true;
      if (isAsking) return;
      isAsking = true;
      while (isStale && !asking.aborted) {
        isStale = false;
        try {
          const job = await rest.call('get', '/jobs/{id}', { path: { id: jobId }, signal: asking });
          failures = 0;
          onJob?.(job);
          if (ENDED.has(job.status)) {
            resolve(job);
            return;
          }
        } catch (error) {
          if (!isPassing(error)) throw error;
          isStale = true;
          failures += 1;
          await pause(backoffMs(failures, Math.random), asking);
        }
      }
      isAsking = false;
    };
    const lookSoon = (): void => {
      look().catch(fail);
    };
    const leave = events.subscribe('jobs', {
      ready: lookSoon,
      gap: lookSoon,
      events: (list) => {
        if (list.some(({ payload }) => payload.job_id === jobId)) lookSoon();
      },
      refused: (reason) => fail(new Error(`the events of jobs are not available: ${reason}`)),
    });
    const forget = events.onState(({ kind }) => {
      if (kind === 'closed') fail(new Error('the event channel was closed'));
    });
    ending.signal.addEventListener('abort', () => {
      leave();
      forget();
    });
    const aborted = (): void => fail(signal?.reason);
    signal?.addEventListener('abort', aborted, { signal: ending.signal });
    if (signal?.aborted === true) aborted();
    if (events.state.kind === 'closed') fail(new Error('the event channel was closed'));
  }).finally(() => ending.abort());
}

const isPassing = (error: unknown): boolean =>
  error instanceof ServiceUnreachable || (error instanceof ProblemError && PASSING.has(error.status));

/** Resolves after `ms` milliseconds, or when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
