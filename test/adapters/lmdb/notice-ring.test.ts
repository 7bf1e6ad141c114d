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
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
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

const RING_BYTES = 256 * 1024;

/** A notice that takes exactly this many bytes of the ring, with the length in front of it. */
function noticeOfBytes(transaction: number, bytes: number) {
  const empty = Buffer.byteLength(JSON.stringify([transaction, [''], []]));
  return { transaction, keys: ['x'.repeat(bytes - 4 - empty)], prefixes: [] };
}

test('notices that just fit, and ones that just do not, are never lost or doubled', (t) => {
  // The first notice is read, the second is not; the third begins at the start of the ring and may end close to the second.
  for (const first of [60_000, 60_001, 60_003])
    for (const margin of [-2, -1, 0, 1, 2, 3, 4, 5, 8]) {
      const memory = noticeRingMemory();
      const ring = new NoticeRing(memory);
      const notices = [noticeOfBytes(1, first), noticeOfBytes(2, RING_BYTES - first - 4 - margin)];
      const accepted = notices.filter((notice) => ring.put(notice));
      t.same(ring.take(), accepted);
      const more = [
        noticeOfBytes(3, 40_000),
        noticeOfBytes(4, RING_BYTES - 40_000 - 4 - margin),
        noticeOfBytes(5, 20),
      ].filter((notice) => ring.put(notice));
      t.same(ring.take(), more, `first ${first}, margin ${margin}`);
      t.same(ring.take(), []);
    }
  t.end();
});

test('a ring that has wrapped around reports when it is half full', (t) => {
  const ring = new NoticeRing(noticeRingMemory());
  ring.put(noticeOfBytes(1, 200_000));
  t.equal(ring.isHalfFull, true);
  ring.take();
  t.equal(ring.put(noticeOfBytes(2, 50_000)), true);
  t.equal(ring.isHalfFull, false);
  t.equal(ring.put(noticeOfBytes(3, 100_000)), true, 'at the start of the ring');
  t.equal(ring.isHalfFull, true);
  t.equal(ring.take().length, 2);
  t.end();
});
