import { test } from 'tap';
import { SWEEP_ROWS } from '../../../../actors/service/retention/sweep-actor.ts';
import type { JobRetention } from '../../../../actors/service/service-system.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { rowsOfJob } from '../../../kit/rows-of-job.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const one = [{ name: 's', tasks: 1 }];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function farmWith(retention: Partial<JobRetention> = {}): TestFarm {
  const fixture = new TestFarm({ retention: { afterMs: HOUR, includeFailed: false, ...retention } });
  fixture.register('w1');
  fixture.takeOutputs();
  return fixture;
}

/** Runs a job to its end at once. */
function run(fixture: TestFarm, name: string, end: 'succeeded' | 'failed' = 'succeeded'): string {
  fixture.submit(name, one, { retry: { maxAttempts: 1 } });
  fixture.lease('w1');
  fixture.report(`${name}/0/0`, end, end === 'failed' ? { exitCode: 1 } : {});
  fixture.takeOutputs();
  return fixture.jobId(name);
}

const left = (fixture: TestFarm): string[] =>
  [...fixture.store.scan('job')].map((row) => row.value.name).sort();

test('completed jobs are deleted after the retention, and others stay', (t) => {
  const fixture = farmWith();
  const id = run(fixture, 'completed');
  run(fixture, 'failed', 'failed');
  fixture.submit('canceled', one);
  fixture.cancelJob('canceled');
  fixture.submit('pending', one);
  fixture.takeOutputs();
  fixture.advance(59 * MINUTE);
  fixture.expect(t, 'not yet', []);
  fixture.advance(MINUTE + 1);
  fixture.expect(t, 'one is', ['job completed removed']);
  t.strictSame(left(fixture), ['canceled', 'failed', 'pending']);
  t.strictSame(rowsOfJob(fixture.store, id), []);
  fixture.advance(24 * HOUR);
  fixture.expect(t, 'the others never are', []);
  t.end();
});

test('failed and canceled jobs are deleted too if configured', (t) => {
  const fixture = farmWith({ includeFailed: true });
  run(fixture, 'failed', 'failed');
  fixture.submit('canceled', one);
  fixture.cancelJob('canceled');
  run(fixture, 'completed');
  fixture.submit('paused', one);
  fixture.updateJob('paused', { action: 'pause' });
  fixture.takeOutputs();
  fixture.advance(HOUR + MINUTE);
  fixture.expect(t, 'all that have ended', [
    'job completed removed',
    'job failed removed',
    'job canceled removed',
  ]);
  t.strictSame(left(fixture), ['paused']);
  t.end();
});

test('with a retention of 0 every job is kept', (t) => {
  const fixture = farmWith({ afterMs: 0, includeFailed: true });
  run(fixture, 'completed');
  run(fixture, 'failed', 'failed');
  fixture.advance(24 * HOUR);
  fixture.restart();
  fixture.advance(HOUR);
  fixture.expect(t, 'kept', []);
  t.strictSame(left(fixture), ['completed', 'failed']);
  t.notOk(fixture.isResident('retention', fixture.farm), 'no sweep runs');
  t.end();
});

test('a restart neither loses nor hastens a deletion', (t) => {
  const fixture = farmWith();
  run(fixture, 'early');
  fixture.advance(40 * MINUTE);
  run(fixture, 'late');
  fixture.restart();
  fixture.takeOutputs();
  fixture.advance(19 * MINUTE);
  fixture.expect(t, 'not yet', []);
  fixture.restart(2 * MINUTE);
  fixture.takeOutputs();
  fixture.advance(MINUTE);
  fixture.expect(t, 'the early one', ['job early removed']);
  fixture.restart();
  fixture.advance(39 * MINUTE);
  t.strictSame(left(fixture), [], 'the late one, after another restart');
  fixture.expectInvariants(t, 'at the end');
  t.end();
});

test('a changed setting applies to jobs that ended before', (t) => {
  const fixture = farmWith({ afterMs: 0 });
  run(fixture, 'completed');
  run(fixture, 'failed', 'failed');
  fixture.advance(2 * HOUR);
  fixture.restartWith({ retention: { afterMs: HOUR, includeFailed: true } });
  fixture.takeOutputs();
  fixture.advance(MINUTE);
  fixture.expect(t, 'removed', ['job completed removed', 'job failed removed']);
  t.end();
});

test('the retention of a retried job starts with its new end', (t) => {
  const fixture = farmWith({ includeFailed: true });
  const id = run(fixture, 'A', 'failed');
  fixture.advance(59 * MINUTE);
  fixture.takeOutputs();
  fixture.retryJob('A');
  fixture.expect(t, 'reactivated', [
    'task A/0/0 pending',
    'task A/0/0 ready',
    'job A pending',
    'retry A: ok',
  ]);
  t.equal(fixture.job('A').endedAt, undefined);
  fixture.advance(3 * HOUR);
  fixture.expect(t, 'it stays while it is active', []);
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.takeOutputs();
  fixture.advance(59 * MINUTE);
  fixture.expect(t, 'ended again', []);
  fixture.advance(2 * MINUTE);
  fixture.expect(t, 'removed', ['job A removed']);
  t.strictSame(rowsOfJob(fixture.store, id), []);
  t.end();
});

test('a job that an earlier version has retried ends at its new end', (t) => {
  const fixture = farmWith({ includeFailed: true });
  run(fixture, 'A', 'failed');
  fixture.retryJob('A');
  // An earlier version stored 0 in place of no end.
  const job = { ...fixture.job('A'), endedAt: 0 };
  fixture.write([put('job', keys.job(job.id), job)]);
  fixture.restart();
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  t.match(fixture.job('A'), { status: 'completed', endedAt: fixture.now });
  const ended = keys.endedJob(job.farmId, 'completed', fixture.now, job.id);
  t.ok(fixture.store.get('endedJob', ended));
  t.end();
});

