import type { ServerConfig } from '../../src/core/config/server-config.ts';
import type { DiagnosticLog } from '../../src/core/diagnostics/diagnostic-log.ts';
import type { Logger } from '../process/logging.ts';
import type { Shutdown } from '../process/shutdown.ts';
import type { VersionFacts } from '../process/version.ts';

/** Inputs of every stage of the start. */
export interface StartContext {
  readonly config: ServerConfig;
  /** Absolute path of `data.dir`. */
  readonly directory: string;
  readonly version: VersionFacts;
  readonly logger: Logger;
  /** Null when `diagnostics.buffer_size` is 0. */
  readonly diagnostics: DiagnosticLog | null;
  /** Aborted when the service is asked to stop, which may happen during the start. */
  readonly stopping: AbortSignal;
  /** Each stage adds what it has started, so that a start that fails half-way stops all of it. */
  readonly shutdown: Shutdown;
  /** Whether the service has become ready. */
  readonly readiness: { isReady: boolean };
}

/** The service was asked to stop before it was ready. */
export class StoppedEarlyError extends Error {
  override readonly name = 'StoppedEarlyError';
}

/** Ends the start with a `StoppedEarlyError` if the service was asked to stop. */
export function throwIfStopping(stopping: AbortSignal): void {
  if (stopping.aborted) throw new StoppedEarlyError();
}
