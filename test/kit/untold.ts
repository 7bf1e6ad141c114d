import type { CommitTold } from '../../src/core/ports/store.ts';

/** For commits of which nobody is told. */
export const UNTOLD: CommitTold = { durable: () => undefined, readable: () => undefined };

export const onDurable = (durable: () => void): CommitTold => ({ ...UNTOLD, durable });

export const onReadable = (readable: () => void): CommitTold => ({ ...UNTOLD, readable });
