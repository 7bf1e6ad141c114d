import type { Output } from '../../kernel/output.ts';
import type { WindowFlush } from '../../kernel/ports.ts';
import type { ServiceEnvelope } from '../service-messages.ts';
import type { ServiceSystem } from '../service-system.ts';
import type { JobId } from '../../../src/core/ids.ts';
import type { DomainEvent } from '../../../src/core/wire/events.ts';
import type { ServiceBus } from '../../../src/core/ports/bus.ts';
import type { Tallies } from '../../../src/core/ports/tallies.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import { batchEvents } from '../../../src/core/wire/event-batch.ts';
import type {
  BusNotice,
  ClientAnswer,
  CounterIncrement,
  LogDeletion,
  OutboxBatch,
  WebhookOrder,
} from './outbox-batch.ts';
import type { PoisonedReports } from './accept-reports.ts';
import { replyTargetOf, typedAnswer, type LeaseAddress, type ReplyTarget } from './reply-address.ts';

type Effect = ServiceSystem['effect'];
type EventEffect = Extract<Effect, { kind: 'event' | 'task-events' }>;

type DelayedEffect = Extract<Effect, { kind: 'cancel' | 'release' | 'confirm-bus' }>;

const NOTHING: OutboxBatch = {
  answers: [],
  events: [],
  forwards: [],
  counts: [],
  logDeletions: [],
  busNotices: [],
  webhookOrders: [],
};

const LEASE_TOO_LARGE =
  'a lease does not fit a message of the bus: raise max_payload of the NATS server to 8 MiB';

/** Effects of a flush. */
export interface FlushPorts {
  readonly bus: Pick<ServiceBus, 'prepareLease' | 'preparePresence' | 'takePrepared' | 'cancelAttempt'>;
  /** Answers with `bus.confirmed` once the bus has replied on the connection of this shard. */
  readonly confirmBus: (effect: Extract<Effect, { kind: 'confirm-bus' }>) => void;
  readonly tallies: Pick<Tallies, 'release'>;
  readonly meter: { leaseAnswered(address: LeaseAddress, reply: LeaseReply, windowStartedAt: number): void };
  readonly poisoned: PoisonedReports;
  /** Jobs whose task events have a subscriber. May report a job without one, never the other way round. */
  readonly followed: { mayBeFollowed(job: JobId): boolean };
  readonly mainThread: { publish(batch: OutboxBatch): void };
  /** Asks for committed windows to become readable even if no change follows them. */
  readonly store: { requestApply(): void };
  readonly logError: (text: string) => void;
  /** Runs the action after the running function, before any event: `queueMicrotask`. */
  readonly defer: (action: () => void) => void;
}

/** Outputs of one window, sorted by when and where they are sent. */
interface SortedOutputs {
  readonly leases: { readonly address: LeaseAddress; readonly reply: LeaseReply }[];
  /** Sent after the replies to workers. */
  readonly delayed: DelayedEffect[];
  readonly counts: CounterIncrement[];
  readonly whenReadable: ReadableOutputs;
}

/** Outputs that are sent when the window is readable: their receivers may read the store. */
interface ReadableOutputs {
  readonly answers: ClientAnswer[];
  /** Each is published if it has a subscriber once the window is durable. */
  readonly published: EventEffect[];
  events: readonly DomainEvent[];
  readonly forwards: ServiceEnvelope[];
  readonly logDeletions: LogDeletion[];
  readonly busNotices: BusNotice[];
  readonly webhookOrders: WebhookOrder[];
}

const READABLE_EFFECTS: ReadonlySet<Effect['kind']> = new Set([
  'forward',
  'delete-logs',
  'refused-keys-changed',
  'send-webhook',
] as const);

/**
 * Reports whether a receiver of the output waits until its window is readable: a client for its answer, another shard
 * for its message, or the logs thread for a deletion. Workers get nothing of later windows before that, so a client
 * that reads the store finds every job that a worker mentions.
 */
export const requiresReadable = (output: Output<ServiceSystem>): boolean =>
  output.kind === 'reply'
    ? replyTargetOf(output.to).kind === 'main-thread'
    : READABLE_EFFECTS.has(output.effect.kind);

/**
 * Prepares the outputs of one commit window (docs/decisions/journal.md). Replies to workers are sent when the window is
 * durable. Answers, events and forwards go to the main thread when the window is readable. The stale-assigned timer
 * repairs the loss of a reply without a connection to the bus. A reply that is too large for the bus is logged as an
 * error.
 *
 * @param windowStartedAt - Start of the window's turns on the monotonic clock, in milliseconds.
 */
