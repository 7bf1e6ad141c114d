import type { Command } from 'commander';
import type { BodyOf } from '../../client/rest-calls.ts';
import { contextOf, type ClientContext } from '../client/client-command.ts';
import { farmOf, queueOf } from '../client/default-place.ts';
import { findFarm, findJob } from '../client/lookup.ts';
import { capChanges } from '../options/caps.ts';
import { retryChanges } from '../options/retry-options.ts';
import { findUpstreams } from '../submission/job-place.ts';
import { withFlags } from '../submission/parameter-flags.ts';
import {
  givenEnvironments,
  givenParameters,
  sendSubmission,
  submissionOptions,
  type SubmissionOptions,
} from '../submission/submission.ts';
import { explainedRequest, type SubmitRequest } from '../submission/submit-once.ts';

interface CloneOptions extends SubmissionOptions {
  readonly name?: string;
}

type CloneBody = BodyOf<'post', '/jobs/{id}/clone'>;

/** Adds the options of `callsheet jobs clone`. */
export const cloneOptions = (command: Command): Command =>
  submissionOptions(
    command.option('--name <name>', 'name of the new job, instead of that of the template'),
    'the farm and the queue of the job if absent',
  );

/**
 * Submits the template of a job again, with its values of parameters, its queue, project, priority and own settings for
 * retries, and the environment templates that were sent with it; options change them. Jobs that it depended on and its owner are left out.
 */
export async function cloneJob(given: string, options: CloneOptions): Promise<void> {
  const context = contextOf(options);
  const { client } = context;
  const id = await findJob(client, given);
  const parameters = await givenParameters(context, options, []);
  const body: CloneBody = {
    ...(await placeOf(context, id, options)),
    ...retryChanges(options),
    name: options.name,
    priority: options.priority,
    project: options.project,
    owner: options.owner,
    paused: options.paused,
    start_after: options.startAfter,
    ...capChanges(options),
    parameters: Object.fromEntries(parameters),
    environments: await givenEnvironments(options),
  };
  const path = { id };
  const request: SubmitRequest = {
    create: (headers) => client.call('post', '/jobs/{id}/clone', { path, headers, body }),
    preview: () => client.call('post', '/jobs/{id}/clone', { path, query: { dry_run: true }, body }),
  };
  const explained = explainedRequest(request, (error) => withFlags(error, parameters));
  await sendSubmission(context, explained, options);
}

/** Returns the members of the body about the place of the new job; none for that of the job. */
async function placeOf(
  context: ClientContext,
  id: string,
  { farm: givenFarm, queue: givenQueue, dependsOn }: CloneOptions,
): Promise<Pick<CloneBody, 'farm_id' | 'queue_id' | 'depends_on'>> {
  const { client } = context;
  if (givenFarm === undefined && givenQueue === undefined && dependsOn.length === 0) return {};
  const farm =
    givenFarm === undefined
      ? await findFarm(client, (await client.call('get', '/jobs/{id}', { path: { id } })).farm_id)
      : await farmOf(context, givenFarm);
  const isElsewhere = givenFarm !== undefined || givenQueue !== undefined;
  return {
    ...(isElsewhere && { farm_id: farm.id, queue_id: (await queueOf(context, farm, givenQueue)).id }),
    depends_on: await findUpstreams(context, farm, dependsOn),
  };
}
