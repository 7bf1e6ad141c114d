import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { EMPTY_LOG, MAX_RECORD_BYTES, type LogRecord } from '../../../src/core/cluster/log-record.ts';
import { PartJoiner, splitBody, type RecordBody } from '../../../src/core/cluster/record-bodies.ts';
import { readRecord } from '../../../src/core/cluster/record-codec.ts';
import { epochAfter, recordAfter } from './records.ts';

function recordOf(bytes: Uint8Array): LogRecord {
  const read = readRecord(bytes, recordTools);
  if ('fault' in read) throw new Error(read.fault);
  return read.record;
}

const encoded = (body: RecordBody): Uint8Array => recordAfter(EMPTY_LOG, body).bytes;
const joined = (joiner: PartJoiner, body: RecordBody): Uint8Array | null | 'damaged' =>
  joiner.add(recordOf(encoded(body)));

test('a body that compresses well is one record', (t) => {
  const body = Buffer.alloc(2_000_000, 'frame 0001 ');
  const records = splitBody(body, 1, recordTools);
  t.same(
    records.map(({ kind, part, isCompressed, bodyLength }) => ({ kind, part, isCompressed, bodyLength })),
    [{ kind: 'changes', part: 0, isCompressed: true, bodyLength: body.length }],
  );
  const [record] = records;
  if (record === undefined) throw new Error('no record');
  t.ok(record.body.length < body.length / 5, 'it is compressed');
  t.ok(body.equals(Buffer.from(joined(new PartJoiner(recordTools), record) ?? [])));
  t.end();
});

test('a body that does not compress is split into parts with a closing part', (t) => {
  const body = randomBytes(3 * MAX_RECORD_BYTES);
  const records = splitBody(body, 1, recordTools);
  t.same(
    records.map(({ kind, part }) => `${kind} ${part}`),
    ['part 0', 'part 1', 'part 2', 'changes 3'],
  );
  t.ok(records.every((record) => encoded(record).length <= MAX_RECORD_BYTES));
  t.same(
    records.slice(0, 3).map((record) => encoded(record).length),
    [MAX_RECORD_BYTES, MAX_RECORD_BYTES, MAX_RECORD_BYTES],
  );
  const joiner = new PartJoiner(recordTools);
  const results = records.map((record) => joined(joiner, record));
  t.same(results.slice(0, 3), [null, null, null]);
  t.ok(body.equals(Buffer.from(results[3] ?? [])));
  t.notOk(joiner.isOpen);
  t.end();
});

test('each length near the limit round-trips', (t) => {
  const limit = 200;
  for (let length = 0; length < 400; length++) {
    const body = randomBytes(length);
    const joiner = new PartJoiner(recordTools);
    const results = splitBody(body, 1, recordTools, limit).map((record) => {
      if (encoded(record).length > limit) t.fail(`a record of ${length} bytes is too long`);
      return joined(joiner, record);
    });
    if (!body.equals(Buffer.from(results.at(-1) ?? []))) t.fail(`${length} bytes do not round-trip`);
  }
  t.pass('400 lengths');
  t.end();
});

test('an epoch discards parts that were not closed', (t) => {
  const [part, second] = splitBody(randomBytes(500), 2, recordTools, 300);
  if (part === undefined || second === undefined) throw new Error('too few parts');
  const joiner = new PartJoiner(recordTools);
  t.equal(joined(joiner, part), null);
  t.ok(joiner.isOpen);
  t.not(joiner.add(recordOf(epochAfter(EMPTY_LOG, 2).bytes)), 'damaged');
  t.notOk(joiner.isOpen);
  t.equal(joined(joiner, second), 'damaged', 'a part without the ones before it is damage');
  t.end();
});

test('a body of another length than its record says is damaged', (t) => {
  for (const body of [Buffer.alloc(5000), randomBytes(50)]) {
    const [record] = splitBody(body, 1, recordTools);
    if (record === undefined) throw new Error('no record');
    for (const bodyLength of [0, body.length - 1, body.length + 1])
      t.equal(joined(new PartJoiner(recordTools), { ...record, bodyLength }), 'damaged');
  }
  t.end();
});

test('a compressed body that is not valid is damaged', (t) => {
  const [record] = splitBody(Buffer.alloc(5000), 1, recordTools);
  if (record === undefined) throw new Error('no record');
  t.ok(record.isCompressed);
  const body = record.body.map((byte) => byte ^ 0xff);
  t.equal(joined(new PartJoiner(recordTools), { ...record, body }), 'damaged');
  t.end();
});
