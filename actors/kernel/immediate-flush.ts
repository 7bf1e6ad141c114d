import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { WindowFlush } from './ports.ts';

/** Returns the completion of a commit, for a store that is readable as soon as it is durable. */
export const completeImmediately = (onCommit: CommitCallbacks) => (): void => {
  onCommit.onDurable();
  onCommit.onReadable();
};

/** Returns a flush that publishes everything as soon as the window is durable. */
export const flushImmediately = (prepareFlush: () => void): WindowFlush => ({
  onDurable: prepareFlush,
  onReadable: null,
});
