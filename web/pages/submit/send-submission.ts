import type { DryRun, Job } from '../../../client/resources.ts';
import type { Rest } from '../../../client/rest.ts';
import type { Submission } from './model/submission.ts';

interface Options {
  readonly isDryRun: boolean;
  /** Key of a request that creates a job only once. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

const PREFIX = 'param.';

/** Sends a submission by its route. Returns the job, or the preview of a dry run. */
export function sendSubmission(
  rest: Rest,
  { product, query, document, environments }: Submission,
  { isDryRun, key, signal }: Options,
): Promise<Job | DryRun> {
  const dryRun = isDryRun ? { dry_run: true } : {};
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  const more = signal === undefined ? {} : { signal };
  if (product === null)
    return rest.call('post', '/jobs', { query: { ...query, ...dryRun }, headers, document, ...more });
  const { parameters = {}, ...fields } = query;
  const values = Object.entries(parameters).map(([name, value]) => [name.slice(PREFIX.length), value]);
  return rest.call('post', '/products/{name}/jobs', {
    path: { name: product.name },
    query: dryRun,
    headers,
    body: {
      ...fields,
      ...(product.jobName.trim() !== '' && { name: product.jobName.trim() }),
      parameters: Object.fromEntries(values) as Record<string, string>,
      ...(environments.length > 0 && { environments }),
    },
    ...more,
  });
}
