import { test } from 'tap';
import { waitOf } from '../../client/retry-after.ts';

test('waits a minimum time even if the response demands less', async (t) => {
  const wait = (status: number, seconds?: string): number | null =>
    waitOf({ status, headers: new Headers(seconds === undefined ? {} : { 'retry-after': seconds }) });
  t.same(
    [wait(429, '0'), wait(429, '7'), wait(429), wait(429, '-1'), wait(429, 'soon'), wait(503, '7')],
    [100, 7_000, null, null, null, null],
  );
});
