import {
  effectiveRetry,
  inheritedRules,
  type InheritedRetry,
  type RetryPolicy,
} from '../../../src/core/lifecycle/retry-policy.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put, remove, removePrefix } from '../../../src/core/records/change-set.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import { namedCapsOf } from '../../../src/core/records/named-caps.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { QueueId } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { CATALOG_ID } from '../catalog/messages.ts';
import type { FarmMessage } from './messages.ts';
import { removeEnvironments } from './on-queue-environment.ts';
import type { FarmState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

type FarmContext = ServiceContext<'farm'>;

/** Writes the new farm. The catalog has reserved its name. */
export function onFarmCreate(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'farm.create' }>,
  context: FarmContext,
): void {
  writeFarm(state, state.record, context);
  context.reply(message.replyTo, done(state.record));
}

export const onFarmReplace =
  (serverRetry: RetryPolicy) =>
  (state: FarmState, message: Extract<FarmMessage, { type: 'farm.replace' }>, context: FarmContext): void => {
    const { version, id, createdAt, quarantine } = state.record;
    writeFarm(state, { version, id, ...message.input, createdAt, updatedAt: context.now }, context);
    for (const queueId of state.queues.keys()) propagateRetryPolicy(state, queueId, serverRetry, context);
    if (quarantine?.version !== state.record.quarantine?.version) propagateQuarantine(state, context);
    context.reply(message.replyTo, done(state.record));
  };

/** Sends the setting to all workers of the farm. */
function propagateQuarantine({ workers, record: { quarantine } }: FarmState, context: FarmContext): void {
  if (quarantine === undefined) return;
  for (const { id } of workers.all())
    context.send('worker', id, { type: 'quarantine.set', setting: quarantine });
}

/**
 * Deletes a farm without active jobs, with its queues and workers. Its ended jobs stay readable. A worker that is online,
 * or disabled and possibly running, would register again in a farm of the same name, so its farm is deleted only if forced.
 */
export function onFarmDelete(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'farm.delete' }>,
  context: FarmContext,
): void {
  if (refusesOutdated('farm', SETTINGS.farm(state.record), message, context)) return;
  if (state.activeJobs.size > 0) {
    const detail = `the farm has ${state.activeJobs.size} jobs that are not completed, failed or canceled`;
    context.reply(message.replyTo, refused('conflict', detail));
    return;
  }
  const connected = message.force ? null : connectedWorkers(state);
  if (connected !== null) {
    context.reply(message.replyTo, refused('conflict', connected));
    return;
  }
  for (const id of state.queues.keys()) {
    context.change(remove('queue', keys.queue(id)));
    removeEnvironments(state, id, context);
  }
  for (const { id } of state.workers.all()) context.send('worker', id, { type: 'worker.remove' });
  context.change(removePrefix('farmSample', keys.farmSamplesOf(state.record.id)));
  context.change(removePrefix('shareUsage', keys.shareUsageOf(state.record.id)));
  context.change(remove('farmOutages', keys.farmOutages(state.record.id)));
  context.change(removePrefix('waitingStep', keys.waitingStepsOf(state.record.id)));
  context.change(remove('farm', keys.farm(state.record.id)));
  context.send('lease', state.record.id, { type: 'farm.removed' });
  context.effect({
    kind: 'forward',
    envelope: {
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'farm.removed', farmId: state.record.id },
    },
  });
  state.isDeleted = true;
  context.reply(message.replyTo, done(null));
}

/** Stores the sample in place of that of the same minute a day before. */
export function onFarmSampled(
  state: FarmState,
  { sample, replyTo }: Extract<FarmMessage, { type: 'farm.sampled' }>,
  context: FarmContext,
): void {
  context.change(put('farmSample', keys.farmSample(state.record.id, sample.at), { version: 1, sample }));
  context.reply(replyTo, done(null));
}

/** Returns why workers prevent the deletion of their farm; null if all are offline. */
function connectedWorkers({ workers }: FarmState): string | null {
  const statuses = [...workers.all()].map(({ status }) => status);
  const counts = (['online', 'disabled'] as const).flatMap((status) => {
    const count = statuses.filter((each) => each === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return counts.length === 0
    ? null
    : `workers of the farm are not offline (${counts.join(', ')}); stop them first, or delete the farm with force=true`;
}

function writeFarm(state: FarmState, record: FarmRecord, context: FarmContext): void {
  state.record = record;
  context.change(put('farm', keys.farm(record.id), record));
  context.send('lease', record.id, {
    type: 'farm.limits-changed',
    maxConcurrentTasks: record.maxConcurrentTasks,
    bookedAmounts: record.bookedAmounts ?? null,
    queuePolicy: record.queuePolicy ?? null,
    namedCaps: namedCapsOf(record),
    outages: record.outages ?? null,
  });
}

/** Returns the retry settings that a job of the queue inherits. */
export function inheritedRetry(state: FarmState, queueId: QueueId, serverRetry: RetryPolicy): InheritedRetry {
  const queue = state.queues.get(queueId);
  const ruleSets = inheritedRules(queue, state.poolRules);
  const settings = effectiveRetry(serverRetry, state.record.retry, queue?.retry ?? {});
  return {
    ...settings,
    ...(ruleSets !== undefined && { ruleSets }),
    ...(state.record.outages?.isOn === true && { findsOutages: true }),
  };
}

/** Records the retry rules of all usage pools, and sends them to the active jobs. */
export const onPoolRulesChanged =
  (serverRetry: RetryPolicy) =>
  (
    state: FarmState,
    { sets }: Extract<FarmMessage, { type: 'pool-rules.changed' }>,
    context: FarmContext,
  ): void => {
    state.poolRules = sets;
    for (const queueId of state.queues.keys()) propagateRetryPolicy(state, queueId, serverRetry, context);
  };

/** Sends the inherited retry settings to the active jobs of a queue. */
export function propagateRetryPolicy(
  state: FarmState,
  queueId: QueueId,
  serverRetry: RetryPolicy,
  context: FarmContext,
): void {
  const inherited = inheritedRetry(state, queueId, serverRetry);
  for (const [id, job] of state.activeJobs) {
    if (job.queueId === queueId) context.send('job', id, { type: 'policy.changed', inherited });
  }
}
