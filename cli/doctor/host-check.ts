import type { Finding } from '../../src/core/host-check/finding.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { RestClient } from '../client/rest-client.ts';

/** Inputs of the checks of a host. */
export interface CheckedHost {
  /** Configuration of the worker. */
  readonly config: WorkerConfig;
  readonly client: RestClient;
  /** Version of this program. */
  readonly version: string;
}

/** One independent check of a host. */
export interface HostCheck {
  /** Name of the finding if the check has no result in time. */
  readonly name: string;
  readonly deadlineMs: number;
  /** `signal` is aborted at the deadline. Throws only if the check has a bug. */
  readonly run: (host: CheckedHost, signal: AbortSignal) => Promise<readonly Finding[]>;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
