export type ThreadName = 'store-thread' | 'shard-thread' | 'logs-thread' | 'pool-thread';

/** Where a thread's entry is: beside this file, with this file's extension (sources on newer Node, or compiled). */
export const threadEntry = (name: ThreadName): URL =>
  new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
