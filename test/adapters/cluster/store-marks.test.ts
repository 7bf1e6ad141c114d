import { test } from 'tap';
import { StoreMarks } from '../../../src/adapters/cluster/store-marks.ts';
import { DIGEST_BYTES, type LogMark } from '../../../src/core/cluster/log-record.ts';

const markAt = (position: number): LogMark => ({
  position,
  epoch: 1,
  digest: new Uint8Array(DIGEST_BYTES).fill(position),
});

test('the mark of a transaction is that of its last record', (t) => {
  const marks = new StoreMarks(markAt(4));
  t.ok(marks.isApplied);
  for (const position of [5, 7, 9]) marks.pass(markAt(position));
  t.notOk(marks.isApplied);
  t.same(marks.markAt(7), markAt(7));
  marks.apply(7);
  t.same(marks.applied, markAt(7));
  t.notOk(marks.isApplied, 'a later one is open');
  t.throws(() => marks.markAt(8), { message: /position 8 is applied, and the journal has not passed it/ });
  marks.apply(9);
  t.ok(marks.isApplied);
  t.end();
});

test('the mark of a store never goes back', (t) => {
  const marks = new StoreMarks();
  // A mark without changes, whose transaction is made later than that of the changes after it.
  marks.pass(markAt(600));
  marks.pass(markAt(601));
  marks.apply(601);
  t.same(marks.markAt(600), markAt(601));
  marks.apply(600);
  t.same(marks.applied, markAt(601));
  t.end();
});

test('a store gets a mark without changes after many records', (t) => {
  const marks = new StoreMarks(markAt(10));
  t.notOk(marks.isFarAhead(markAt(609)));
  t.ok(marks.isFarAhead(markAt(610)));
  marks.pass(markAt(610));
  t.notOk(marks.isFarAhead(markAt(700)));
  t.end();
});
