import fc from 'fast-check';
import { test } from 'tap';
import { nanosOf, nanosOfMs, nanoText } from '../../../src/core/diagnostics/nano-time.ts';

test('times are parsed with nanoseconds', (t) => {
  const cases: [string, bigint][] = [
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:00.000000001Z', 1n],
    ['2026-11-21T04:05:06.123456789Z', 1_795_233_906_123_456_789n],
    ['2026-11-21T06:35:06.5+02:30', 1_795_233_906_500_000_000n],
    ['2024-02-29T23:59:59-00:01', 1_709_251_259_000_000_000n],
    ['1969-12-31T23:59:59.999999999z', -1n],
  ];
  for (const [text, nanos] of cases) t.equal(nanosOf(text), nanos, text);
  for (const text of ['', 'now', '2026-02-30T00:00:00Z', '2026-11-21', '2026-11-21T04:05:06.1234567890Z'])
    t.equal(nanosOf(text), null, text);
  t.equal(nanoText(1_795_233_906_123_456_789n), '2026-11-21T04:05:06.123456789Z');
  t.equal(nanoText(-1n), '1969-12-31T23:59:59.999999999Z');
  t.equal(nanosOfMs(1.9), 1_000_000n);
  t.end();
});

test('milliseconds are those of the platform, and texts round-trip', (t) => {
  const range = { min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') };
  fc.assert(
    fc.property(fc.integer(range), fc.integer({ min: 0, max: 999_999 }), (milliseconds, below) => {
      const nanos = BigInt(milliseconds) * 1_000_000n + BigInt(below);
      return (
        nanosOf(new Date(milliseconds).toISOString()) === BigInt(milliseconds) * 1_000_000n &&
        nanosOf(nanoText(nanos)) === nanos
      );
    }),
  );
  t.end();
});
