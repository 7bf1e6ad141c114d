/** Returns the shard of a farm. It depends on the farm id and the number of shards only. */
export function shardOfFarm(farmId: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < farmId.length; at++) hash = Math.imul(hash ^ farmId.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}
