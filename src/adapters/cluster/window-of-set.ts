import type { CommitWindow } from '../../core/cluster/log-record.ts';
import { changeSetHeader } from '../lmdb/change-set-codec.ts';

/**
 * Returns the commit window of an encoded change set: its shard, and its sequence as the number. The causes of its units of
 * work are empty, because change sets do not carry them.
 */
export function commitWindowOf(encoded: ArrayBuffer, timeMs: number): CommitWindow {
  const { shard, sequence } = changeSetHeader(encoded);
  return { timeMs, shard, number: sequence, causes: [], changes: new Uint8Array(encoded) };
}
