import { test } from 'tap';
import { queueId } from '../../../../src/core/ids.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const one = [{ name: 's', tasks: 1 }];

/** A job of four tasks, two of them live. */
function working(): TestFarm {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 2 });
  fixture.submit('A', [{ name: 'render', tasks: 4 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.takeOutputs();
  return fixture;
}

test('a paused job leases no more tasks, its live tasks continue, and resume restores its status', (t) => {
  const fixture = working();
  fixture.updateJob('A', { action: 'pause' });
  fixture.expect(t, 'paused', ['job A paused', 'update A: ok']);
  fixture.report('A/0/0', 'succeeded');
  fixture.lease('w1');
  fixture.expect(t, 'no task for the free core', ['task A/0/0 succeeded']);
  fixture.updateJob('A', { action: 'resume' });
  fixture.expect(t, 'with a live task: running', [
    'job A running',
    'update A: ok',
    'task A/0/2 assigned w1',
    'lease w1: A/0/2#1',
  ]);
  fixture.updateJob('A', { action: 'pause' });
  fixture.report('A/0/1', 'succeeded');
  fixture.report('A/0/2', 'succeeded');
  fixture.takeOutputs();
  fixture.updateJob('A', { action: 'resume' });
  fixture.expect(t, 'without live tasks: pending', ['job A pending', 'update A: ok']);
  fixture.lease('w1');
  fixture.expect(t, 'and leased again', ['task A/0/3 assigned w1', 'job A running', 'lease w1: A/0/3#1']);
  t.end();
});

test('tasks selected in the same window as a pause and a resume are assigned once', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 2 });
  fixture.register('w2', { cpu_count: 4 });
  fixture.submit('A', [{ name: 'render', tasks: 4 }]);
  fixture.takeOutputs();
  fixture.inOneWindow(() => {
    fixture.lease('w1');
    fixture.updateJob('A', { action: 'pause' });
    fixture.updateJob('A', { action: 'resume' });
    fixture.updateJob('A', { priority: 90 });
    fixture.lease('w2');
  });
  fixture.expectInvariants(t, 'together');
  t.same(
    fixture.takeOutputs().filter((line) => line.startsWith('lease')),
    ['lease w1: A/0/0#1, A/0/1#1', 'lease w2: A/0/2#1, A/0/3#1'],
  );
  fixture.inOneWindow(() => {
    fixture.submit('B', [{ name: 'render', tasks: 4 }]);
    fixture.updateJob('A', { action: 'pause' });
    fixture.lease('w2');
  });
  fixture.expectInvariants(t, 'with a second job');
  t.end();
});

test('pausing a paused job and resuming an active job have no effect', (t) => {
  const fixture = working();
  fixture.updateJob('A', { action: 'resume' });
  fixture.expect(t, 'not paused', ['update A: ok']);
  fixture.updateJob('A', { action: 'pause' });
  fixture.takeOutputs();
  const { updatedAt } = fixture.job('A');
  fixture.advance(1000);
  fixture.updateJob('A', { action: 'pause' });
  fixture.expect(t, 'already paused', ['update A: ok']);
  t.equal(fixture.job('A').updatedAt, updatedAt);
  fixture.updateJob('A', { priority: 50, retry: {} });
  t.equal(fixture.job('A').updatedAt, updatedAt, 'unchanged settings');
  t.end();
});

test('a terminal job cannot be paused or resumed, but its settings can change', (t) => {
  const fixture = working();
  fixture.cancelJob('A');
  fixture.takeOutputs();
  fixture.updateJob('A', { action: 'pause', priority: 1 });
  fixture.updateJob('A', { action: 'resume' });
  fixture.expect(t, 'refused', [
    'update A: conflict, the job is canceled already',
    'update A: conflict, the job is canceled already',
  ]);
  t.equal(fixture.job('A').priority, 50);
  fixture.updateJob('A', { priority: 7 });
  fixture.expect(t, 'set', ['update A: ok']);
  t.match(fixture.job('A'), { priority: 7, status: 'canceled' });
  t.end();
});

test('pause keeps the counted failures; resume clears them and the park reason', (t) => {
  const fixture = working();
  fixture.updateJob('A', { retry: { failureLimit: 2 } });
  fixture.report('A/0/0', 'failed');
  fixture.updateJob('A', { action: 'pause' });
  t.match(fixture.job('A'), {
    status: 'paused',
    failedAttempts: 1,
    parkReason: '',
    retry: { failureLimit: 2 },
  });
  fixture.updateJob('A', { action: 'resume' });
  t.match(fixture.job('A'), { status: 'running', failedAttempts: 0 });
  fixture.report('A/0/1', 'failed');
  fixture.advance(20_000);
  fixture.lease('w1');
  fixture.report('A/0/0', 'failed');
  t.match(fixture.job('A'), { status: 'paused', failedAttempts: 2, parkReason: 'failure limit reached' });
  fixture.takeOutputs();
  fixture.updateJob('A', { action: 'pause' });
  t.equal(fixture.job('A').parkReason, 'failure limit reached', 'it is already paused');
  fixture.updateJob('A', { action: 'resume' });
  t.match(fixture.job('A'), { failedAttempts: 0, parkReason: '' });
  fixture.expectInvariants(t, 'resumed');
  t.end();
});

