import type { Reports } from '../swarm/swarm-protocol.ts';

/** Parameters of one line of the bench. */
export interface LeaseCase {
  readonly workers: number;
  /** Cores of each worker; a task takes one. */
  readonly cores: number;
  /** Tasks of each job. */
  readonly tasks: number;
  /** Number of jobs that exist at the same time. */
  readonly jobs: number;
  /** Different requirements among the jobs. */
  readonly signatures: number;
  readonly reports: Reports;
  /** Offered requests per second at which the latency is measured as well; null for none. */
  readonly offered: number | null;
  /** True if the ceiling of the disk is measured. */
  readonly disk: boolean;
}
