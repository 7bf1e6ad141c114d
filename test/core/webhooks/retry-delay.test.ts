import fc from 'fast-check';
import { test } from 'tap';
import { retryDelayMs } from '../../../src/core/webhooks/retry-delay.ts';

test('a delay is between half and all of 2 s, doubled each time, at most an hour', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.uuid(), (attempts, id) => {
      const longest = Math.min(3_600_000, 2_000 * 2 ** Math.min(attempts - 1, 30));
      const delay = retryDelayMs(attempts, id);
      return delay >= longest / 2 && delay <= longest && delay === retryDelayMs(attempts, id);
    }),
  );
  const delays = new Set(Array.from({ length: 100 }, (_, each) => retryDelayMs(5, `delivery ${each}`)));
  t.ok(delays.size > 90, 'deliveries are retried at different times');
  t.end();
});
