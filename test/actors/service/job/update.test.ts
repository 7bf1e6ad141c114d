import { test } from 'tap';
import { queueId } from '../../../../src/core/ids.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const one = [{ name: 's', tasks: 1 }];

/** A job of four tasks, two of them live. */
function working(): TestHouse {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.submit('A', [{ name: 'render', tasks: 4 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.heard();
  return house;
}

test('a paused job hands out nothing more; its live tasks run on, and it is resumed where it stands', (t) => {
  const house = working();
  house.updateJob('A', { action: 'pause' });
  house.expect(t, 'paused', ['job A paused', 'update A: ok']);
  house.report('A/0/0', 'succeeded');
  house.lease('w1');
  house.expect(t, 'nothing for the core that is free', ['task A/0/0 succeeded']);
  house.updateJob('A', { action: 'resume' });
  house.expect(t, 'a task is live: running', [
    'job A running',
    'update A: ok',
    'task A/0/2 assigned w1',
    'lease w1: A/0/2#1',
  ]);
  house.updateJob('A', { action: 'pause' });
  house.report('A/0/1', 'succeeded');
  house.report('A/0/2', 'succeeded');
  house.heard();
  house.updateJob('A', { action: 'resume' });
  house.expect(t, 'none is live: pending', ['job A pending', 'update A: ok']);
  house.lease('w1');
  house.expect(t, 'and leased again', ['task A/0/3 assigned w1', 'job A running', 'lease w1: A/0/3#1']);
  t.end();
});

test('what was picked in the same breath as a pause and a resume is handed out once', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.register('w2', { cpu_count: 4 });
  house.submit('A', [{ name: 'render', tasks: 4 }]);
  house.heard();
  house.together(() => {
    house.lease('w1');
    house.updateJob('A', { action: 'pause' });
    house.updateJob('A', { action: 'resume' });
    house.updateJob('A', { priority: 90 });
    house.lease('w2');
  });
  house.checkAtRest(t, 'together');
  t.same(
    house.heard().filter((line) => line.startsWith('lease')),
    ['lease w1: A/0/0#1, A/0/1#1', 'lease w2: A/0/2#1, A/0/3#1'],
  );
  house.together(() => {
    house.submit('B', [{ name: 'render', tasks: 4 }]);
    house.updateJob('A', { action: 'pause' });
    house.lease('w2');
  });
  house.checkAtRest(t, 'with a second job');
  t.end();
});

test('pausing twice and resuming what is not paused change nothing', (t) => {
  const house = working();
  house.updateJob('A', { action: 'resume' });
  house.expect(t, 'not paused', ['update A: ok']);
  house.updateJob('A', { action: 'pause' });
  house.heard();
  const { updatedAt } = house.job('A');
  house.advance(1000);
  house.updateJob('A', { action: 'pause' });
  house.expect(t, 'paused already', ['update A: ok']);
  t.equal(house.job('A').updatedAt, updatedAt);
  house.updateJob('A', { priority: 50, retry: {} });
  t.equal(house.job('A').updatedAt, updatedAt, 'settings that are so already');
  t.end();
});

test('a job that is over can be neither paused nor resumed, but set', (t) => {
  const house = working();
  house.cancelJob('A');
  house.heard();
  house.updateJob('A', { action: 'pause', priority: 1 });
  house.updateJob('A', { action: 'resume' });
  house.expect(t, 'refused', [
    'update A: conflict, the job is canceled already',
    'update A: conflict, the job is canceled already',
  ]);
  t.equal(house.job('A').priority, 50);
  house.updateJob('A', { priority: 7 });
  house.expect(t, 'set', ['update A: ok']);
  t.match(house.job('A'), { priority: 7, status: 'canceled' });
  t.end();
});

test('a pause keeps the failures that were counted; resume clears them and the reason of a parked job', (t) => {
  const house = working();
  house.updateJob('A', { retry: { failureLimit: 2 } });
  house.report('A/0/0', 'failed');
  house.updateJob('A', { action: 'pause' });
  t.match(house.job('A'), {
    status: 'paused',
    failedAttempts: 1,
    parkReason: '',
    retry: { failureLimit: 2 },
  });
  house.updateJob('A', { action: 'resume' });
  t.match(house.job('A'), { status: 'running', failedAttempts: 0 });
  house.report('A/0/1', 'failed');
  house.advance(20_000);
  house.lease('w1');
  house.report('A/0/0', 'failed');
  t.match(house.job('A'), { status: 'paused', failedAttempts: 2, parkReason: 'failure limit reached' });
  house.heard();
  house.updateJob('A', { action: 'pause' });
  t.equal(house.job('A').parkReason, 'failure limit reached', 'it is paused already');
  house.updateJob('A', { action: 'resume' });
  t.match(house.job('A'), { failedAttempts: 0, parkReason: '' });
  house.checkAtRest(t, 'resumed');
  t.end();
});

test('retry settings are changed one by one and stay what they were otherwise', (t) => {
  const house = working();
  house.updateJob('A', { retry: { maxAttempts: 1 } });
  house.updateJob('A', { retry: { retryDelaySeconds: 0 } });
  t.strictSame(house.job('A').retry, { maxAttempts: 1, retryDelaySeconds: 0 });
  house.heard();
  house.report('A/0/0', 'failed');
  house.expect(t, 'in force at once', ['task A/0/0 failed']);
  t.end();
});

test('a raised priority puts a job before others', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('B', one);
  house.register('w1', { cpu_count: 1 });
  house.updateJob('B', { priority: 51 });
  house.heard();
  house.lease('w1');
  house.expect(t, 'B first', ['task B/0/0 assigned w1', 'job B running', 'lease w1: B/0/0#1']);
  t.end();
});

test('a job moves to another queue: its caps, its retry settings and the delete of queues follow', (t) => {
  const house = working();
  const fast = house.createQueue({ name: 'fast', retry: { maxAttempts: 1 } });
  house.replaceQueue({ maxConcurrentTasks: 2 });
  house.submit('B', one);
  house.register('w2');
  house.lease('w2');
  house.heard();
  house.updateJob('A', { queueId: fast });
  house.expect(t, 'room in the old queue; what is left of A goes on, too', [
    'update A: ok',
    'task A/0/2 assigned w2',
    'task A/0/3 assigned w2',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: A/0/2#1, A/0/3#1, B/0/0#1',
  ]);
  house.report('A/0/0', 'failed');
  house.expect(t, 'the queue allows one attempt', ['task A/0/0 failed']);
  house.deleteQueue(fast);
  house.expect(t, 'the queue has a job', [
    'delete queue: conflict, the queue has 1 jobs that are not completed, failed or canceled',
  ]);
  house.updateJob('A', { queueId: queueId('nowhere'), priority: 3 });
  house.expect(t, 'no such queue', ['update A: bad-request, queue_id: the farm has no queue nowhere']);
  t.match(house.job('A'), { queueId: fast, priority: 50 });
  house.restart();
  house.heard();
  house.deleteQueue(fast);
  t.match(house.heard(), [
    'delete queue: conflict, the queue has 1 jobs that are not completed, failed or canceled',
  ]);
  t.end();
});

test('a job moves to a paused queue whole: no step of it is leased by the rules of the old queue', (t) => {
  const house = new TestHouse();
  const paused = house.createQueue({ name: 'paused', paused: true });
  house.replaceQueue({ maxConcurrentTasks: 1 });
  house.submit('A', [
    { name: 'a', tasks: 2, needs: { cores: 1 } },
    { name: 'b', tasks: 2, needs: { cores: 1 } },
  ]);
  house.register('w1', { cpu_count: 1 });
  house.register('w2', { cpu_count: 4 });
  house.lease('w1');
  house.lease('w2');
  house.heard();
  house.updateJob('A', { queueId: paused });
  house.expect(t, 'w2 waits on', ['update A: ok']);
  house.checkAtRest(t, 'moved');
  t.end();
});

test('a paused job with live tasks changes its queue: the caps count them there', (t) => {
  const house = working();
  const other = house.createQueue({ name: 'other', maxConcurrentTasks: 2 });
  house.updateJob('A', { action: 'pause' });
  house.updateJob('A', { queueId: other });
  house.submit('B', one, { queueId: other });
  house.register('w2');
  house.heard();
  house.lease('w2');
  house.expect(t, 'full', []);
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'room', [
    'task A/0/0 succeeded',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.end();
});

test('a blocked job that is paused goes on waiting', (t) => {
  for (const restarts of [false, true]) {
    const house = new TestHouse();
    house.register('w1', { cpu_count: 1 });
    house.submit('A', one);
    house.submit('B', one, { after: ['A'] });
    house.updateJob('B', { action: 'pause' });
    house.heard();
    if (restarts) house.restart();
    house.updateJob('B', { action: 'resume' });
    house.expect(t, 'blocked again', ['job B blocked', 'update B: ok']);
    house.updateJob('B', { action: 'pause' });
    house.lease('w1');
    house.heard();
    if (restarts) house.restart();
    house.report('A/0/0', 'succeeded');
    house.expect(t, 'its upstream completes', ['task A/0/0 succeeded', 'job A completed']);
    t.equal(house.task('B/0/0').status, 'ready');
    if (restarts) house.restart();
    house.updateJob('B', { action: 'resume' });
    house.expect(t, 'pending now', ['job B pending', 'update B: ok']);
    t.match(house.job('B'), { status: 'pending' });
  }
  t.end();
});

test('a blocked job that is paused is canceled when an upstream fails', (t) => {
  const house = new TestHouse();
  house.submit('A', one);
  house.submit('B', one, { after: ['A'] });
  house.updateJob('B', { action: 'pause' });
  house.heard();
  house.restart();
  house.cancelJob('A');
  house.expect(t, 'canceled', ['job A canceled', 'cancel A: ok', 'job B canceled']);
  t.equal(house.job('B').cancelReason, 'canceled: upstream job failed');
  t.end();
});
