import type { TableName } from '../../core/records/tables.ts';
import type { EncodedChange, EncodedChangeSet } from './change-set-codec.ts';

/**
 * The changes of the sets without those that a later one of them makes void: a row that many sets write is written once. Where a whole
 * prefix is removed nothing is left out.
 */
export function latestRows(sets: readonly Pick<EncodedChangeSet, 'changes'>[]): readonly EncodedChange[] {
  const all = sets.flatMap(({ changes }) => changes);
  if (sets.length < 2 || all.some(({ op }) => op === 'removePrefix')) return all;
  const seen = new Map<TableName, Set<string>>();
  const latest: EncodedChange[] = [];
  for (let at = all.length - 1; at >= 0; at--) {
    const change = all[at];
    if (change === undefined) continue;
    const { table, key } = change;
    const text = Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
    const keys = seen.get(table);
    if (keys === undefined) seen.set(table, new Set([text]));
    else if (keys.has(text)) continue;
    else keys.add(text);
    latest.push(change);
  }
  return latest.reverse();
}
