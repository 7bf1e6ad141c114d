import { DIGEST_BYTES, EMPTY_LOG, type LogMark } from '../../core/cluster/log-record.ts';
import type { AppliedMark } from '../../core/ports/journal.ts';
import { CLUSTER_MARK_KEY } from '../lmdb/store-format.ts';

const VERSION = 1;

/** The log of a store, and the last record of it that its tables contain. */
export interface StoredMark {
  readonly logId: string;
  readonly mark: LogMark;
}

/** Returns the row as text: version, log id, position, epoch, digest as hexadecimal digits, separated by spaces. */
export function appliedMarkRow({ logId, mark }: StoredMark): AppliedMark {
  const digest = Buffer.from(mark.digest).toString('hex');
  return {
    key: CLUSTER_MARK_KEY,
    value: [VERSION, logId, mark.position, mark.epoch, digest].join(' '),
  };
}

/** The row of a store whose tables are the beginning of a log without records. */
export const firstMarkRow = (logId: string): AppliedMark => appliedMarkRow({ logId, mark: EMPTY_LOG });

const TEXT = /^1 ([0-9a-f-]{36}) (\d{1,16}) (\d{1,16}) ([0-9a-f]+)$/;

/** Parses the value of the row. Returns null if it is not one of this version. */
export function parseAppliedMark(text: string): StoredMark | null {
  const [, logId = '', position, epoch, hex = ''] = TEXT.exec(text) ?? [];
  const digest = Uint8Array.from(Buffer.from(hex, 'hex'));
  if (digest.length !== DIGEST_BYTES) return null;
  return { logId, mark: { position: Number(position), epoch: Number(epoch), digest } };
}
