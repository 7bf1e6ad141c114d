import { existsSync, rmSync } from 'node:fs';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { holdPresence } from '../../src/adapters/nats/presence-hold.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { restoreMarkerPath } from '../maintenance/data-directory.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

/**
 * Waits, at the first start after a restore or the first takeover after a recovery, until every worker has stopped the tasks that the restored store does not
 * contain. Otherwise a task that was leased after the backup could run twice at the same time. Workers stop them in time
 * only while they see that a service is connected but does not reply (docs/decisions/outages.md), so the service
 * subscribes without a reply for as long as the longest time that it has promised to a worker.
 *
 * @throws StoppedEarlyError if the service is asked to stop meanwhile. The next start waits again.
 */
export async function waitAfterRestore(
  { directory, config, logger, stopping }: StartContext,
  bus: ServerList,
  reader: StateReader,
): Promise<void> {
  const mark = restoreMarkerPath(directory);
  const isRecovered = config.cluster !== null && hasOnlyForgottenWorkers(reader);
  if (!existsSync(mark) && !isRecovered) return;
  const waitMs = longestPromiseMs(reader, config.scheduler.reclaimAfterMs);
  logger.warn(
    { milliseconds: waitMs },
    'first start after a restore: waiting until workers have stopped the tasks that they ran without the service',
  );
  await holdPresence(bus, waitMs, stopping);
  throwIfStopping(stopping);
  rmSync(mark, { force: true });
}

/**
 * Reports whether no worker has registered since a restore or a recovery, which empty the incarnations of all of them: then the
 * wait is not over. It may have begun on another node of the cluster, which has the mark of the restore.
 */
function hasOnlyForgottenWorkers(reader: StateReader): boolean {
  let hasWorkers = false;
  // A takeover waits for this: the first worker nearly always decides.
  for (const { value: worker } of reader.scan('worker')) {
    if (worker.incarnation !== '') return false;
    hasWorkers = true;
  }
  return hasWorkers;
}

/** Returns the longest time without contact after which a worker stops its tasks, as far as the store knows. */
function longestPromiseMs(reader: StateReader, reclaimAfterMs: number): number {
  let longest = reclaimAfterMs;
  for (const { value: worker } of reader.scan('worker'))
    longest = Math.max(longest, worker.promise?.reclaimAfterMs ?? 0);
  return longest;
}
