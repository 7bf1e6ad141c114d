import { setTimeout as delay } from 'node:timers/promises';
import { anonymousReach } from '../../src/adapters/nats/anonymous-check.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import {
  isolatedQueues,
  OPEN_BUS_REMEDY,
  OPEN_MANAGED_BUS,
  reachText,
  standingOf,
  type BusStanding,
} from '../../src/core/bus-identity/open-bus.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import type { Logger } from '../process/logging.ts';
import type { StartContext } from './start-context.ts';

/** Time until an external bus is checked again. */
const CHECK_AGAIN_MS = 600_000;
/** Time until a check that had no result is repeated. */
const RETRY_MS = 15_000;

/** The latest knowledge about clients without credentials on the bus. */
export interface BusStandingWatch {
  current(): BusStanding;
}

/**
 * Watches how far a client without credentials gets on the bus. Warns when the bus is open and queues have accounts of
 * their own. An external bus is checked repeatedly, because its operator may change its permissions.
 */
export function watchBusStanding(
  { config, logger, stopping }: Pick<StartContext, 'config' | 'logger' | 'stopping'>,
  servers: ServerList,
  queues: () => Iterable<QueueRecord>,
): BusStandingWatch {
  let standing: BusStanding = { kind: 'unknown' };
  const found = (next: BusStanding): void => {
    const isChanged = JSON.stringify(next) !== JSON.stringify(standing);
    standing = next;
    if (isChanged) warnIfOpen(standing, queues(), logger);
  };
  if (config.bus.urls.length === 0)
    found(config.bus.authentication !== null ? { kind: 'closed' } : OPEN_MANAGED_BUS);
  else void checkRepeatedly(servers, found, logger, stopping);
  return { current: () => standing };
}

async function checkRepeatedly(
  servers: ServerList,
  found: (standing: BusStanding) => void,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    let pauseMs = CHECK_AGAIN_MS;
    try {
      const standing = standingOf(await anonymousReach(servers));
      found(standing);
      logger.debug({ standing: standing.kind }, 'the bus was checked without credentials');
    } catch (error) {
      pauseMs = RETRY_MS;
      const reason = error instanceof Error ? error.message : String(error);
      logger.debug({ error: reason }, 'the bus could not be checked without credentials');
    }
    await delay(pauseMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}

function warnIfOpen(standing: BusStanding, queues: Iterable<QueueRecord>, logger: Logger): void {
  if (standing.kind !== 'open') return;
  const names = isolatedQueues(queues).map(({ name }) => name);
  if (names.length === 0) return;
  logger.warn(
    { queues: names.join(', ') },
    `queues with an account of their own use a bus without authentication: a program that reaches it can ${reachText(standing.reach)}; ${OPEN_BUS_REMEDY}`,
  );
}
