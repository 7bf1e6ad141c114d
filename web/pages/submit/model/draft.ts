import type { Value } from './definition.ts';
import type { Values } from './values.ts';

/** An environment template that is sent with the job. */
export interface SentEnvironment {
  readonly template: string;
  readonly format: 'yaml' | 'json';
}

/** All inputs of the page. They are stored until the job is submitted. */
export interface Draft {
  /** Text of the template. */
  readonly text: string;
  /** Name of the file, example or job that it came from; empty for a typed template. */
  readonly source: string;
  readonly isTemplateOpen: boolean;
  /** Replaces the job name of a product's template; empty keeps it. */
  readonly jobName: string;
  readonly values: Values;
  readonly farmId: string;
  readonly queueId: string;
  readonly project: string;
  readonly owner: string;
  /** Typed numbers; empty ones are inherited. */
  readonly priority: string;
  readonly maxAttempts: string;
  readonly retryDelaySeconds: string;
  readonly failureLimit: string;
  /** Empty: no cap. */
  readonly maxConcurrentTasks: string;
  readonly dependsOn: readonly Upstream[];
  /** Environment templates of the job that is submitted again, the outermost first. */
  readonly environments: readonly SentEnvironment[];
  /** The job starts paused. */
  readonly isPaused: boolean;
  /** Local time before which no task starts, as a datetime-local input has it; empty for none. */
  readonly startAfter: string;
  /** Names of visited fields, which show their problems. */
  readonly left: readonly string[];
  /** The last request and its key, so that a repeated request creates no second job. */
  readonly sent: { readonly request: string; readonly key: string } | null;
}

/** An upstream job. */
export interface Upstream {
  readonly id: string;
  readonly name: string;
}

export const EMPTY_DRAFT: Draft = {
  text: '',
  source: '',
  isTemplateOpen: true,
  jobName: '',
  values: {},
  farmId: '',
  queueId: '',
  project: '',
  owner: '',
  priority: '',
  maxAttempts: '',
  retryDelaySeconds: '',
  failureLimit: '',
  maxConcurrentTasks: '',
  dependsOn: [],
  environments: [],
  isPaused: false,
  startAfter: '',
  left: [],
  sent: null,
};

/** Members that a user has not entered: state of the page. */
const STATE: ReadonlySet<string> = new Set<keyof Draft>(['isTemplateOpen', 'left', 'sent']);

/** Reports whether a stored draft has entries that a user could miss. */
export const hasEntries = (draft: Draft | null): boolean =>
  draft !== null && !haveSameEntries(draft, EMPTY_DRAFT);

/** Reports whether two drafts differ at most in the state of the page. */
export const haveSameEntries = (draft: Draft, other: Draft): boolean =>
  Object.entries(other).every(
    ([name, value]) => STATE.has(name) || JSON.stringify(Reflect.get(draft, name)) === JSON.stringify(value),
  );

/** Returns the draft with another template, without the inputs for the previous one. */
export const withTemplate = (draft: Draft, text: string, source: string): Draft => ({
  ...draft,
  text,
  source,
  values: {},
  left: [],
  isTemplateOpen: false,
});

/** Returns the draft of the next job of a product: with the same values, without what belongs to one job. */
export const afterSubmission = (draft: Draft): Draft => ({
  ...draft,
  jobName: '',
  dependsOn: [],
  isPaused: false,
  startAfter: '',
  left: [],
  sent: null,
});

/** Reads a stored draft; null for an invalid one. Members that an older version did not store are empty. */
export function readDraft(stored: unknown): Draft | null {
  if (!isRecord(stored) || typeof stored['text'] !== 'string') return null;
  const text = (name: keyof Draft): string => {
    const value = stored[name];
    return typeof value === 'string' ? value : '';
  };
  return {
    text: stored['text'],
    source: text('source'),
    isTemplateOpen: stored['isTemplateOpen'] !== false,
    jobName: text('jobName'),
    values: isRecord(stored['values']) ? valuesIn(stored['values']) : {},
    farmId: text('farmId'),
    queueId: text('queueId'),
    project: text('project'),
    owner: text('owner'),
    priority: text('priority'),
    maxAttempts: text('maxAttempts'),
    retryDelaySeconds: text('retryDelaySeconds'),
    failureLimit: text('failureLimit'),
    maxConcurrentTasks: text('maxConcurrentTasks'),
    dependsOn: listIn(stored['dependsOn']).flatMap((one) =>
      isRecord(one) && typeof one['id'] === 'string' && typeof one['name'] === 'string'
        ? [{ id: one['id'], name: one['name'] }]
        : [],
    ),
    environments: listIn(stored['environments']).flatMap((one) =>
      isRecord(one) && typeof one['template'] === 'string'
        ? [
            {
              template: one['template'],
              format: one['format'] === 'json' ? ('json' as const) : ('yaml' as const),
            },
          ]
        : [],
    ),
    isPaused: stored['isPaused'] === true,
    startAfter: text('startAfter'),
    left: listIn(stored['left']).filter((one) => typeof one === 'string'),
    sent: sentIn(stored['sent']),
  };
}

function sentIn(stored: unknown): Draft['sent'] {
  if (!isRecord(stored)) return null;
  const { request, key } = stored;
  return typeof request === 'string' && typeof key === 'string' ? { request, key } : null;
}

const valuesIn = (stored: Readonly<Record<string, unknown>>): Values =>
  Object.fromEntries(
    Object.entries(stored).flatMap(([name, value]): [string, Value][] => {
      if (typeof value === 'string') return [[name, value]];
      return Array.isArray(value) ? [[name, value.filter((one) => typeof one === 'string')]] : [];
    }),
  );

const listIn = (stored: unknown): readonly unknown[] => (Array.isArray(stored) ? stored : []);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
