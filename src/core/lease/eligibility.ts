import type { QueueId } from '../ids.ts';
import type {
  AmountRequirement,
  AttributeRequirement,
  StepRequirements,
} from '../../openjd/template/plan.ts';
import { VCPU } from '../../openjd/template/capabilities.ts';
import type { ExprShortfall, WorkerOffer } from './worker-offer.ts';

/** The sentence of docs/contract/workers.md#unschedulable-tasks, which stands for itself. */
export const TIGHTER_EXPR_LIMITS = "the worker's advertised expression limits are tighter than the server's";

/**
 * Why a worker may not run a step, in the words of docs/contract/workers.md#unschedulable-tasks, in the order in which
 * the gates stand.
 */
export const INELIGIBLE_REASONS = [
  'queue affinity',
  'compute location mismatch',
  'amount requirement not met',
  'attribute requirement not met',
  TIGHTER_EXPR_LIMITS,
] as const;
export type IneligibleReason = (typeof INELIGIBLE_REASONS)[number];

/** What of a demand a worker does not meet. */
export type Ineligibility =
  | { readonly reason: 'queue affinity'; readonly queueIds: readonly QueueId[] }
  | {
      readonly reason: 'compute location mismatch';
      readonly wanted: string;
      /** Empty when the worker says none. */
      readonly offered: string;
    }
  | {
      readonly reason: 'amount requirement not met';
      readonly requirement: AmountRequirement;
      readonly offered: number;
    }
  | {
      readonly reason: 'attribute requirement not met';
      readonly requirement: AttributeRequirement;
      /** Null when the worker does not have the attribute. */
      readonly offered: string | null;
    }
  | { readonly reason: typeof TIGHTER_EXPR_LIMITS; readonly shortfall: ExprShortfall };

/** What the eligibility of a worker depends on: the queue of the job and the requirements of the step. */
export interface Demand {
  readonly queueId: QueueId;
  readonly requirements: StepRequirements;
}

/** The first gate that keeps the worker from tasks with this demand however many of its cores are free; null when none does. */
export function ineligibilityOf(worker: WorkerOffer, demand: Demand): Ineligibility | null {
  const { requirements } = demand;
  if (worker.queueIds.length > 0 && !worker.queueIds.includes(demand.queueId)) {
    return { reason: 'queue affinity', queueIds: worker.queueIds };
  }
  if (requirements.computeLocation !== '' && requirements.computeLocation !== worker.computeLocation) {
    const { computeLocation: wanted } = requirements;
    return { reason: 'compute location mismatch', wanted, offered: worker.computeLocation };
  }
  const cores = coresOf(requirements, worker.cpuCount);
  if (cores > worker.cpuCount) {
    const requirement = { name: VCPU, min: cores };
    return { reason: 'amount requirement not met', requirement, offered: worker.cpuCount };
  }
  for (const requirement of requirements.amounts) {
    const offered = worker.amounts.get(requirement.name) ?? 0;
    if (offered < (requirement.min ?? 0) || offered > (requirement.max ?? Infinity)) {
      return { reason: 'amount requirement not met', requirement, offered };
    }
  }
  for (const requirement of requirements.attributes) {
    if (hasAttribute(worker, requirement)) continue;
    const offered = worker.attributes.get(requirement.name) ?? null;
    return { reason: 'attribute requirement not met', requirement, offered };
  }
  const { exprShortfall: shortfall } = worker;
  if (requirements.usesExpressions === true && shortfall !== null) {
    return { reason: TIGHTER_EXPR_LIMITS, shortfall };
  }
  return null;
}

/** Whether the worker may run tasks with this demand when it has the cores free. */
export const isEligible = (worker: WorkerOffer, demand: Demand): boolean =>
  ineligibilityOf(worker, demand) === null;

/** Cores that one task takes of a worker with `cpuCount`: whole ones, at least one; all of them when none are declared. */
export function coresOf(requirements: StepRequirements, cpuCount: number): number {
  return requirements.cores === null ? cpuCount : Math.max(1, Math.ceil(requirements.cores));
}

/** Compared as written: a location is a name of the farm's own. */
const CASE_SENSITIVE = new Set(['attr.worker.computelocation']);

function hasAttribute(worker: WorkerOffer, attribute: AttributeRequirement): boolean {
  const fold = CASE_SENSITIVE.has(attribute.name)
    ? (text: string) => text
    : (text: string) => text.toLowerCase();
  const value = worker.attributes.get(attribute.name);
  if (value === undefined) return false;
  const offered = fold(value);
  if (attribute.anyOf !== undefined && !attribute.anyOf.some((each) => fold(each) === offered)) return false;
  return attribute.allOf === undefined || attribute.allOf.every((each) => fold(each) === offered);
}
