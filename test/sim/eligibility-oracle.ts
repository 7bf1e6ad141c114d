import type { WorkerState } from '../../actors/service/worker/state.ts';
import type { QueueId } from '../../src/core/ids.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';
import { EXPR_MEMORY_BYTES } from './options.ts';

/**
 * Eligibility of workers, implemented a second time from the contract (docs/contract/lease.md#first-fit,
 * docs/contract/openjd.md#host-requirements). Simple, and without the code of the lease actor.
 */
export type OfferedWorker = Pick<
  WorkerRecord,
  | 'cpuCount'
  | 'memoryMib'
  | 'hardware'
  | 'customAmounts'
  | 'os'
  | 'arch'
  | 'computeLocation'
  | 'tags'
  | 'queueIds'
  | 'exprMemoryBytes'
>;

/** Only an online worker gets work that is not draining, and not in quarantine as a whole. */
export const takesTasks = ({ record, evidence }: Pick<WorkerState, 'record' | 'evidence'>): boolean =>
  record.status === 'online' && record.draining !== true && evidence.quarantine === null;

export const mayRun = (worker: OfferedWorker, queue: QueueId, needs: StepRequirements): boolean =>
  ineligibleAt(worker, queue, needs) === null;

/**
 * Returns the first gate that the worker fails: 0 queues, 1 location, 2 an amount, 3 an attribute, 4 limits; null if
 * eligible.
 */
export function ineligibleAt(
  worker: OfferedWorker,
  queue: QueueId,
  needs: StepRequirements,
): 0 | 1 | 2 | 3 | 4 | null {
  if (worker.queueIds.length > 0 && !worker.queueIds.includes(queue)) return 0;
  if (needs.computeLocation !== '' && needs.computeLocation !== worker.computeLocation) return 1;
  if (coresNeeded(worker, needs) > worker.cpuCount || !hasAmounts(worker, needs)) return 2;
  if (!hasAttributes(worker, needs)) return 3;
  return needs.usesExpressions === true && grantedBy(worker) < EXPR_MEMORY_BYTES ? 4 : null;
}

/** docs/contract/limits.md#expressions-and-templates: 1,000,000 bytes by default. */
const grantedBy = ({ exprMemoryBytes }: OfferedWorker): number => exprMemoryBytes ?? 0;

/** Returns the cores that a task uses on the worker: all of them if the step declares none. */
export function coresNeeded(worker: Pick<WorkerRecord, 'cpuCount'>, needs: StepRequirements): number {
  if (needs.cores === null) return worker.cpuCount;
  return needs.cores <= 1 ? 1 : Math.ceil(needs.cores);
}

function hasAmounts(worker: OfferedWorker, needs: StepRequirements): boolean {
  for (const { name, min, max } of needs.amounts) {
    const has = amountOf(worker, name);
    if (min !== undefined && has < min) return false;
    if (max !== undefined && has > max) return false;
  }
  return true;
}

/** Returns the amount that the worker offers; 0 for one that it does not report. */
export function amountOf(worker: OfferedWorker, name: string): number {
  const { memoryMib, hardware, customAmounts = {} } = worker;
  if (customAmounts[name] !== undefined) return customAmounts[name];
  if (name === 'amount.worker.memory') return memoryMib;
  if (hardware === undefined) return 0;
  if (name === 'amount.worker.gpu') return hardware.gpuCount;
  if (name === 'amount.worker.gpu.memory') return hardware.gpuMemoryMib;
  return name === 'amount.worker.disk.scratch' ? Math.trunc(hardware.scratchMib / 1024) : 0;
}

function hasAttributes(worker: OfferedWorker, needs: StepRequirements): boolean {
  for (const { name, anyOf, allOf } of needs.attributes) {
    const has = attributeOf(worker, name);
    if (has === undefined) return false;
    const same = (wanted: string): boolean => wanted.toLowerCase() === has.toLowerCase();
    if (anyOf !== undefined && anyOf.filter(same).length === 0) return false;
    if (allOf !== undefined && allOf.filter(same).length < allOf.length) return false;
  }
  return true;
}

function attributeOf(worker: OfferedWorker, name: string): string | undefined {
  if (name === 'attr.worker.os.family') return worker.os;
  if (name === 'attr.worker.cpu.arch') return worker.arch;
  if (name === 'attr.worker.os.version')
    return worker.hardware?.osVersion === '' ? undefined : worker.hardware?.osVersion;
  const tag = 'attr.worker.tag.';
  return name.startsWith(tag) ? worker.tags[name.slice(tag.length)] : undefined;
}
