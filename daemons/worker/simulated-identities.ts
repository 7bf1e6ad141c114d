import { dirname, join } from 'node:path';
import { makeDirectory } from '../../src/adapters/system/make-directory.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { Logger } from '../process/logging.ts';
import { openIdentity, type BusIdentity } from './bus-identity.ts';

/** Number of workers that join at the same time. */
const JOINING_MAX = 8;

/**
 * Returns the credential of each simulated worker, by its name: the stored one, or a new one for the token of
 * `worker.join`. They are kept in a directory next to `worker.credentials_file`, so that the next start uses no token.
 * Empty without a token; incomplete if `stopping` is aborted meanwhile.
 *
 * @throws Error with the reason if the token is refused, for example because it has too few uses.
 */
export async function simulatedIdentities(
  config: WorkerConfig,
  names: readonly string[],
  logger: Logger,
  stopping: AbortSignal,
): Promise<ReadonlyMap<string, BusIdentity>> {
  const { worker } = config;
  const identities = new Map<string, BusIdentity>();
  if (worker.join === null) return identities;
  const directory = join(dirname(worker.credentialsFile), 'simulated');
  makeDirectory(directory, 0o700);
  const left = [...names];
  const joinNext = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined && !stopping.aborted; name = left.shift()) {
      const credentialsFile = join(directory, `${name}.json`);
      const identity = await openIdentity(
        { ...config, worker: { ...worker, name, credentialsFile } },
        logger,
        stopping,
      );
      if (identity !== null) identities.set(name, identity);
    }
  };
  await Promise.all(Array.from({ length: JOINING_MAX }, joinNext));
  return identities;
}
