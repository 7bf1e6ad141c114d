import type { QueueId } from '../../../src/core/ids.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';
import { put, remove, removePrefix } from '../../../src/core/records/change-set.ts';
import {
  inOrder,
  QUEUE_ENVIRONMENT_LIMITS,
  type QueueEnvironmentRecord,
} from '../../../src/core/records/queue-environment.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import { refusesOutdated } from '../refuse-outdated.ts';
import type { ServiceContext } from '../service-system.ts';
import type { FarmMessage } from './messages.ts';
import type { FarmState } from './state.ts';

type FarmContext = ServiceContext<'farm'>;
type Message<Type extends FarmMessage['type']> = Extract<FarmMessage, { type: Type }>;

/** Adds an environment to a queue: without a priority as the last one. */
export function onQueueEnvironmentCreate(
  state: FarmState,
  { queueId, input, replyTo }: Message<'queue-environment.create'>,
  context: FarmContext,
): void {
  const queue = state.queues.get(queueId);
  if (queue === undefined) {
    context.reply(replyTo, refused('not-found', `there is no queue ${queueId}`));
    return;
  }
  const others = environmentsOf(state, queueId);
  const { perQueue } = QUEUE_ENVIRONMENT_LIMITS;
  if (others.length >= perQueue) {
    context.reply(
      replyTo,
      refused('conflict', `the queue has ${perQueue} environments, the most that it can have`),
    );
    return;
  }
  if (others.some(({ name }) => name === input.name)) {
    context.reply(replyTo, refused('conflict', nameTakenDetail(input.name)));
    return;
  }
  const record: QueueEnvironmentRecord = {
    version: 1,
    id: context.newId(),
    queueId,
    farmId: queue.farmId,
    ...input,
    priority: input.priority ?? priorityAfter(others.at(-1)),
    createdAt: context.now,
    updatedAt: context.now,
  };
  writeEnvironment(state, record, context);
  context.reply(replyTo, done(record));
}

export function onQueueEnvironmentReplace(
  state: FarmState,
  message: Message<'queue-environment.replace'>,
  context: FarmContext,
): void {
  const { queueId, input, replyTo } = message;
  const before = environmentToChange(state, message, context);
  if (before === null) return;
  if (environmentsOf(state, queueId).some(({ id, name }) => name === input.name && id !== before.id)) {
    context.reply(replyTo, refused('conflict', nameTakenDetail(input.name)));
    return;
  }
  const { priority = before.priority } = input;
  const record: QueueEnvironmentRecord = { ...before, ...input, priority, updatedAt: context.now };
  writeEnvironment(state, record, context);
  context.reply(replyTo, done(record));
}

export function onQueueEnvironmentDelete(
  state: FarmState,
  message: Message<'queue-environment.delete'>,
  context: FarmContext,
): void {
  const before = environmentToChange(state, message, context);
  if (before === null) return;
  state.environments.delete(before.id);
  context.change(remove('queueEnvironment', keys.queueEnvironment(before.queueId, before.id)));
  context.reply(message.replyTo, done(null));
}

/** Removes the environments of a queue that is deleted. */
export function removeEnvironments(state: FarmState, queueId: QueueId, context: FarmContext): void {
  const environments = environmentsOf(state, queueId);
  if (environments.length === 0) return;
  for (const { id } of environments) state.environments.delete(id);
  context.change(removePrefix('queueEnvironment', keys.queueEnvironmentsOf(queueId)));
}

/** Returns the environments of a queue in their order. */
const environmentsOf = (state: FarmState, queueId: QueueId): readonly QueueEnvironmentRecord[] =>
  inOrder([...state.environments.values()].filter((environment) => environment.queueId === queueId));

/** Returns the environment that a message changes. Replies and returns null if it does not exist, or has another version. */
function environmentToChange<Answer>(
  state: FarmState,
  message: Omit<Message<'queue-environment.delete'>, 'type' | 'replyTo'> & {
    readonly replyTo: ReplyTo<Outcome<Answer>>;
  },
  context: FarmContext,
): QueueEnvironmentRecord | null {
  const { queueId, environmentId, replyTo } = message;
  const found = state.environments.get(environmentId);
  if (found?.queueId !== queueId) {
    context.reply(replyTo, refused('not-found', `the queue ${queueId} has no environment ${environmentId}`));
    return null;
  }
  const settings = SETTINGS['queue environment'](found);
  return refusesOutdated('queue environment', settings, message, context) ? null : found;
}

function writeEnvironment(state: FarmState, record: QueueEnvironmentRecord, context: FarmContext): void {
  state.environments.set(record.id, record);
  context.change(put('queueEnvironment', keys.queueEnvironment(record.queueId, record.id), record));
}

function priorityAfter(last: QueueEnvironmentRecord | undefined): number {
  const { priority, priorityStep } = QUEUE_ENVIRONMENT_LIMITS;
  return last === undefined ? priorityStep : Math.min(last.priority + priorityStep, priority);
}

const nameTakenDetail = (name: string): string =>
  `the queue already has an environment named ${JSON.stringify(name)}`;
