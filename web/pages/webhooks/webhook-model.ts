import type { Webhook, WebhookEventType, WebhookReplacement } from '../../../client/resources.ts';
import { problemsByField, problemsOf, type FormField } from '../catalog/form-model.ts';

/** Events in the order of the form, with their labels. */
export const EVENT_LABELS: Readonly<Record<WebhookEventType, string>> = {
  'job.completed': 'Job completed',
  'job.failed': 'Job failed',
  'job.canceled': 'Job canceled',
  'job.parked': 'Job parked',
  'worker.offline': 'Worker offline',
  'pool.exhausted': 'Usage pool exhausted for a long time',
  'outage.began': 'Outage of a usage pool or location began',
  'outage.ended': 'Outage ended, work resumed',
};

/** The types of events, in the order of the form. */
export const EVENT_TYPES: readonly WebhookEventType[] = [
  'job.completed',
  'job.failed',
  'job.canceled',
  'job.parked',
  'worker.offline',
  'pool.exhausted',
  'outage.began',
  'outage.ended',
];

/** Returns the label of an event. */
export const eventLabel = (type: WebhookEventType | 'webhook.test'): string =>
  type === 'webhook.test' ? 'Test' : EVENT_LABELS[type];

/** Inputs of the form. Empty filters match everything. */
export interface WebhookDraft {
  readonly name: string;
  /** Empty keeps the stored one. */
  readonly url: string;
  readonly format: string;
  readonly events: readonly WebhookEventType[];
  readonly farm: string;
  readonly queue: string;
  readonly owner: string;
  readonly enabled: boolean;
}

const FIELDS: readonly FormField[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true },
  { name: 'url', label: 'URL', kind: 'text' },
  { name: 'format', label: 'Format', kind: 'text' },
  { name: 'events', label: 'Events', kind: 'text' },
  { name: 'farm_id', label: 'Farm', kind: 'text' },
  { name: 'queue_id', label: 'Queue', kind: 'text' },
  { name: 'owner', label: 'Owner', kind: 'text' },
];

/** Returns the inputs for a webhook; null for a new one. `ownOwner`: the name of a user who sees only its own jobs. */
export const draftOf = (webhook: Webhook | null, ownOwner: string): WebhookDraft =>
  webhook === null
    ? {
        name: '',
        url: '',
        format: 'generic',
        events: ['job.completed', 'job.failed', 'job.parked'],
        farm: '',
        queue: '',
        owner: ownOwner,
        enabled: true,
      }
    : {
        name: webhook.name,
        url: '',
        format: webhook.format,
        events: webhook.events,
        farm: webhook.farm_id ?? '',
        queue: webhook.queue_id ?? '',
        owner: webhook.owner ?? '',
        enabled: webhook.enabled,
      };

/** Returns the problems of a draft by member of the request; empty if it can be sent. The service checks it again. */
export function draftProblems(draft: WebhookDraft, isNew: boolean): ReadonlyMap<string, string> {
  const { name, url, events } = draft;
  const problems = new Map(problemsOf(FIELDS, { name }));
  if (isNew && url.trim() === '') problems.set('url', 'URL is required.');
  if (events.length === 0) problems.set('events', 'Select at least one event.');
  return problems;
}

/** Returns the errors of a response by member of the request. Errors of no member are under the empty name. */
export const refusals = (
  errors: readonly { readonly pointer: string; readonly detail: string }[],
): ReadonlyMap<string, string> => problemsByField(FIELDS, errors);

/** Returns the request of a draft without problems. */
export function webhookInput({
  name,
  url,
  format,
  events,
  farm,
  queue,
  owner,
  enabled,
}: WebhookDraft): WebhookReplacement {
  return {
    name: name.trim(),
    ...(url.trim() === '' ? {} : { url: url.trim() }),
    format,
    events: EVENT_TYPES.filter((type) => events.includes(type)),
    farm_id: farm === '' ? null : farm,
    queue_id: queue === '' ? null : queue,
    owner: owner.trim() === '' ? null : owner.trim(),
    enabled,
  };
}

/** Returns the status of a webhook for its badge. */
export function webhookStatus({ enabled, failures }: Pick<Webhook, 'enabled' | 'failures'>): string {
  if (!enabled) return 'disabled';
  return failures === 0 ? 'enabled' : 'failing';
}

/** Returns why the service has disabled a webhook, or why its last attempt failed; empty without a reason. */
export function troubleOf({
  enabled,
  disabled_reason: reason,
  failures,
  last_error: error,
}: Webhook): string {
  if (reason === 'gone') return 'The receiver answered that it no longer exists (410).';
  if (reason === 'account-deleted') return 'The account that created it was deleted.';
  return enabled && failures > 0 ? (error ?? '') : '';
}
