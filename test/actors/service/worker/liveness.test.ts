import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const SILENT = 'no heartbeat for a whole timeout; reclaiming the tasks of the worker';
const HELD =
  'many workers fell silent at once; deferring the reclaim of their tasks by one heartbeat timeout';

test('a worker that is silent for a whole timeout is offline, and its tasks are ready again', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 2 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/1', 'running');
  fixture.takeOutputs();
  fixture.beating.delete('w1');
  fixture.advance(29_999);
  fixture.expect(t, 'not yet', []);
  fixture.advance(1);
  fixture.expect(t, 'offline', ['worker w1 offline', 'task A/0/0 ready', 'task A/0/1 ready']);
  t.strictSame(fixture.warned(), [SILENT]);
  t.match(fixture.attempts('A/0/0'), [
    { status: 'failed', message: 'worker went offline', endedAt: fixture.now },
  ]);
  t.match(fixture.task('A/0/0'), { status: 'ready', failedAttempts: 0, retryAfter: 0, hasText: false });
  t.equal(fixture.reason('A/0/0'), '', 'the reason of the task is untouched');
  t.match(fixture.job('A'), { status: 'running', failedAttempts: 0 });
  fixture.lease('w1');
  fixture.expect(t, 'an offline worker gets nothing', ['lease w1: unknown']);
  fixture.report('A/0/0#1', 'succeeded');
  fixture.expect(t, 'and its late report counts for nothing', []);

  fixture.register('w2');
  fixture.lease('w2');
  fixture.expect(t, 'another has its tasks', [
    'worker w2 online',
    'register w2: registered as w2',
    'task A/0/0 assigned w2',
    'task A/0/1 assigned w2',
    'lease w2: A/0/0#2, A/0/1#2',
  ]);
  t.end();
});

test('each heartbeat counts from anew', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.delete('w1');
  fixture.takeOutputs();
  fixture.advance(20_000);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, fixture.now);
  fixture.advance(29_999);
  fixture.expect(t, 'heard', ['heartbeat w1: alive']);
  fixture.advance(1);
  fixture.expect(t, 'silent', ['worker w1 offline']);
  t.end();
});

test('a worker that is heard again is online again, and told what was given away', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.beating.delete('w1');
  fixture.advance(40_000);
  fixture.takeOutputs();
  fixture.heartbeat('w1', { open: ['A/0/0#1'] });
  fixture.expect(t, 'back', ['worker w1 online', 'heartbeat w1: alive, closed A/0/0#1']);
  fixture.lease('w1');
  fixture.expect(t, 'it may have it again', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  fixture.report('A/0/0', 'running');
  fixture.takeOutputs();
  fixture.advance(29_999);
  fixture.expect(t, 'its liveness is watched', []);
  fixture.advance(1);
  fixture.expect(t, 'again', ['worker w1 offline', 'task A/0/0 ready']);
  t.end();
});

test('its parked requests are answered when a worker goes offline', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.delete('w1');
  fixture.advance(20_000);
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.advance(10_000);
  fixture.expect(t, 'unknown', ['worker w1 offline', 'lease w1: unknown']);
  t.end();
});

test('no worker goes offline before the service could hear it for one whole timeout', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.register('w2');
  fixture.submit('A', [{ name: 'render', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.restart(3_600_000);
  fixture.expect(t, 'an hour of silence before the start proves nothing', []);
  fixture.advance(20_000);
  fixture.heartbeat('w1');
  fixture.advance(9_999);
  fixture.expect(t, 'one is heard', ['heartbeat w1: alive']);
  fixture.advance(1);
  fixture.expect(t, 'the other is not', ['worker w2 offline']);
  t.equal(fixture.task('A/0/0').status, 'running', 'nothing was disturbed');
  t.end();
});

test('nor after a stall of the service', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.advance(25_000);
  fixture.stall(600_000);
  fixture.expect(t, 'what was not heard proves nothing', []);
  fixture.advance(29_999);
  fixture.expect(t, 'not before a whole timeout', []);
  fixture.advance(1);
  fixture.expect(t, 'now', ['worker w1 offline']);
  t.end();
});

test('when many fall silent at once, the rest is held for one more timeout', (t) => {
  const fixture = new TestFarm();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) fixture.register(name);
  fixture.submit('A', [{ name: 'render', tasks: 20 }]);
  for (const name of names) fixture.lease(name);
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.warned();
  fixture.advance(30_000);
  const first = fixture.takeOutputs().filter((line) => line.startsWith('worker'));
  t.strictSame(first, ['worker w0 offline', 'worker w1 offline', 'worker w2 offline', 'worker w3 offline']);
  t.equal(fixture.warned().filter((line) => line === HELD).length, 1, 'and says so, once');
  fixture.advance(15_000);
  for (const name of names.slice(10)) fixture.heartbeat(name);
  fixture.takeOutputs();
  fixture.advance(14_999);
  fixture.expect(t, 'held', []);
  fixture.advance(1);
  t.strictSame(
    fixture.takeOutputs().filter((line) => line.startsWith('worker')),
    names.slice(4, 10).map((name) => `worker ${name} offline`),
    'those that are still silent',
  );
  fixture.expectInvariants(t, 'ten are left');
  t.end();
});

test('a few of many that fall silent are not held', (t) => {
  const fixture = new TestFarm();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) fixture.register(name);
  for (const name of names.slice(0, 3)) fixture.beating.delete(name);
  fixture.takeOutputs();
  fixture.advance(30_000);
  fixture.expect(t, 'three of twenty', ['worker w0 offline', 'worker w1 offline', 'worker w2 offline']);
  t.end();
});

test('in a small farm nothing is held', (t) => {
  const fixture = new TestFarm();
  for (const name of ['w1', 'w2', 'w3']) fixture.register(name);
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.advance(30_000);
  fixture.expect(t, 'all of them', ['worker w1 offline', 'worker w2 offline', 'worker w3 offline']);
  t.end();
});

test('of heartbeats that say nothing new one in half a timeout is stored', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.delete('w1');
  const registeredAt = fixture.now;
  fixture.advance(14_999);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, registeredAt);
  fixture.takeOutputs();
  fixture.expectInvariants(t, 'the worker knows');
  fixture.advance(1);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, fixture.now);
  fixture.expectInvariants(t, 'and so does the store');
  t.end();
});

test('however long the timeout, a stored heartbeat is of the last moments', (t) => {
  const fixture = new TestFarm({ heartbeatTimeoutMs: 3_600_000 });
  fixture.register('w1');
  fixture.beating.delete('w1');
  const registeredAt = fixture.now;
  fixture.advance(14_999);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, registeredAt);
  fixture.advance(1);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, fixture.now);
  t.end();
});

test('a heartbeat that was not stored counts for a worker that is loaded again', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.delete('w1');
  fixture.advance(14_000);
  fixture.heartbeat('w1');
  fixture.takeOutputs();
  // No input: the handler throws, and the actor is loaded again.
  fixture.post({
    actor: 'worker',
    id: fixture.worker('w1').id,
    message: { type: 'worker.heartbeat', replyTo: replyTo('faulty') } as never,
  });
  fixture.run();
  t.strictSame(fixture.warned(), [
    'a handler threw; its actors are reloaded and the message is retried',
    'message poisoned: its handler threw twice',
  ]);
  fixture.takeOutputs();
  fixture.advance(29_999);
  fixture.expect(t, 'the worker may hold its tasks still', []);
  fixture.advance(1);
  fixture.expect(t, 'not a moment longer', ['worker w1 offline']);
  t.end();
});
