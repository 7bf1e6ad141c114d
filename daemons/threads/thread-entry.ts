export type ThreadName = 'store-thread' | 'shard-thread' | 'logs-thread' | 'pool-thread';

/** Returns the name of a shard's thread. */
export const shardThreadName = (index: number): string => `shard ${index}`;

/** Returns the name of a pool thread with this number of Node. */
export const poolThreadName = (threadId: number): string => `pool ${threadId}`;

/** Returns the URL of a thread's entry: next to this file, with the same extension (source or compiled). */
export const threadEntry = (name: ThreadName): URL =>
  new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
