import { test } from 'tap';
import { Buckets, SECONDS_BOUNDS } from '../../../src/core/metrics/buckets.ts';
import { LeaseWaits } from '../../../src/core/metrics/lease-waits.ts';

/** Returns the counts of these values. */
const counted = (...seconds: readonly number[]) => {
  const buckets = new Buckets(SECONDS_BOUNDS);
  for (const each of seconds) buckets.observe(each);
  return buckets.take();
};

/** A request that arrived at this time, with its reply inbox. */
const asked = (waits: LeaseWaits, inbox: string, at: number) => ({ inbox, wait: waits.requested(at) });

test('a request that is served immediately is measured completely, including its time in the mailbox', (t) => {
  const waits = new LeaseWaits(60_000);
  const a = asked(waits, 'a', 1000);
  t.equal(waits.parkedRequests, 0);
  waits.replied(a, 'leased', 3, 1040, 1048);
  waits.settled('a', a.wait);
  t.equal(waits.parkedRequests, 0);
  t.strictSame(waits.take(1050), {
    answered: { leased: 1, empty: 0, unknown: 0 },
    tasks: 3,
    latency: counted(0.048),
    wait: counted(),
  });
  t.strictSame(waits.take(1051), {
    answered: { leased: 0, empty: 0, unknown: 0 },
    tasks: 0,
    latency: counted(),
    wait: counted(),
  });
  t.end();
});

test('a parked request is measured from the time when work was available, and its wait separately', (t) => {
  const waits = new LeaseWaits(60_000);
  const a = asked(waits, 'a', 1000);
  waits.settled('a', a.wait);
  const b = asked(waits, 'b', 1000);
  waits.settled('b', b.wait);
  t.equal(waits.parkedRequests, 2);
  waits.replied(a, 'leased', 1, 13_000, 13_004);
  waits.replied(b, 'empty', 0, 31_000, 31_001);
  waits.replied(asked(waits, 'c', 31_000), 'unknown', 0, 31_000, 31_001);
  t.equal(waits.parkedRequests, 0);
  t.strictSame(waits.take(31_002), {
    answered: { leased: 1, empty: 1, unknown: 1 },
    tasks: 1,
    latency: counted(0.004),
    wait: counted(12),
  });
  t.end();
});

test('a request that is never answered is removed, and a repeated one counts once', (t) => {
  const waits = new LeaseWaits(60_000);
  const lost = asked(waits, 'lost', 0);
  waits.settled('lost', lost.wait);
  const before = asked(waits, 'kept', 10);
  waits.settled('kept', before.wait);
  const kept = asked(waits, 'kept', 20);
  waits.settled('kept', kept.wait);
  t.equal(waits.parkedRequests, 2);
  waits.take(59_999);
  t.equal(waits.parkedRequests, 2);
  waits.take(60_000);
  t.equal(waits.parkedRequests, 1);
  waits.replied(lost, 'leased', 1, 60_001, 60_002);
  t.equal(waits.parkedRequests, 1);
  t.strictSame(waits.take(60_003).latency, counted(), 'it is removed, even if it is answered later');
  waits.take(60_020);
  t.equal(waits.parkedRequests, 0);
  waits.settled('kept', kept.wait);
  t.equal(waits.parkedRequests, 0, 'an ended measurement stays ended');
  waits.replied(before, 'leased', 1, 60_030, 60_031);
  t.strictSame(waits.take(60_040).latency, counted(), 'a request that was repeated is not measured');
  t.end();
});
