import { NO_EXPRESSIONS } from '../../openjd/expr/expr-limits.ts';
import type { QueueId, WorkerId } from '../ids.ts';
import {
  COMPUTE_LOCATION,
  EXTENSION_PREFIX,
  ISOLATION_PREFIX,
  VCPU,
} from '../../openjd/template/capabilities.ts';
import type { WorkerRecord } from '../records/worker.ts';

/** Offer of a worker to the lease: every field that eligibility depends on. */
export interface WorkerOffer {
  readonly workerId: WorkerId;
  readonly ordinal: number;
  readonly cpuCount: number;
  /** Empty: every queue of the farm. */
  readonly queueIds: readonly QueueId[];
  readonly computeLocation: string;
  /** By capability name, lower case. */
  readonly amounts: ReadonlyMap<string, number>;
  /** By capability name, lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Set if the worker grants one expression less memory than the server does; null otherwise. */
  readonly exprShortfall: ExprShortfall | null;
  /** Equal for workers that are eligible for the same steps. */
  readonly signature: string;
}

/** Bytes of memory for one expression: on the worker, and at submission. */
export interface ExprShortfall {
  readonly granted: number;
  readonly wanted: number;
}

/** Scratch disk is counted in whole GiB (specification, section 3.3.1.1), all other amounts as reported. */
const MIB_PER_GIB = 1024;

/**
 * Returns the standard capabilities and tags of OpenJD for a worker's record
 * (docs/contract/openjd.md#host-requirements). Compares the limits of the worker with those of the server, which grants
 * one expression `exprMemoryBytes`.
 */
export function offerOf(worker: WorkerRecord, exprMemoryBytes: number): WorkerOffer {
  const { hardware } = worker;
  const amounts = new Map([
    [VCPU, worker.cpuCount],
    ['amount.worker.memory', worker.memoryMib],
    ['amount.worker.gpu', hardware?.gpuCount ?? 0],
    ['amount.worker.gpu.memory', hardware?.gpuMemoryMib ?? 0],
    ['amount.worker.disk.scratch', Math.floor((hardware?.scratchMib ?? 0) / MIB_PER_GIB)],
  ]);
  for (const [name, amount] of Object.entries(worker.customAmounts ?? {})) amounts.set(name, amount);
  const attributes = new Map([
    ['attr.worker.os.family', worker.os],
    ['attr.worker.cpu.arch', worker.arch],
  ]);
  if (hardware !== undefined && hardware.osVersion !== '')
    attributes.set('attr.worker.os.version', hardware.osVersion);
  for (const part of hardware?.isolation ?? [])
    attributes.set(`${ISOLATION_PREFIX}${part.toLowerCase()}`, 'true');
  for (const extension of hardware?.extensions ?? [])
    attributes.set(`${EXTENSION_PREFIX}${extension.toLowerCase()}`, 'true');
  if (worker.computeLocation !== '') attributes.set(COMPUTE_LOCATION, worker.computeLocation);
  for (const [tag, value] of Object.entries(worker.tags))
    attributes.set(`attr.worker.tag.${tag.toLowerCase()}`, value);
  const { exprMemoryBytes: granted = NO_EXPRESSIONS } = worker;
  const exprShortfall = granted < exprMemoryBytes ? { granted, wanted: exprMemoryBytes } : null;
  return {
    workerId: worker.id,
    ordinal: worker.ordinal,
    cpuCount: worker.cpuCount,
    queueIds: worker.queueIds,
    computeLocation: worker.computeLocation,
    amounts,
    attributes,
    exprShortfall,
    signature: JSON.stringify([
      [...worker.queueIds].sort(),
      worker.computeLocation,
      [...amounts],
      [...attributes].sort(),
      exprShortfall?.granted,
    ]),
  };
}
