import { EXPR_LIMITS } from '../../src/openjd/expr/expr-limits.ts';
import { farmId, workerId } from '../../src/core/ids.ts';
import { offerOf, type WorkerOffer } from '../../src/core/lease/worker-offer.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';

/** Returns the requirements of a step that need only one core, with the given changes. */
export const requirements = (some: Partial<StepRequirements> = {}): StepRequirements => ({
  cores: 1,
  computeLocation: '',
  amounts: [],
  pools: [],
  attributes: [],
  ...some,
});

/** Returns the record of a worker with 8 cores, with the given changes. */
export const workerRecord = (some: Partial<WorkerRecord> = {}): WorkerRecord => ({
  version: 1,
  id: workerId('w1'),
  ordinal: 1,
  farmId: farmId('f1'),
  name: 'w1',
  hostname: 'host-1',
  status: 'online',
  incarnation: 'i1',
  computeLocation: '',
  cpuCount: 8,
  memoryMib: 16_384,
  os: 'linux',
  arch: 'x86_64',
  softwareVersion: '0.1.0',
  queueIds: [],
  tags: {},
  exprMemoryBytes: EXPR_LIMITS.memory,
  lastHeartbeatAt: 0,
  registeredAt: 0,
  ...some,
});

/** Returns the offer of that worker at a server that grants an expression `exprMemoryBytes`. */
export const workerOffer = (
  some: Partial<WorkerRecord> = {},
  exprMemoryBytes = EXPR_LIMITS.memory,
): WorkerOffer => offerOf(workerRecord(some), exprMemoryBytes);

/** Returns a registered usage pool. */
export const usagePool = (name: string, maxConcurrent: number, slot: number): UsagePoolRecord => ({
  version: 1,
  id: `pool ${name} ${slot}`,
  name,
  maxConcurrent,
  serverHint: '',
  slot,
  createdAt: 0,
  updatedAt: 0,
});
