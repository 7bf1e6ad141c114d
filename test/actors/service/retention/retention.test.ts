import { test } from 'tap';
import { SWEEP_ROWS } from '../../../../actors/service/retention/sweep-actor.ts';
import type { JobRetention } from '../../../../actors/service/service-world.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { rowsOfJob } from '../../../kit/rows-of-job.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const one = [{ name: 's', tasks: 1 }];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function houseWith(retention: Partial<JobRetention> = {}): TestHouse {
  const house = new TestHouse({ retention: { afterMs: HOUR, includeFailed: false, ...retention } });
  house.register('w1');
  house.heard();
  return house;
}

/** A job that runs to its end at once. */
function run(house: TestHouse, name: string, end: 'succeeded' | 'failed' = 'succeeded'): string {
  house.submit(name, one, { retry: { maxAttempts: 1 } });
  house.lease('w1');
  house.report(`${name}/0/0`, end, end === 'failed' ? { exitCode: 1 } : {});
  house.heard();
  return house.jobId(name);
}

const left = (house: TestHouse): string[] => [...house.store.scan('job')].map((row) => row.value.name).sort();

test('completed jobs are removed once they have been kept long enough, the others stay', (t) => {
  const house = houseWith();
  const id = run(house, 'completed');
  run(house, 'failed', 'failed');
  house.submit('canceled', one);
  house.cancelJob('canceled');
  house.submit('pending', one);
  house.heard();
  house.advance(59 * MINUTE);
  house.expect(t, 'not yet', []);
  house.advance(MINUTE + 1);
  house.expect(t, 'one is', ['job completed removed']);
  t.strictSame(left(house), ['canceled', 'failed', 'pending']);
  t.strictSame(rowsOfJob(house.store, id), []);
  house.advance(24 * HOUR);
  house.expect(t, 'the others never are', []);
  t.end();
});

test('failed and canceled jobs are removed too when that is set', (t) => {
  const house = houseWith({ includeFailed: true });
  run(house, 'failed', 'failed');
  house.submit('canceled', one);
  house.cancelJob('canceled');
  run(house, 'completed');
  house.submit('paused', one);
  house.updateJob('paused', { action: 'pause' });
  house.heard();
  house.advance(HOUR + MINUTE);
  house.expect(t, 'all that have ended', [
    'job completed removed',
    'job failed removed',
    'job canceled removed',
  ]);
  t.strictSame(left(house), ['paused']);
  t.end();
});

test('with a retention of 0 every job is kept', (t) => {
  const house = houseWith({ afterMs: 0, includeFailed: true });
  run(house, 'completed');
  run(house, 'failed', 'failed');
  house.advance(24 * HOUR);
  house.restart();
  house.advance(HOUR);
  house.expect(t, 'kept', []);
  t.strictSame(left(house), ['completed', 'failed']);
  t.notOk(house.isResident('retention', house.farm), 'nobody sweeps');
  t.end();
});

test('a restart neither loses nor hastens a removal', (t) => {
  const house = houseWith();
  run(house, 'early');
  house.advance(40 * MINUTE);
  run(house, 'late');
  house.restart();
  house.heard();
  house.advance(19 * MINUTE);
  house.expect(t, 'not yet', []);
  house.restart(2 * MINUTE);
  house.heard();
  house.advance(MINUTE);
  house.expect(t, 'the early one', ['job early removed']);
  house.restart();
  house.advance(39 * MINUTE);
  t.strictSame(left(house), [], 'the late one, after another restart');
  house.checkAtRest(t, 'at the end');
  t.end();
});

test('a setting that is changed counts for jobs that ended before', (t) => {
  const house = houseWith({ afterMs: 0 });
  run(house, 'completed');
  run(house, 'failed', 'failed');
  house.advance(2 * HOUR);
  house.restartWith({ retention: { afterMs: HOUR, includeFailed: true } });
  house.heard();
  house.advance(MINUTE);
  house.expect(t, 'removed', ['job completed removed', 'job failed removed']);
  t.end();
});

test('a job that is tried again begins to be kept anew when it ends anew', (t) => {
  const house = houseWith({ includeFailed: true });
  const id = run(house, 'A', 'failed');
  house.advance(59 * MINUTE);
  house.heard();
  house.retryJob('A');
  house.expect(t, 'revived', ['task A/0/0 pending', 'task A/0/0 ready', 'job A pending', 'retry A: ok']);
  t.equal(house.job('A').endedAt, 0);
  house.advance(3 * HOUR);
  house.expect(t, 'while it is active it stays', []);
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  house.heard();
  house.advance(59 * MINUTE);
  house.expect(t, 'ended anew', []);
  house.advance(2 * MINUTE);
  house.expect(t, 'removed', ['job A removed']);
  t.strictSame(rowsOfJob(house.store, id), []);
  t.end();
});

