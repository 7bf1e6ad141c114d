import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, EXIT } from './exit-codes.ts';

/** A service that restarts is back within this time; one that stays away longer is told as such. */
const OUTAGE_MS_MAX = 60_000;
const RETRY_MS = 1_000;

/** Asks again while the service is away, as it is during a restart. */
export async function patiently<T>(ask: () => Promise<T>, away: () => void): Promise<T> {
  let since: number | null = null;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== EXIT.unavailable) throw error;
      if (since === null) away();
      since ??= performance.now();
      if (performance.now() - since > OUTAGE_MS_MAX) throw error;
    }
    await delay(RETRY_MS);
  }
}
