import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, ServiceUnavailable } from '../terminal/exit-codes.ts';

/** Maximum duration of an outage. A restart of the service is shorter; a longer outage is an error. */
const OUTAGE_MS_MAX = 60_000;
const RETRY_MS = 1_000;

const isUnavailable = (error: CommandError): boolean => error instanceof ServiceUnavailable;

/**
 * Repeats a request while the service is unavailable, or while `isRetryable` accepts the error. Calls `onOutage` once per
 * outage. A long attempt calls `connected` when the service has answered: a later failure is then a new outage.
 */
export async function retryWhileUnavailable<T>(
  ask: (connected: () => void) => Promise<T>,
  onOutage: () => void,
  isRetryable: (error: CommandError) => boolean = isUnavailable,
): Promise<T> {
  let since: number | null = null;
  for (;;) {
    try {
      return await ask(() => {
        since = null;
      });
    } catch (error) {
      if (!(error instanceof CommandError) || !isRetryable(error)) throw error;
      if (since === null) onOutage();
      since ??= performance.now();
      if (performance.now() - since > OUTAGE_MS_MAX) throw error;
    }
    await delay(RETRY_MS);
  }
}
