import type { QueuePolicyKind } from '../../../src/core/records/queue-policy.ts';
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
  /** Owners of the jobs, in turn. */
  readonly owners: number;
  /** Queue policy of the farm, by owner. */
  readonly policy: QueuePolicyKind;
  /** Number of amounts that the farm books besides cores, of which each task takes some. */
  readonly booked: number;
  readonly reports: Reports;
  /** Offered requests per second at which the latency is measured as well; null for none. */
  readonly offered: number | null;
  /** True if the ceiling of the disk is measured. */
  readonly disk: boolean;
}
