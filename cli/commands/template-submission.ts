import type { Job } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import { findPlace, type Place } from './job-place.ts';
import type { RestClient } from './rest-client.ts';
import { submitOnce, type SubmitRequest } from './submit-once.ts';
import { readTemplateFile } from './template-file.ts';

/** A job to submit from a template. Farm, queue and jobs are as given on the command line. */
export interface Submission extends Place {
  /** Path of the template; `-` reads standard input. */
  readonly template: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly options: Omit<
    QueryOf<'post', '/jobs'>,
    'farm_id' | 'queue_id' | 'depends_on' | 'parameters' | 'dry_run'
  >;
}

/** Submits a job from a template: see `submitOnce`. */
export const submitJob = async (
  client: RestClient,
  submission: Submission,
  onOutage: () => void,
): Promise<Job> => submitOnce(client, await templateRequest(client, submission), onOutage);

/** Returns the request of a submission from a template. */
export async function templateRequest(client: RestClient, submission: Submission): Promise<SubmitRequest> {
  const { text, format } = await readTemplateFile(submission.template);
  const place = await findPlace(client, submission);
  const parameters = [...submission.parameters].map(([name, value]) => [`param.${name}`, value] as const);
  const query = { ...place, ...submission.options, parameters: Object.fromEntries(parameters) };
  const document = { type: format === 'json' ? 'application/json' : 'application/x-yaml', text } as const;
  return {
    create: (headers) => client.call('post', '/jobs', { query, document, headers }),
    preview: () => client.call('post', '/jobs', { query: { ...query, dry_run: true }, document }),
  };
}
