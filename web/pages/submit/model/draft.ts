import type { Value } from './definition.ts';
import type { Values } from './values.ts';

/** All that is entered on the page. Whatever happens to the page or the service, it is kept until the job is submitted. */
export interface Draft {
  /** The template word for word. */
  readonly text: string;
  /** Where it came from: a file, an example, a job; empty when it was typed. */
  readonly source: string;
  readonly isTemplateOpen: boolean;
  readonly values: Values;
  readonly farmId: string;
  readonly queueId: string;
  readonly project: string;
  readonly owner: string;
  /** Numbers as they are typed; empty for what the farm has. */
  readonly priority: string;
  readonly maxAttempts: string;
  readonly retryDelaySeconds: string;
  readonly failureLimit: string;
  readonly dependsOn: readonly Upstream[];
  /** Names of fields that were left once: from then on they say what is wrong with them. */
  readonly left: readonly string[];
  /** The request that was sent last, and its key: a repeat of it makes no second job. */
  readonly sent: { readonly request: string; readonly key: string } | null;
}

/** A job that has to complete first. */
export interface Upstream {
  readonly id: string;
  readonly name: string;
}

export const EMPTY_DRAFT: Draft = {
  text: '',
  source: '',
  isTemplateOpen: true,
  values: {},
  farmId: '',
  queueId: '',
  project: '',
  owner: '',
  priority: '',
  maxAttempts: '',
  retryDelaySeconds: '',
  failureLimit: '',
  dependsOn: [],
  left: [],
  sent: null,
};

/** A template from somewhere: what was entered for another one does not belong to it. */
export const withTemplate = (draft: Draft, text: string, source: string): Draft => ({
  ...draft,
  text,
  source,
  values: {},
  left: [],
  isTemplateOpen: false,
});

/** The draft that was kept; null when that is none. An older version may have kept less. */
export function readDraft(kept: unknown): Draft | null {
  if (!isRecord(kept) || typeof kept['text'] !== 'string') return null;
  const text = (name: keyof Draft): string => {
    const value = kept[name];
    return typeof value === 'string' ? value : '';
  };
  return {
    text: kept['text'],
    source: text('source'),
    isTemplateOpen: kept['isTemplateOpen'] !== false,
    values: isRecord(kept['values']) ? valuesIn(kept['values']) : {},
    farmId: text('farmId'),
    queueId: text('queueId'),
    project: text('project'),
    owner: text('owner'),
    priority: text('priority'),
    maxAttempts: text('maxAttempts'),
    retryDelaySeconds: text('retryDelaySeconds'),
    failureLimit: text('failureLimit'),
    dependsOn: listIn(kept['dependsOn']).flatMap((one) =>
      isRecord(one) && typeof one['id'] === 'string' && typeof one['name'] === 'string'
        ? [{ id: one['id'], name: one['name'] }]
        : [],
    ),
    left: listIn(kept['left']).filter((one) => typeof one === 'string'),
    sent: sentIn(kept['sent']),
  };
}

function sentIn(kept: unknown): Draft['sent'] {
  if (!isRecord(kept)) return null;
  const { request, key } = kept;
  return typeof request === 'string' && typeof key === 'string' ? { request, key } : null;
}

const valuesIn = (kept: Readonly<Record<string, unknown>>): Values =>
  Object.fromEntries(
    Object.entries(kept).flatMap(([name, value]): [string, Value][] => {
      if (typeof value === 'string') return [[name, value]];
      return Array.isArray(value) ? [[name, value.filter((one) => typeof one === 'string')]] : [];
    }),
  );

const listIn = (kept: unknown): readonly unknown[] => (Array.isArray(kept) ? kept : []);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
