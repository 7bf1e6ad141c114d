import { lastWritePerKey } from '../../core/records/change-set.ts';
import type { EncodedChange, EncodedChangeSet } from './change-set-codec.ts';

/**
 * Returns the changes of the sets without those that a later one overwrites: a row that many sets write is written
 * once. If a whole prefix is removed, nothing is left out.
 */
export const latestRows = (sets: readonly Pick<EncodedChangeSet, 'changes'>[]): readonly EncodedChange[] => {
  const all = sets.flatMap(({ changes }) => changes);
  return sets.length < 2 ? all : lastWritePerKey(all, keyText);
};

const keyText = ({ key }: EncodedChange): string =>
  Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
