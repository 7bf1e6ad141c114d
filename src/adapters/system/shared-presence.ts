import type { WebhookPresence } from '../../core/ports/webhook-presence.ts';

/** Memory of the presence of webhooks: created by the main thread, shared with every shard. */
export type PresenceMemory = Int32Array<SharedArrayBuffer>;

/** Returns new memory with the presence at the start. */
export function presenceMemory(any: boolean): PresenceMemory {
  const memory = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  memory[0] = any ? 1 : 0;
  return memory;
}

/** Returns the presence of webhooks in shared memory. */
export const sharedPresence = (memory: PresenceMemory): WebhookPresence => ({
  any: () => Atomics.load(memory, 0) === 1,
  set: (any: boolean) => {
    Atomics.store(memory, 0, any ? 1 : 0);
  },
});
