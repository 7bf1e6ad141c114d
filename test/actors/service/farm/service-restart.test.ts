import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

test('after a restart running tasks continue, ready tasks are leased, and no task runs twice', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', [
    { name: 'render', tasks: 4 },
    { name: 'encode', tasks: 1, after: ['render'] },
  ]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.report('A/0/1', 'running');
  farm.takeOutputs();
  farm.restart(5000);
  farm.expect(t, 'a start publishes nothing', []);
  farm.heartbeat('w1', { open: ['A/0/0', 'A/0/1'] });
  farm.expect(t, 'the worker keeps its attempts', ['heartbeat w1: alive']);
  farm.report('A/0/0', 'succeeded');
  farm.expect(t, 'its report counts', ['task A/0/0 succeeded']);
  farm.lease('w1');
  farm.expect(t, 'one core is free, and the ready tasks are known', [
    'task A/0/2 assigned w1',
    'lease w1: A/0/2#1',
  ]);
  farm.lease('w1');
  farm.report('A/0/1', 'succeeded');
  farm.report('A/0/2', 'succeeded');
  farm.report('A/0/3', 'succeeded');
  farm.lease('w1');
  farm.report('A/1/0', 'succeeded');
  farm.expect(t, 'to the end', [
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
  t.strictSame(farm.takeWarnings(), []);
  t.end();
});

test('changes that were not durable before a crash were not published and have no effect', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 1 }]);
  farm.takeOutputs();
  farm.withoutFlush(() => {
    farm.lease('w1');
  });
  farm.restart();
  farm.expect(t, 'the lease is lost', []);
  t.equal(farm.task('A/0/0').status, 'ready');
  farm.lease('w1');
  farm.expect(t, 'and is created once', ['task A/0/0 assigned w1', 'job A running', 'lease w1: A/0/0#1']);
  farm.withoutFlush(() => {
    farm.report('A/0/0', 'succeeded');
  });
  farm.restart();
  farm.expect(t, 'the report was lost', []);
  farm.report('A/0/0', 'succeeded');
  farm.expect(t, 'the bus delivers it again', ['task A/0/0 succeeded', 'job A completed']);
  t.end();
});

test('a retry delay, a cap and a pause survive a restart', (t) => {
  const farm = new TestFarm();
  const capped = farm.createQueue({ name: 'capped', maxConcurrentTasks: 1 });
  const paused = farm.createQueue({ name: 'paused', paused: true });
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.submit('B', [{ name: 's', tasks: 2 }], { queueId: capped });
  farm.submit('C', [{ name: 's', tasks: 1 }], { queueId: paused });
  farm.lease('w1');
  farm.report('A/0/0', 'failed');
  farm.report('B/0/0', 'running');
  farm.takeOutputs();
  farm.restart(4000);
  farm.lease('w1');
  farm.expect(t, 'one task is delayed, one over the cap, one paused', []);
  farm.advance(6000);
  farm.expect(t, 'the delay ends at its original time', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  farm.lease('w1');
  farm.report('B/0/0', 'succeeded');
  farm.expect(t, 'the cap counts earlier live tasks', [
    'task B/0/0 succeeded',
    'task B/0/1 assigned w1',
    'lease w1: B/0/1#1',
  ]);
  t.end();
});

test('a delay that ended during the downtime has passed', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'failed');
  farm.takeOutputs();
  farm.restart(60_000);
  farm.lease('w1');
  farm.expect(t, 'ready', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('a message before the recovery is complete finds the stored state', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.takeOutputs();
  farm.restartWithoutActivation();
  farm.report('A/0/0', 'succeeded');
  farm.expect(t, 'the last report of a job as the first message', [
    'task A/0/0 succeeded',
    'job A completed',
  ]);
  farm.restartWithoutActivation();
  farm.lease('w1');
  farm.expect(t, 'a lease as the first message', ['lease w1: unknown']);
  farm.register('w1');
  farm.submit('B', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.expect(t, 'the worker sends a heartbeat and continues', [
    'register w1: registered as w1',
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w1',
    'job B running',
    'lease w1: B/0/0#1',
  ]);
  farm.restartWithoutActivation();
  farm.submit('C', [{ name: 's', tasks: 1 }]);
  farm.expect(t, 'a job as the first message', ['job C pending', 'submit C: ok']);
  t.end();
});

test('a paused job is not leased after a restart', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.updateJob('A', { action: 'pause' });
  farm.restart();
  farm.takeOutputs();
  farm.lease('w1');
  farm.expect(t, 'paused', []);
  farm.updateJob('A', { action: 'resume' });
  farm.expect(t, 'resumed', [
    'job A pending',
    'update A: ok',
    'task A/0/0 assigned w1',
    'job A running',
    'lease w1: A/0/0#1',
  ]);
  t.end();
});

test('a new worker after a restart gets a number of its own', (t) => {
  const farm = new TestFarm();
  for (const name of ['w1', 'w2']) farm.register(name);
  farm.restart();
  farm.register('w3');
  t.strictSame(
    ['w1', 'w2', 'w3'].map((name) => farm.worker(name).ordinal),
    [1, 2, 3],
  );
  t.end();
});
