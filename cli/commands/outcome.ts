import { printJson, type ClientContext } from './client-command.ts';
import { CommandError } from './exit-codes.ts';
import { printFailure } from './failing-log.ts';
import { ProgressView, silentProgress } from './progress.ts';
import { printableLines } from './terminal.ts';
import { WAITING, WATCHING, exitCodeOfJob, waitForJob } from './waiting.ts';

/**
 * Waits for the end of a job, with a picture of its progress or without, prints how it ended, and has the command exit
 * accordingly. With the picture goes what the first failed task wrote last; that it cannot be told changes no outcome.
 */
export async function outcome(
  { client, terminal, json }: ClientContext,
  jobId: string,
  watches: boolean,
): Promise<void> {
  const job = watches
    ? await waitForJob(client, jobId, new ProgressView(terminal), WATCHING)
    : await waitForJob(client, jobId, silentProgress(terminal), WAITING);
  if (watches) {
    try {
      await printFailure(client, terminal, job);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      terminal.err(`could not list the failed tasks: ${printableLines(error.message)}\n`);
    }
  }
  if (json) printJson(terminal, job);
  else terminal.out(`${job.id} ${job.status}\n`);
  process.exitCode = exitCodeOfJob(job);
}
