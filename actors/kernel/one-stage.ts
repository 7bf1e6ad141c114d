import type { CommitTold } from '../../src/core/ports/store.ts';
import type { LetOut } from './ports.ts';

/** For a host whose store can be read as soon as it is on disk: what is to be called then. */
export const committedAtOnce = (told: CommitTold) => (): void => {
  told.durable();
  told.readable();
};

/** For a host that lets out everything as soon as it is on disk. */
export const letOutAtOnce = (letOut: () => void): LetOut => ({ durable: letOut, readable: null });
