import { exitNow } from '../../src/adapters/lmdb/fail-stop.ts';
import type { Logger } from './logging.ts';

/** Exit code of a process that ended because a part of it was lost; the start from the store is quick and needs no hand. */
const LOST_PART_EXIT = 70;

/** Ends the process at once (docs/architecture.md#threads: the whole process is fail-stop). */
export function failStop(logger: Logger, text: string, error: Error): never {
  logger.fatal({ error: error.stack ?? error.message }, text);
  exitNow(LOST_PART_EXIT);
}
