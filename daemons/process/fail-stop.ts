import { exitNow } from '../../src/adapters/lmdb/fail-stop.ts';
import type { Logger } from './logging.ts';

/** Exit code of a process that ends because one of its parts has failed. It may be restarted at once. */
const LOST_PART_EXIT = 70;

/** Logs the error and ends the process at once (docs/architecture.md#threads: the process is fail-stop). */
export function failStop(logger: Logger, text: string, error: Error): never {
  logger.fatal({ error: error.stack ?? error.message }, text);
  exitNow(LOST_PART_EXIT);
}