test('a removal that was asked for before the job was tried again is void', (t) => {
  const house = houseWith({ includeFailed: true });
  const id = run(house, 'A', 'failed');
  const { endedAt = 0 } = house.job('A');
  const expire = { type: 'job.expire', jobId: house.jobId('A'), endedAt } as const;
  house.advance(1);
  house.retryJob('A');
  house.heard();
  house.deliver({ actor: 'farm', id: house.farm, message: expire });
  house.expect(t, 'it is active', []);
  house.cancelJob('A');
  house.heard();
  house.deliver({ actor: 'farm', id: house.farm, message: expire });
  house.expect(t, 'it ended later', []);
  house.deliver({
    actor: 'farm',
    id: house.farm,
    message: { ...expire, endedAt: house.job('A').endedAt ?? 0 },
  });
  house.expect(t, 'this end is meant', ['job A removed']);
  house.deliver({ actor: 'farm', id: house.farm, message: expire });
  house.expect(t, 'and it is gone', []);
  t.strictSame(rowsOfJob(house.store, id), []);
  t.end();
});

test('a job on which a blocked one depends is kept until that waits no longer', (t) => {
  const house = houseWith();
  run(house, 'A');
  run(house, 'other');
  house.submit('slow', one);
  house.submit('B', one, { after: ['A', 'slow'] });
  house.heard();
  house.advance(2 * HOUR);
  house.expect(t, 'kept', ['job other removed']);
  house.restart();
  house.advance(2 * HOUR);
  house.expect(t, 'also over a restart', []);
  house.lease('w1');
  house.report('slow/0/0', 'succeeded');
  house.heard();
  house.advance(MINUTE);
  house.expect(t, 'and then removed', ['job A removed']);
  t.equal(house.job('B').status, 'pending', 'its dependent goes on');
  t.end();
});

test('a sweep of many jobs goes through all of them in pieces', (t) => {
  const house = houseWith({ includeFailed: true });
  house.submit('slow', one);
  const count = 2 * SWEEP_ROWS + 10;
  for (let each = 0; each < SWEEP_ROWS; each++) {
    house.submit(`kept ${each}`, one);
    house.cancelJob(`kept ${each}`);
  }
  for (let each = 0; each < count; each++) {
    house.submit(`job ${each}`, one);
    house.cancelJob(`job ${each}`);
  }
  house.heard();
  house.commits.length = 0;
  house.advance(HOUR + MINUTE);
  t.equal(house.heard().length, count + SWEEP_ROWS);
  t.strictSame(left(house), ['slow']);
  house.checkAtRest(t, 'at the end');
  t.end();
});

test('jobs that are kept for others do not hold up the sweep of those behind them', (t) => {
  const house = houseWith({ includeFailed: true });
  house.submit('slow', one);
  house.updateJob('slow', { action: 'pause' });
  const upstreams = Array.from({ length: SWEEP_ROWS + 1 }, (_, each) => run(house, `up ${each}`));
  house.submit('B', one, { after: ['slow', ...upstreams.map((_, each) => `up ${each}`)] });
  run(house, 'behind');
  house.advance(HOUR + MINUTE);
  house.expect(t, 'the one behind them', ['job behind removed']);
  t.equal(left(house).length, upstreams.length + 2);
  t.end();
});

test('the ended jobs of a farm that is deleted are removed all the same', (t) => {
  for (const isRestarted of [false, true]) {
    const house = houseWith();
    const id = run(house, 'A');
    house.deregister('w1');
    house.deleteFarm();
    house.heard();
    if (isRestarted) house.restart();
    house.advance(59 * MINUTE);
    t.equal(house.job('A').status, 'completed', 'it is readable until then');
    house.advance(2 * MINUTE);
    house.expect(t, `restarted: ${isRestarted}`, ['job A removed']);
    t.strictSame(rowsOfJob(house.store, id), []);
  }
  t.end();
});

test('each farm is swept by itself', (t) => {
  const house = houseWith();
  const other = house.createFarm({ name: 'G' });
  const queue = house.createQueue({}, other);
  house.submit('of F', one);
  house.submit('of G', one, { queueId: queue, farm: other });
  t.equal(house.job('of G').farmId, other);
  house.cancelJob('of F');
  house.cancelJob('of G');
  t.strictSame(
    ['of F', 'of G'].map((name) => {
      const { farmId, status, endedAt = 0, id } = house.job(name);
      if (status !== 'canceled') throw new Error(`${name} is ${status}`);
      return house.store.get('endedJob', keys.endedJob(farmId, status, endedAt, id));
    }),
    [{ version: 1 }, { version: 1 }],
  );
  house.deleteFarm(other);
  house.restartWith({ retention: { afterMs: HOUR, includeFailed: true } });
  house.heard();
  house.advance(HOUR + MINUTE);
  house.expect(t, 'both', ['job of F removed', 'job of G removed']);
  t.end();
});
