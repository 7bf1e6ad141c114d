import { retryOverride } from '../views/retry-view.ts';
import type { JobRequest } from './create-job.ts';
import { digestOf } from './idempotent-submit.ts';
import type { Call, Handler } from './operation.ts';
import { submissionHandler } from './submission-handler.ts';

const PARAMETER_PREFIX = 'param.';

/** docs/contract/submission.md */
export const submitJob = (): Handler<'submitJob'> => submissionHandler<'submitJob'>(requestOf, fingerprintOf);

const requestOf = ({ query, body, principal, client }: Call<'submitJob'>): JobRequest => ({
  principal,
  client,
  pointer: '/query',
  farmId: query.farm_id,
  queueId: query.queue_id,
  owner: query.owner,
  project: query.project ?? '',
  priority: query.priority,
  retry: retryOverride(query),
  dependsOn: query.depends_on ?? [],
  isPaused: query.paused ?? false,
  startAfter: query.start_after,
  jobName: '',
  text: body.text,
  format: body.mediaType === 'application/json' ? 'json' : 'yaml',
  values: parameterValues(query),
  product: null,
});

function parameterValues(query: Call<'submitJob'>['query']): Record<string, string> {
  const members = Object.entries(query.parameters ?? {});
  return Object.fromEntries(members.map(([name, value]) => [name.slice(PARAMETER_PREFIX.length), value]));
}

/** Returns the same text for the same request, in any order of its parameters. */
function fingerprintOf({ query, body }: Call<'submitJob'>): string {
  const { parameters = {}, dry_run: _isDryRun, ...rest } = query;
  const sorted = [...Object.entries(rest), ...Object.entries(parameters)].sort(([a], [b]) =>
    a < b ? -1 : a > b ? 1 : 0,
  );
  return digestOf([JSON.stringify(sorted), body.mediaType, body.text]);
}
