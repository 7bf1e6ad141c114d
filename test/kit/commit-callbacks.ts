import type { CommitCallbacks } from '../../src/core/ports/store.ts';

/** For commits without callbacks. */
export const NO_CALLBACKS: CommitCallbacks = { durable: () => undefined, readable: () => undefined };

export const onDurable = (durable: () => void): CommitCallbacks => ({ ...NO_CALLBACKS, durable });

export const onReadable = (readable: () => void): CommitCallbacks => ({ ...NO_CALLBACKS, readable });
