import { test } from 'tap';
import { LoginThrottle } from '../../../http/accounts/login-throttle.ts';

const MINUTE_MS = 60_000;
/** With this key no two names of these tests share a place: a random key would let them, once in thousands of runs. */
const KEY = new Uint8Array(16).fill(1);

/** A throttle with a clock that only moves when a delay ends. */
function throttled(): {
  throttle: LoginThrottle;
  /** Delays that have started. */
  delays: number[];
  pass: (milliseconds: number) => void;
  endDelays: () => void;
} {
  let now = 0;
  const delays: number[] = [];
  let ends: (() => void)[] = [];
  const throttle = new LoginThrottle(
    () => now,
    (milliseconds) => {
      delays.push(milliseconds);
      return new Promise((resolve) => {
        ends.push(resolve);
      });
    },
    KEY,
  );
  return {
    throttle,
    delays,
    pass: (milliseconds) => {
      now += milliseconds;
    },
    endDelays: () => {
      for (const end of ends.splice(0)) end();
      ends = [];
    },
  };
}

const fail = (throttle: LoginThrottle, account: string, address: string, times: number): void => {
  for (let n = 0; n < times; n++) throttle.failed(account, address);
};

test('an account is slowed down after ten failures, from any address, and no other account', async (t) => {
  const { throttle, delays, endDelays } = throttled();
  fail(throttle, 'ann', '192.0.2.1', 9);
  t.ok(await throttle.admit('ann', '192.0.2.2'));
  t.same(delays, []);
  fail(throttle, 'ann', '192.0.2.1', 1);
  const waits = throttle.admit('ann', '192.0.2.2');
  t.same(delays, [250]);
  endDelays();
  t.ok(await waits);
  t.ok(await throttle.admit('bob', '192.0.2.2'));
  t.same(delays, [250]);
});

test('the delay doubles up to two seconds, and is never a lock', async (t) => {
  const { throttle, delays, endDelays } = throttled();
  for (let n = 0; n < 1000; n++) throttle.failed('ann', `192.0.2.${n % 200}`);
  const waits = throttle.admit('ann', '198.51.100.1');
  t.same(delays, [2000]);
  endDelays();
  t.ok(await waits);
  const { throttle: other, delays: steps, endDelays: end } = throttled();
  fail(other, 'ann', 'a', 10);
  for (let n = 0; n < 5; n++) {
    const wait = other.admit('ann', 'b');
    end();
    await wait;
    other.failed('ann', 'b');
  }
  t.same(steps, [250, 500, 1000, 2000, 2000]);
});

test('an address is slowed down after fifty failures, whatever the accounts', async (t) => {
  const { throttle, delays, endDelays } = throttled();
  for (let n = 0; n < 50; n++) throttle.failed(`user ${n}`, '192.0.2.1');
  const waits = throttle.admit('ann', '192.0.2.1');
  t.same(delays, [250]);
  endDelays();
  t.ok(await waits);
  t.ok(await throttle.admit('ann', '192.0.2.9'));
  t.same(delays, [250]);
});

test('failures are forgotten by time, and those of the account by a login', async (t) => {
  const { throttle, delays, pass } = throttled();
  fail(throttle, 'ann', '192.0.2.1', 12);
  pass(3 * MINUTE_MS);
  t.ok(await throttle.admit('ann', '192.0.2.2'));
  fail(throttle, 'bob', '192.0.2.1', 30);
  throttle.succeeded('bob');
  t.ok(await throttle.admit('bob', '192.0.2.2'));
  t.same(delays, []);
});

test('few logins of an account wait at the same time', async (t) => {
  const { throttle, delays, endDelays } = throttled();
  fail(throttle, 'ann', '192.0.2.1', 10);
  const waiting = Array.from({ length: 4 }, (_, n) => throttle.admit('ann', `192.0.2.${n}`));
  t.notOk(await throttle.admit('ann', '192.0.2.100'));
  endDelays();
  t.same(await Promise.all(waiting), [true, true, true, true]);
  const next = throttle.admit('ann', '192.0.2.100');
  endDelays();
  t.ok(await next);
  t.equal(delays.length, 5);
});
