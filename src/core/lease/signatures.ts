import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
import { compareCandidates, type Candidate } from './candidate-order.ts';
import { isEligible, type Demand } from './eligibility.ts';
import type { WorkerOffer } from './worker-offer.ts';
import type { StepEntry, Signature } from './step-entry.ts';

/** Signatures that the same workers are eligible for. */
interface Eligible {
  /** In the order of the first of their steps that have something ready; those without any stand last. */
  readonly signatures: Signature[];
  /** The change of first steps up to which the order holds. */
  sortedAt: number;
}

/** The requirement signatures of a farm's steps, and which of them a worker is eligible for: worked out once a kind of worker. */
export class Signatures {
  private readonly signatures = new Map<string, Signature>();
  /** By the signature of workers. */
  private readonly eligible = new Map<string, Eligible>();
  /** Rises when the first step of a signature is another. */
  private headChanges = 0;
  private listed = 0;

  /** How many steps have something ready. */
  get listedSteps(): number {
    return this.listed;
  }

  /** One more step has this demand. */
  join(demand: Demand): Signature {
    const key = signatureKey(demand);
    let signature = this.signatures.get(key);
    if (signature === undefined) {
      const { queueId, requirements } = demand;
      signature = { key, queueId, requirements, steps: [], members: 0, avoiding: 0 };
      this.signatures.set(key, signature);
      this.eligible.clear();
    }
    signature.members++;
    return signature;
  }

  leave(signature: Signature): void {
    signature.members--;
    if (signature.members > 0) return;
    this.signatures.delete(signature.key);
    this.eligible.clear();
  }

  /** The step has something ready. */
  list(entry: StepEntry): void {
    const { steps } = entry.signature;
    const at = placeOf(steps, entry);
    steps.splice(at, 0, entry);
    if (at === 0) this.headChanges++;
    this.listed++;
  }

  /** The step has nothing ready any more. */
  unlist(entry: StepEntry): void {
    const { steps } = entry.signature;
    const at = placeOf(steps, entry);
    if (steps[at] !== entry) return;
    steps.splice(at, 1);
    if (at === 0) this.headChanges++;
    this.listed--;
  }

  /** Those that have something ready. */
  waiting(): readonly Signature[] {
    return [...this.signatures.values()].filter((signature) => signature.steps.length > 0);
  }

  /** Those that the worker is eligible for, in the order of the first of their steps; those with nothing ready stand last. */
  eligibleFor(worker: WorkerOffer): readonly Signature[] {
    let eligible = this.eligible.get(worker.signature);
    if (eligible === undefined) {
      const signatures = [...this.signatures.values()].filter((signature) => isEligible(worker, signature));
      eligible = { signatures, sortedAt: -1 };
      this.eligible.set(worker.signature, eligible);
    }
    if (eligible.sortedAt !== this.headChanges) {
      eligible.signatures.sort(compareHeads);
      eligible.sortedAt = this.headChanges;
    }
    return eligible.signatures;
  }
}

function compareHeads({ steps: [a] }: Signature, { steps: [b] }: Signature): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  return compareCandidates(a, b);
}

/** Equal for demands that every worker meets or does not meet alike. */
function signatureKey(demand: Demand): string {
  const { cores, computeLocation, amounts, pools, attributes, usesExpressions = false } = demand.requirements;
  return JSON.stringify([
    demand.queueId,
    cores,
    computeLocation,
    amounts,
    pools,
    attributes,
    usesExpressions,
  ]);
}

/** Where the candidate stands, or would stand, in the sorted list. */
function placeOf(steps: readonly StepEntry[], entry: Candidate): number {
  return partitionPoint(steps.length, (at) => {
    const other = steps[at];
    return other !== undefined && compareCandidates(other, entry) < 0;
  });
}
