import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { formatOfTable } from '../../core/cluster/record-formats.ts';
import type { RecordTools } from '../../core/ports/record-tools.ts';
import { newestTableOf } from '../lmdb/change-set-codec.ts';

/** Compresses change sets 9 times at some 300 MB/s per core; higher levels cost more than they save. */
const QUALITY = 1;
/** A smaller window than the default: bodies are at most some megabytes. */
const WINDOW_BITS = 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Records of the replicated log with SHA-256 and Brotli. */
export const recordTools: RecordTools = {
  digest: (bytes) => createHash('sha256').update(bytes).digest(),
  compress: (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  decompress,
  formatOf: (changes) => formatOfTable(newestTableOf(changes)),
  encodeText: (text) => encoder.encode(text),
  encodeInto: (text, target) => encoder.encodeInto(text, target).written,
  decodeText: (bytes) => decoder.decode(bytes),
};

/** Never makes more than the expected bytes, whatever the input says. */
function decompress(bytes: Uint8Array, length: number): Uint8Array | null {
  try {
    const whole = brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, length) });
    return whole.length === length ? whole : null;
  } catch {
    // Invalid input, or a longer output: both are damage, which the caller reports.
    return null;
  }
}
