import { done, type Outcome } from '../../src/core/problems.ts';
import type { TemplateText } from '../../src/core/records/job.ts';
import { retryOverride } from '../views/retry-view.ts';
import type { JobRequest } from './create-job.ts';
import { digestOf } from './idempotent-submit.ts';
import type { Call, Handler, ProblemReply } from './operation.ts';
import { capsOfQuery } from './sent-caps.ts';
import { readSubmission, SUBMISSION_TYPE } from './sent-environments.ts';
import { submissionHandler } from './submission-handler.ts';

const PARAMETER_PREFIX = 'param.';

/** docs/contract/submission.md */
export const submitJob = (): Handler<'submitJob'> => submissionHandler<'submitJob'>(requestOf, fingerprintOf);

/** The parts of a body: a template, and environment templates if its media type has them. */
interface SentTemplates extends TemplateText {
  readonly environments: readonly TemplateText[];
}

function requestOf(call: Call<'submitJob'>): JobRequest | ProblemReply {
  const sent = templatesOf(call.body);
  return sent.ok ? requestFor(call, sent.value) : { kind: 'problem', problem: sent.problem };
}

const requestFor = (
  { query, principal, client }: Call<'submitJob'>,
  { text, format, environments }: SentTemplates,
): JobRequest => ({
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
  caps: capsOfQuery(query),
  jobName: '',
  text,
  format,
  environments,
  values: parameterValues(query),
  product: null,
});

function templatesOf({ mediaType, text }: Call<'submitJob'>['body']): Outcome<SentTemplates> {
  if (mediaType === SUBMISSION_TYPE) return readSubmission(text);
  return done({ text, format: mediaType === 'application/json' ? 'json' : 'yaml', environments: [] });
}

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
