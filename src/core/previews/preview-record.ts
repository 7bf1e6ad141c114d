import type { JobId, TaskAddress } from '../ids.ts';
import { logKeys } from '../records/log-chunk.ts';
import { webpSize } from './webp-size.ts';
import { PREVIEW_LIMITS } from './preview-limits.ts';

/** A stored preview; the task and its number are in the key. It lasts as long as the log of its task. */
export interface PreviewRecord {
  readonly version: 1;
  readonly attemptNumber: number;
  /** The output, as the task has named it, or as it was found at an OUT parameter. */
  readonly path: string;
  /** The name of that parameter. Absent: the task has named the output. */
  readonly parameter?: string;
  /** When the service received it: milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly content: PreviewContent;
}

/** `image`: WebP. `missing`: why there is no image, for people to read. */
export type PreviewContent =
  | { readonly kind: 'image'; readonly width: number; readonly height: number; readonly data: Uint8Array }
  | { readonly kind: 'missing'; readonly reason: string };

/** A preview with its place. */
export interface StoredPreview {
  readonly task: TaskAddress;
  /** From 0, in the order of the outputs. */
  readonly number: number;
  readonly record: PreviewRecord;
}

/** Returns the content of a preview, or why the bytes are not one. */
export function previewImage(data: Uint8Array): PreviewContent | string {
  if (data.length > PREVIEW_LIMITS.bytes) return `must not have more than ${PREVIEW_LIMITS.bytes} bytes`;
  const size = webpSize(data);
  if (size === null) return 'must be a still WebP image without metadata';
  const { width, height } = size;
  if (Math.max(width, height) > PREVIEW_LIMITS.side)
    return `must not have more than ${PREVIEW_LIMITS.side} pixels on a side`;
  return { kind: 'image', width, height, data };
}

/** Keys of previews: a prefix of them is a prefix of the keys of logs. */
export const previewKeys = {
  preview: (task: TaskAddress, number: number): string => `${logKeys.task(task)}${number}`,
  task: (task: TaskAddress): string => logKeys.task(task),
  job: (job: JobId): string => logKeys.job(job),
} as const;

/** Returns task and number of a key. Throws for another text. */
export function previewOfKey(key: string): { readonly task: TaskAddress; readonly number: number } {
  const [jobId = '', ...numbers] = key.split('/');
  const [stepOrder, index, number] = numbers.map(Number);
  if (stepOrder === undefined || index === undefined || number === undefined || numbers.length !== 3)
    throw new Error(`no preview has the key ${key}`);
  // Only `previewKeys` makes these keys.
  return { task: { jobId: jobId as JobId, stepOrder, index }, number };
}