test('an expiry requested before a retry has no effect', (t) => {
  const fixture = farmWith({ includeFailed: true });
  const id = run(fixture, 'A', 'failed');
  const { endedAt = 0 } = fixture.job('A');
  const expire = { type: 'job.expire', jobId: fixture.jobId('A'), endedAt } as const;
  fixture.advance(1);
  fixture.retryJob('A');
  fixture.takeOutputs();
  fixture.deliver({ actor: 'farm', id: fixture.farm, message: expire });
  fixture.expect(t, 'it is active', []);
  fixture.cancelJob('A');
  fixture.takeOutputs();
  fixture.deliver({ actor: 'farm', id: fixture.farm, message: expire });
  fixture.expect(t, 'it ended later', []);
  fixture.deliver({
    actor: 'farm',
    id: fixture.farm,
    message: { ...expire, endedAt: fixture.job('A').endedAt ?? 0 },
  });
  fixture.expect(t, 'the request is for this end', ['job A removed']);
  fixture.deliver({ actor: 'farm', id: fixture.farm, message: expire });
  fixture.expect(t, 'and it is deleted', []);
  t.strictSame(rowsOfJob(fixture.store, id), []);
  t.end();
});

test('an upstream of a blocked job is kept until the job no longer waits', (t) => {
  const fixture = farmWith();
  run(fixture, 'A');
  run(fixture, 'other');
  fixture.submit('slow', one);
  fixture.submit('B', one, { after: ['A', 'slow'] });
  fixture.takeOutputs();
  fixture.advance(2 * HOUR);
  fixture.expect(t, 'kept', ['job other removed']);
  fixture.restart();
  fixture.advance(2 * HOUR);
  fixture.expect(t, 'also after a restart', []);
  fixture.lease('w1');
  fixture.report('slow/0/0', 'succeeded');
  fixture.takeOutputs();
  fixture.advance(MINUTE);
  fixture.expect(t, 'then deleted', ['job A removed']);
  t.equal(fixture.job('B').status, 'pending', 'its dependent continues');
  t.end();
});

test('a sweep of many jobs covers all of them in batches', (t) => {
  const fixture = farmWith({ includeFailed: true });
  fixture.submit('slow', one);
  const count = 2 * SWEEP_ROWS + 10;
  for (let each = 0; each < SWEEP_ROWS; each++) {
    fixture.submit(`kept ${each}`, one);
    fixture.cancelJob(`kept ${each}`);
  }
  for (let each = 0; each < count; each++) {
    fixture.submit(`job ${each}`, one);
    fixture.cancelJob(`job ${each}`);
  }
  fixture.takeOutputs();
  fixture.commits.length = 0;
  fixture.advance(HOUR + MINUTE);
  t.equal(fixture.takeOutputs().length, count + SWEEP_ROWS);
  t.strictSame(left(fixture), ['slow']);
  fixture.expectInvariants(t, 'at the end');
  t.end();
});

test('jobs kept for others do not delay the sweep of later ones', (t) => {
  const fixture = farmWith({ includeFailed: true });
  fixture.submit('slow', one);
  fixture.updateJob('slow', { action: 'pause' });
  const upstreams = Array.from({ length: SWEEP_ROWS + 1 }, (_, each) => run(fixture, `up ${each}`));
  fixture.submit('B', one, { after: ['slow', ...upstreams.map((_, each) => `up ${each}`)] });
  run(fixture, 'behind');
  fixture.advance(HOUR + MINUTE);
  fixture.expect(t, 'the one after them', ['job behind removed']);
  t.equal(left(fixture).length, upstreams.length + 2);
  t.end();
});

test('the ended jobs of a deleted farm are deleted too', (t) => {
  for (const isRestarted of [false, true]) {
    const fixture = farmWith();
    const id = run(fixture, 'A');
    fixture.deregister('w1');
    fixture.deleteFarm();
    fixture.takeOutputs();
    if (isRestarted) fixture.restart();
    fixture.advance(59 * MINUTE);
    t.equal(fixture.job('A').status, 'completed', 'it is readable until then');
    fixture.advance(2 * MINUTE);
    fixture.expect(t, `restarted: ${isRestarted}`, ['job A removed']);
    t.strictSame(rowsOfJob(fixture.store, id), []);
  }
  t.end();
});

test('each farm is swept separately', (t) => {
  const fixture = farmWith();
  const other = fixture.createFarm({ name: 'G' });
  const queue = fixture.createQueue({}, other);
  fixture.submit('of F', one);
  fixture.submit('of G', one, { queueId: queue, farm: other });
  t.equal(fixture.job('of G').farmId, other);
  fixture.cancelJob('of F');
  fixture.cancelJob('of G');
  t.strictSame(
    ['of F', 'of G'].map((name) => {
      const { farmId, status, endedAt = 0, id } = fixture.job(name);
      if (status !== 'canceled') throw new Error(`job ${name} is ${status}`);
      return fixture.store.get('endedJob', keys.endedJob(farmId, status, endedAt, id));
    }),
    [{ version: 1 }, { version: 1 }],
  );
  fixture.deleteFarm(other);
  fixture.restartWith({ retention: { afterMs: HOUR, includeFailed: true } });
  fixture.takeOutputs();
  fixture.advance(HOUR + MINUTE);
  fixture.expect(t, 'both', ['job of F removed', 'job of G removed']);
  t.end();
});
