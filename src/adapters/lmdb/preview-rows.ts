import type { IncomingPreview, PreviewPage, PreviewQuery } from '../../core/ports/log-store.ts';
import {
  previewKeys,
  previewOfKey,
  type PreviewRecord,
  type StoredPreview,
} from '../../core/previews/preview-record.ts';
import { PREVIEW_LIMITS } from '../../core/previews/preview-limits.ts';
import type { JobId, TaskAddress } from '../../core/ids.ts';
import type { ByteDatabase } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { scanRows } from './table-scan.ts';
import { decodeRecord, encodeRecord } from './value-codec.ts';

/** Databases of the log environment: previews by task and number, and the key of the newest image of each job. */
export const PREVIEW_DATABASES = { previews: 'previews', newest: 'newestPreviews' } as const;

/** The open databases of previews. */
export type PreviewTables = Readonly<Record<keyof typeof PREVIEW_DATABASES, ByteDatabase>>;

/**
 * Stores a preview; must be called in a transaction. It replaces previews of earlier attempts of its task. One of an attempt
 * before those that are stored is dropped.
 */
export function putPreview({ previews, newest }: PreviewTables, incoming: IncomingPreview): void {
  const { attempt, number, path, parameter, receivedAt, content } = incoming;
  const { attemptNumber } = attempt;
  for (const { number: other, record } of taskPreviews(previews, attempt)) {
    if (record.attemptNumber > attemptNumber) return;
    if (record.attemptNumber < attemptNumber)
      previews.removeSync(keyBytes(previewKeys.preview(attempt, other)));
  }
  const record: PreviewRecord = {
    version: 1,
    attemptNumber,
    path,
    ...(parameter !== undefined && { parameter }),
    receivedAt,
    content,
  };
  const key = previewKeys.preview(attempt, number);
  previews.putSync(keyBytes(key), encodeRecord(record));
  if (content.kind === 'image') newest.putSync(keyBytes(previewKeys.job(attempt.jobId)), encodeRecord(key));
}

/** Returns the image of a job that was stored last; null if there is none. */
export function newestPreview({ previews, newest }: PreviewTables, job: JobId): StoredPreview | null {
  const bytes = newest.get(keyBytes(previewKeys.job(job)));
  if (bytes === undefined) return null;
  // Only `putPreview` writes these rows.
  const key = decodeRecord(bytes) as string;
  const value = previews.get(keyBytes(key));
  return value === undefined ? null : previewOf({ key, value });
}

/** Returns the previews of a task, in the order of its outputs. */
export function taskPreviews(database: ByteDatabase, task: TaskAddress): readonly StoredPreview[] {
  const rows = scanRows(database, { prefix: previewKeys.task(task), limit: PREVIEW_LIMITS.perAttempt });
  return [...rows].map(previewOf);
}

/** Returns previews of a job in the order of its tasks. */
export function jobPreviews(
  database: ByteDatabase,
  job: JobId,
  { after, limit, enough }: PreviewQuery,
): PreviewPage {
  const items: StoredPreview[] = [];
  let bytes = 0;
  const options = { prefix: previewKeys.job(job), ...(after !== null && { after: previewKeyOf(after) }) };
  for (const row of scanRows(database, { ...options, limit: limit + 1 })) {
    if (items.length === limit || bytes >= enough) return { items, isMore: true };
    const item = previewOf(row);
    items.push(item);
    const { content } = item.record;
    if (content.kind === 'image') bytes += content.data.length;
  }
  return { items, isMore: false };
}

const previewKeyOf = ({ task, number }: Pick<StoredPreview, 'task' | 'number'>): string =>
  previewKeys.preview(task, number);

const previewOf = ({ key, value }: { key: string; value: Uint8Array }): StoredPreview => ({
  ...previewOfKey(key),
  // Only `putPreview` writes these rows.
  record: decodeRecord(value) as PreviewRecord,
});
