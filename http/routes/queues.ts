import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf } from './if-match.ts';
import type { QueueInput } from '../../actors/service/farm/messages.ts';
import { isolationWarning } from '../../src/core/bus-identity/open-bus.ts';
import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { farmId, queueId } from '../../src/core/ids.ts';
import { NO_JOBS } from '../../src/core/lists/job-directory.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import type { Ports } from '../ports.ts';
import { isPermitted, type Principal } from '../guards/principal.ts';
import { keys } from '../../src/core/records/tables.ts';
import { jobCountsView } from '../views/job-counts-view.ts';
import { pageOf, sortedBy } from '../views/page-view.ts';
import { namedCapsInput } from '../views/named-caps-view.ts';
import { queueView } from '../views/queue-view.ts';
import { retryOverride } from '../views/retry-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { created, deleted, replaced, okOrNotFound } from './catalog-replies.ts';
import { sentRetryRules } from './sent-retry-rules.ts';
import { invalid, notFound, problem, type Handler, type ProblemReply } from './operation.ts';

const SORT_KEYS = {
  created_at: (queue: QueueRecord) => queue.createdAt,
  name: (queue: QueueRecord) => queue.name,
  priority: (queue: QueueRecord) => queue.priority,
  updated_at: (queue: QueueRecord) => queue.updatedAt,
} as const;

export const listQueues: Handler<'listQueues'> = ({ query, principal }, ports) => {
  const { store } = ports;
  const found: QueueRecord[] = [];
  for (const { value: queue } of store.scan('queue')) {
    if (query.farm_id !== undefined && queue.farmId !== query.farm_id) continue;
    if (query.paused !== undefined && queue.paused !== query.paused) continue;
    found.push(queue);
  }
  const sorted = sortedBy(found, SORT_KEYS[query.sort_by], query.sort_dir);
  const view = query.summary ? summarized(ports, principal.ownerScope) : viewOf(ports);
  return { kind: 'json', status: 200, body: pageOf(sorted, query, view) };
};

/** Returns the view of a queue with the jobs and tasks in a scope. */
function summarized(ports: Ports, scope: OwnerScope): (queue: QueueRecord) => Schemas['Queue'] {
  const jobs = ports.jobLists.countsByQueue(scope);
  const loads = ports.history.queueLoads(scope);
  const view = viewOf(ports);
  return (queue) => {
    const { ready, live } = loads.get(queue.id) ?? { ready: 0, live: 0 };
    const summary = {
      jobs: jobCountsView(jobs.get(queue.id) ?? NO_JOBS),
      tasks_ready: ready,
      tasks_live: live,
    };
    return { ...view(queue), summary };
  };
}

/** Returns all queues, oldest first. */
export function queueViews(ports: Pick<Ports, 'store' | 'busStanding'>): Schemas['Queue'][] {
  const records = [...ports.store.scan('queue')].map((row) => row.value);
  return sortedBy(records, SORT_KEYS.created_at, 'asc').map(viewOf(ports));
}

export const getQueue: Handler<'getQueue'> = ({ path }, ports) =>
  okOrNotFound(
    'queue',
    path.id,
    ports.store.get('queue', keys.queue(queueId(path.id))),
    viewOf(ports),
    SETTINGS.queue,
  );

export const createQueue: Handler<'createQueue'> = async ({ body, principal }, ports) => {
  const refusal = isolationRefusal(body, principal) ?? groupRefusal(body, null);
  if (refusal !== null) return refusal;
  const rules = sentRetryRules(body, ports);
  if (!rules.ok) return { kind: 'problem', problem: rules.problem };
  const farm = farmId(body.farm_id);
  if (ports.store.get('farm', keys.farm(farm)) === undefined) {
    return invalid('/farm_id', `no farm ${body.farm_id.slice(0, 100)}`);
  }
  const outcome = await ports.actors.ask<QueueRecord>((replyTo) => ({
    actor: 'farm',
    id: farm,
    message: { type: 'queue.create', input: { ...queueInput(body), ...rules.value }, replyTo },
  }));
  if (outcome.ok) warnIfUnprotected(outcome.value, null, ports);
  return created('/api/v1/queues', outcome, viewOf(ports));
};

