import type { QueueId, WorkerId } from '../ids.ts';
import type { WorkerRecord } from '../records/worker.ts';

/** What a worker offers to the lease: everything that eligibility looks at. */
export interface WorkerOffer {
  readonly workerId: WorkerId;
  readonly ordinal: number;
  readonly cpuCount: number;
  /** Empty means every queue of the farm. */
  readonly queueIds: readonly QueueId[];
  readonly computeLocation: string;
  /** By capability name, lower case. */
  readonly amounts: ReadonlyMap<string, number>;
  /** By capability name, lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Equal for workers that are eligible for the same steps. */
  readonly signature: string;
}

/** The standard capabilities and tags of OpenJD that a worker's record stands for (interface.md, "OpenJD template shape", rule 4). */
export function offerOf(worker: WorkerRecord): WorkerOffer {
  const amounts = new Map([
    ['amount.worker.vcpu', worker.cpuCount],
    ['amount.worker.memory', worker.memoryMib],
  ]);
  const attributes = new Map([
    ['attr.worker.os.family', worker.os],
    ['attr.worker.cpu.arch', worker.arch],
  ]);
  if (worker.computeLocation !== '') attributes.set('attr.worker.computelocation', worker.computeLocation);
  for (const [tag, value] of Object.entries(worker.tags))
    attributes.set(`attr.worker.tag.${tag.toLowerCase()}`, value);
  return {
    workerId: worker.id,
    ordinal: worker.ordinal,
    cpuCount: worker.cpuCount,
    queueIds: worker.queueIds,
    computeLocation: worker.computeLocation,
    amounts,
    attributes,
    signature: JSON.stringify([
      [...worker.queueIds].sort(),
      worker.computeLocation,
      [...amounts],
      [...attributes].sort(),
    ]),
  };
}
