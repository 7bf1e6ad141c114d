import type { CommitWindow } from '../../core/cluster/log-record.ts';
import type { EncodedSet } from '../../core/ports/journal.ts';
import { changeSetHeader } from '../lmdb/change-set-codec.ts';

const NO_CAUSES = new Uint8Array();

/** Returns the commit window of an encoded change set: its shard, its sequence as the number, and its causes. */
export function commitWindowOf({ encoded, causes = NO_CAUSES }: EncodedSet, timeMs: number): CommitWindow {
  const { shard, sequence } = changeSetHeader(encoded);
  return { timeMs, shard, number: sequence, causes, changes: new Uint8Array(encoded) };
}
