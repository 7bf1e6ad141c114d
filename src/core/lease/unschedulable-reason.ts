import { ONLINE_WORKERS_SLOT, type Tallies } from '../ports/tallies.ts';
import { TIGHTER_EXPR_LIMITS } from './eligibility.ts';
import type { FarmPools } from './farm-pools.ts';
import type { WorkerKinds } from './worker-kinds.ts';
import type { Signature } from './step-entry.ts';

/** docs/contract/workers.md#unschedulable-tasks: the reasons of a ready task that no online worker may run. */
const NO_ONLINE_WORKERS = 'no online workers';
const NO_ELIGIBLE_WORKER = 'no eligible online worker';

const noEligibleWorker = (gate: string): string => `${NO_ELIGIBLE_WORKER}: ${gate}`;

/** Input to the reason: the online workers of the farm and of all farms, and the usage pools. */
export interface Matching {
  readonly kinds: WorkerKinds;
  readonly pools: FarmPools;
  readonly tallies: Tallies;
}

/**
 * Returns why no online worker may run tasks of the signature, or null if one may. If workers fail at different gates,
 * the latest gate counts.
 */
export function unschedulableReason(matching: Matching, signature: Signature): string | null {
  const { kinds, pools, tallies } = matching;
  if (kinds.online === 0) {
    return tallies.total(ONLINE_WORKERS_SLOT) === 0 ? NO_ONLINE_WORKERS : noEligibleWorker('farm mismatch');
  }
  if (kinds.hasEligible(signature)) {
    return pools.room(signature.requirements, null) > 0 ? null : noEligibleWorker('usage pool at capacity');
  }
  const gate = kinds.furthestGate(signature);
  return gate === TIGHTER_EXPR_LIMITS ? gate : noEligibleWorker(gate ?? 'farm mismatch');
}
