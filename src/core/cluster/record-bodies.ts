import type { RecordTools } from '../ports/record-tools.ts';
import { joinBytes } from './bytes.ts';
import { MAX_RECORD_BYTES, type LogRecord, type RecordContent } from './log-record.ts';
import { RECORD_OVERHEAD_BYTES } from './record-codec.ts';

/** The fields of a record that depend on its body only. */
export type RecordBody = Pick<
  RecordContent,
  'format' | 'kind' | 'part' | 'isCompressed' | 'bodyLength' | 'body'
>;

/**
 * Returns the records of a body of changes: one, or parts of at most `maxBytes` with a closing part. The body is
 * compressed before it is split, if that makes it shorter.
 */
export function splitBody(
  body: Uint8Array,
  format: number,
  tools: RecordTools,
  maxBytes = MAX_RECORD_BYTES,
): RecordBody[] {
  const compressed = tools.compress(body);
  const isCompressed = compressed.length < body.length;
  const stored = isCompressed ? compressed : body;
  const partBytes = maxBytes - RECORD_OVERHEAD_BYTES;
  const closing = Math.max(0, Math.ceil(stored.length / partBytes) - 1);
  const records: RecordBody[] = [];
  for (let part = 0; part < closing; part++) {
    const slice = stored.subarray(part * partBytes, (part + 1) * partBytes);
    records.push({ format, kind: 'part', part, isCompressed, bodyLength: 0, body: slice });
  }
  const last = stored.subarray(closing * partBytes);
  records.push({ format, kind: 'changes', part: closing, isCompressed, bodyLength: body.length, body: last });
  return records;
}

/**
 * Joins the parts of bodies. A new epoch discards the parts of a body that its owner did not close.
 */
export class PartJoiner {
  readonly #tools: RecordTools;
  #parts: Uint8Array[] = [];

  constructor(tools: RecordTools) {
    this.#tools = tools;
  }

  /** Set if a body is not complete. */
  get isOpen(): boolean {
    return this.#parts.length > 0;
  }

  /** Takes the next valid record. Returns its body, null if a body is not complete, 'damaged' if it does not fit. */
  add(record: LogRecord): Uint8Array | null | 'damaged' {
    if (record.kind === 'epoch') this.#parts = [];
    else if (record.part !== this.#parts.length) return 'damaged';
    if (record.kind === 'part') {
      this.#parts.push(record.body);
      return null;
    }
    const stored = joinBytes([...this.#parts, record.body]);
    this.#parts = [];
    if (record.isCompressed) return this.#tools.decompress(stored, record.bodyLength) ?? 'damaged';
    return stored.length === record.bodyLength ? stored : 'damaged';
  }
}
