import { fileURLToPath } from 'node:url';
import { MAKER_LIMITS } from '../../src/adapters/previews/limits.ts';
import { sessionId } from '../../src/core/ids.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { Logger } from '../process/logging.ts';
import { entryUrl } from '../threads/entry-url.ts';
import { PreviewMaker, type PreviewMakerOptions } from './preview-maker.ts';
import type { WorkerState } from './worker-state.ts';

interface PreviewContext {
  readonly config: WorkerConfig;
  readonly logger: Logger;
  readonly newId: () => string;
  readonly state: WorkerState;
}

/** Returns the maker of previews; null if `worker.previews` is off, or the system is not Linux, which is logged. */
export function openPreviews(
  { config, logger, newId, state }: PreviewContext,
  { processes, publish }: Pick<PreviewMakerOptions, 'processes' | 'publish'>,
): PreviewMaker | null {
  if (!config.worker.previews) return null;
  if (process.platform !== 'linux') {
    logger.warn({ platform: process.platform }, 'worker.previews needs Linux: no previews are made');
    return null;
  }
  return new PreviewMaker({
    processes,
    publish,
    sessionsDirectory: state.sessionsDirectory,
    program: [process.execPath, fileURLToPath(entryUrl('preview-process'))],
    timeMs: MAKER_LIMITS.timeMs,
    newSessionId: () => sessionId(newId()),
    log: (level, text, attributes) => logger[level](attributes, text),
  });
}
