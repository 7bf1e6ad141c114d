import { test } from 'tap';
import { ServiceUnavailable } from '../../../cli/terminal/exit-codes.ts';
import { retryWhileUnavailable } from '../../../cli/client/retry-while-unavailable.ts';

test('a new outage starts after the next response of the service', async (t) => {
  let now = 0;
  t.intercept(performance, 'now', { value: () => now });
  let asked = 0;
  let told = 0;
  const given = await retryWhileUnavailable(
    async (connected) => {
      asked++;
      if (asked > 1) {
        connected();
        now += 600_000;
      }
      if (asked < 3) throw new ServiceUnavailable('away', true);
      return asked;
    },
    () => told++,
  );
  t.same([given, told], [3, 2]);
});

test('a service that stays unreachable is reported', async (t) => {
  let now = 0;
  t.intercept(performance, 'now', { value: () => now });
  let asked = 0;
  const failing = retryWhileUnavailable(
    async () => {
      asked++;
      now += 61_000;
      throw new ServiceUnavailable(`away ${asked}`, false);
    },
    () => {},
  );
  await t.rejects(failing, { message: 'away 2' });
});
