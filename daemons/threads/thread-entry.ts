export type ThreadName = 'store-thread' | 'shard-thread' | 'logs-thread' | 'pool-thread';

/** What the thread of a shard is called. */
export const shardThreadName = (index: number): string => `shard ${index}`;

/** What a thread of the preparation pool is called, by the number that node gives it. */
export const poolThreadName = (threadId: number): string => `pool ${threadId}`;

/** Where a thread's entry is: beside this file, with this file's extension (sources on newer Node, or compiled). */
export const threadEntry = (name: ThreadName): URL =>
  new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
