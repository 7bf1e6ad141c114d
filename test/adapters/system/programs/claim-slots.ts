import { parentPort, workerData } from 'node:worker_threads';
import { SharedTallies, type TallyMemory } from '../../../../src/adapters/system/shared-tallies.ts';
import { farmId } from '../../../../src/core/ids.ts';

/** Input of a shard that claims and releases slots as fast as it can. */
export interface ClaimOptions {
  readonly memory: TallyMemory;
  readonly shard: number;
  readonly slot: number;
  readonly max: number;
  readonly rounds: number;
  /** Number of slots that all shards hold, counted independently. */
  readonly held: Int32Array<SharedArrayBuffer>;
}

const { memory, shard, slot, max, rounds, held } = workerData as ClaimOptions;
const farm = farmId(`farm ${shard}`);
const tallies = new SharedTallies(memory, shard, [], () => undefined);
let most = 0;
for (let round = 0; round < rounds; round++) {
  const granted = tallies.claim(farm, slot, 1 + (round % 3), max);
  most = Math.max(most, Atomics.add(held, 0, granted) + granted);
  Atomics.sub(held, 0, granted);
  tallies.release(farm, slot, granted);
}
parentPort?.postMessage(most);
