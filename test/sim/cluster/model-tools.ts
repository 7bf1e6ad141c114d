import type { RecordTools } from '../../../src/core/ports/record-tools.ts';
import { DIGEST_BYTES } from '../../../src/core/cluster/log-record.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** A repeated byte is stored as its number. */
const RUN_MAX = 255;

/** Quick digests and compression for simulations. The digests are not safe against attacks. */
export const modelTools: RecordTools = {
  digest,
  compress,
  decompress,
  formatOf: (changes) => 1 + (changes.length % 2),
  encodeText: (text) => encoder.encode(text),
  encodeInto: (text, target) => encoder.encodeInto(text, target).written,
  decodeText: (bytes) => decoder.decode(bytes),
};

function digest(bytes: Uint8Array): Uint8Array {
  let one = 0x811c9dc5;
  let two = 0x5bd1e995;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x85ebca6b) ^ (one >>> 13);
  }
  const result = new Uint8Array(DIGEST_BYTES);
  const view = new DataView(result.buffer);
  view.setInt32(0, one);
  view.setInt32(4, two);
  return result;
}

function compress(bytes: Uint8Array): Uint8Array {
  const result: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    let run = 1;
    while (run < RUN_MAX && bytes[at + run] === byte) run++;
    result.push(run, byte);
    at += run;
  }
  return Uint8Array.from(result);
}

function decompress(bytes: Uint8Array, length: number): Uint8Array | null {
  const result = new Uint8Array(length);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    const run = bytes[at] ?? 0;
    result.fill(bytes[at + 1] ?? 0, end, end + run);
    end += run;
  }
  return end === length ? result : null;
}