test('retry settings change one by one', (t) => {
  const fixture = working();
  fixture.updateJob('A', { retry: { maxAttempts: 1 } });
  fixture.updateJob('A', { retry: { retryDelaySeconds: 0 } });
  t.strictSame(fixture.job('A').retry, { maxAttempts: 1, retryDelaySeconds: 0 });
  fixture.takeOutputs();
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'effective at once', ['task A/0/0 failed']);
  t.end();
});

test('a raised priority moves a job ahead of others', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('B', one);
  fixture.register('w1', { cpu_count: 1 });
  fixture.updateJob('B', { priority: 51 });
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'B first', ['task B/0/0 assigned w1', 'job B running', 'lease w1: B/0/0#1']);
  t.end();
});

test('a job moves to another queue with its caps, retry settings and queue deletion checks', (t) => {
  const fixture = working();
  const fast = fixture.createQueue({ name: 'fast', retry: { maxAttempts: 1 } });
  fixture.replaceQueue({ maxConcurrentTasks: 2 });
  fixture.submit('B', one);
  fixture.register('w2');
  fixture.lease('w2');
  fixture.takeOutputs();
  fixture.updateJob('A', { queueId: fast });
  fixture.expect(t, 'the old queue has capacity, and the rest of A continues', [
    'update A: ok',
    'task A/0/2 assigned w2',
    'task A/0/3 assigned w2',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: A/0/2#1, A/0/3#1, B/0/0#1',
  ]);
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'the queue allows one attempt', ['task A/0/0 failed']);
  fixture.deleteQueue(fast);
  fixture.expect(t, 'the queue has a job', [
    'delete queue: conflict, the queue has 1 jobs that are not completed, failed or canceled',
  ]);
  fixture.updateJob('A', { queueId: queueId('nowhere'), priority: 3 });
  fixture.expect(t, 'no such queue', ['update A: bad-request, queue_id: the farm has no queue nowhere']);
  t.match(fixture.job('A'), { queueId: fast, priority: 50 });
  fixture.restart();
  fixture.takeOutputs();
  fixture.deleteQueue(fast);
  t.match(fixture.takeOutputs(), [
    'delete queue: conflict, the queue has 1 jobs that are not completed, failed or canceled',
  ]);
  t.end();
});

test('a job that moves to a paused queue is not leased by the rules of its old queue', (t) => {
  const fixture = new TestFarm();
  const paused = fixture.createQueue({ name: 'paused', paused: true });
  fixture.replaceQueue({ maxConcurrentTasks: 1 });
  fixture.submit('A', [
    { name: 'a', tasks: 2, needs: { cores: 1 } },
    { name: 'b', tasks: 2, needs: { cores: 1 } },
  ]);
  fixture.register('w1', { cpu_count: 1 });
  fixture.register('w2', { cpu_count: 4 });
  fixture.lease('w1');
  fixture.lease('w2');
  fixture.takeOutputs();
  fixture.updateJob('A', { queueId: paused });
  fixture.expect(t, 'w2 still waits', ['update A: ok']);
  fixture.expectInvariants(t, 'moved');
  t.end();
});

test('live tasks of a paused job count against the caps of its new queue', (t) => {
  const fixture = working();
  const other = fixture.createQueue({ name: 'other', maxConcurrentTasks: 2 });
  fixture.updateJob('A', { action: 'pause' });
  fixture.updateJob('A', { queueId: other });
  fixture.submit('B', one, { queueId: other });
  fixture.register('w2');
  fixture.takeOutputs();
  fixture.lease('w2');
  fixture.expect(t, 'full', []);
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'room', [
    'task A/0/0 succeeded',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.end();
});

test('a paused blocked job keeps waiting', (t) => {
  for (const restarts of [false, true]) {
    const fixture = new TestFarm();
    fixture.register('w1', { cpu_count: 1 });
    fixture.submit('A', one);
    fixture.submit('B', one, { after: ['A'] });
    fixture.updateJob('B', { action: 'pause' });
    fixture.takeOutputs();
    if (restarts) fixture.restart();
    fixture.updateJob('B', { action: 'resume' });
    fixture.expect(t, 'blocked again', ['job B blocked', 'update B: ok']);
    fixture.updateJob('B', { action: 'pause' });
    fixture.lease('w1');
    fixture.takeOutputs();
    if (restarts) fixture.restart();
    fixture.report('A/0/0', 'succeeded');
    fixture.expect(t, 'its upstream completes', ['task A/0/0 succeeded', 'job A completed']);
    t.equal(fixture.task('B/0/0').status, 'ready');
    if (restarts) fixture.restart();
    fixture.updateJob('B', { action: 'resume' });
    fixture.expect(t, 'pending now', ['job B pending', 'update B: ok']);
    t.match(fixture.job('B'), { status: 'pending' });
  }
  t.end();
});

test('a paused blocked job is canceled when an upstream fails', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('B', one, { after: ['A'] });
  fixture.updateJob('B', { action: 'pause' });
  fixture.takeOutputs();
  fixture.restart();
  fixture.cancelJob('A');
  fixture.expect(t, 'canceled', ['job A canceled', 'cancel A: ok', 'job B canceled']);
  t.equal(fixture.job('B').cancelReason, 'canceled: upstream job failed');
  t.end();
});

test('a job that leaves a full queue makes room there', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createQueue({ name: 'other' });
  fixture.replaceQueue({ maxConcurrentTasks: 1 });
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.submit('B', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.updateJob('A', { queueId: other });
  fixture.expect(t, 'the waiting job of the queue', [
    'update A: ok',
    'task B/0/0 assigned w1',
    'job B running',
    'lease w1: B/0/0#1',
  ]);
  t.end();
});
