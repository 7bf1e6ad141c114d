/**
 * A group exists while a step of its sharer and signature is listed. Invariants: each listed step is in one group; the
 * steps of a group are in the order of candidates; the groups of a signature form a heap. Exits: the last `unlist`
 * removes a group, and with the last group of its signature also the heap.
 */

import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
import { compareCandidates } from './candidate-order.ts';
import { IndexedHeap } from './indexed-heap.ts';
import type { ShareGroup, Sharer, Signature, StepEntry } from './step-entry.ts';

/** The groups of one signature. */
interface SignatureGroups {
  readonly heap: IndexedHeap<ShareGroup>;
  readonly bySharer: Map<Sharer, ShareGroup>;
}

/** Compares two steps by the rank of their sharers, and those of equal rank in the order of candidates. */
export type CompareSteps = (a: StepEntry, b: StepEntry) => number;

/** Returns the order of steps under a policy. With `priorityFirst`, priority has precedence over the rank. */
export const orderByRank =
  (priorityFirst: boolean): CompareSteps =>
  (a, b) => {
    if (priorityFirst && a.priority !== b.priority) return b.priority - a.priority;
    const rankA = a.sharer?.rank ?? 0;
    const rankB = b.sharer?.rank ?? 0;
    if (rankA !== rankB) return rankA < rankB ? -1 : 1;
    const tieA = a.sharer?.tie ?? 0;
    const tieB = b.sharer?.tie ?? 0;
    if (tieA !== tieB) return tieA < tieB ? -1 : 1;
    return compareCandidates(a, b);
  };

/** The listed steps of a farm by signature and sharer, so that the first one is found in logarithmic time. */
export class ShareOrder {
  readonly compare: CompareSteps;
  private readonly signatures = new Map<Signature, SignatureGroups>();

  constructor(compare: CompareSteps) {
    this.compare = compare;
  }

  /** Adds a step that has ready tasks now. */
  list(step: StepEntry): void {
    const { sharer, signature } = step;
    if (sharer === null) throw new Error('a listed step has no sharer');
    let groups = this.signatures.get(signature);
    if (groups === undefined) {
      groups = { heap: new IndexedHeap((a, b) => this.comesFirst(a, b)), bySharer: new Map() };
      this.signatures.set(signature, groups);
    }
    const known = groups.bySharer.get(sharer);
    if (known === undefined) {
      const group: ShareGroup = { sharer, heap: groups.heap, steps: [step], position: 0 };
      groups.bySharer.set(sharer, group);
      sharer.groups.add(group);
      groups.heap.add(group);
      return;
    }
    const at = placeOf(known.steps, step);
    known.steps.splice(at, 0, step);
    if (at === 0) known.heap.update(known);
  }

  /** Removes a listed step. */
  unlist(step: StepEntry): void {
    const { sharer, signature } = step;
    const groups = this.signatures.get(signature);
    const group = sharer === null ? undefined : groups?.bySharer.get(sharer);
    if (sharer === null || groups === undefined || group === undefined) return;
    const at = placeOf(group.steps, step);
    if (group.steps[at] !== step) return;
    if (group.steps.length > 1) {
      group.steps.splice(at, 1);
      if (at === 0) group.heap.update(group);
      return;
    }
    group.heap.remove(group);
    groups.bySharer.delete(sharer);
    sharer.groups.delete(group);
    if (groups.heap.size === 0) this.signatures.delete(signature);
  }

  /** Restores the order after a change of the sharer's rank. */
  moved(sharer: Sharer): void {
    for (const group of sharer.groups) group.heap.update(group);
  }

  /** Returns the first listed step of the signature. */
  headOf(signature: Signature): StepEntry | undefined {
    return this.signatures.get(signature)?.heap.first()?.steps[0];
  }

  /** Returns the first listed step of the signature that is allowed. */
  allowedHeadOf(signature: Signature, isAllowed: (step: StepEntry) => boolean): StepEntry | undefined {
    let best: StepEntry | undefined;
    for (const { steps } of this.signatures.get(signature)?.heap.inOrder() ?? []) {
      const [first] = steps;
      // No step of this group or a later one precedes the best.
      if (first === undefined || (best !== undefined && this.compare(first, best) > 0)) break;
      const allowed = steps.find(isAllowed);
      if (allowed === undefined) continue;
      if (best === undefined || this.compare(allowed, best) < 0) best = allowed;
    }
    return best;
  }

  private comesFirst({ steps: [a] }: ShareGroup, { steps: [b] }: ShareGroup): boolean {
    return a !== undefined && b !== undefined && this.compare(a, b) < 0;
  }
}

/** Returns the index of the step in the sorted list, or the index at which it would be inserted. */
function placeOf(steps: readonly StepEntry[], step: StepEntry): number {
  return partitionPoint(steps.length, (at) => {
    const other = steps[at];
    return other !== undefined && compareCandidates(other, step) < 0;
  });
}
