import type { CommitCallbacks } from '../../src/core/ports/store.ts';

/** For commits without callbacks. */
export const NO_CALLBACKS: CommitCallbacks = { onDurable: () => undefined, onReadable: () => undefined };

export const onDurable = (callback: () => void): CommitCallbacks => ({
  ...NO_CALLBACKS,
  onDurable: callback,
});

export const onReadable = (callback: () => void): CommitCallbacks => ({
  ...NO_CALLBACKS,
  onReadable: callback,
});