export const replaceQueue: Handler<'replaceQueue'> = async ({ path, body, headers, principal }, ports) => {
  const forbidden = isolationRefusal(body, principal);
  if (forbidden !== null) return forbidden;
  const stored = ports.store.get('queue', keys.queue(queueId(path.id)));
  if (stored === undefined) return notFound('queue', path.id);
  const refusal = groupRefusal(body, stored);
  if (refusal !== null) return refusal;
  if (body.farm_id !== undefined && body.farm_id !== stored.farmId) {
    return invalid('/farm_id', 'a queue cannot move to another farm');
  }
  const rules = sentRetryRules(body, ports);
  if (!rules.ok) return { kind: 'problem', problem: rules.problem };
  const outcome = await ports.actors.ask<QueueRecord>((replyTo) => ({
    actor: 'farm',
    id: stored.farmId,
    message: {
      type: 'queue.replace',
      queueId: stored.id,
      input: { ...queueInput(body), ...rules.value },
      ...ifMatchOf({ headers }),
      replyTo,
    },
  }));
  if (outcome.ok) warnIfUnprotected(outcome.value, stored, ports);
  return replaced(outcome, viewOf(ports), SETTINGS.queue);
};

export const deleteQueue: Handler<'deleteQueue'> = async ({ path, headers }, ports) => {
  const stored = ports.store.get('queue', keys.queue(queueId(path.id)));
  if (stored === undefined) return notFound('queue', path.id);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'farm',
    id: stored.farmId,
    message: { type: 'queue.delete', queueId: stored.id, ...ifMatchOf({ headers }), replyTo },
  }));
  return deleted(outcome);
};

const viewOf =
  (ports: Pick<Ports, 'busStanding'>) =>
  (queue: QueueRecord): Schemas['Queue'] =>
    queueView(queue, ports.busStanding());

/** Logs a warning for an account that a queue has got on an open bus. */
function warnIfUnprotected(queue: QueueRecord, before: QueueRecord | null, ports: Ports): void {
  if (queue.runAsUser === before?.runAsUser) return;
  const warning = isolationWarning(queue, ports.busStanding());
  if (warning !== null) ports.log('warn', warning, { queue: queue.name, queue_id: queue.id });
}

function queueInput(body: Schemas['QueueSettings']): QueueInput {
  return {
    name: body.name,
    description: body.description ?? '',
    priority: body.priority ?? 0,
    maxConcurrentTasks: body.max_concurrent_tasks ?? 0,
    paused: body.paused ?? false,
    retry: retryOverride(body),
    ...namedCapsInput(body),
    ...(body.preempt_after_seconds !== undefined && { preemptAfterSeconds: body.preempt_after_seconds }),
    ...(body.preemptible !== undefined && { preemptible: body.preemptible }),
    ...(body.run_as_user !== undefined && { runAsUser: body.run_as_user }),
    ...(body.run_as_group !== undefined && { runAsGroup: body.run_as_group }),
  };
}

/**
 * Returns 403 for a body with `run_as_user` or `run_as_group`, even if it is null, without the permission to set them
 * (docs/contract/authentication.md#task-isolation).
 */
function isolationRefusal(body: Schemas['QueueSettings'], principal: Principal): ProblemReply | null {
  const names = (['run_as_user', 'run_as_group'] as const).filter((name) => body[name] !== undefined);
  if (names.length === 0 || isPermitted(principal, 'isolation.manage')) return null;
  return problem('forbidden', `${names.join(' and ')}: changing this needs the permission isolation.manage`);
}

/** A group replaces the primary group of the account, so it requires one. */
function groupRefusal(body: Schemas['QueueSettings'], stored: QueueRecord | null): ProblemReply | null {
  const user = body.run_as_user === undefined ? stored?.runAsUser : body.run_as_user;
  return typeof body.run_as_group === 'string' && typeof user !== 'string'
    ? invalid('/run_as_group', 'needs run_as_user')
    : null;
}
