import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, ServiceUnavailable } from './exit-codes.ts';

/** A service that restarts is back within this time; one that stays away longer is told as such. */
const OUTAGE_MS_MAX = 60_000;
const RETRY_MS = 1_000;

const isAway = (error: CommandError): boolean => error instanceof ServiceUnavailable;

/**
 * Asks again while the service is away, as it is during a restart, or what it says `passes`. `away` is told once of each
 * outage. An attempt that lasts
 * calls `connected` once the service has answered: what fails after that is a new outage.
 */
export async function retryWhileUnavailable<T>(
  ask: (connected: () => void) => Promise<T>,
  away: () => void,
  passes: (error: CommandError) => boolean = isAway,
): Promise<T> {
  let since: number | null = null;
  for (;;) {
    try {
      return await ask(() => {
        since = null;
      });
    } catch (error) {
      if (!(error instanceof CommandError) || !passes(error)) throw error;
      if (since === null) away();
      since ??= performance.now();
      if (performance.now() - since > OUTAGE_MS_MAX) throw error;
    }
    await delay(RETRY_MS);
  }
}
