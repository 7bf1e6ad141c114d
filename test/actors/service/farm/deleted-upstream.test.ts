import { test, type Test } from 'tap';
import { put, remove } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const one = [{ name: 's', tasks: 1 }];
const REASON = 'canceled: upstream job failed';

function expectCanceled(t: Test, house: TestHouse, names: readonly string[]): void {
  for (const name of names) {
    t.match(house.job(name), { status: 'canceled', cancelReason: REASON }, name);
    t.equal(house.reason(`${name}/0/0`), REASON, name);
  }
}

test('when an upstream is deleted, all that wait for it are canceled, in a chain', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('other', one);
  house.submit('B', one, { after: ['A', 'other'] });
  house.submit('C', one, { after: ['B'] });
  house.submit('D', one, { after: ['C', 'A'] });
  house.submit('E', one, { after: ['other'] });
  house.heard();
  house.deleteJob('A');
  house.expect(t, 'the chain', [
    'job A removed',
    'delete A: ok',
    'job B canceled',
    'job D canceled',
    'job C canceled',
  ]);
  expectCanceled(t, house, ['B', 'C', 'D']);
  t.equal(house.job('E').status, 'blocked');
  t.end();
});

test('a job in the middle of a chain is deleted', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('B', one, { after: ['A'] });
  house.submit('C', one, { after: ['B'] });
  house.register('w1');
  house.heard();
  house.deleteJob('B');
  house.expect(t, 'what waits for it', ['job B removed', 'delete B: ok', 'job C canceled']);
  house.lease('w1');
  house.heard();
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'what it waited for', ['task A/0/0 succeeded', 'job A completed']);
  t.end();
});

test('an upstream that has completed is deleted while its dependent waits for another', (t) => {
  for (const isRestarted of [false, true]) {
    const house = new TestHouse();
    house.register('w1');
    house.submit('A', one);
    house.submit('B', one);
    house.submit('C', one, { after: ['A', 'B'] });
    house.lease('w1');
    house.report('A/0/0', 'succeeded');
    house.submit('D', one, { after: ['A', 'B'] });
    if (isRestarted) house.restart();
    house.heard();
    house.deleteJob('A');
    house.expect(t, `restarted: ${isRestarted}`, [
      'job A removed',
      'delete A: ok',
      'job C canceled',
      'job D canceled',
    ]);
    expectCanceled(t, house, ['C', 'D']);
  }
  t.end();
});

test('a dependent that waits for nothing any more has left its upstreams behind', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', one);
  house.submit('free', one, { after: ['A'] });
  house.submit('paused', one, { after: ['A'] });
  house.updateJob('paused', { action: 'pause' });
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  house.submit('late', one, { after: ['A'] });
  house.heard();
  house.deleteJob('A');
  house.expect(t, 'the upstream alone', ['job A removed', 'delete A: ok']);
  t.strictSame(
    ['free', 'paused', 'late'].map((name) => house.job(name).status),
    ['pending', 'paused', 'pending'],
  );
  house.restart();
  house.heard();
  house.updateJob('paused', { action: 'resume' });
  house.expect(t, 'a resumed one goes on', ['job paused pending', 'update paused: ok']);
  t.end();
});

test('a dependent that is paused while it waits is canceled', (t) => {
  for (const isRestarted of [false, true]) {
    const house = new TestHouse();
    house.submit('A', one);
    house.submit('B', one, { after: ['A'] });
    house.updateJob('B', { action: 'pause' });
    if (isRestarted) house.restart();
    house.heard();
    house.deleteJob('A');
    house.expect(t, `restarted: ${isRestarted}`, ['job A removed', 'delete A: ok', 'job B canceled']);
    expectCanceled(t, house, ['B']);
  }
  t.end();
});

test('a canceled dependent of a deleted job can be tried again: it waits for no job', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('B', one, { after: ['A'] });
  house.deleteJob('A');
  house.heard();
  house.retryJob('B');
  house.expect(t, 'retried', ['job B pending', 'retry B: ok']);
  house.restart();
  house.heard();
  house.expect(t, 'after a restart', []);
  t.equal(house.job('B').status, 'pending');
  t.end();
});

test('a job is submitted after one that is deleted at that moment', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', one);
  house.submit('B', one);
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  const [completed, pending] = ['A', 'B'].map((name) => {
    const { id: jobId, status } = house.job(name);
    return [{ jobId, status }];
  });
  t.strictSame([completed?.[0]?.status, pending?.[0]?.status], ['completed', 'running']);
  house.deleteJob('A');
  house.deleteJob('B');
  house.heard();
  for (const [name, seen] of [
    ['C', completed],
    ['D', pending],
  ] as const) {
    house.submitAfter(name, one, seen ?? []);
    const detail = `depends_on: the farm has no job ${seen?.[0]?.jobId}`;
    house.expect(t, name, [`submit ${name}: bad-request, ${detail}`]);
  }
  house.restart();
  house.heard();
  house.submitAfter('E', one, pending ?? []);
  house.expect(t, 'a farm that does not remember asks for another look', [
    `submit E: unavailable, the job ${pending?.[0]?.jobId} is just ending; try again`,
  ]);
  t.strictSame([...house.store.scan('job')], [], 'nothing was taken in');
  t.end();
});

test('a job that is found to wait for one that is not there is canceled at the start', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('B', one);
  house.submit('C', one, { after: ['A', 'B'] });
  house.submit('D', one, { after: ['C'] });
  const { id, farmId } = house.job('A');
  house.write([
    remove('job', keys.job(id)),
    remove('plan', keys.plan(id)),
    remove('template', keys.template(id)),
    remove('step', keys.step(id, 0)),
    remove('activeJob', keys.activeJob(farmId, id)),
  ]);
  house.heard();
  house.restart();
  house.expect(t, 'started', ['job C canceled', 'job D canceled']);
  expectCanceled(t, house, ['C', 'D']);
  t.end();
});

test('a job of a farm that is deleted is deleted like any other', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.cancelJob('A');
  house.deleteFarm();
  const { id } = house.job('A');
  house.heard();
  house.deleteJob('A');
  house.expect(t, 'deleted', ['job A removed', 'delete A: ok']);
  house.deleteJobById(id);
  house.expect(t, 'twice', [`delete: not-found, there is no job ${id}`]);
  house.write([put('doomedJob', keys.doomedJob(id), { version: 1, farmId: house.farm })]);
  house.restart();
  house.expect(t, 'a purge is taken up without the farm', []);
  t.end();
});
