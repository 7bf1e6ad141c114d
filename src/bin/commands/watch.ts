import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { patiently } from './patience.ts';
import { ProgressView } from './progress.ts';
import type { JobDetail } from './resources.ts';
import type { RestClient } from './rest-client.ts';
import { printable, type Terminal } from './terminal.ts';

const POLL_MS = 500;

const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);

/** Shows the progress of a job until it is completed, failed or canceled, and gives its last state. */
export async function watchJob(client: RestClient, terminal: Terminal, jobId: string): Promise<JobDetail> {
  const view = new ProgressView(terminal);
  let parked = false;
  try {
    for (;;) {
      const job = await patiently(
        () => client.get<JobDetail>(`/jobs/${encodeURIComponent(jobId)}`),
        () => view.note(`waiting for the service at ${client.url}`),
      );
      view.show(job);
      if (TERMINAL.has(job.status)) return job;
      if (job.status === 'paused' && !parked)
        view.note(`paused: ${printable(job.park_reason ?? 'by a user')}`);
      parked = job.status === 'paused';
      await delay(POLL_MS);
    }
  } finally {
    view.end();
  }
}

/** How a command that waited for a job exits. */
export const exitCodeOfJob = (job: JobDetail): ExitCode =>
  job.status === 'completed' ? EXIT.ok : EXIT.failed;
