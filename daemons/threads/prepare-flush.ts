import type { WindowFlush } from '../../actors/kernel/ports.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import type { ServiceSystem } from '../../actors/service/service-system.ts';
import type { StoreClient } from '../../src/adapters/lmdb/store-client.ts';
import type { FollowedJobs } from '../../src/adapters/system/followed-jobs.ts';
import type { SharedTallies } from '../../src/adapters/system/shared-tallies.ts';
import type { ServiceBus } from '../../src/core/ports/bus.ts';
import type { LeaseReply } from '../../src/core/wire/bus-messages.ts';
import { batchEvents } from '../../src/core/wire/event-batch.ts';
import type { MainThreadPublisher } from './main-thread-publisher.ts';
import { replyTargetOf, typedAnswer, type LeaseAddress } from './reply-address.ts';
import type { PoisonedReports } from './piggybacked-reports.ts';
import type { ShardMeter } from './shard-meter.ts';
import { SHARD_PROTOCOL_VERSION, type Answer, type ShardNotice } from './shard-protocol.ts';
import type { Output } from '../../actors/kernel/output.ts';

type Effect = ServiceSystem['effect'];
type PublishedEvent = Extract<Effect, { kind: 'event' }>['event'];

/** The bus server's bound of a message is less than that of a lease. */
const TOO_LARGE: ShardNotice = {
  v: SHARD_PROTOCOL_VERSION,
  type: 'log',
  level: 'error',
  text: 'a lease does not fit a message of the bus: raise max_payload of the NATS server to 8 MiB',
  attributes: {},
};

interface FlushDeps {
  readonly bus: Pick<ServiceBus, 'prepareLease' | 'preparePresence' | 'takePrepared' | 'cancelAttempt'>;
  readonly tallies: Pick<SharedTallies, 'release'>;
  readonly meter: ShardMeter;
  readonly rides: PoisonedReports;
  readonly followed: FollowedJobs;
  readonly front: Pick<MainThreadPublisher, 'tell'>;
  readonly store: Pick<StoreClient, 'requestApply'>;
  readonly tell: (notice: ShardNotice) => void;
}

/**
 * Whether somebody waits until the window can be read: a client for its answer, the next piece of something for its message. Nothing that comes
 * after such a window is told to a worker before it can be read, so that who follows the tables alone knows every job of which he hears.
 */
export const requiresReadable = (output: Output<ServiceSystem>): boolean =>
  output.kind === 'reply'
    ? replyTargetOf(output.to).kind === 'front'
    : output.effect.kind === 'forward' || output.effect.kind === 'delete-logs';

/**
 * Writes what a commit window has said, and gives what lets it out. Workers are answered as soon as the window is on disk; everybody else, who may
 * read the store then, hears of it through the main thread when it can be read there. A reply that cannot be said then (the bus is away) is
 * made good by the stale-assigned reaper; one that never can be is an error.
 */
export function prepareFlush(
  outputs: readonly Output<ServiceSystem>[],
  windowStartedAt: number,
  { bus, tallies, meter, rides, followed, front, store, tell }: FlushDeps,
): WindowFlush {
  const answers: Answer[] = [];
  const events: PublishedEvent[] = [];
  const forwards: ServiceEnvelope[] = [];
  const counts: Extract<Effect, { kind: 'count' }>[] = [];
  const logDeletions: Extract<Effect, { kind: 'delete-logs' }>[] = [];
  const leases: { readonly address: LeaseAddress; readonly reply: LeaseReply }[] = [];
  const later: Extract<Effect, { kind: 'cancel' | 'release' }>[] = [];
  for (const output of outputs) {
    if (output.kind === 'reply') {
      const waiting = replyTargetOf(output.to);
      if (waiting.kind === 'front') answers.push({ to: waiting.request, answer: output.answer });
      else if (waiting.kind === 'lease') {
        const reply = rides.confirmedBy(typedAnswer(waiting, output.answer), waiting);
        if (bus.prepareLease(waiting.inbox, reply) === 'too-large') tell(TOO_LARGE);
        leases.push({ address: waiting, reply });
      } else if (waiting.kind === 'reports') rides.note(waiting.inbox);
      else bus.preparePresence(waiting.inbox, typedAnswer(waiting, output.answer));
      continue;
    }
    const { effect } = output;
    switch (effect.kind) {
      case 'event':
        events.push(effect.event);
        break;
      case 'cancel':
      case 'release':
        later.push(effect);
        break;
      case 'forward':
        forwards.push(effect.envelope);
        break;
      case 'count':
        counts.push(effect);
        break;
      case 'delete-logs':
        logDeletions.push(effect);
        break;
    }
  }
  const send = bus.takePrepared();
  // A window without changes of its own waits for those before it. For events nobody waits.
  if (answers.length + forwards.length + logDeletions.length > 0) store.requestApply();
  const toReaders: ForReaders = { answers, events, forwards, logDeletions };
  return {
    durable: () => {
      send();
      // Before the kernel says that all of the window is said: a request that is not answered by then counts as parked.
      for (const { address, reply } of leases) meter.leaseAnswered(address, reply, windowStartedAt);
      if (counts.length > 0) front.tell({ answers: [], events: [], forwards: [], counts, logDeletions: [] });
      // Who follows a job from here on, and then waits until what is on disk can be read, reads what this window has committed.
      toReaders.events = toReaders.events.filter(
        (event) => event.subject !== 'tasks' || followed.mayBeFollowed(event.payload.job_id),
      );
      if (later.length === 0) return;
      queueMicrotask(() => {
        for (const effect of later) {
          if (effect.kind === 'cancel') bus.cancelAttempt(effect.message);
          else tallies.release(effect.farmId, effect.slot, effect.count);
        }
      });
    },
    readable: readableOf(toReaders, front),
  };
}

/** What is said when the window can be read. */
interface ForReaders {
  readonly answers: readonly Answer[];
  events: readonly PublishedEvent[];
  readonly forwards: readonly ServiceEnvelope[];
  readonly logDeletions: readonly Extract<Effect, { kind: 'delete-logs' }>[];
}

/** A function of its own, so that what it gives holds nothing of what workers are told. */
function readableOf(said: ForReaders, front: FlushDeps['front']): WindowFlush['readable'] {
  const { answers, events, forwards, logDeletions } = said;
  if (answers.length + events.length + forwards.length + logDeletions.length === 0) return null;
  return () => front.tell({ answers, events: batchEvents(said.events), forwards, counts: [], logDeletions });
}
