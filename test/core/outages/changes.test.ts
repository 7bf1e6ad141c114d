import { test } from 'tap';
import { outageChanges } from '../../../src/core/outages/changes.ts';
import { NO_OUTAGES, type Outage, type OutagesRecord } from '../../../src/core/outages/outage.ts';

const NOW = 1_000_000;
const HELD: Outage = {
  kind: 'usage pool',
  name: 'houdini',
  firstAt: NOW - 10,
  since: NOW,
  until: NOW + 60_000,
  times: 1,
  keys: ['no license'],
  message: 'no license 1',
  failures: 3,
  jobs: 2,
  workers: 3,
  longestMs: 10,
  probe: null,
  probed: [],
  policyVersion: 4,
};
const ELSEWHERE: Outage = { ...HELD, kind: 'compute location', name: 'north' };

const recordOf = (...outages: readonly Outage[]): OutagesRecord => ({ ...NO_OUTAGES, outages });

test('a hold that has started is new only for a place without an outage', (t) => {
  t.same(outageChanges(NO_OUTAGES, recordOf(HELD), 'task passed', NOW), [
    { status: 'held', outage: HELD, isNew: true },
  ]);
  const again = { ...HELD, since: NOW + 5, times: 2 };
  t.same(outageChanges(recordOf(HELD), recordOf(again), 'task passed', NOW + 5), [
    { status: 'held', outage: again, isNew: false },
  ]);
  const over = { ...HELD, endedAt: NOW + 5 };
  t.same(outageChanges(recordOf(over), recordOf(over, again), 'task passed', NOW + 6), [
    { status: 'held', outage: again, isNew: true },
  ]);
  t.end();
});

test('more failures and a probe change nothing that is published', (t) => {
  const counted = { ...HELD, failures: 9 };
  t.same(outageChanges(recordOf(HELD), recordOf(counted), 'task passed', NOW + 1), []);
  t.end();
});

test('an outage that ends, or whose record is dropped, ends with its cause, before another starts', (t) => {
  const over = { ...HELD, endedAt: NOW + 5 };
  t.same(outageChanges(recordOf(HELD), recordOf(over, ELSEWHERE), 'task passed', NOW + 5), [
    { status: 'ended', outage: HELD, reason: 'task passed' },
    { status: 'held', outage: ELSEWHERE, isNew: true },
  ]);
  t.same(outageChanges(recordOf(HELD, ELSEWHERE), NO_OUTAGES, 'turned off', NOW + 5), [
    { status: 'ended', outage: HELD, reason: 'turned off' },
    { status: 'ended', outage: ELSEWHERE, reason: 'turned off' },
  ]);
  t.same(outageChanges(recordOf(over), NO_OUTAGES, 'turned off', NOW + 6), [], 'it had ended before');
  t.match(outageChanges(recordOf(HELD), recordOf(over), 'task passed', NOW - 1), [
    { status: 'ended', reason: 'clock set back' },
  ]);
  t.end();
});
