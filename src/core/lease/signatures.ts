/**
 * A signature exists while a step has its demand. Invariants: `steps` has exactly the listed steps, in the order of
 * candidates; lists of signatures are dropped when the set of signatures changes, and sorted again when a first step
 * changes. Exits: the last `leave` removes a signature.
 */

import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
import { compareCandidates, type Candidate } from './candidate-order.ts';
import { NO_CAP_GROUPS } from './group-caps.ts';
import { isEligible, type Demand } from './eligibility.ts';
import type { WorkerOffer } from './worker-offer.ts';
import type { CapGroup, StepEntry, Signature } from './step-entry.ts';

interface SortedSignatures {
  /** Ordered by their first steps with ready tasks; those without any are last. */
  readonly signatures: Signature[];
  /** The value of `headChanges` for which the order is valid. */
  sortedAt: number;
}

/**
 * The requirement signatures of a farm's steps, and the signatures that each kind of worker is eligible for. The latter
 * are computed once per kind.
 */
export class Signatures {
  private readonly signatures = new Map<string, Signature>();
  /** By the signature of workers. */
  private readonly eligible = new Map<string, SortedSignatures>();
  /** All of them; null after the set has changed. */
  private all: SortedSignatures | null = null;
  /** Increases when the first step of a signature changes. */
  private headChanges = 0;
  private listed = 0;

  /** Number of steps with ready tasks. */
  get listedSteps(): number {
    return this.listed;
  }

  /** Adds a step with this demand, whose owner and project have these caps. */
  join(demand: Demand, capGroups: readonly CapGroup[] = NO_CAP_GROUPS): Signature {
    const ofDemand = signatureKey(demand);
    const key = capGroups.reduce((text, group) => `${text} ${group.key}`, ofDemand);
    let signature = this.signatures.get(key);
    if (signature === undefined) {
      const { queueId, requirements } = demand;
      signature = { key, capGroups, queueId, requirements, steps: [], members: 0, avoiding: 0 };
      this.signatures.set(key, signature);
      for (const { signatures } of capGroups) signatures.add(signature);
      this.dropLists();
    }
    signature.members++;
    return signature;
  }

  leave(signature: Signature): void {
    signature.members--;
    if (signature.members > 0) return;
    this.signatures.delete(signature.key);
    for (const { signatures } of signature.capGroups) signatures.delete(signature);
    this.dropLists();
  }

  /** Adds a step that has ready tasks and room now. */
  list(entry: StepEntry): void {
    const { steps } = entry.signature;
    entry.isListed = true;
    const at = placeOf(steps, entry);
    steps.splice(at, 0, entry);
    if (at === 0) this.headChanges++;
    this.listed++;
  }

  /** Removes a step that has no ready tasks or no room any longer. */
  unlist(entry: StepEntry): void {
    const { steps } = entry.signature;
    entry.isListed = false;
    const at = placeOf(steps, entry);
    if (steps[at] !== entry) return;
    steps.splice(at, 1);
    if (at === 0) this.headChanges++;
    this.listed--;
  }

  /** Returns the signatures with ready tasks, ordered by their first steps. */
  waiting(): readonly Signature[] {
    this.all ??= { signatures: [...this.signatures.values()], sortedAt: -1 };
    const signatures = this.sorted(this.all);
    const empty = partitionPoint(signatures.length, (at) => (signatures[at]?.steps.length ?? 0) > 0);
    return signatures.slice(0, empty);
  }

  /**
   * Returns the signatures that the worker is eligible for, ordered by their first steps; those without ready tasks are
   * last.
   */
  eligibleFor(worker: WorkerOffer): readonly Signature[] {
    let eligible = this.eligible.get(worker.signature);
    if (eligible === undefined) {
      const signatures = [...this.signatures.values()].filter((signature) => isEligible(worker, signature));
      eligible = { signatures, sortedAt: -1 };
      this.eligible.set(worker.signature, eligible);
    }
    return this.sorted(eligible);
  }

  private sorted(list: SortedSignatures): readonly Signature[] {
    if (list.sortedAt !== this.headChanges) {
      list.signatures.sort(compareHeads);
      list.sortedAt = this.headChanges;
    }
    return list.signatures;
  }

  /** Drops all that was computed for another set of signatures. */
  private dropLists(): void {
    this.eligible.clear();
    this.all = null;
  }
}

/** Compares signatures by their first steps; one without ready tasks comes last. */
export function compareHeads({ steps: [a] }: Signature, { steps: [b] }: Signature): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  return compareCandidates(a, b);
}

/** Returns a key that is equal for demands which every worker meets or fails alike. */
export function signatureKey(demand: Demand): string {
  const {
    cores,
    computeLocation,
    amounts,
    pools,
    poolAmounts,
    attributes,
    usesExpressions = false,
  } = demand.requirements;
  return JSON.stringify([
    demand.queueId,
    cores,
    computeLocation,
    amounts,
    pools,
    poolAmounts,
    attributes,
    usesExpressions,
  ]);
}

/** Returns the index of the candidate in the sorted list, or the index at which it would be inserted. */
function placeOf(steps: readonly StepEntry[], entry: Candidate): number {
  return partitionPoint(steps.length, (at) => {
    const other = steps[at];
    return other !== undefined && compareCandidates(other, entry) < 0;
  });
}
