import {
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type ConsumerConfig,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream';

/** A durable consumer of the service, or of one owner of a cluster. */
export interface ConsumerIdentity {
  readonly name: string;
  /** Epoch of the owner; null on a single node. */
  readonly epoch: number | null;
}

/**
 * Name of the consumer on the server. Each owner of a cluster has a consumer of its own: what was delivered to an owner that was
 * lost, or that is paused with open requests, would else come again only after the redelivery time.
 */
export const consumerName = ({ name, epoch }: ConsumerIdentity): string =>
  epoch === null ? name : `${name}-epoch-${epoch}`;

/**
 * Creates the consumer if it is missing. That of a new owner continues after the last message up to which an earlier one has
 * acknowledged everything, and replaces it. Messages after that may come again.
 *
 * @throws Error if a later owner has a consumer, or with the server's error.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  identity: ConsumerIdentity,
  config: ConsumerConfig,
): Promise<ConsumerInfo> {
  const { epoch } = identity;
  if (epoch === null) return await manager.consumers.add(stream, config);
  const own = await findConsumer(manager, stream, consumerName(identity));
  if (own !== null) return own;
  const others = await consumersNamed(manager, stream, identity.name);
  const later = others.find((other) => other.epoch > epoch);
  if (later !== undefined)
    throw new Error(
      `the owner of epoch ${later.epoch} consumes stream ${stream}; this one has epoch ${epoch}`,
    );
  const info = await manager.consumers.add(stream, { ...config, ...startAfter(others) });
  for (const { info: earlier } of others) await manager.consumers.delete(stream, earlier.name);
  return info;
}

interface EpochConsumer {
  /** 0 for a consumer of an earlier version, whose name has no epoch. */
  readonly epoch: number;
  readonly info: ConsumerInfo;
}

/** Everything up to the highest floor was acknowledged: an owner acknowledges what its records contain. */
function startAfter(earlier: readonly EpochConsumer[]): Partial<ConsumerConfig> {
  if (earlier.length === 0) return {};
  const floor = Math.max(...earlier.map(({ info }) => info.ack_floor.stream_seq));
  return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: floor + 1 };
}

async function consumersNamed(
  manager: JetStreamManager,
  stream: string,
  name: string,
): Promise<readonly EpochConsumer[]> {
  const found: EpochConsumer[] = [];
  for await (const info of manager.consumers.list(stream)) {
    const epoch = epochOf(info.name, name);
    if (epoch !== null) found.push({ epoch, info });
  }
  return found;
}

function epochOf(consumer: string, name: string): number | null {
  if (consumer === name) return 0;
  const [base, digits = ''] = consumer.split('-epoch-');
  return base === name && /^\d+$/.test(digits) ? Number(digits) : null;
}

async function findConsumer(
  manager: JetStreamManager,
  stream: string,
  name: string,
): Promise<ConsumerInfo | null> {
  try {
    return await manager.consumers.info(stream, name);
  } catch (error) {
    const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound;
    if (isMissing) return null;
    throw error;
  }
}
