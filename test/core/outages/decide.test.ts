import { test } from 'tap';
import { attemptIdOf, jobId, workerId } from '../../../src/core/ids.ts';
import {
  atTime,
  nextDue,
  roomIn,
  withEnded,
  withFailure,
  withoutVerdict,
  withProbe,
  withSuccess,
} from '../../../src/core/outages/decide.ts';
import {
  lastingOutages,
  NO_OUTAGES,
  type Outage,
  type OutageSetting,
  type OutagesRecord,
  type RecentEnd,
} from '../../../src/core/outages/outage.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const SETTING: OutageSetting = {
  isOn: true,
  jobs: 2,
  workers: 3,
  windowSeconds: 120,
  holdSeconds: 60,
  version: 4,
};
const JOBS = [1, 2, 3].map((number) => jobId(`01900000-0000-7000-8000-00000000000${number}`));

/** An end of attempt `task` of a job on a worker, a second after its start. */
function end(job: number, worker: number, at: number, some: Partial<RecentEnd> = {}): RecentEnd {
  const id = JOBS[job] ?? jobId('none');
  return {
    attemptId: attemptIdOf({ jobId: id, stepOrder: 0, index: worker, attemptNumber: 1 }),
    jobId: id,
    workerId: workerId(`w${worker}`),
    startedAt: at - 1000,
    at,
    pools: ['houdini'],
    location: 'north',
    key: 'no license',
    message: 'no license 1',
    isFirstOnWorker: true,
    ...some,
  };
}

const after = (ends: readonly RecentEnd[], before = NO_OUTAGES): OutagesRecord =>
  ends.reduce((record, each) => withFailure(record, each, SETTING, each.at).record, before);

const onlyOutage = (record: OutagesRecord, now = NOW): Outage => {
  const [outage] = lastingOutages(record, now);
  if (outage === undefined) throw new Error('there is no outage');
  return outage;
};

const TWO = [end(0, 0, NOW), end(1, 1, NOW + 1)];
const THREE = [...TWO, end(0, 2, NOW + 2)];

test('failures with one message of enough jobs on enough workers hold the pool that they share', (t) => {
  t.same(after(TWO).outages, []);
  const decision = withFailure(after(TWO), end(0, 2, NOW + 2), SETTING, NOW + 2);
  t.match(decision, {
    mark: { kind: 'usage pool', name: 'houdini', message: 'no license 1', policyVersion: 4 },
    record: { recent: [] },
  });
  t.match(onlyOutage(decision.record, NOW + 2), {
    since: NOW + 2,
    until: NOW + 2 + MINUTE,
    times: 1,
    failures: 3,
    jobs: 2,
    workers: 3,
  });
  t.same(decision.excused, TWO, 'the failures before it do not count any more');
  t.equal(roomIn(onlyOutage(decision.record, NOW + 2), NOW + 3), 0);
  t.end();
});

test('one job, few workers, other messages and a longer time do not make an outage', (t) => {
  t.same(after([end(0, 0, NOW), end(0, 1, NOW), end(0, 2, NOW)]).outages, [], 'one job');
  t.same(after([end(0, 0, NOW), end(1, 1, NOW), end(2, 1, NOW)]).outages, [], 'two workers');
  t.same(after([...TWO, end(0, 2, NOW + 2, { key: 'other' })]).outages, [], 'another message');
  t.same(after([...TWO, end(0, 2, NOW + 120_001)]).outages, [], 'after the window');
  const generic = THREE.map((each) => ({ ...each, key: '' }));
  t.same(after(generic).outages, [], 'a message that says nothing');
  t.end();
});

test('without a common pool the location is held, of several locations only one with enough failures', (t) => {
  const mixed = THREE.map((each, at) => (at === 0 ? { ...each, pools: [] } : each));
  t.match(onlyOutage(after(mixed), NOW + 2), { kind: 'compute location', name: 'north' });
  const withoutPool = end(0, 0, NOW - 1, { pools: [] });
  t.match(onlyOutage(after([withoutPool, ...THREE]), NOW + 2), { kind: 'compute location', failures: 4 });
  const spread = mixed.map((each, at) => ({ ...each, location: at === 0 ? 'north' : 'south' }));
  t.same(after(spread).outages, []);
  t.end();
});

