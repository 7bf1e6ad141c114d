import fc from 'fast-check';
import { test } from 'tap';
import { SortedSlots } from '../../../src/core/lists/sorted-slots.ts';

void test('the slots are in the order of their values, after any changes', (t) => {
  const step = fc.record({
    slot: fc.nat(15),
    value: fc.option(fc.nat(9), { freq: 3 }),
    isRead: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const values = new Map<number, number>();
      // The values at the last read: the order may only use those of slots that are held.
      const slots = new SortedSlots(
        (left, right) => (values.get(left) ?? NaN) - (values.get(right) ?? NaN) || left - right,
        (slot) => values.has(slot),
      );
      const inOrder = (): number[] =>
        [...values].sort(([a, x], [b, y]) => x - y || a - b).map(([slot]) => slot);
      for (const { slot, value, isRead } of steps) {
        if (value === null) values.delete(slot);
        else values.set(slot, value);
        slots.note(slot);
        if (isRead) t.same([...slots.inOrder()], inOrder());
      }
      t.same([...slots.inOrder()], inOrder());
    }),
  );
  t.end();
});

void test('thousands of noted slots are inserted without a read', (t) => {
  const slots = new SortedSlots(
    (left, right) => left - right,
    () => true,
  );
  const numbers = Array.from({ length: 5_000 }, (_, nth) => (nth * 7_919) % 5_000);
  for (const slot of numbers) slots.note(slot);
  t.same([...slots.inOrder()], Array.from(numbers.keys()));
  t.end();
});
