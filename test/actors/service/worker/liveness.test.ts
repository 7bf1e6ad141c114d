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
  t.strictSame(fixture.takeWarnings(), [SILENT]);
  t.match(fixture.attempts('A/0/0'), [
    { status: 'failed', message: 'worker went offline', endedAt: fixture.now },
  ]);
  t.match(fixture.task('A/0/0'), { status: 'ready', failedAttempts: 0, retryAfter: null, hasText: false });
  t.equal(fixture.reason('A/0/0'), '', 'the task gets no failure reason');
  t.match(fixture.job('A'), { status: 'running', failedAttempts: 0 });
  fixture.lease('w1');
  fixture.expect(t, 'an offline worker gets no tasks', ['lease w1: unknown']);
  fixture.report('A/0/0#1', 'succeeded');
  fixture.expect(t, 'its late report is ignored', []);

  fixture.register('w2');
  fixture.lease('w2');
  fixture.expect(t, 'another worker gets its tasks', [
    'worker w2 online',
    'register w2: registered as w2',
    'task A/0/0 assigned w2',
    'task A/0/1 assigned w2',
    'lease w2: A/0/0#2, A/0/1#2',
  ]);
  t.end();
});

test('each heartbeat restarts the timeout', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.delete('w1');
  fixture.takeOutputs();
  fixture.advance(20_000);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, fixture.now);
  fixture.advance(29_999);
  fixture.expect(t, 'a heartbeat', ['heartbeat w1: alive']);
  fixture.advance(1);
  fixture.expect(t, 'silent', ['worker w1 offline']);
  t.end();
});

test('an offline worker that sends a heartbeat is online again, and the reply lists its closed attempts', (t) => {
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
  fixture.expect(t, 'it can get the task again', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  fixture.report('A/0/0', 'running');
  fixture.takeOutputs();
  fixture.advance(29_999);
  fixture.expect(t, 'its liveness is monitored', []);
  fixture.advance(1);
  fixture.expect(t, 'again', ['worker w1 offline', 'task A/0/0 ready']);
  t.end();
});

test('parked requests of a worker that goes offline get the reply unknown', (t) => {
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

test('no worker goes offline before the service could receive its heartbeats for a whole timeout', (t) => {
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
  fixture.expect(t, 'one sends a heartbeat', ['heartbeat w1: alive']);
  fixture.advance(1);
  fixture.expect(t, 'the other does not', ['worker w2 offline']);
  t.equal(fixture.task('A/0/0').status, 'running', 'its task continues');
  t.end();
});

test('no worker goes offline within a timeout after a stall of the service', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.advance(25_000);
  fixture.stall(600_000);
  fixture.expect(t, 'silence during a stall proves nothing', []);
  fixture.advance(29_999);
  fixture.expect(t, 'not before a whole timeout', []);
  fixture.advance(1);
  fixture.expect(t, 'now', ['worker w1 offline']);
  t.end();
});

test('when many workers fall silent at once, the rest is deferred by one more timeout', (t) => {
  const fixture = new TestFarm();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) fixture.register(name);
  fixture.submit('A', [{ name: 'render', tasks: 20 }]);
  for (const name of names) fixture.lease(name);
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.takeWarnings();
  fixture.advance(30_000);
  const first = fixture.takeOutputs().filter((line) => line.startsWith('worker'));
  t.strictSame(first, ['worker w0 offline', 'worker w1 offline', 'worker w2 offline', 'worker w3 offline']);
  t.equal(fixture.takeWarnings().filter((line) => line === HELD).length, 1, 'with one warning');
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

test('a few silent workers of many are not deferred', (t) => {
  const fixture = new TestFarm();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) fixture.register(name);
  for (const name of names.slice(0, 3)) fixture.beating.delete(name);
  fixture.takeOutputs();
  fixture.advance(30_000);
  fixture.expect(t, 'three of twenty', ['worker w0 offline', 'worker w1 offline', 'worker w2 offline']);
  t.end();
});

test('in a small farm no expiry is deferred', (t) => {
  const fixture = new TestFarm();
  for (const name of ['w1', 'w2', 'w3']) fixture.register(name);
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.advance(30_000);
  fixture.expect(t, 'all of them', ['worker w1 offline', 'worker w2 offline', 'worker w3 offline']);
  t.end();
});

test('of unchanged heartbeats one per half timeout is stored', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.beating.delete('w1');
  const registeredAt = fixture.now;
  fixture.advance(14_999);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, registeredAt);
  fixture.takeOutputs();
  fixture.expectInvariants(t, 'the worker actor has the time');
  fixture.advance(1);
  fixture.heartbeat('w1');
  t.equal(fixture.worker('w1').lastHeartbeatAt, fixture.now);
  fixture.expectInvariants(t, 'and so does the store');
  t.end();
});

test('a stored heartbeat is recent, however long the timeout', (t) => {
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
  t.strictSame(fixture.takeWarnings(), [
    'a handler threw; its actors are reloaded and the message is retried',
    'message poisoned: its handler threw twice',
  ]);
  fixture.takeOutputs();
  fixture.advance(29_999);
  fixture.expect(t, 'the worker may still have its tasks', []);
  fixture.advance(1);
  fixture.expect(t, 'not any longer', ['worker w1 offline']);
  t.end();
});

test('a heartbeat between the question to the farm and its answer keeps the worker online', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.beating.delete('w1');
  fixture.takeOutputs();
  const { id } = fixture.worker('w1');
  fixture.advance(29_000);
  fixture.inOneWindow(() => {
    fixture.post({
      actor: 'farm',
      id: fixture.farm,
      message: { type: 'worker.expiry-requested', workerId: id },
    });
    fixture.heartbeat('w1', { open: ['A/0/0'] });
  });
  fixture.expect(t, 'it has just sent a heartbeat', ['heartbeat w1: alive']);
  fixture.advance(29_999);
  fixture.expect(t, 'its silence starts again', []);
  fixture.advance(1);
  fixture.expect(t, 'silent', ['worker w1 offline', 'task A/0/0 ready']);
  t.end();
});

test('a heartbeat before the bus has confirmed the connection keeps the tasks of the worker', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.beating.delete('w1');
  fixture.isBusConnected = false;
  fixture.advance(30_000);
  fixture.takeOutputs();
  const askedAt = fixture.now;
  fixture.heartbeat('w1', { open: ['A/0/0'] });
  fixture.post({ actor: 'worker', id: fixture.worker('w1').id, message: { type: 'bus.confirmed', askedAt } });
  fixture.run();
  fixture.expect(t, 'it is online again', ['worker w1 online', 'heartbeat w1: alive']);
  t.equal(fixture.task('A/0/0').status, 'running');
  t.end();
});