test('successes that have started after the first failure refute a place', (t) => {
  const good = end(2, 9, NOW + 2, { key: null, startedAt: NOW + 1 });
  const record = withSuccess(after(TWO), good, SETTING, NOW + 2);
  t.same(after([end(0, 2, NOW + 3)], record).outages, [], 'of the pool and of the location');
  const early = withSuccess(after(TWO), { ...good, startedAt: NOW - 1 }, SETTING, NOW + 2);
  t.match(onlyOutage(after([end(0, 2, NOW + 3)], early), NOW + 3), { kind: 'usage pool' });
  const elsewhere = withSuccess(after(TWO), { ...good, location: 'south' }, SETTING, NOW + 2);
  t.match(onlyOutage(after([end(0, 2, NOW + 3)], elsewhere), NOW + 3), {
    kind: 'compute location',
    name: 'north',
  });
  t.end();
});

test('after the hold one task is tried, and holds double as long as it fails', (t) => {
  const held = after(THREE);
  const first = onlyOutage(held, NOW + 2);
  t.equal(nextDue(held, NOW + 2), first.until);
  t.equal(roomIn(first, first.until), 1);
  const probing = withProbe(held, first, end(1, 7, first.until), first.until);
  t.equal(roomIn(onlyOutage(probing, first.until), first.until), 0, 'only one');
  t.equal(nextDue(probing, first.until), first.until + MINUTE, 'it has passed after a minute');
  const failed = withFailure(probing, end(1, 7, first.until + 500), SETTING, first.until + 500);
  t.match(failed.mark, { name: 'houdini' });
  const again = onlyOutage(failed.record, first.until + 500);
  t.match(again, { times: 2, probe: null, probed: [JOBS[1]], failures: 4 });
  t.equal(again.until, first.until + 500 + 2 * MINUTE);
  const other = withFailure(
    probing,
    end(1, 7, first.until + 500, { key: 'bad scene' }),
    SETTING,
    first.until + 500,
  );
  t.equal(other.mark, null, 'another failure counts');
  t.match(
    onlyOutage(other.record, first.until + 500),
    { times: 1, probe: null },
    'and another task is tried',
  );
  t.end();
});

test('a probe that succeeds or runs long enough ends the outage, one that is lost does not', (t) => {
  const held = after(THREE);
  const { until } = onlyOutage(held, NOW + 2);
  const probe = end(1, 7, until);
  const probing = withProbe(held, onlyOutage(held, NOW + 2), probe, until);
  t.same(lastingOutages(withSuccess(probing, { ...probe, key: null }, SETTING, until + 1), until + 1), []);
  t.same(lastingOutages(atTime(probing, until + MINUTE - 1), until + MINUTE - 1).length, 1);
  const passed = atTime(probing, until + MINUTE);
  t.same(lastingOutages(passed, until + MINUTE), []);
  t.match(lastingOutages(withoutVerdict(probing, probe.attemptId), until + 1), [{ probe: null, times: 1 }]);
  const late = withFailure(
    passed,
    end(2, 5, until + 2 * MINUTE, { startedAt: NOW }),
    SETTING,
    until + 2 * MINUTE,
  );
  t.match(late.mark, { name: 'houdini' }, 'an attempt that had started before does not count');
  const fresh = withFailure(passed, end(2, 5, until + 2 * MINUTE), SETTING, until + 2 * MINUTE);
  t.equal(fresh.mark, null);
  t.end();
});

test('an outage that is back soon doubles its hold, and a user can end one', (t) => {
  const held = after(THREE);
  const ended = withEnded(held, { kind: 'usage pool', name: 'houdini' }, NOW + 5);
  t.same(lastingOutages(ended, NOW + 5), []);
  t.equal(withEnded(ended, { kind: 'usage pool', name: 'houdini' }, NOW + 6), ended);
  const again = after([end(0, 3, NOW + 2000), end(1, 4, NOW + 2001), end(1, 5, NOW + 2002)], ended);
  t.match(onlyOutage(again, NOW + 2002), { times: 2, until: NOW + 2002 + 2 * MINUTE });
  t.same(atTime(ended, NOW + 3_600_006).outages, [], 'it is forgotten after an hour');
  t.same(lastingOutages(held, NOW), [], 'a clock that was set back ends it');
  t.end();
});

test('a failure after which its task has failed for another reason still counts', (t) => {
  const task = (attemptNumber: number) =>
    attemptIdOf({ jobId: JOBS[0] ?? jobId('none'), stepOrder: 0, index: 0, attemptNumber });
  const ends = [
    end(0, 0, NOW, { attemptId: task(1) }),
    end(0, 5, NOW + 1, { attemptId: task(2), key: '' }),
    end(1, 1, NOW + 2),
  ];
  const { excused } = withFailure(after(ends), end(1, 2, NOW + 3), SETTING, NOW + 3);
  t.same(excused, [ends[2]]);
  t.end();
});