export function prepareFlush(
  outputs: readonly Output<ServiceSystem>[],
  windowStartedAt: number,
  ports: FlushPorts,
): WindowFlush {
  const { bus, meter, followed, mainThread, store } = ports;
  const { leases, delayed, counts, whenReadable } = sortOutputs(outputs, ports);
  const send = bus.takePrepared();
  // A window without changes waits for earlier windows only. Events alone do not justify an early apply.
  if (awaitedOf(whenReadable) > 0) store.requestApply();
  return {
    onDurable: () => {
      send();
      // Before the kernel reports the window as processed: it counts requests without a reply as parked.
      for (const { address, reply } of leases) meter.leaseAnswered(address, reply, windowStartedAt);
      if (counts.length > 0) mainThread.publish({ ...NOTHING, counts });
      // A subscriber that comes later first waits until this window is readable and then reads it.
      whenReadable.events = subscribedEvents(whenReadable.published, followed);
      if (delayed.length > 0) ports.defer(() => runDelayed(delayed, ports));
    },
    onReadable: onReadableOf(whenReadable, mainThread),
  };
}

/** Returns the number of outputs for which a receiver waits. */
const awaitedOf = (outputs: ReadableOutputs): number =>
  outputs.answers.length +
  outputs.forwards.length +
  outputs.logDeletions.length +
  outputs.busNotices.length +
  outputs.webhookOrders.length;

/** Sorts the outputs of a window and prepares the replies to workers on the bus. */
function sortOutputs(outputs: readonly Output<ServiceSystem>[], ports: FlushPorts): SortedOutputs {
  const sorted: SortedOutputs = {
    leases: [],
    delayed: [],
    counts: [],
    whenReadable: {
      answers: [],
      published: [],
      events: [],
      forwards: [],
      logDeletions: [],
      busNotices: [],
      webhookOrders: [],
    },
  };
  for (const output of outputs) {
    if (output.kind === 'reply') addReply(sorted, replyTargetOf(output.to), output.answer, ports);
    else addEffect(sorted, output.effect);
  }
  return sorted;
}

function addReply(
  { leases, whenReadable }: SortedOutputs,
  target: ReplyTarget,
  answer: unknown,
  { bus, poisoned, logError }: FlushPorts,
): void {
  switch (target.kind) {
    case 'main-thread':
      whenReadable.answers.push({ to: target.request, answer });
      return;
    case 'lease': {
      const reply = poisoned.confirmedBy(typedAnswer(target, answer), target);
      if (bus.prepareLease(target.inbox, reply) === 'too-large') logError(LEASE_TOO_LARGE);
      leases.push({ address: target, reply });
      return;
    }
    case 'reports':
      poisoned.add(target.inbox);
      return;
    case 'presence':
      bus.preparePresence(target.inbox, typedAnswer(target, answer));
  }
}

function addEffect({ delayed, counts, whenReadable }: SortedOutputs, effect: Effect): void {
  switch (effect.kind) {
    case 'event':
    case 'task-events':
      whenReadable.published.push(effect);
      return;
    case 'cancel':
    case 'release':
    case 'confirm-bus':
      delayed.push(effect);
      return;
    case 'forward':
      whenReadable.forwards.push(effect.envelope);
      return;
    case 'count':
      counts.push(effect);
      return;
    case 'delete-logs':
      whenReadable.logDeletions.push(effect);
      return;
    case 'send-webhook':
      whenReadable.webhookOrders.push({ webhookId: effect.webhookId, deliveryId: effect.deliveryId });
      return;
    case 'refused-keys-changed':
      whenReadable.busNotices.push(effect.kind);
  }
}

/** Returns the events without those of tasks that have no subscriber. */
function subscribedEvents(
  published: readonly EventEffect[],
  followed: FlushPorts['followed'],
): readonly DomainEvent[] {
  const events: DomainEvent[] = [];
  for (const effect of published) {
    if (effect.kind === 'task-events') {
      if (!followed.mayBeFollowed(effect.jobId)) continue;
      for (const payload of effect.events()) events.push({ subject: 'tasks', payload });
      continue;
    }
    const { event } = effect;
    const isOfTasks = event.subject === 'tasks' || event.subject === 'tasks-lost';
    if (!isOfTasks || followed.mayBeFollowed(event.payload.job_id)) events.push(event);
  }
  return events;
}

function runDelayed(effects: readonly DelayedEffect[], { bus, tallies, confirmBus }: FlushPorts): void {
  for (const effect of effects) {
    if (effect.kind === 'cancel') bus.cancelAttempt(effect.workerId, effect.message);
    else if (effect.kind === 'release') tallies.release(effect.farmId, effect.slot, effect.count);
    else confirmBus(effect);
  }
}

/**
 * Returns the second part of a flush, or null for nothing. A function of its own: its closure must not retain the
 * replies to workers.
 */
function onReadableOf(
  outputs: ReadableOutputs,
  mainThread: FlushPorts['mainThread'],
): WindowFlush['onReadable'] {
  const { answers, published, forwards, logDeletions, busNotices, webhookOrders } = outputs;
  if (awaitedOf(outputs) + published.length === 0) return null;
  return () =>
    mainThread.publish({
      answers,
      events: batchEvents(outputs.events),
      forwards,
      counts: [],
      logDeletions,
      busNotices,
      webhookOrders,
    });
}
