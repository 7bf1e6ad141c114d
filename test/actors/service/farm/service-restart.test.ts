import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

test('the service starts again: running work goes on, ready tasks are offered, nothing is doubled', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.submit('A', [
    { name: 'render', tasks: 4 },
    { name: 'encode', tasks: 1, after: ['render'] },
  ]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.report('A/0/1', 'running');
  house.heard();
  house.restart(5000);
  house.expect(t, 'a start says nothing', []);
  house.heartbeat('w1', { open: ['A/0/0', 'A/0/1'] });
  house.expect(t, 'the worker has what it had', ['heartbeat w1: alive']);
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'its report counts', ['task A/0/0 succeeded']);
  house.lease('w1');
  house.expect(t, 'one core is free, and the ready tasks are known', [
    'task A/0/2 assigned w1',
    'lease w1: A/0/2#1',
  ]);
  house.lease('w1');
  house.report('A/0/1', 'succeeded');
  house.report('A/0/2', 'succeeded');
  house.report('A/0/3', 'succeeded');
  house.lease('w1');
  house.report('A/1/0', 'succeeded');
  house.expect(t, 'to the end', [
    'task A/0/1 succeeded',
    'task A/0/3 assigned w1',
    'lease w1: A/0/3#1',
    'task A/0/2 succeeded',
    'task A/0/3 succeeded',
    'task A/1/0 assigned w1',
    'lease w1: A/1/0#1',
    'task A/1/0 succeeded',
    'job A completed',
  ]);
  t.strictSame(house.warned(), []);
  t.end();
});

test('what was not on disk was never said, and did not happen', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 'render', tasks: 1 }]);
  house.heard();
  house.withoutFlush(() => {
    house.lease('w1');
  });
  house.restart();
  house.expect(t, 'the lease is gone', []);
  t.equal(house.task('A/0/0').status, 'ready');
  house.lease('w1');
  house.expect(t, 'and is made once', ['task A/0/0 assigned w1', 'job A running', 'lease w1: A/0/0#1']);
  house.withoutFlush(() => {
    house.report('A/0/0', 'succeeded');
  });
  house.restart();
  house.expect(t, 'the report was not heard', []);
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'the bus delivers it again', ['task A/0/0 succeeded', 'job A completed']);
  t.end();
});

test('a retry delay, a cap and a pause are kept through a restart', (t) => {
  const house = new TestHouse();
  const capped = house.createQueue({ name: 'capped', maxConcurrentTasks: 1 });
  const paused = house.createQueue({ name: 'paused', paused: true });
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.submit('B', [{ name: 's', tasks: 2 }], { queueId: capped });
  house.submit('C', [{ name: 's', tasks: 1 }], { queueId: paused });
  house.lease('w1');
  house.report('A/0/0', 'failed');
  house.report('B/0/0', 'running');
  house.heard();
  house.restart(4000);
  house.lease('w1');
  house.expect(t, 'one is held, one over the cap, one paused', []);
  house.advance(6000);
  house.expect(t, 'the delay ends when it would have ended', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  house.lease('w1');
  house.report('B/0/0', 'succeeded');
  house.expect(t, 'the cap counts what ran before', [
    'task B/0/0 succeeded',
    'task B/0/1 assigned w1',
    'lease w1: B/0/1#1',
  ]);
  t.end();
});

test('a delay that ended while the service was away is over', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'failed');
  house.heard();
  house.restart(60_000);
  house.lease('w1');
  house.expect(t, 'ready', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('a message before the start has gone round finds the service as the store holds it', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.heard();
  house.restartAsleep();
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'the last report of a job as the first message', [
    'task A/0/0 succeeded',
    'job A completed',
  ]);
  house.restartAsleep();
  house.lease('w1');
  house.expect(t, 'a lease as the first message', ['lease w1: unknown']);
  house.register('w1');
  house.submit('B', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.expect(t, 'the worker says that it is there, and goes on', [
    'register w1: registered as w1',
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w1',
    'job B running',
    'lease w1: B/0/0#1',
  ]);
  house.restartAsleep();
  house.submit('C', [{ name: 's', tasks: 1 }]);
  house.expect(t, 'a job as the first message', ['job C pending', 'submit C: ok']);
  t.end();
});
