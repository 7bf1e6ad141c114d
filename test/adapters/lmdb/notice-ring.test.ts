import fc from 'fast-check';
import { test } from 'tap';
import { NoticeRing, noticeRingMemory } from '../../../src/adapters/lmdb/notice-ring.ts';

const noticeOf = (transaction: number, textBytes: number) => ({
  transaction,
  keys: ['ü'.repeat(textBytes >> 1)],
  prefixes: transaction % 3 === 0 ? ['p/'] : [],
});

test('a reader receives every accepted notice once and in order, also across the end of the ring', (t) => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ put: fc.nat(60_000) }) },
    { weight: 3, arbitrary: fc.record({ put: fc.nat(300) }) },
    { weight: 2, arbitrary: fc.constant('take' as const) },
  );
  let wereRefused = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const memory = noticeRingMemory();
      const writer = new NoticeRing(memory);
      const reader = new NoticeRing(memory);
      let waiting: unknown[] = [];
      let transaction = 0;
      for (const each of steps) {
        if (each === 'take') {
          t.strictSame(reader.take(), waiting);
          waiting = [];
          continue;
        }
        const notice = noticeOf(++transaction, each.put);
        if (writer.put(notice)) waiting.push(notice);
        else wereRefused++;
      }
      t.strictSame(reader.take(), waiting);
      t.strictSame(reader.take(), []);
      t.equal(writer.isHalfFull, false);
    }),
    { numRuns: 200, examples: [[Array.from({ length: 80 }, () => ({ put: 60_000 }))]] },
  );
  t.ok(wereRefused > 0, 'some notices were rejected');
  t.end();
});

test('a full ring rejects notices and reports when it is half full', (t) => {
  const memory = noticeRingMemory();
  const writer = new NoticeRing(memory);
  t.equal(writer.put(noticeOf(1, 300_000)), false, 'larger than the ring');
  t.strictSame(new NoticeRing(memory).take(), []);
  t.equal(writer.put(noticeOf(2, 100_000)), true);
  t.equal(writer.isHalfFull, false);
  t.equal(writer.put(noticeOf(3, 100_000)), true);
  t.equal(writer.isHalfFull, true);
  t.equal(writer.put(noticeOf(4, 100_000)), false);
  t.strictSame(new NoticeRing(memory).take(), [noticeOf(2, 100_000), noticeOf(3, 100_000)]);
  t.equal(writer.isHalfFull, false);
  t.equal(writer.put(noticeOf(5, 100_000)), true, 'at the start of the ring');
  t.strictSame(new NoticeRing(memory).take(), [noticeOf(5, 100_000)]);
  t.end();
});
