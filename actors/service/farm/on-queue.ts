import { queueId } from '../../../src/core/ids.ts';
import type { RetryPolicy } from '../../../src/core/lifecycle/retry-policy.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { changedNamedCaps, namedCapsOf } from '../../../src/core/records/named-caps.ts';
import { changedPreemption } from '../../../src/core/records/preemption.ts';
import type { QueueRecord } from '../../../src/core/records/queue.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { isolationOf } from '../../../src/core/wire/assignment-parts.ts';
import type { ServiceContext } from '../service-system.ts';
import type { FarmMessage, QueueInput } from './messages.ts';
import { propagateRetryPolicy } from './on-farm.ts';
import { removeEnvironments } from './on-queue-environment.ts';
import type { FarmState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

type FarmContext = ServiceContext<'farm'>;

export function onQueueCreate(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'queue.create' }>,
  context: FarmContext,
): void {
  if (nameTaken(state, message.input.name, null)) {
    context.reply(message.replyTo, refused('conflict', nameTakenDetail(message.input.name)));
    return;
  }
  const record: QueueRecord = {
    version: 1,
    id: queueId(context.newId()),
    farmId: state.record.id,
    ...settingsOf(message.input, null),
    createdAt: context.now,
    updatedAt: context.now,
  };
  writeQueue(state, record, context);
  context.reply(message.replyTo, done(record));
}

export const onQueueReplace =
  (serverRetry: RetryPolicy) =>
  (
    state: FarmState,
    message: Extract<FarmMessage, { type: 'queue.replace' }>,
    context: FarmContext,
  ): void => {
    const before = state.queues.get(message.queueId);
    if (before === undefined) {
      context.reply(message.replyTo, refused('not-found', `there is no queue ${message.queueId}`));
      return;
    }
    if (refusesOutdated('queue', SETTINGS.queue(before), message, context)) return;
    if (nameTaken(state, message.input.name, before)) {
      context.reply(message.replyTo, refused('conflict', nameTakenDetail(message.input.name)));
      return;
    }
    const { id, farmId, createdAt } = before;
    const settings = settingsOf(message.input, before);
    const record: QueueRecord = { version: 1, id, farmId, ...settings, createdAt, updatedAt: context.now };
    writeQueue(state, record, context);
    propagateRetryPolicy(state, record.id, serverRetry, context);
    context.reply(message.replyTo, done(record));
  };

export function onQueueDelete(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'queue.delete' }>,
  context: FarmContext,
): void {
  const before = state.queues.get(message.queueId);
  if (before === undefined) {
    context.reply(message.replyTo, refused('not-found', `there is no queue ${message.queueId}`));
    return;
  }
  if (refusesOutdated('queue', SETTINGS.queue(before), message, context)) return;
  const jobs = [...state.activeJobs.values()].filter((job) => job.queueId === message.queueId).length;
  if (jobs > 0) {
    const detail = `the queue has ${jobs} jobs that are not completed, failed or canceled`;
    context.reply(message.replyTo, refused('conflict', detail));
    return;
  }
  state.queues.delete(message.queueId);
  context.change(remove('queue', keys.queue(message.queueId)));
  removeEnvironments(state, message.queueId, context);
  context.reply(message.replyTo, done(null));
}

function writeQueue(state: FarmState, record: QueueRecord, context: FarmContext): void {
  state.queues.set(record.id, record);
  context.change(put('queue', keys.queue(record.id), record));
  context.send('lease', state.record.id, {
    type: 'queue.limits-changed',
    queueId: record.id,
    maxConcurrentTasks: record.maxConcurrentTasks,
    paused: record.paused,
    isolation: isolationOf(record),
    name: record.name,
    preemption: record,
    namedCaps: namedCapsOf(record),
  });
}

type QueueSettings = Omit<QueueRecord, 'version' | 'id' | 'farmId' | 'createdAt' | 'updatedAt'>;

/** Returns the stored settings of a queue. What the client does not send of these stays unchanged. */
function settingsOf(
  {
    runAsUser,
    runAsGroup,
    retryRules,
    preemptAfterSeconds,
    preemptible,
    ownerCaps,
    projectCaps,
    ...input
  }: QueueInput,
  before: QueueRecord | null,
): QueueSettings {
  const rules = retryRules ?? before?.retryRules ?? [];
  const user = runAsUser === undefined ? before?.runAsUser : runAsUser;
  const group = runAsGroup === undefined ? before?.runAsGroup : runAsGroup;
  return {
    ...input,
    ...(rules.length > 0 && { retryRules: rules }),
    ...changedNamedCaps(namedCapsOf({ ownerCaps, projectCaps }), before),
    ...changedPreemption({ preemptAfterSeconds, preemptible }, before),
    ...(typeof user === 'string' && { runAsUser: user }),
    ...(typeof group === 'string' && { runAsGroup: group }),
  };
}

function nameTaken(state: FarmState, name: string, except: QueueRecord | null): boolean {
  return [...state.queues.values()].some((queue) => queue.name === name && queue.id !== except?.id);
}

const nameTakenDetail = (name: string): string =>
  `the farm already has a queue named ${JSON.stringify(name)}`;
