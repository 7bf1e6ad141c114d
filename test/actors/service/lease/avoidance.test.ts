import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const NOW = { maxAttempts: 5, retryDelaySeconds: 0 };

test('a retry prefers a worker that has not failed the task', (t) => {
  const farm = new TestFarm();
  farm.register('bad');
  farm.register('good');
  farm.submit('A', [{ name: 's', tasks: 1 }], { retry: NOW });
  farm.lease('bad');
  farm.takeOutputs();
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.lease('bad');
  farm.expect(t, 'the worker that failed it gets nothing', ['task A/0/0 ready', 'count task-retries of Q']);
  farm.lease('good');
  farm.expect(t, 'another worker gets it', ['task A/0/0 assigned good', 'lease good: A/0/0#2']);
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.expect(t, 'both have failed it: the first request gets it', [
    'task A/0/0 ready',
    'count task-retries of Q',
    'task A/0/0 assigned bad',
    'lease bad: A/0/0#3',
  ]);
  t.end();
});

test('avoidance is only a preference: without another worker the task goes where it failed', (t) => {
  const farm = new TestFarm();
  farm.register('bad');
  farm.register('good');
  farm.register('other', { queues: ['Q'], cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { retry: NOW });
  farm.lease('bad');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.lease('bad');
  farm.takeOutputs();
  farm.deregister('good');
  farm.expect(t, 'a worker that is too small does not count', [
    'worker good offline',
    'deregister good: departed',
    'task A/0/0 assigned bad',
    'lease bad: A/0/0#2 (2 cores)',
  ]);
  t.end();
});

test('a failed task does not keep its worker from other tasks, in the order of the tasks', (t) => {
  const farm = new TestFarm();
  farm.register('bad', { cpu_count: 2 });
  farm.register('good', { cpu_count: 8 });
  farm.submit('A', [{ name: 's', tasks: 6 }], { retry: NOW });
  farm.lease('bad');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  farm.takeOutputs();
  farm.lease('bad');
  farm.expect(t, 'the next two', [
    'task A/0/2 assigned bad',
    'task A/0/3 assigned bad',
    'lease bad: A/0/2#1, A/0/3#1',
  ]);
  farm.lease('good');
  farm.expect(t, 'all remaining tasks, in order', [
    'task A/0/0 assigned good',
    'task A/0/1 assigned good',
    'task A/0/4 assigned good',
    'task A/0/5 assigned good',
    'lease good: A/0/0#2, A/0/1#2, A/0/4#1, A/0/5#1',
  ]);
  t.end();
});

test('failed workers are known after a restart, and reclaimed work is not a failure', (t) => {
  const farm = new TestFarm();
  farm.register('bad');
  farm.register('good');
  farm.submit('A', [{ name: 's', tasks: 2, needs: { cores: 4 } }], { retry: NOW });
  farm.lease('bad');
  farm.lease('good');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.deregister('good');
  farm.restart();
  farm.register('good', { incarnation: 'start-2' });
  farm.takeOutputs();
  farm.lease('bad');
  farm.expect(t, 'the task that was reclaimed from the other worker', [
    'task A/0/1 assigned bad',
    'lease bad: A/0/1#2 (4 cores)',
  ]);
  farm.report('A/0/1', 'succeeded');
  farm.takeOutputs();
  farm.lease('bad');
  farm.expect(t, 'not the task that it has failed', []);
  farm.lease('good');
  farm.expect(t, 'which the other worker gets', [
    'task A/0/0 assigned good',
    'lease good: A/0/0#2 (4 cores)',
  ]);
  t.end();
});

for (const order of [
  ['w1', 'w2'],
  ['w2', 'w1'],
])
  test(`the workers on which a task has failed are in one order after a restart: ${order.join(', ')}`, (t) => {
    const farm = new TestFarm();
    for (const name of ['w1', 'w2', 'w3']) farm.register(name);
    farm.submit('A', [{ name: 's', tasks: 1, needs: { cores: 4 } }], { retry: { ...NOW, maxAttempts: 5 } });
    for (const name of order) {
      farm.lease(name);
      farm.report('A/0/0', 'failed', { exitCode: 1 });
    }
    const { avoided } = farm.explain('A/0/0').workers;
    t.equal(avoided.length, 2);
    farm.restart();
    t.same(farm.explain('A/0/0').workers.avoided, avoided);
    t.end();
  });

test('a manual retry resets the workers that failed', (t) => {
  const farm = new TestFarm();
  farm.register('bad');
  farm.register('good');
  farm.submit('A', [{ name: 's', tasks: 1 }], { retry: { maxAttempts: 1 } });
  farm.lease('bad');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.lease('bad');
  farm.takeOutputs();
  farm.retryTask('A/0/0');
  t.match(farm.takeOutputs(), ['task A/0/0 pending', 'task A/0/0 ready', 'job A pending', 'retry A/0/0: ok']);
  t.match(farm.task('A/0/0'), { status: 'assigned', attemptNumber: 2 });
  t.end();
});

test('a task goes to a later request if it has failed on the worker of the first one', (t) => {
  const farm = new TestFarm();
  farm.register('bad');
  farm.register('good');
  farm.submit('A', [{ name: 's', tasks: 1 }], { retry: NOW });
  farm.lease('bad');
  farm.lease('bad');
  farm.lease('good');
  farm.takeOutputs();
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.expect(t, 'the first request waits on', [
    'task A/0/0 ready',
    'count task-retries of Q',
    'task A/0/0 assigned good',
    'lease good: A/0/0#2',
  ]);
  t.end();
});

test('a task that is ready again after its delay prefers another worker', (t) => {
  const farm = new TestFarm();
  farm.register('bad');
  farm.register('good');
  farm.submit('A', [{ name: 's', tasks: 1 }], { retry: { maxAttempts: 5, retryDelaySeconds: 10 } });
  farm.lease('bad');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.lease('bad');
  farm.lease('good');
  farm.takeOutputs();
  farm.advance(10_000);
  farm.expect(t, 'not the first request', ['task A/0/0 assigned good', 'lease good: A/0/0#2']);
  t.end();
});
