import type { WorkerId } from '../ids.ts';
import {
  INELIGIBLE_REASONS,
  ineligibilityOf,
  isEligible,
  type Demand,
  type Ineligibility,
  type IneligibleReason,
} from './eligibility.ts';
import type { WorkerOffer } from './worker-offer.ts';

/** Workers that are eligible for the same steps. */
interface Kind {
  readonly offer: WorkerOffer;
  readonly workers: Set<WorkerId>;
}

/** A demand with a name: demands of the same name are the same. */
interface NamedDemand extends Demand {
  readonly key: string;
}

/** The online workers of a farm by what they offer, so that who may run what is worked out once for all of a kind. */
export class WorkerKinds {
  private readonly kinds = new Map<string, Kind>();
  private readonly kindOf = new Map<WorkerId, Kind>();
  private readonly eligibleCounts = new Map<string, number>();
  private changes = 0;

  get online(): number {
    return this.kindOf.size;
  }

  /** Rises whenever a worker comes, goes or offers something else. */
  get revision(): number {
    return this.changes;
  }

  /** A worker is online with this offer. */
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

  /** A worker is not online any more. */
  remove(workerId: WorkerId): void {
    const kind = this.kindOf.get(workerId);
    if (kind === undefined) return;
    this.kindOf.delete(workerId);
    kind.workers.delete(workerId);
    if (kind.workers.size === 0) this.kinds.delete(kind.offer.signature);
    this.changed();
  }

  /** How many online workers may run tasks with the demand. */
  eligible(demand: NamedDemand): number {
    const known = this.eligibleCounts.get(demand.key);
    if (known !== undefined) return known;
    let count = 0;
    for (const { offer, workers } of this.kinds.values()) {
      if (isEligible(offer, demand)) count += workers.size;
    }
    this.eligibleCounts.set(demand.key, count);
    return count;
  }

  /** Whether an online worker other than these may run tasks with the demand. */
  hasOther(demand: NamedDemand, than: readonly WorkerId[]): boolean {
    let others = this.eligible(demand);
    for (const workerId of than) {
      const kind = this.kindOf.get(workerId);
      if (kind !== undefined && isEligible(kind.offer, demand)) others--;
    }
    return others > 0;
  }

  /** The offers that make a worker eligible for the demand, one of each kind. */
  *eligibleOffers(demand: Demand): Generator<WorkerOffer> {
    for (const { offer } of this.kinds.values()) if (isEligible(offer, demand)) yield offer;
  }

  /** Which gates keep the online workers from tasks with the demand. */
  rejections(demand: Demand): Rejections {
    const counts = new Map<IneligibleReason, number>();
    let nearest: { readonly workerId: WorkerId; readonly ineligibility: Ineligibility } | null = null;
    for (const { offer, workers } of this.kinds.values()) {
      const ineligibility = ineligibilityOf(offer, demand);
      if (ineligibility === null) continue;
      counts.set(ineligibility.reason, (counts.get(ineligibility.reason) ?? 0) + workers.size);
      const [workerId = offer.workerId] = workers;
      if (nearest === null || compareMisses(ineligibility, nearest.ineligibility) < 0)
        nearest = { workerId, ineligibility };
    }
    return {
      byReason: INELIGIBLE_REASONS.flatMap((reason) => {
        const workers = counts.get(reason) ?? 0;
        return workers === 0 ? [] : [{ reason, workers }];
      }),
      nearest,
    };
  }

  private changed(): void {
    this.changes++;
    this.eligibleCounts.clear();
  }
}

/** How many online workers fail each gate, in the order of the gates, and who comes nearest to passing all. */
export interface Rejections {
  readonly byReason: readonly { readonly reason: IneligibleReason; readonly workers: number }[];
  readonly nearest: { readonly workerId: WorkerId; readonly ineligibility: Ineligibility } | null;
}

/** Who fails at a later gate is nearer; of amounts, the one that lacks the smaller part. */
function compareMisses(a: Ineligibility, b: Ineligibility): number {
  if (a.reason !== b.reason)
    return INELIGIBLE_REASONS.indexOf(b.reason) - INELIGIBLE_REASONS.indexOf(a.reason);
  return missingShare(a) - missingShare(b);
}

function missingShare(ineligibility: Ineligibility): number {
  if (ineligibility.reason === 'attribute requirement not met') return ineligibility.offered === null ? 1 : 0;
  if (ineligibility.reason !== 'amount requirement not met') return 0;
  const { requirement, offered } = ineligibility;
  const min = requirement.min ?? 0;
  return offered < min ? (min - offered) / min : 0;
}
