import { join } from 'node:path';
import { FileJournal } from '../../src/adapters/host/file-journal.ts';
import { FileLogSpool } from '../../src/adapters/host/log-spool.ts';
import { lockWorkerDirectory, prepareWorkerDirectory } from '../../src/adapters/host/worker-directory.ts';
import { killLeftoverProcesses, removeLeftovers } from '../../src/adapters/process/boot-fence.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import { failStop } from '../process/fail-stop.ts';
import type { Logger } from '../process/logging.ts';

/** The directory of a worker, locked for this process, and the files in it. */
export interface WorkerState {
  readonly directory: string;
  readonly sessionsDirectory: string;
  readonly journal: FileJournal;
  readonly spool: FileLogSpool;
  /** Closes the files and releases the lock. */
  readonly close: () => Promise<void>;
}

/**
 * Locks `worker.dir`, ends processes of an earlier worker, removes what it left on the disk, and opens journal and log
 * spool. The kernel releases the lock when the process ends, so a failure needs no cleanup.
 */
export async function openWorkerState(
  { worker }: WorkerConfig,
  logger: Logger,
  newId: () => string,
): Promise<WorkerState> {
  const directory = await prepareWorkerDirectory(worker.dir);
  const lock = await lockWorkerDirectory(directory);
  const sessionsDirectory = join(directory, 'sessions');
  await killLeftovers(directory);
  try {
    await removeLeftovers(worker.keepSessions ? null : sessionsDirectory, directory);
  } catch (error) {
    // Not fatal: the machine can run tasks next to the files of an earlier one.
    logger.warn({ error: asError(error).message }, 'cannot remove the files of an earlier worker');
  }
  const journal = await FileJournal.open(directory, newId, (error) =>
    failStop(logger, 'the journal cannot be written', asError(error)),
  );
  const spool = await FileLogSpool.open(join(directory, 'log-spool'), {
    bytesMax: worker.logSpoolBytes,
    warn: (text, attributes) => logger.warn(attributes, text),
  });
  const close = async (): Promise<void> => {
    await spool.close();
    await journal.close();
    lock.release();
  };
  return { directory, sessionsDirectory, journal, spool, close };
}

/** docs/faults.md#mechanisms: when a worker registers, no process of an earlier daemon runs. */
async function killLeftovers(directory: string): Promise<void> {
  const left = await killLeftoverProcesses(directory);
  if (left.length > 0)
    throw new Error(`processes of an earlier worker could not be ended: ${left.join(', ')}`);
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
