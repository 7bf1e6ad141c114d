import type { QueueId } from '../ids.ts';
import type { AmountRequirement, AttributeRequirement, StepRequirements } from '../openjd/plan.ts';
import type { WorkerOffer } from './worker-offer.ts';

/** Why a worker may not run a step, in the words of interface.md, "Worker and related rules". */
export type IneligibleReason =
  | 'queue affinity'
  | 'compute location mismatch'
  | 'amount requirement not met'
  | 'attribute requirement not met';

/** What the eligibility of a worker depends on: the queue of the job and the requirements of the step. */
export interface Demand {
  readonly queueId: QueueId;
  readonly requirements: StepRequirements;
}

/** Why the worker may not run a task with this demand however many of its cores are free; null when it may. */
export function ineligibleReason(worker: WorkerOffer, demand: Demand): IneligibleReason | null {
  const { requirements } = demand;
  if (worker.queueIds.length > 0 && !worker.queueIds.includes(demand.queueId)) return 'queue affinity';
  if (requirements.computeLocation !== '' && requirements.computeLocation !== worker.computeLocation) {
    return 'compute location mismatch';
  }
  if (coresOf(requirements, worker.cpuCount) > worker.cpuCount) return 'amount requirement not met';
  if (!requirements.amounts.every((amount) => hasAmount(worker, amount))) return 'amount requirement not met';
  if (!requirements.attributes.every((attribute) => hasAttribute(worker, attribute))) {
    return 'attribute requirement not met';
  }
  return null;
}

/** Cores that one task takes of a worker with `cpuCount`: whole ones, at least one; all of them when none are declared. */
export function coresOf(requirements: StepRequirements, cpuCount: number): number {
  return requirements.cores === null ? cpuCount : Math.max(1, Math.ceil(requirements.cores));
}

function hasAmount(worker: WorkerOffer, amount: AmountRequirement): boolean {
  const offered = worker.amounts.get(amount.name) ?? 0;
  return offered >= (amount.min ?? 0) && offered <= (amount.max ?? Infinity);
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
