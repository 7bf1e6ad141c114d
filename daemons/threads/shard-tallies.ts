import { SharedTallies } from '../../src/adapters/system/shared-tallies.ts';
import type { FarmId } from '../../src/core/ids.ts';
import type { ShardParts } from './shard-parts.ts';
import { SHARD_PROTOCOL_VERSION } from './shard-protocol.ts';

/** The tallies of a shard. */
export interface ShardTallies {
  readonly tallies: SharedTallies;
  /** Wakes the farms of this shard that wait for the slot. */
  readonly wakeLocalFarms: (slot: number) => void;
}

/** Opens the shared tallies. When the total of a slot falls, every shard with a farm that waits for it is notified. */
export function openTallies(
  { options, ownsFarm, notify }: ShardParts,
  capacityFreed: (farm: FarmId, slot: number) => void,
): ShardTallies {
  const ownShares = options.shares.filter((share) => ownsFarm(share.farmId));
  const tallies = new SharedTallies(options.tallies, options.index, ownShares, (slot, waiting) => {
    const shards = shardsOf(waiting, options.count);
    const others = shards.filter((shard) => shard !== options.index);
    if (others.length < shards.length) wakeLocalFarms(slot);
    if (others.length > 0)
      notify({ v: SHARD_PROTOCOL_VERSION, type: 'capacity-freed', slot, shards: others });
  });
  const wakeLocalFarms = (slot: number): void => {
    for (const id of tallies.drainWaitingFarms(slot)) capacityFreed(id, slot);
  };
  return { tallies, wakeLocalFarms };
}

/** Returns the shards of a set: bit n is shard n. */
function shardsOf(bits: bigint, count: number): readonly number[] {
  return Array.from({ length: count }, (_, shard) => shard).filter(
    (shard) => ((bits >> BigInt(shard)) & 1n) === 1n,
  );
}
