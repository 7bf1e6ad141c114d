import type { ThreadHost } from '../../actors/kernel/thread-host.ts';
import { BusIntake } from '../../actors/service/gateway/bus-intake.ts';
import type { ServiceSystem } from '../../actors/service/service-system.ts';
import { connectShardBus } from '../../src/adapters/nats/service-bus.ts';
import type { BusEvent, ServiceBus } from '../../src/core/ports/bus.ts';
import type { LeaseReply } from '../../src/core/wire/bus-messages.ts';
import { LivenessGate } from './liveness-gate.ts';
import type { ShardParts } from './shard-parts.ts';
import { SHARD_PROTOCOL_VERSION } from './shard-protocol.ts';

/** Events of the bus after which messages of workers do not arrive until the next `ready`. */
const SUSPENDS_LIVENESS: ReadonlySet<BusEvent['type']> = new Set(['disconnected', 'unreachable', 'impaired']);

/**
 * Reply without tasks and confirmations. The worker pauses before its next request and sends its reports on the status
 * stream.
 */
const NO_TASKS: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };

/** The connection of a shard to the bus. */
interface ShardBus {
  readonly bus: ServiceBus;
  /**
   * From now on answers every lease request with no tasks. Resolves when the lease actors have answered the parked
   * requests.
   */
  readonly stopLeasing: () => Promise<void>;
  /** Whether this node is certain to own the farms; true at first. */
  readonly mayAnswer: (mayAnswer: boolean) => void;
}

/** Connects the shard to the bus. Liveness of workers is suspended until the bus is ready. */
export function connectBus(parts: ShardParts, host: ThreadHost<ServiceSystem>): ShardBus {
  const { options, notify, ownsFarm, reader, meter } = parts;
  let isLeasing = true;
  const liveness = new LivenessGate(host.kernel);
  const intake = new BusIntake({
    reader,
    ownsFarm,
    isFirstShard: options.index === 0,
    identity: options.workerIdentity,
    meter,
    bus: () => bus,
    post: (envelope, onProcessed) => host.post(envelope, onProcessed),
  });
  const bus = connectShardBus(
    {
      servers: options.bus,
      streamServers: options.busStreams,
      isScoped: options.isBusScoped,
      shard: { index: options.index, count: options.count },
      epoch: options.epoch,
      identity: options.busIdentity,
      replicas: options.busReplicas,
    },
    {
      leaseRequested: (request, queue, inbox) => {
        if (isLeasing) intake.leaseRequested(request, queue, inbox);
        else if (ownsFarm(request.farm_id)) bus.answerLease(inbox, NO_TASKS);
      },
      presenceAnnounced: intake.presenceAnnounced,
      statusReported: intake.statusReported,
      busChanged: (event) => {
        if (event.type === 'ready') {
          liveness.changed({ isBusReady: true });
          const { epoch, serviceId } = options;
          if (epoch !== null) bus.announceOwner({ v: 1, type: 'owner', service: serviceId, epoch });
        }
        if (SUSPENDS_LIVENESS.has(event.type)) liveness.changed({ isBusReady: false });
        notify({ v: SHARD_PROTOCOL_VERSION, type: 'bus', event });
      },
    },
  );
  const stopLeasing = async (): Promise<void> => {
    isLeasing = false;
    const farms = [...reader.scan('farm')].filter(({ value: farm }) => ownsFarm(farm.id));
    const answered = farms.map(
      ({ value: farm }) =>
        new Promise<void>((resolve) => {
          host.post({ actor: 'lease', id: farm.id, message: { type: 'service.stopping' } }, resolve);
        }),
    );
    await Promise.all(answered);
  };
  return { bus, stopLeasing, mayAnswer: (mayAnswer) => liveness.changed({ mayAnswer }) };
}
