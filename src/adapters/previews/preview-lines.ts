import { PREVIEW_LIMITS } from '../../core/previews/preview-limits.ts';
import type { FoundOutput } from './preview-work.ts';

/**
 * The lines by which the process that makes previews answers, as JSON. An image is in several of them, because long lines
 * would be cut. The process has read files of jobs: what it prints is not trusted.
 */

/** Characters of base64 in one line. */
const PART_CHARACTERS = 16 * 1024;
const BASE64_CHARACTERS_MAX = 4 * Math.ceil(PREVIEW_LIMITS.bytes / 3);

export type PreviewResult =
  | { readonly kind: 'image'; readonly data: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** Returns the lines for the result of one file; `index` is its position in the request. */
export function linesOf(index: number, result: Buffer | string): readonly string[] {
  if (typeof result === 'string') return [JSON.stringify({ index, missing: result })];
  const data = result.toString('base64');
  const lines: string[] = [];
  for (let at = 0; at < data.length; at += PART_CHARACTERS)
    lines.push(JSON.stringify({ index, part: data.slice(at, at + PART_CHARACTERS) }));
  return [...lines, JSON.stringify({ index, end: true })];
}

/** Returns the line for a file that was found. */
export const foundLine = (index: number, { search, path }: FoundOutput): string =>
  JSON.stringify({ index, search, path });

/** Collects the results from lines. Other lines are ignored. */
export class PreviewLines {
  /** By position. */
  readonly found = new Map<number, FoundOutput>();
  private readonly parts = new Map<number, string>();
  /** By position in the request. */
  readonly results = new Map<number, PreviewResult>();

  add(line: string): void {
    const { index, part, end, missing, search, path } = fieldsOf(line);
    if (typeof index !== 'number' || this.results.has(index) || !isPosition(index)) return;
    if (typeof search === 'number' && typeof path === 'string' && !this.found.has(index))
      this.found.set(index, { search, path });
    if (typeof missing === 'string') this.results.set(index, { kind: 'missing', reason: reasonOf(missing) });
    const data = this.parts.get(index) ?? '';
    if (typeof part === 'string' && data.length + part.length <= BASE64_CHARACTERS_MAX)
      this.parts.set(index, data + part);
    if (end === true && data !== '') this.results.set(index, { kind: 'image', data });
  }
}

const isPosition = (index: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < PREVIEW_LIMITS.perAttempt;

/** Returns a reason as one line of bounded length: libraries report errors of several lines. */
export function reasonOf(text: string): string {
  const line = text
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ')
    .trim()
    .slice(0, PREVIEW_LIMITS.reason);
  return line === '' ? 'unknown' : line;
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
