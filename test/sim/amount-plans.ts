import type { BookedAmountsSetting } from '../../src/core/records/farm.ts';
import type { WorkerHardware } from '../../src/core/records/worker.ts';
import type { AmountRequirement } from '../../src/openjd/template/plan.ts';
import type { Random } from './random.ts';

/** Amounts that farms of the simulation book; the last is one that the operator has given to some workers. */
const AMOUNTS = [
  'amount.worker.memory',
  'amount.worker.gpu',
  'amount.worker.gpu.memory',
  'amount.scene.cache',
] as const;

/** Resources of a worker besides cores and memory. */
export interface WorkerResources {
  readonly hardware: WorkerHardware;
  readonly amounts: Readonly<Record<string, number>>;
}

export const PLAIN_RESOURCES: WorkerResources = {
  hardware: { gpuCount: 0, gpuMemoryMib: 0, gpuModels: [], scratchMib: 0, osVersion: '' },
  amounts: {},
};

/** Returns random resources of a worker. */
export function randomResources(random: Random): WorkerResources {
  const gpuCount = random.pick([0, 1, 2, 4]);
  const gpuMemoryMib = gpuCount === 0 ? 0 : random.pick([1000, 2000]);
  return {
    hardware: { ...PLAIN_RESOURCES.hardware, gpuCount, gpuMemoryMib },
    amounts: random.chance(0.6) ? { 'amount.scene.cache': random.pick([1, 2.5, 7]) } : {},
  };
}

/** Returns a random setting of a farm: some amounts, all or none. */
export function randomBookedAmounts(random: Random): Omit<BookedAmountsSetting, 'version'> {
  const names = AMOUNTS.filter(() => random.chance(0.6));
  return { names, byDefault: random.pick(['none', 'core_share'] as const) };
}

/** Returns random amounts that a step requires. */
export function randomAmounts(random: Random): AmountRequirement[] {
  const mins: Readonly<Record<(typeof AMOUNTS)[number], readonly number[]>> = {
    'amount.worker.memory': [0, 500, 1024, 3000],
    'amount.worker.gpu': [1, 1, 2],
    'amount.worker.gpu.memory': [300, 900, 1000],
    'amount.scene.cache': [0.3, 1],
  };
  return AMOUNTS.flatMap((name) => {
    if (!random.chance(0.3)) return [];
    const min = random.pick(mins[name]);
    return random.chance(0.1) ? { name, max: 1_000_000 } : { name, min };
  });
}
