import type { CallArguments, QueryOf } from '../../../../client/rest-calls.ts';
import { utcOfLocal } from '../../../parts/local-time.ts';
import type { Draft, SentEnvironment } from './draft.ts';
import { integerIn } from './numbers.ts';
import type { DocumentFormat } from './plain-tree.ts';
import type { TemplateOutline } from './read-template.ts';
import { submittedValues } from './values.ts';

/** The request that submits a job: POST /jobs, or with a product POST /products/{name}/jobs. */
export interface Submission {
  /** Null for a template of the user. */
  readonly product: { readonly name: string; readonly jobName: string } | null;
  readonly query: Omit<QueryOf<'post', '/jobs'>, 'step_max_concurrent_tasks'>;
  readonly document: CallArguments<'post', '/jobs'>[0]['document'];
  /** Environment templates that are sent with the job. */
  readonly environments: readonly SentEnvironment[];
}

/** Limit below the 64 KiB of a request head, which has other small parts. */
const MAX_QUERY_LENGTH = 60_000;
const PREFIX = 'param.';

/** Returns the request of a draft. `product` is the name of the product, or null for a template of the user. */
export function submissionOf(
  draft: Draft,
  outline: TemplateOutline,
  format: DocumentFormat,
  product: string | null = null,
): Submission {
  const values = Object.entries(submittedValues(outline.definitions, draft.values));
  return {
    product: product === null ? null : { name: product, jobName: draft.jobName },
    query: {
      farm_id: draft.farmId,
      queue_id: draft.queueId,
      ...given('project', draft.project),
      ...given('owner', draft.owner.trim()),
      ...number('priority', draft.priority),
      ...number('max_attempts', draft.maxAttempts),
      ...number('retry_delay_seconds', draft.retryDelaySeconds),
      ...number('failure_limit', draft.failureLimit),
      ...number('max_concurrent_tasks', draft.maxConcurrentTasks),
      ...(draft.dependsOn.length > 0 && { depends_on: draft.dependsOn.map(({ id }) => id) }),
      ...(draft.isPaused && { paused: true }),
      ...given('start_after', utcOfLocal(draft.startAfter) ?? ''),
      ...(values.length > 0 && {
        parameters: Object.fromEntries(values.map(([name, value]) => [PREFIX + name, value])),
      }),
    },
    document: documentOf(draft, format),
    environments: draft.environments,
  };
}

/** Returns the body: the template, or the template with environment templates. */
function documentOf({ text, environments }: Draft, format: DocumentFormat): Submission['document'] {
  if (environments.length > 0)
    return {
      type: 'application/vnd.callsheet.submission+json',
      text: JSON.stringify({ template: text, format, environments }),
    };
  return { type: format === 'json' ? 'application/json' : 'application/x-yaml', text };
}

const given = <Name extends string>(name: Name, text: string): Partial<Record<Name, string>> =>
  (text === '' ? {} : { [name]: text }) as Partial<Record<Name, string>>;

const number = <Name extends string>(name: Name, text: string): Partial<Record<Name, number>> =>
  (typeof integerIn(text) === 'bigint' ? { [name]: Number(text) } : {}) as Partial<Record<Name, number>>;

interface NumberRule {
  readonly min: number;
  readonly max: number;
}

/** Limits of the number fields (docs/contract/rest.md). */
export const NUMBER_RULES = {
  priority: { min: -2147483648, max: 2147483647 },
  maxAttempts: { min: 1, max: 65535 },
  retryDelaySeconds: { min: 0, max: 31_536_000 },
  failureLimit: { min: 0, max: 2147483647 },
  maxConcurrentTasks: { min: 0, max: 999_999_999 },
} as const satisfies Partial<Record<keyof Draft, NumberRule>>;

export type NumberName = keyof typeof NUMBER_RULES;

const MAX_LABEL_LENGTH = 255;
const MAX_JOB_NAME_LENGTH = 128;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Names in the request of all fields except the parameters. */
export const QUERY_NAMES = {
  jobName: 'name',
  farmId: 'farm_id',
  queueId: 'queue_id',
  project: 'project',
  owner: 'owner',
  priority: 'priority',
  maxAttempts: 'max_attempts',
  retryDelaySeconds: 'retry_delay_seconds',
  failureLimit: 'failure_limit',
  maxConcurrentTasks: 'max_concurrent_tasks',
  dependsOn: 'depends_on',
  startAfter: 'start_after',
} as const;

export type DestinationField = keyof typeof QUERY_NAMES;

/** Returns the problems of all fields except the parameters, by field name. */
export function destinationProblems(draft: Draft): ReadonlyMap<DestinationField, string> {
  const problems = new Map<DestinationField, string>();
  if (draft.farmId === '') problems.set('farmId', 'Choose a farm.');
  if (draft.queueId === '') problems.set('queueId', 'Choose a queue.');
  for (const name of ['project', 'owner'] as const) {
    if (draft[name].length > MAX_LABEL_LENGTH)
      problems.set(name, `Must have at most ${MAX_LABEL_LENGTH} characters.`);
    else if (CONTROL.test(draft[name])) problems.set(name, 'Must not contain control characters.');
  }
  if ([...draft.jobName].length > MAX_JOB_NAME_LENGTH)
    problems.set('jobName', `Must have at most ${MAX_JOB_NAME_LENGTH} characters.`);
  else if (CONTROL.test(draft.jobName)) problems.set('jobName', 'Must not contain control characters.');
  for (const name of Object.keys(NUMBER_RULES) as NumberName[]) {
    const problem = numberProblem(NUMBER_RULES[name], draft[name]);
    if (problem !== null) problems.set(name, problem);
  }
  return problems;
}

function numberProblem({ min, max }: NumberRule, text: string): string | null {
  if (text === '') return null;
  const value = integerIn(text);
  if (value === null) return 'Enter a whole number.';
  if (value === 'range' || value > max) return `Must be at most ${max}.`;
  return value < min ? `Must be at least ${min}.` : null;
}

/** Returns an error text if the values are too long for a request, else null. */
export function lengthProblem({ query, product }: Submission): string | null {
  // The values of a product are in the body.
  if (product !== null) return null;
  const pairs = [
    ...Object.entries(query.parameters ?? {}),
    ...(query.depends_on ?? []).map((id) => ['depends_on', id]),
  ];
  const length = new URLSearchParams(pairs).toString().length;
  if (length <= MAX_QUERY_LENGTH) return null;
  return `The values have ${length.toLocaleString('en')} characters. The limit is ${MAX_QUERY_LENGTH.toLocaleString('en')}. Move long lists to a file and pass its path, or to a default of the template.`;
}
