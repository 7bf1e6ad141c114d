import type { Command } from 'commander';
import { contextOf } from '../client/client-command.ts';
import { findJob } from '../client/lookup.ts';
import { retryChanges } from '../options/retry-options.ts';
import {
  givenParameters,
  sendSubmission,
  submissionOptions,
  type SubmissionOptions,
} from '../submission/submission.ts';
import { formatOfText } from '../submission/template-file.ts';
import { templateRequest } from '../submission/template-submission.ts';

/** Adds the options of `callsheet jobs clone`. */
export const cloneOptions = (command: Command): Command =>
  submissionOptions(command, 'the farm and the queue of the job if absent');

/**
 * Submits the template of a job again, with its values of parameters, its queue, project, priority and own settings for
 * retries; options change them. Jobs that it depended on and its owner are left out.
 */
export async function cloneJob(given: string, options: SubmissionOptions): Promise<void> {
  const context = contextOf(options);
  const { client } = context;
  const path = { id: await findJob(client, given) };
  const job = await client.call('get', '/jobs/{id}', { path });
  const text = await client.run((rest) => rest.text('/jobs/{id}/template', { path }));
  const { farm, queue, priority = job.priority, project = job.project, owner, paused, dependsOn } = options;
  const { startAfter } = options;
  const retry = retryChanges(options);
  const request = await templateRequest(context, {
    file: { name: `template of job ${job.name}`, text, format: formatOfText(text) },
    // A farm that is given has other queues than that of the job.
    farm: farm ?? job.farm_id,
    queue: queue ?? (farm === undefined ? job.queue_id : undefined),
    dependsOn,
    parameters: await givenParameters(context, options, Object.entries(job.parameters ?? {})),
    options: {
      priority,
      max_attempts: retry.max_attempts ?? job.own_retry?.max_attempts,
      retry_delay_seconds: retry.retry_delay_seconds ?? job.own_retry?.retry_delay_seconds,
      failure_limit: retry.failure_limit ?? job.own_retry?.failure_limit,
      ...(project !== '' && { project }),
      owner,
      paused,
      start_after: startAfter,
    },
  });
  await sendSubmission(context, request, options);
}
