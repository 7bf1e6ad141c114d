import fc from 'fast-check';
import { test } from 'tap';
import { afterMeasurement, withoutMeasurement } from '../../../src/core/pools/after-measurement.ts';
import { effectiveSlots, isFresh, type Measurement } from '../../../src/core/pools/measured-slots.ts';
import { usagePool } from '../../kit/lease-parts.ts';

const AT = 1_000_000;
const AGE = 300_000;
const value = (slots: number, at = AT): Measurement => ({ ok: true, slots, at, until: at + AGE });
const failure = (reason: string, at = AT): Measurement => ({ ok: false, at, reason });
const pool = usagePool('houdini', 10, 1);

test('a measured value limits the pool until it is too old, and never adds slots', (t) => {
  t.equal(effectiveSlots(pool, AT), 10, 'never measured');
  const fewer = afterMeasurement(pool, value(6));
  t.equal(effectiveSlots(fewer, AT), 6);
  t.equal(effectiveSlots(fewer, AT + AGE - 1), 6);
  t.equal(effectiveSlots(fewer, AT + AGE), 10, 'too old');
  t.equal(effectiveSlots(afterMeasurement(pool, value(0)), AT), 0);
  t.equal(effectiveSlots(afterMeasurement(pool, value(12)), AT), 10);
  t.end();
});

test('a clock that is behind the measurement changes nothing for the maximum age', (t) => {
  const measured = { at: AT, until: AT + AGE };
  t.ok(isFresh(measured, AT - 5));
  t.ok(isFresh(measured, AT - AGE + 1));
  t.notOk(isFresh(measured, AT - AGE));
  t.end();
});

test('a failure keeps the value, and its first time while its reason is the same', (t) => {
  const measured = afterMeasurement(pool, value(6));
  const failed = afterMeasurement(measured, failure('no answer', AT + 1));
  t.strictSame(failed.measured, measured.measured);
  t.strictSame(failed.measureFailure, { since: AT + 1, reason: 'no answer' });
  t.equal(afterMeasurement(failed, failure('no answer', AT + 2)), failed, 'nothing to write');
  t.strictSame(afterMeasurement(failed, failure('other', AT + 3)).measureFailure, {
    since: AT + 3,
    reason: 'other',
  });
  const again = afterMeasurement(failed, value(7, AT + 4));
  t.equal(again.measureFailure, undefined);
  t.equal(again.measured?.slots, 7);
  t.strictSame(withoutMeasurement(failed), pool);
  t.equal(withoutMeasurement(pool), pool);
  t.end();
});

test('property: the slots are the configured ones, or a fresh smaller value of the latest success', (t) => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: AGE }),
    slots: fc.option(fc.integer({ min: 0, max: 20 }), { nil: null }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 12, size: 'max' }),
      fc.integer({ min: 0, max: 2 * AGE }),
      (steps, rest) => {
        let now = AT;
        let latest: { readonly slots: number; readonly at: number } | null = null;
        let current = pool;
        for (const { wait, slots } of steps) {
          now += wait;
          current = afterMeasurement(current, slots === null ? failure('none', now) : value(slots, now));
          if (slots !== null) latest = { slots, at: now };
        }
        now += rest;
        const isUsed = latest !== null && now - latest.at < AGE;
        return effectiveSlots(current, now) === (isUsed && latest !== null ? Math.min(10, latest.slots) : 10);
      },
    ),
  );
  t.end();
});
