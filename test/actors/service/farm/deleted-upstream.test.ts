import { test, type Test } from 'tap';
import { put, remove } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const one = [{ name: 's', tasks: 1 }];
const REASON = 'canceled: upstream job failed';

function expectCanceled(t: Test, fixture: TestFarm, names: readonly string[]): void {
  for (const name of names) {
    t.match(fixture.job(name), { status: 'canceled', cancelReason: REASON }, name);
    t.equal(fixture.reason(`${name}/0/0`), REASON, name);
  }
}

test('deleting an upstream job cancels all its dependents, transitively', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('other', one);
  fixture.submit('B', one, { after: ['A', 'other'] });
  fixture.submit('C', one, { after: ['B'] });
  fixture.submit('D', one, { after: ['C', 'A'] });
  fixture.submit('E', one, { after: ['other'] });
  fixture.takeOutputs();
  fixture.deleteJob('A');
  fixture.expect(t, 'the chain', [
    'job A removed',
    'delete A: ok',
    'job B canceled',
    'job D canceled',
    'job C canceled',
  ]);
  expectCanceled(t, fixture, ['B', 'C', 'D']);
  t.equal(fixture.job('E').status, 'blocked');
  t.end();
});

test('a job in the middle of a chain can be deleted', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('B', one, { after: ['A'] });
  fixture.submit('C', one, { after: ['B'] });
  fixture.register('w1');
  fixture.takeOutputs();
  fixture.deleteJob('B');
  fixture.expect(t, 'its dependents', ['job B removed', 'delete B: ok', 'job C canceled']);
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'its upstream', ['task A/0/0 succeeded', 'job A completed']);
  t.end();
});

test('deleting a completed upstream cancels a dependent that waits for another one', (t) => {
  for (const isRestarted of [false, true]) {
    const fixture = new TestFarm();
    fixture.register('w1');
    fixture.submit('A', one);
    fixture.submit('B', one);
    fixture.submit('C', one, { after: ['A', 'B'] });
    fixture.lease('w1');
    fixture.report('A/0/0', 'succeeded');
    fixture.submit('D', one, { after: ['A', 'B'] });
    if (isRestarted) fixture.restart();
    fixture.takeOutputs();
    fixture.deleteJob('A');
    fixture.expect(t, `restarted: ${isRestarted}`, [
      'job A removed',
      'delete A: ok',
      'job C canceled',
      'job D canceled',
    ]);
    expectCanceled(t, fixture, ['C', 'D']);
  }
  t.end();
});

test('a job that no longer waits is independent of its upstreams', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.submit('free', one, { after: ['A'] });
  fixture.submit('paused', one, { after: ['A'] });
  fixture.updateJob('paused', { action: 'pause' });
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.submit('late', one, { after: ['A'] });
  fixture.takeOutputs();
  fixture.deleteJob('A');
  fixture.expect(t, 'only the upstream', ['job A removed', 'delete A: ok']);
  t.strictSame(
    ['free', 'paused', 'late'].map((name) => fixture.job(name).status),
    ['pending', 'paused', 'pending'],
  );
  fixture.restart();
  fixture.takeOutputs();
  fixture.updateJob('paused', { action: 'resume' });
  fixture.expect(t, 'a resumed one continues', ['job paused pending', 'update paused: ok']);
  t.end();
});

test('a paused dependent that still waits is canceled', (t) => {
  for (const isRestarted of [false, true]) {
    const fixture = new TestFarm();
    fixture.submit('A', one);
    fixture.submit('B', one, { after: ['A'] });
    fixture.updateJob('B', { action: 'pause' });
    if (isRestarted) fixture.restart();
    fixture.takeOutputs();
    fixture.deleteJob('A');
    fixture.expect(t, `restarted: ${isRestarted}`, ['job A removed', 'delete A: ok', 'job B canceled']);
    expectCanceled(t, fixture, ['B']);
  }
  t.end();
});

test('a canceled dependent of a deleted job can be retried and waits for no job', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('B', one, { after: ['A'] });
  fixture.deleteJob('A');
  fixture.takeOutputs();
  fixture.retryJob('B');
  fixture.expect(t, 'retried', ['job B pending', 'retry B: ok']);
  fixture.restart();
  fixture.takeOutputs();
  fixture.expect(t, 'after a restart', []);
  t.equal(fixture.job('B').status, 'pending');
  t.end();
});

test('a job can be submitted while its upstream is being deleted', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.submit('B', one);
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  const [completed, pending] = ['A', 'B'].map((name) => {
    const { id: jobId, status } = fixture.job(name);
    return [{ jobId, status }];
  });
  t.strictSame([completed?.[0]?.status, pending?.[0]?.status], ['completed', 'running']);
  fixture.deleteJob('A');
  fixture.deleteJob('B');
  fixture.takeOutputs();
  for (const [name, seen] of [
    ['C', completed],
    ['D', pending],
  ] as const) {
    fixture.submitAfter(name, one, seen ?? []);
    const detail = `depends_on: the farm has no job ${seen?.[0]?.jobId}`;
    fixture.expect(t, name, [`submit ${name}: bad-request, ${detail}`]);
  }
  fixture.restart();
  fixture.takeOutputs();
  fixture.submitAfter('E', one, pending ?? []);
  fixture.expect(t, 'the farm asks for a retry if it has no outcome of the upstream', [
    `submit E: unavailable, job ${pending?.[0]?.jobId} is ending; retry the request`,
  ]);
  t.strictSame([...fixture.store.scan('job')], [], 'no job was created');
  t.end();
});

test('a job that waits for a missing job is canceled at the start', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('B', one);
  fixture.submit('C', one, { after: ['A', 'B'] });
  fixture.submit('D', one, { after: ['C'] });
  const { id, farmId } = fixture.job('A');
  fixture.write([
    remove('job', keys.job(id)),
    remove('plan', keys.plan(id)),
    remove('template', keys.template(id)),
    remove('step', keys.step(id, 0)),
    remove('activeJob', keys.activeJob(farmId, id)),
  ]);
  fixture.takeOutputs();
  fixture.restart();
  fixture.expect(t, 'started', ['job C canceled', 'job D canceled']);
  expectCanceled(t, fixture, ['C', 'D']);
  t.end();
});

test('a job of a deleted farm can be deleted', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.cancelJob('A');
  fixture.deleteFarm();
  const { id } = fixture.job('A');
  fixture.takeOutputs();
  fixture.deleteJob('A');
  fixture.expect(t, 'deleted', ['job A removed', 'delete A: ok']);
  fixture.deleteJobById(id);
  fixture.expect(t, 'twice', [`delete: not-found, there is no job ${id}`]);
  fixture.write([put('doomedJob', keys.doomedJob(id), { version: 1, farmId: fixture.farm })]);
  fixture.restart();
  fixture.expect(t, 'a purge resumes without the farm', []);
  t.end();
});
