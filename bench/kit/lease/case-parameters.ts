import type { Reports } from '../swarm/swarm-protocol.ts';

/** One line of the bench. */
export interface LeaseCase {
  readonly workers: number;
  /** Of each worker; tasks take one. */
  readonly cores: number;
  /** Of each job. */
  readonly tasks: number;
  /** That are there at once. */
  readonly jobs: number;
  /** Different requirements among the jobs. */
  readonly signatures: number;
  readonly reports: Reports;
  /** Requests a second at which the latency is measured as well; null for none. */
  readonly offered: number | null;
  /** Whether the ceiling of the disk is measured. */
  readonly disk: boolean;
}
