import { appendFileSync } from 'node:fs';
import { MessagePort } from 'node:worker_threads';

/**
 * Preloaded into a service (`--import`): writes every change set that a shard sends to the store thread to the file
 * that CALLSHEET_BENCH_COMMITS names. For each: time (milliseconds since the epoch, f64), length (u32), bytes;
 * little-endian.
 */
const file = process.env['CALLSHEET_BENCH_COMMITS'];
if (file === undefined) throw new Error('CALLSHEET_BENCH_COMMITS does not name a file');

const HEADER_BYTES = 12;
// oxlint-disable-next-line typescript/unbound-method -- applied to the port that is meant
const post = MessagePort.prototype.postMessage;

MessagePort.prototype.postMessage = function (
  this: MessagePort,
  ...args: Parameters<MessagePort['postMessage']>
) {
  const message: unknown = args[0];
  if (isCommit(message)) {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeDoubleLE(Date.now(), 0);
    header.writeUInt32LE(message.set.byteLength, 8);
    appendFileSync(file, Buffer.concat([header, Buffer.from(message.set)]));
  }
  post.apply(this, args);
};

/** Format of `CommitRequest` (src/adapters/lmdb/store-protocol.ts) on the wire. */
function isCommit(message: unknown): message is { readonly set: ArrayBuffer } {
  return (
    typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    message.type === 'commit' &&
    'set' in message &&
    message.set instanceof ArrayBuffer
  );
}
