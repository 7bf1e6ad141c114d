import type { QueueEnvironmentInput } from '../../actors/service/farm/messages.ts';
import { queueId, type QueueId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { TemplateText } from '../../src/core/records/job.ts';
import { inOrder, type QueueEnvironmentRecord } from '../../src/core/records/queue-environment.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pointedProblem } from '../problems.ts';
import type { EnvironmentsDescription, Ports } from '../ports.ts';
import { queueEnvironmentView } from '../views/queue-environment-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { created, deleted, okOrNotFound, replaced } from './catalog-replies.ts';
import { unevaluated } from './evaluation-replies.ts';
import { ifMatchOf } from './if-match.ts';
import { invalid, notFound, type Handler, type ProblemReply } from './operation.ts';

/** docs/queue-environments.md */

const settingsOf = SETTINGS['queue environment'];

export const listQueueEnvironments: Handler<'listQueueEnvironments'> = ({ path }, ports) => {
  const queue = queueOf(ports.store, path.id);
  if (queue === undefined) return notFound('queue', path.id);
  return {
    kind: 'json',
    status: 200,
    body: environmentsOfQueue(ports.store, queue.id).map(queueEnvironmentView),
  };
};

export const getQueueEnvironment: Handler<'getQueueEnvironment'> = ({ path }, ports) =>
  okOrNotFound(
    'environment',
    path.environmentId,
    environmentOf(ports.store, path),
    queueEnvironmentView,
    settingsOf,
  );

export const createQueueEnvironment: Handler<'createQueueEnvironment'> = async (
  { path, query, body, client },
  ports,
) => {
  const queue = queueOf(ports.store, path.id);
  if (queue === undefined) return notFound('queue', path.id);
  const { replaces } = query;
  if (replaces !== undefined) {
    if (!query.dry_run) return invalid('/query/replaces', 'only with dry_run');
    if (environmentOf(ports.store, { id: path.id, environmentId: replaces }) === undefined)
      return notFound('environment', replaces);
  }
  const checked = await checkedWith(queue.id, replaces ?? null, body, client(), ports);
  if (!checked.ok) return notChecked(checked);
  const { name, parameters } = checked;
  if (query.dry_run) return { kind: 'json', status: 200, body: { name, parameters: [...parameters] } };
  const outcome = await ports.actors.ask<QueueEnvironmentRecord>((replyTo) => ({
    actor: 'farm',
    id: queue.farmId,
    message: { type: 'queue-environment.create', queueId: queue.id, input: inputOf(name, body), replyTo },
  }));
  return created(`/api/v1/queues/${queue.id}/environments`, outcome, queueEnvironmentView);
};

export const replaceQueueEnvironment: Handler<'replaceQueueEnvironment'> = async (
  { path, headers, body, client },
  ports,
) => {
  const stored = environmentOf(ports.store, path);
  if (stored === undefined) return notFound('environment', path.environmentId);
  const checked = await checkedWith(stored.queueId, stored.id, body, client(), ports);
  if (!checked.ok) return notChecked(checked);
  const outcome = await ports.actors.ask<QueueEnvironmentRecord>((replyTo) => ({
    actor: 'farm',
    id: stored.farmId,
    message: {
      type: 'queue-environment.replace',
      queueId: stored.queueId,
      environmentId: stored.id,
      input: inputOf(checked.name, body),
      ...ifMatchOf({ headers }),
      replyTo,
    },
  }));
  return replaced(outcome, queueEnvironmentView, settingsOf);
};

export const deleteQueueEnvironment: Handler<'deleteQueueEnvironment'> = async ({ path, headers }, ports) => {
  const stored = environmentOf(ports.store, path);
  if (stored === undefined) return notFound('environment', path.environmentId);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'farm',
    id: stored.farmId,
    message: {
      type: 'queue-environment.delete',
      queueId: stored.queueId,
      environmentId: stored.id,
      ...ifMatchOf({ headers }),
      replyTo,
    },
  }));
  return deleted(outcome);
};

export const listQueueParameters: Handler<'listQueueParameters'> = async ({ path, client }, ports) => {
  const queue = queueOf(ports.store, path.id);
  if (queue === undefined) return notFound('queue', path.id);
  const environments = environmentsOfQueue(ports.store, queue.id).map(textOf);
  if (environments.length === 0) return { kind: 'json', status: 200, body: [] };
  const described = await ports.describeEnvironments({ client: client(), environments, subject: null });
  if (!described.ok) return notChecked(described);
  return { kind: 'json', status: 200, body: [...described.parameters] };
};

/** Returns the environments of a queue in the order in which they are entered. */
export const environmentsOfQueue = (store: StoreReader, queue: QueueId): readonly QueueEnvironmentRecord[] =>
  inOrder(
    [...store.scan('queueEnvironment', { prefix: keys.queueEnvironmentsOf(queue) })].map(
      ({ value }) => value,
    ),
  );

/** Checks a template together with the environments of a queue. It stands for the one with the id, or is the last one. */
function checkedWith(
  queue: QueueId,
  replaces: string | null,
  { template, format = 'yaml', priority }: Schemas['QueueEnvironmentInput'],
  client: string,
  { store, describeEnvironments }: Pick<Ports, 'store' | 'describeEnvironments'>,
): Promise<EnvironmentsDescription> {
  const stored = environmentsOfQueue(store, queue);
  const given = { text: template, format };
  const others = stored.filter(({ id }) => id !== replaces);
  const before = stored.find(({ id }) => id === replaces);
  const place = priority ?? before?.priority ?? Infinity;
  const subject = others.filter(
    (other) =>
      other.priority < place || (other.priority === place && (before === undefined || other.id < before.id)),
  ).length;
  const environments = others.map(textOf);
  environments.splice(subject, 0, given);
  return describeEnvironments({ client, environments, subject });
}

const textOf = ({ template, format }: QueueEnvironmentRecord): TemplateText => ({ text: template, format });

const inputOf = (
  name: string,
  { template, format = 'yaml', priority }: Schemas['QueueEnvironmentInput'],
): QueueEnvironmentInput => ({ name, template, format, ...(priority !== undefined && { priority }) });

const queueOf = (store: StoreReader, id: string): QueueRecord | undefined =>
  store.get('queue', keys.queue(queueId(id)));

const environmentOf = (
  store: StoreReader,
  { id, environmentId }: { readonly id: string; readonly environmentId: string },
): QueueEnvironmentRecord | undefined =>
  store.get('queueEnvironment', keys.queueEnvironment(queueId(id), environmentId));

function notChecked(result: Exclude<EnvironmentsDescription, { readonly ok: true }>): ProblemReply {
  if (!('errors' in result)) return unevaluated(result);
  return { kind: 'problem', problem: pointedProblem('unprocessable', result.errors) };
}
