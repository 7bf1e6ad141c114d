import { test } from 'tap';
import { SingleUse } from '../../../src/core/access/single-use.ts';

test('a number can be used once, in any order', async (t) => {
  const uses = new SingleUse(16);
  const numbers = [uses.issue(), uses.issue(), uses.issue()];
  t.same(numbers, [1, 2, 3]);
  t.ok(uses.use(2));
  t.notOk(uses.use(2));
  t.ok(uses.use(1));
  t.ok(uses.use(3));
  t.notOk(uses.use(3));
});

test('numbers that were never issued cannot be used', async (t) => {
  const uses = new SingleUse(16);
  uses.issue();
  for (const number of [0, -1, 2, 17, 1.5, NaN, Infinity, -15]) t.notOk(uses.use(number), String(number));
  t.ok(uses.use(1));
});

test('a number beyond the capacity replaces the oldest, used or not', async (t) => {
  const uses = new SingleUse(16);
  for (let at = 0; at < 16; at++) uses.issue();
  t.ok(uses.use(1));
  t.equal(uses.issue(), 17);
  t.notOk(uses.use(1), 'it is too old');
  t.ok(uses.use(17), 'its place is free again');
  t.ok(uses.use(2), 'the last 16 can be used');
  uses.issue();
  t.notOk(uses.use(2));
});
