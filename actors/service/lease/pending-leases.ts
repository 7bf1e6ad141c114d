import type { ParkedRequest } from '../../../src/core/lease/parked-requests.ts';
import type { TakenTasks } from '../../../src/core/lease/ready-index.ts';
import type { Assignment, LeaseReply, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';

/**
 * Leases that wait for the response of their jobs, by number. They last for one unit of work. Usually there is only
 * one, for which a Map would grow and shrink each time.
 */
export class PendingLeases {
  /** Null for an ended lease. */
  private readonly leases: (PendingLease | null)[] = [];
  /** Number of the first entry. */
  private first = 1;
  private open = 0;

  /** Number of open leases. */
  get size(): number {
    return this.open;
  }

  /** Adds a lease. Returns its number; numbers rise. */
  begin(lease: PendingLease): number {
    this.open++;
    return this.first + this.leases.push(lease) - 1;
  }

  /** Returns undefined for an ended lease. */
  get(number: number): PendingLease | undefined {
    return this.leases[number - this.first] ?? undefined;
  }

  /** Ends an open lease. */
  end(number: number): void {
    this.leases[number - this.first] = null;
    this.open--;
    if (this.open > 0) return;
    this.first += this.leases.length;
    while (this.leases.length > 0) this.leases.pop();
  }

  *[Symbol.iterator](): Generator<readonly [number, PendingLease]> {
    for (const [at, lease] of this.leases.entries()) if (lease !== null) yield [this.first + at, lease];
  }
}

/** A lease request with the address of its reply. */
export type UnansweredRequest = ParkedRequest<ReplyTo<LeaseReply>>;

/** A lease whose jobs have not taken all of its tasks yet. Lasts for one unit of work. */
export interface PendingLease {
  readonly request: UnansweredRequest;
  /** Selections that wait for the response of their jobs. */
  readonly outstanding: TakenTasks[];
  readonly assignments: Assignment[];
  /** Steps of the assignments. */
  readonly steps: LeasedStep[];
}

/** A step with tasks in a lease, and the data that these share. */
export interface LeasedStep extends StepName {
  readonly assignment: StepAssignment;
}
