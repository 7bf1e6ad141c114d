import type { QueryOf } from '../../../../client/rest-calls.ts';
import type { Draft } from './draft.ts';
import { integerIn } from './numbers.ts';
import type { DocumentFormat } from './plain-tree.ts';
import type { TemplateOutline } from './read-template.ts';
import { submittedValues } from './values.ts';

/** A request to submit, as the contract has it (POST /jobs). */
export interface Submission {
  readonly query: QueryOf<'post', '/jobs'>;
  readonly document: { readonly type: 'application/json' | 'application/x-yaml'; readonly text: string };
}

/** The head of a request may have 64 KiB; the rest of it is small. */
const QUERY_LENGTH_MAX = 60_000;
const PREFIX = 'param.';

/** The request that says what was entered. */
export function submissionOf(draft: Draft, outline: TemplateOutline, format: DocumentFormat): Submission {
  const values = Object.entries(submittedValues(outline.definitions, draft.values));
  return {
    query: {
      farm_id: draft.farmId,
      queue_id: draft.queueId,
      ...given('project', draft.project),
      ...given('owner', draft.owner.trim()),
      ...number('priority', draft.priority),
      ...number('max_attempts', draft.maxAttempts),
      ...number('retry_delay_seconds', draft.retryDelaySeconds),
      ...number('failure_limit', draft.failureLimit),
      ...(draft.dependsOn.length > 0 && { depends_on: draft.dependsOn.map(({ id }) => id) }),
      ...(values.length > 0 && {
        parameters: Object.fromEntries(values.map(([name, value]) => [PREFIX + name, value])),
      }),
    },
    document: { type: format === 'json' ? 'application/json' : 'application/x-yaml', text: draft.text },
  };
}

const given = <Name extends string>(name: Name, text: string): Partial<Record<Name, string>> =>
  (text === '' ? {} : { [name]: text }) as Partial<Record<Name, string>>;

const number = <Name extends string>(name: Name, text: string): Partial<Record<Name, number>> =>
  (typeof integerIn(text) === 'bigint' ? { [name]: Number(text) } : {}) as Partial<Record<Name, number>>;

interface NumberRule {
  readonly min: number;
  readonly max: number;
}

/** Fields of the request that are numbers, with the limits of the contract. */
export const NUMBER_RULES = {
  priority: { min: -2147483648, max: 2147483647 },
  maxAttempts: { min: 1, max: 65535 },
  retryDelaySeconds: { min: 0, max: 31_536_000 },
  failureLimit: { min: 0, max: 2147483647 },
} as const satisfies Partial<Record<keyof Draft, NumberRule>>;

export type NumberName = keyof typeof NUMBER_RULES;

const LABEL_MAX = 255;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Fields beside the parameters, and their names in the request. */
export const QUERY_NAMES = {
  farmId: 'farm_id',
  queueId: 'queue_id',
  project: 'project',
  owner: 'owner',
  priority: 'priority',
  maxAttempts: 'max_attempts',
  retryDelaySeconds: 'retry_delay_seconds',
  failureLimit: 'failure_limit',
  dependsOn: 'depends_on',
} as const;

export type PlaceName = keyof typeof QUERY_NAMES;

/** What is wrong beside the parameters, by the name of the field. */
export function placeProblems(draft: Draft): ReadonlyMap<PlaceName, string> {
  const problems = new Map<PlaceName, string>();
  if (draft.farmId === '') problems.set('farmId', 'Choose a farm.');
  if (draft.queueId === '') problems.set('queueId', 'Choose a queue.');
  for (const name of ['project', 'owner'] as const) {
    if (draft[name].length > LABEL_MAX) problems.set(name, `Must have at most ${LABEL_MAX} characters.`);
    else if (CONTROL.test(draft[name])) problems.set(name, 'Must not hold control characters.');
  }
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

/** Why the values are too long to be sent; null when they are not. */
export function lengthProblem({ query }: Submission): string | null {
  const pairs = [
    ...Object.entries(query.parameters ?? {}),
    ...(query.depends_on ?? []).map((id) => ['depends_on', id]),
  ];
  const length = new URLSearchParams(pairs).toString().length;
  if (length <= QUERY_LENGTH_MAX) return null;
  return `The values are too long to be sent: ${length.toLocaleString('en')} of ${QUERY_LENGTH_MAX.toLocaleString('en')} characters. Put long lists into a file that a path names, or into a default of the template.`;
}
