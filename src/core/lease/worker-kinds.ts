/**
 * Invariants: each online worker is in exactly one kind; no kind is empty; values computed per demand are dropped at
 * each change. Exits: `remove`, or `set` with another offer.
 */

import type { WorkerId } from '../ids.ts';
import {
  INELIGIBLE_REASONS,
  ineligibilityOf,
  isEligible,
  TIGHTER_EXPR_LIMITS,
  type Demand,
  type Ineligibility,
  type IneligibleReason,
} from './eligibility.ts';
import type { RejectedWorkers } from './explanation.ts';
import type { WorkerOffer } from './worker-offer.ts';

/** Workers that are eligible for the same steps. */
interface Kind {
  readonly offer: WorkerOffer;
  readonly workers: Set<WorkerId>;
}

/** A demand with a key: demands with the same key are equal. */
interface NamedDemand extends Demand {
  readonly key: string;
}

/** Cache of values computed per demand. */
class KnownOfDemands<Value> {
  private readonly values = new Map<string, Value>();

  of(demand: NamedDemand, workOut: () => Value): Value {
    const known = this.values.get(demand.key);
    if (known !== undefined) return known;
    const value = workOut();
    this.values.set(demand.key, value);
    return value;
  }

  clear(): void {
    this.values.clear();
  }
}

/** The online workers of a farm, grouped by offer, so that eligibility is computed once per group. */
export class WorkerKinds {
  private readonly kinds = new Map<string, Kind>();
  private readonly kindOf = new Map<WorkerId, Kind>();
  private readonly eligibleCounts = new KnownOfDemands<number>();
  private readonly eligibleAtAll = new KnownOfDemands<boolean>();
  private readonly furthestGates = new KnownOfDemands<IneligibleReason | null>();

  get online(): number {
    return this.kindOf.size;
  }

  /** Adds or updates an online worker. */
  set(offer: WorkerOffer): void {
    const before = this.kindOf.get(offer.workerId);
    if (before?.offer.signature === offer.signature) return;
    this.remove(offer.workerId);
    let kind = this.kinds.get(offer.signature);
    if (kind === undefined) {
      kind = { offer, workers: new Set() };
      this.kinds.set(offer.signature, kind);
    }
    kind.workers.add(offer.workerId);
    this.kindOf.set(offer.workerId, kind);
    this.changed();
  }

  /** Removes a worker that is no longer online. */
  remove(workerId: WorkerId): void {
    const kind = this.kindOf.get(workerId);
    if (kind === undefined) return;
    this.kindOf.delete(workerId);
    kind.workers.delete(workerId);
    if (kind.workers.size === 0) this.kinds.delete(kind.offer.signature);
    this.changed();
  }

  /** Returns the number of online workers that may run tasks with the demand. */
  eligible(demand: NamedDemand): number {
    return this.eligibleCounts.of(demand, () => {
      let count = 0;
      for (const { offer, workers } of this.kinds.values()) {
        if (isEligible(offer, demand)) count += workers.size;
      }
      return count;
    });
  }

  /** Reports whether any online worker may run tasks with the demand. */
  hasEligible(demand: NamedDemand): boolean {
    return this.eligibleAtAll.of(demand, () => {
      for (const { offer } of this.kinds.values()) if (isEligible(offer, demand)) return true;
      return false;
    });
  }

  /** Returns the latest gate at which an online worker fails, or null if none fails. */
  furthestGate(demand: NamedDemand): IneligibleReason | null {
    return this.furthestGates.of(demand, () => this.rejections(demand).byReason.at(-1)?.reason ?? null);
  }

  /** Reports whether an online worker other than these may run tasks with the demand. */
  hasOther(demand: NamedDemand, than: readonly WorkerId[]): boolean {
    let others = this.eligible(demand);
    for (const workerId of than) {
      const kind = this.kindOf.get(workerId);
      if (kind !== undefined && isEligible(kind.offer, demand)) others--;
    }
    return others > 0;
  }

  /** Yields the offers that make a worker eligible for the demand, one per kind. */
  *eligibleOffers(demand: Demand): Generator<WorkerOffer> {
    for (const { offer } of this.kinds.values()) if (isEligible(offer, demand)) yield offer;
  }

  /** Returns the gates that exclude online workers from tasks with the demand. */
  rejections(demand: Demand): Rejections {
    const groups = new Map<string, RejectedWorkers>();
    let nearest: { readonly workerId: WorkerId; readonly ineligibility: Ineligibility } | null = null;
    for (const { offer, workers } of this.kinds.values()) {
      const ineligibility = ineligibilityOf(offer, demand);
      if (ineligibility === null) continue;
      const { reason } = ineligibility;
      const group = 'requirement' in ineligibility ? `${reason} ${ineligibility.requirement.name}` : reason;
      const counted = workers.size + (groups.get(group)?.workers ?? 0);
      groups.set(group, rejectedBy(ineligibility, counted));
      const [workerId = offer.workerId] = workers;
      if (nearest === null || compareMisses(ineligibility, nearest.ineligibility) < 0)
        nearest = { workerId, ineligibility };
    }
    return {
      byReason: [...groups.values()].sort(
        (a, b) => INELIGIBLE_REASONS.indexOf(a.reason) - INELIGIBLE_REASONS.indexOf(b.reason),
      ),
      nearest,
    };
  }

  private changed(): void {
    this.eligibleCounts.clear();
    this.eligibleAtAll.clear();
    this.furthestGates.clear();
  }
}

/** Number of online workers per gate, in the order of the gates and separate by requirement, and the nearest miss. */
export interface Rejections {
  readonly byReason: readonly RejectedWorkers[];
  readonly nearest: { readonly workerId: WorkerId; readonly ineligibility: Ineligibility } | null;
}

function rejectedBy(ineligibility: Ineligibility, workers: number): RejectedWorkers {
  switch (ineligibility.reason) {
    case 'amount requirement not met':
    case 'attribute requirement not met':
      return { reason: ineligibility.reason, requirement: ineligibility.requirement.name, workers };
    default:
      return { reason: ineligibility.reason, workers };
  }
}

/** A failure at a later gate is nearer. Among amounts and limits, the smaller missing share is nearer. */
function compareMisses(a: Ineligibility, b: Ineligibility): number {
  if (a.reason !== b.reason)
    return INELIGIBLE_REASONS.indexOf(b.reason) - INELIGIBLE_REASONS.indexOf(a.reason);
  return missingShare(a) - missingShare(b);
}

function missingShare(ineligibility: Ineligibility): number {
  if (ineligibility.reason === TIGHTER_EXPR_LIMITS) {
    const { granted, wanted } = ineligibility.shortfall;
    return (wanted - granted) / wanted;
  }
  if (ineligibility.reason === 'attribute requirement not met') return ineligibility.offered === null ? 1 : 0;
  if (ineligibility.reason !== 'amount requirement not met') return 0;
  const { requirement, offered } = ineligibility;
  const min = requirement.min ?? 0;
  return offered < min ? (min - offered) / min : 0;
}
