import { coresOf } from '../../../src/core/lease/eligibility.ts';
import type { ShortAmount } from '../../../src/core/lease/explanation.ts';
import type { Shortage } from '../../../src/core/lease/worker-amounts.ts';
import { VCPU } from '../../../src/openjd/template/capabilities.ts';
import type { StepRequirements } from '../../../src/openjd/template/plan.ts';
import { freeCoresOf, ledgerOf } from './serve.ts';
import type { LeaseState, LeaseWorker } from './state.ts';

/** Returns what an eligible worker has too little of for one task, cores first; empty if it has room. */
export function shortagesOf(
  state: LeaseState,
  worker: LeaseWorker,
  requirements: StepRequirements,
): readonly Shortage[] {
  const { offer } = worker;
  const needed = coresOf(requirements, offer.cpuCount);
  const free = freeCoresOf(worker);
  const cores = needed > free ? [{ name: VCPU, needed, free: Math.max(0, free), total: offer.cpuCount }] : [];
  const ledger = ledgerOf(state, worker);
  if (ledger === null) return cores;
  return [...cores, ...ledger.worker.shortages(ledger.farm.demandOf(requirements, offer))];
}

/** Returns the largest missing share of the worker for one task, from 0 (it has room) to 1. */
export const missingShareOf = (shortages: readonly Shortage[]): number =>
  Math.max(0, ...shortages.map(({ needed, free, total }) => (needed - free) / total));

/** Sums up what several workers have too little of. */
export class ShortAmounts {
  private readonly byName = new Map<string, ShortAmount>();

  /** Adds the shortages of one worker. */
  add(shortages: readonly Shortage[]): void {
    for (const { name, needed, free } of shortages) {
      const known = this.byName.get(name);
      this.byName.set(name, {
        name,
        needed: Math.min(needed, known?.needed ?? Infinity),
        mostFree: Math.max(free, known?.mostFree ?? 0),
        workers: (known?.workers ?? 0) + 1,
      });
    }
  }

  /** Returns the amounts, the one that most workers lack first, then by name. */
  list(): readonly ShortAmount[] {
    return [...this.byName.values()].sort((a, b) => b.workers - a.workers || (a.name < b.name ? -1 : 1));
  }
}
