import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf, versionHeaders } from './if-match.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import {
  WEBHOOKS_ID,
  type WebhookInput,
  type WebhooksMessage,
} from '../../actors/service/webhooks/messages.ts';
import { isInScope } from '../../src/core/access/owner-scope.ts';
import { farmId, queueId } from '../../src/core/ids.ts';
import type { Outcome } from '../../src/core/problems.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { WebhookDeliveryRecord, WebhookRecord } from '../../src/core/records/webhook.ts';
import { GENERIC_FORMAT } from '../../src/core/webhooks/message-format.ts';
import type { Principal } from '../guards/principal.ts';
import type { Ports } from '../ports.ts';
import { sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { deliveryView, webhookView } from '../views/webhook-view.ts';
import { deleted, replaced } from './catalog-replies.ts';
import { invalid, notFound, problem, type Handler, type ProblemReply } from './operation.ts';

/** docs/rest.md#webhooks */

/** Reports whether a principal may see and change a webhook: as with jobs, its owner decides. */
const isVisible = ({ ownerScope }: Principal, { owner }: Pick<WebhookRecord, 'owner'>): boolean =>
  isInScope(ownerScope, owner ?? '');

const OUTSIDE = 'the webhook is not restricted to your own jobs (owner)';

export const listWebhooks: Handler<'listWebhooks'> = ({ principal }, ports) => {
  const found = [...ports.store.scan('webhook')]
    .map(({ value }) => value)
    .filter((webhook) => isVisible(principal, webhook));
  const now = ports.now();
  const body = sortedBy(found, ({ name }) => name, 'asc').map((webhook) => webhookView(webhook, now));
  return { kind: 'json', status: 200, body };
};

export const getWebhook: Handler<'getWebhook'> = ({ path, principal }, ports) => {
  const found = findWebhook(ports, path.id, principal);
  return found.ok
    ? {
        kind: 'json',
        status: 200,
        body: webhookView(found.webhook, ports.now()),
        headers: versionHeaders(SETTINGS.webhook(found.webhook)),
      }
    : found.reply;
};

export const createWebhook: Handler<'createWebhook'> = async ({ body, principal }, ports) => {
  const fault = await inputFault(body, principal, ports);
  if (fault !== null) return fault;
  const { url } = body;
  const outcome = await askWebhooks<WebhookRecord>(ports, (replyTo) => ({
    type: 'webhook.create',
    input: { ...inputOf(body), url },
    secret: ports.secrets.create(),
    createdBy: principal.username,
    replyTo,
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const location = `/api/v1/webhooks/${outcome.value.id}`;
  return { kind: 'json', status: 201, body: newWebhookView(outcome.value, ports), location };
};

export const replaceWebhook: Handler<'replaceWebhook'> = async (
  { path, body, headers, principal },
  ports,
) => {
  const found = findWebhook(ports, path.id, principal);
  if (!found.ok) return found.reply;
  const fault = await inputFault(body, principal, ports);
  if (fault !== null) return fault;
  const outcome = await askWebhooks<WebhookRecord>(ports, (replyTo) => ({
    type: 'webhook.replace',
    webhookId: found.webhook.id,
    input: inputOf(body),
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return replaced(outcome, (webhook) => webhookView(webhook, ports.now()), SETTINGS.webhook);
};

export const rotateWebhookSecret: Handler<'rotateWebhookSecret'> = async ({ path, principal }, ports) => {
  const found = findWebhook(ports, path.id, principal);
  if (!found.ok) return found.reply;
  const outcome = await askWebhooks<WebhookRecord>(ports, (replyTo) => ({
    type: 'webhook.rotate-secret',
    webhookId: found.webhook.id,
    secret: ports.secrets.create(),
    replyTo,
  }));
  return replaced(outcome, (webhook) => newWebhookView(webhook, ports));
};

export const deleteWebhook: Handler<'deleteWebhook'> = async ({ path, headers, principal }, ports) => {
  const found = findWebhook(ports, path.id, principal);
  if (!found.ok) return found.reply;
  const outcome = await askWebhooks<null>(ports, (replyTo) => ({
    type: 'webhook.delete',
    webhookId: found.webhook.id,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return deleted(outcome);
};

export const testWebhook: Handler<'testWebhook'> = async ({ path, principal }, ports) => {
  const found = findWebhook(ports, path.id, principal);
  if (!found.ok) return found.reply;
  const outcome = await askWebhooks<WebhookDeliveryRecord>(ports, (replyTo) => ({
    type: 'webhook.test',
    webhookId: found.webhook.id,
    replyTo,
  }));
  return replaced(outcome, deliveryView);
};

export const listWebhookDeliveries: Handler<'listWebhookDeliveries'> = ({ path, principal }, ports) => {
  const found = findWebhook(ports, path.id, principal);
  if (!found.ok) return found.reply;
  const prefix = keys.webhookDeliveriesOf(found.webhook.id);
  const rows = [...ports.store.scan('webhookDelivery', { prefix, reverse: true })];
  return { kind: 'json', status: 200, body: rows.map(({ value }) => deliveryView(value)) };
};

export const listWebhookFormats: Handler<'listWebhookFormats'> = async (_call, ports) => ({
  kind: 'json',
  status: 200,
  body: await ports.webhooks.formats(),
  // The files are read again on SIGHUP.
  isTransient: true,
});

type Input = Schemas['WebhookReplacement'];

/** Returns why a webhook cannot have these settings; null if it can. */
async function inputFault(body: Input, principal: Principal, ports: Ports): Promise<ProblemReply | null> {
  const { url, format = GENERIC_FORMAT, farm_id: farm = null, queue_id: queue = null, owner = null } = body;
  if (!isVisible(principal, { owner }))
    return problem(
      'forbidden',
      `owner: must be ${principal.username}: you can be notified of your own jobs only`,
    );
  const urlFault = url === undefined ? null : ports.webhooks.urlFault(url);
  if (urlFault !== null) return invalid('/url', urlFault);
  const formats = await ports.webhooks.formats();
  if (!formats.some(({ name }) => name === format))
    return invalid('/format', `must be one of ${formats.map(({ name }) => name).join(', ')}`);
  if (farm !== null && ports.store.get('farm', keys.farm(farmId(farm))) === undefined)
    return invalid('/farm_id', 'there is no such farm');
  const stored = queue === null ? null : ports.store.get('queue', keys.queue(queueId(queue)));
  if (stored === undefined) return invalid('/queue_id', 'there is no such queue');
  if (stored !== null && farm !== null && stored.farmId !== farm)
    return invalid('/queue_id', 'the queue is not in this farm');
  return eventsFault(body);
}

/** An event that lacks a field of a filter would never match. */
function eventsFault(body: Input): ProblemReply | null {
  const { events, farm_id: farm = null, queue_id: queue = null, owner = null } = body;
  const isOfJobs = queue !== null || owner !== null;
  const stray = events.find((type) =>
    isOfJobs ? !type.startsWith('job.') : farm !== null && type === 'pool.exhausted',
  );
  if (stray === undefined) return null;
  const filter = isOfJobs ? 'queue_id and owner are filters of jobs' : 'farm_id excludes usage pools';
  return invalid('/events', `${stray} never matches: ${filter}`);
}

function inputOf(body: Input): WebhookInput {
  const { farm_id: farm = null, queue_id: queue = null } = body;
  return {
    name: body.name,
    url: body.url ?? null,
    format: body.format ?? GENERIC_FORMAT,
    events: body.events,
    farmId: farm === null ? null : farmId(farm),
    queueId: queue === null ? null : queueId(queue),
    owner: body.owner ?? null,
    enabled: body.enabled ?? true,
  };
}

const newWebhookView = (webhook: WebhookRecord, ports: Ports): Schemas['NewWebhook'] => ({
  ...webhookView(webhook, ports.now()),
  secret: webhook.secret,
});

type Found =
  | { readonly ok: true; readonly webhook: WebhookRecord }
  | { readonly ok: false; readonly reply: ProblemReply };

function findWebhook({ store }: Ports, id: string, principal: Principal): Found {
  const webhook = store.get('webhook', keys.webhook(id));
  if (webhook === undefined) return { ok: false, reply: notFound('webhook', id) };
  return isVisible(principal, webhook)
    ? { ok: true, webhook }
    : { ok: false, reply: problem('forbidden', OUTSIDE) };
}

const askWebhooks = <Answer>(
  ports: Ports,
  make: (replyTo: ReplyTo<Outcome<Answer>>) => WebhooksMessage,
): Promise<Outcome<Answer>> =>
  ports.actors.ask<Answer>((replyTo) => ({ actor: 'webhooks', id: WEBHOOKS_ID, message: make(replyTo) }));
