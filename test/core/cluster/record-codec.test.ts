import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { uuidBytes } from '../../../src/core/cluster/bytes.ts';
import { DIGEST_BYTES, EMPTY_LOG } from '../../../src/core/cluster/log-record.ts';
import { RECORD_FORMAT } from '../../../src/core/cluster/record-formats.ts';
import { readRecord, RECORD_OVERHEAD_BYTES } from '../../../src/core/cluster/record-codec.ts';
import { LOG_ID, recordAfter } from './records.ts';

const CONTENT = {
  format: RECORD_FORMAT,
  kind: 'changes',
  logId: uuidBytes(LOG_ID),
  epoch: 7,
  position: 2 ** 40,
  previous: { position: 2 ** 40 - 1, digest: Uint8Array.from({ length: DIGEST_BYTES }, (_, at) => at) },
  part: 3,
  isCompressed: true,
  bodyLength: 4321,
  body: Uint8Array.of(1, 2, 3),
} as const;

/** Returns the record with another format and a digest that fits. */
function withFormat(bytes: Uint8Array, format: number): Uint8Array {
  const changed = bytes.slice();
  new DataView(changed.buffer).setUint16(4, format, true);
  const end = changed.length - DIGEST_BYTES;
  changed.set(recordTools.digest(changed.subarray(0, end)), end);
  return changed;
}

test('a record round-trips', (t) => {
  const { bytes, mark } = recordAfter(EMPTY_LOG, CONTENT);
  t.equal(bytes.length, RECORD_OVERHEAD_BYTES + CONTENT.body.length);
  const read = readRecord(bytes, recordTools);
  if (!('record' in read)) throw new Error(read.fault);
  const { digest, ...content } = read.record;
  t.same(Buffer.from(digest), Buffer.from(mark.digest));
  t.same(
    { ...content, logId: [...content.logId], body: [...content.body] },
    {
      ...CONTENT,
      logId: [...CONTENT.logId],
      body: [...CONTENT.body],
      previous: { position: CONTENT.previous.position, digest: content.previous.digest },
    },
  );
  t.same([...content.previous.digest], [...CONTENT.previous.digest]);
  t.end();
});

test('a record with any changed bit, and any shorter one, is damaged', (t) => {
  const { bytes } = recordAfter(EMPTY_LOG, CONTENT);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = bytes.slice();
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (!('fault' in readRecord(changed, recordTools))) t.fail(`bit ${bit} is not noticed`);
  }
  for (let length = 0; length < bytes.length; length++)
    t.same(readRecord(bytes.subarray(0, length), recordTools), { fault: 'damaged' });
  t.end();
});

test('a record of a newer format is not damage', (t) => {
  const { bytes } = recordAfter(EMPTY_LOG, CONTENT);
  t.same(readRecord(withFormat(bytes, RECORD_FORMAT + 1), recordTools), { fault: 'newer-format' });
  t.ok('record' in readRecord(withFormat(bytes, 1), recordTools));
  t.end();
});
