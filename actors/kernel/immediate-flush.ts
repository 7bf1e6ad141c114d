import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { WindowFlush } from './ports.ts';

/** For a host whose store can be read as soon as it is on disk: what is to be called then. */
export const completeImmediately = (onCommit: CommitCallbacks) => (): void => {
  onCommit.durable();
  onCommit.readable();
};

/** For a host that lets out everything as soon as it is on disk. */
export const flushImmediately = (prepareFlush: () => void): WindowFlush => ({
  durable: prepareFlush,
  readable: null,
});
