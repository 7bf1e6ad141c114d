import type { ParkedRequest } from '../../../src/core/lease/parked-requests.ts';
import type { TakenTasks } from '../../../src/core/lease/ready-index.ts';
import type { Assignment, LeaseReply, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';

/**
 * Leases that their jobs have not answered yet, by number. They live within one closure: mostly there is one at a time, for which a map would be
 * made larger and smaller each time.
 */
export class PendingLeases {
  /** Null for one that is over. */
  private readonly leases: (PendingLease | null)[] = [];
  /** The number of the first of them. */
  private first = 1;
  private open = 0;

  /** How many are open. */
  get size(): number {
    return this.open;
  }

  /** Gives the number of the lease: they rise. */
  begin(lease: PendingLease): number {
    this.open++;
    return this.first + this.leases.push(lease) - 1;
  }

  /** Undefined for one that is over. */
  get(number: number): PendingLease | undefined {
    return this.leases[number - this.first] ?? undefined;
  }

  /** It is over; it must have been open. */
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

/** A lease whose tasks are being taken by their jobs: it lives within one commit. */
export interface PendingLease {
  readonly request: UnansweredRequest;
  /** Picks that their jobs have not answered yet. */
  readonly outstanding: TakenTasks[];
  readonly assignments: Assignment[];
  /** Steps of the assignments. */
  readonly steps: LeasedStep[];
}

/** A step of which a lease has tasks, and what these share. */
export interface LeasedStep extends StepName {
  readonly assignment: StepAssignment;
}
