import { randomSecrets } from '../../src/adapters/identity/random-secrets.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { connectJoinBus } from '../../src/adapters/nats/join-bus.ts';
import { actorsOf } from './actors-of.ts';
import { JoinDesk } from './join-desk.ts';
import type { Observers } from './observers.ts';
import type { OpenedBus } from './open-bus.ts';
import { RefusedKeys } from './refused-keys.ts';
import type { Shards } from './shards.ts';
import type { StartContext } from './start-context.ts';

/**
 * Starts what a bus whose credentials the service issues needs: the keys that it refuses, which follow the table of
 * credentials. Returns null for another bus.
 */
export function startRefusedKeys(
  { logger, shutdown }: StartContext,
  { authority }: OpenedBus,
  reader: StateReader,
): RefusedKeys | null {
  if (authority === null) return null;
  const refused = new RefusedKeys({
    store: reader,
    authority,
    now: () => Date.now(),
    warn: (text, attributes) => logger.warn(attributes, text),
  });
  shutdown.add('bus', () => refused.close());
  // Those of the store: the service may have ended before the bus confirmed them.
  refused.changed();
  return refused;
}

/** Serves requests of workers for credentials, if the service issues them. */
export function startJoinDesk(
  { config, logger, shutdown }: StartContext,
  { authority, requests }: OpenedBus,
  { reader, shards, observers }: { reader: StateReader; shards: Shards; observers: Observers },
): void {
  const { authentication } = config.bus;
  if (authority === null || authentication === null) return;
  const desk = new JoinDesk({
    store: reader,
    actors: actorsOf(() => shards, reader),
    secrets: randomSecrets,
    authority,
    lifetimeMs: authentication.credentialLifetimeMs,
    steadyNow: () => performance.now(),
    log: (level, text, attributes) => logger[level](attributes, text),
  });
  const bus = connectJoinBus(requests, {
    joinRequested: (tokenId, text) => desk.joinRequested(tokenId, text),
    renewalRequested: (worker, text) => desk.renewalRequested(worker, text),
    busChanged: (event) => observers.busLog.note('credentials', event),
  });
  shutdown.add('scheduler', () => bus.close());
}
