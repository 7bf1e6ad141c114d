import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

const NOW = { maxAttempts: 5, retryDelaySeconds: 0 };

test('a retry prefers a worker that has not failed the task', (t) => {
  const house = new TestHouse();
  house.register('bad');
  house.register('good');
  house.submit('A', [{ name: 's', tasks: 1 }], { retry: NOW });
  house.lease('bad');
  house.heard();
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.lease('bad');
  house.expect(t, 'the one that has failed it gets nothing', ['task A/0/0 ready', 'count task-retries of Q']);
  house.lease('good');
  house.expect(t, 'another gets it', ['task A/0/0 assigned good', 'lease good: A/0/0#2']);
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.expect(t, 'both have failed it: whoever asks first', [
    'task A/0/0 ready',
    'count task-retries of Q',
    'task A/0/0 assigned bad',
    'lease bad: A/0/0#3',
  ]);
  t.end();
});

test('it is no more than a preference: with nobody else online it goes where it failed', (t) => {
  const house = new TestHouse();
  house.register('bad');
  house.register('good');
  house.register('other', { queues: ['Q'], cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { retry: NOW });
  house.lease('bad');
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.lease('bad');
  house.heard();
  house.deregister('good');
  house.expect(t, 'the worker that is too small is no other', [
    'worker good offline',
    'deregister good: departed',
    'task A/0/0 assigned bad',
    'lease bad: A/0/0#2 (2 cores)',
  ]);
  t.end();
});

test('what a worker has failed does not keep it from the rest, in the order of the tasks', (t) => {
  const house = new TestHouse();
  house.register('bad', { cpu_count: 2 });
  house.register('good', { cpu_count: 8 });
  house.submit('A', [{ name: 's', tasks: 6 }], { retry: NOW });
  house.lease('bad');
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.report('A/0/1', 'failed', { exitCode: 1 });
  house.heard();
  house.lease('bad');
  house.expect(t, 'the next two', [
    'task A/0/2 assigned bad',
    'task A/0/3 assigned bad',
    'lease bad: A/0/2#1, A/0/3#1',
  ]);
  house.lease('good');
  house.expect(t, 'all that are left, the lowest first', [
    'task A/0/0 assigned good',
    'task A/0/1 assigned good',
    'task A/0/4 assigned good',
    'task A/0/5 assigned good',
    'lease good: A/0/0#2, A/0/1#2, A/0/4#1, A/0/5#1',
  ]);
  t.end();
});

test('who failed what is known after a restart; work that was taken back is no failure', (t) => {
  const house = new TestHouse();
  house.register('bad');
  house.register('good');
  house.submit('A', [{ name: 's', tasks: 2, needs: { cores: 4 } }], { retry: NOW });
  house.lease('bad');
  house.lease('good');
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.deregister('good');
  house.restart();
  house.register('good', { incarnation: 'start-2' });
  house.heard();
  house.lease('bad');
  house.expect(t, 'the task that was taken back from the other', [
    'task A/0/1 assigned bad',
    'lease bad: A/0/1#2 (4 cores)',
  ]);
  house.report('A/0/1', 'succeeded');
  house.heard();
  house.lease('bad');
  house.expect(t, 'not the one that it has failed', []);
  house.lease('good');
  house.expect(t, 'which is for the other', ['task A/0/0 assigned good', 'lease good: A/0/0#2 (4 cores)']);
  t.end();
});

test('a retry by hand forgets who failed', (t) => {
  const house = new TestHouse();
  house.register('bad');
  house.register('good');
  house.submit('A', [{ name: 's', tasks: 1 }], { retry: { maxAttempts: 1 } });
  house.lease('bad');
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.lease('bad');
  house.heard();
  house.retryTask('A/0/0');
  t.match(house.heard(), ['task A/0/0 pending', 'task A/0/0 ready', 'job A pending', 'retry A/0/0: ok']);
  t.match(house.task('A/0/0'), { status: 'assigned', attemptNumber: 2 });
  t.end();
});
