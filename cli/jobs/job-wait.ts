import type { JobDetail } from '../../client/resources.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { EXIT, type ExitCode } from '../terminal/exit-codes.ts';
import { findJob } from '../client/lookup.ts';
import { outcome } from './outcome.ts';
import { silentProgress } from './progress.ts';
import { exitCodeOfJob, WAITING, waitForJob } from './waiting.ts';
import { printResult } from '../output/output.ts';
import { subjectOf } from '../output/subject.ts';

export interface JobWaitOptions extends ClientOptions {
  readonly any?: boolean;
}

/** `callsheet jobs watch` */
export async function watchJob(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  await outcome(context, await findJob(context.client, given), true);
}

/**
 * `callsheet jobs wait`: waits until all jobs have ended, or the first one with `--any`. Prints each as it ends. Sets the
 * exit status: that of the worst job, where failed is worse than canceled; with `--any` that of the job that ended.
 */
export async function waitForJobs(given: readonly string[], options: JobWaitOptions): Promise<void> {
  const context = contextOf(options);
  const ids: string[] = [];
  for (const each of given) ids.push(await findJob(context.client, each));
  const [only, another] = [...new Set(ids)];
  if (only !== undefined && another === undefined) return outcome(context, only, false);
  const stop = new AbortController();
  const waits = [...new Set(ids)].map((id) => waitForOne(context, id, stop.signal));
  try {
    if (options.any === true) return finish(context, [await Promise.race(waits)]);
    finish(context, await Promise.all(waits));
  } finally {
    stop.abort();
    // The waits that are left end with the signal.
    await Promise.allSettled(waits);
  }
}

async function waitForOne(context: ClientContext, id: string, signal: AbortSignal): Promise<JobDetail> {
  const { client, terminal, output } = context;
  const job = await waitForJob(client, id, silentProgress(terminal), WAITING, signal);
  // JSON is one document, printed at the end.
  if (output.format !== 'json')
    printResult(context, job, () => `${subjectOf(terminal, job)} ${job.status}\n`);
  return job;
}

function finish(context: ClientContext, jobs: readonly JobDetail[]): void {
  if (context.output.format === 'json') printResult(context, [...jobs], () => '');
  process.exitCode = worstExitCode(jobs);
}

/** Returns the exit status for several ended jobs: failed before canceled before completed. */
function worstExitCode(jobs: readonly JobDetail[]): ExitCode {
  const codes = jobs.map(exitCodeOfJob);
  return [EXIT.failed, EXIT.canceled].find((code) => codes.includes(code)) ?? EXIT.ok;
}
