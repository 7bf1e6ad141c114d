export type ThreadName = 'store-thread' | 'shard-thread' | 'logs-thread' | 'pool-thread';

/** Returns the name of a shard's thread. */
export const shardThreadName = (index: number): string => `shard ${index}`;

/** Returns the name of a pool thread with this number of Node. */
export const poolThreadName = (threadId: number): string => `pool ${threadId}`;

/**
 * Returns the URL of the entry of a thread or child process: in the folder of this file, with the same extension. That
 * is so for the sources, the compiled files and the bundle (scripts/bundle-program.js).
 */
export const entryUrl = (name: ThreadName | 'compact-process' | 'preview-process'): URL =>
  new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
