import type { QueueId } from '../ids.ts';
import type {
  AmountRequirement,
  AttributeRequirement,
  StepRequirements,
} from '../../openjd/template/plan.ts';
import { VCPU } from '../../openjd/template/capabilities.ts';
import type { ExprShortfall, WorkerOffer } from './worker-offer.ts';

/** The fixed reason of docs/contract/workers.md#unschedulable-tasks. It is used without a prefix. */
export const TIGHTER_EXPR_LIMITS = "the worker's advertised expression limits are tighter than the server's";

/**
 * Why a worker may not run a step, in the words of docs/contract/workers.md#unschedulable-tasks and in the order of the
 * gates.
 */
export const INELIGIBLE_REASONS = [
  'queue affinity',
  'compute location mismatch',
  'amount requirement not met',
  'attribute requirement not met',
  TIGHTER_EXPR_LIMITS,
] as const;
export type IneligibleReason = (typeof INELIGIBLE_REASONS)[number];
/** The reasons that concern one requirement of the step. */
export type UnmetRequirementReason = 'amount requirement not met' | 'attribute requirement not met';

/** The part of a demand that a worker does not meet. */
export type Ineligibility =
  | { readonly reason: 'queue affinity'; readonly queueIds: readonly QueueId[] }
  | {
      readonly reason: 'compute location mismatch';
      readonly wanted: string;
      /** Null if the worker reports none. */
      readonly offered: string | null;
    }
  | {
      readonly reason: 'amount requirement not met';
      readonly requirement: AmountRequirement;
      readonly offered: number;
    }
  | {
      readonly reason: 'attribute requirement not met';
      readonly requirement: AttributeRequirement;
      /** Null if the worker does not have the attribute. */
      readonly offered: string | null;
    }
  | { readonly reason: typeof TIGHTER_EXPR_LIMITS; readonly shortfall: ExprShortfall };

/** Input to eligibility: the queue of the job and the requirements of the step. */
export interface Demand {
  readonly queueId: QueueId;
  readonly requirements: StepRequirements;
}

/** Returns the first gate that excludes the worker from tasks with this demand, regardless of free cores, or null. */
export function ineligibilityOf(worker: WorkerOffer, demand: Demand): Ineligibility | null {
  const { requirements } = demand;
  if (worker.queueIds.length > 0 && !worker.queueIds.includes(demand.queueId)) {
    return { reason: 'queue affinity', queueIds: worker.queueIds };
  }
  if (requirements.computeLocation !== '' && requirements.computeLocation !== worker.computeLocation) {
    const offered = worker.computeLocation === '' ? null : worker.computeLocation;
    return { reason: 'compute location mismatch', wanted: requirements.computeLocation, offered };
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

/** Reports whether the worker may run tasks with this demand when it has enough free cores. */
export const isEligible = (worker: WorkerOffer, demand: Demand): boolean =>
  ineligibilityOf(worker, demand) === null;

/**
 * Returns the cores that one task takes of a worker with `cpuCount` cores: a whole number from 1, or all of them if the
 * step declares none.
 */
export function coresOf(requirements: StepRequirements, cpuCount: number): number {
  return requirements.cores === null ? cpuCount : Math.max(1, Math.ceil(requirements.cores));
}

/** Compared case-sensitively: the farm defines the names of its locations. */
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
