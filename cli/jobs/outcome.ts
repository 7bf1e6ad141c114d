import { printResult } from '../output/output.ts';
import { subjectOf } from '../output/subject.ts';
import type { ClientContext } from '../client/client-command.ts';
import { CommandError } from '../terminal/exit-codes.ts';
import { printFailure } from './failing-log.ts';
import { ProgressView, silentProgress } from './progress.ts';
import { printableLines } from '../terminal/terminal.ts';
import { WAITING, WATCHING, exitCodeOfJob, waitForJob } from './waiting.ts';

/**
 * Waits for the end of a job, with or without its progress, prints the outcome and sets the exit status. With progress,
 * also prints the end of the first failed task's log. A failure to read that log does not change the exit status.
 */
export async function outcome(context: ClientContext, jobId: string, watches: boolean): Promise<void> {
  const { client, terminal } = context;
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
  printResult(context, job, () => `${subjectOf(terminal, job)} ${job.status}\n`);
  process.exitCode = exitCodeOfJob(job);
}
