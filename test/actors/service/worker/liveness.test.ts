import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const SILENT = 'a worker was not heard for a whole heartbeat timeout; its tasks are taken back';
const HELD = 'many workers fell silent at once; their tasks are not taken back before another timeout';

test('a worker that is silent for a whole timeout is offline, and its tasks are ready again', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 'render', tasks: 2 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.report('A/0/1', 'running');
  house.heard();
  house.beating.delete('w1');
  house.advance(29_999);
  house.expect(t, 'not yet', []);
  house.advance(1);
  house.expect(t, 'offline', ['worker w1 offline', 'task A/0/0 ready', 'task A/0/1 ready']);
  t.strictSame(house.warned(), [SILENT]);
  t.match(house.attempts('A/0/0'), [
    { status: 'failed', message: 'worker went offline', endedAt: house.now },
  ]);
  t.match(house.task('A/0/0'), { status: 'ready', failedAttempts: 0, retryAfter: 0, hasText: false });
  t.equal(house.reason('A/0/0'), '', 'the reason of the task is untouched');
  t.match(house.job('A'), { status: 'running', failedAttempts: 0 });
  house.lease('w1');
  house.expect(t, 'an offline worker gets nothing', ['lease w1: unknown']);
  house.report('A/0/0#1', 'succeeded');
  house.expect(t, 'and its late report counts for nothing', []);

  house.register('w2');
  house.lease('w2');
  house.expect(t, 'another has its tasks', [
    'worker w2 online',
    'register w2: registered as w2',
    'task A/0/0 assigned w2',
    'task A/0/1 assigned w2',
    'lease w2: A/0/0#2, A/0/1#2',
  ]);
  t.end();
});

test('each heartbeat counts from anew', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.beating.delete('w1');
  house.heard();
  house.advance(20_000);
  house.heartbeat('w1');
  t.equal(house.worker('w1').lastHeartbeatAt, house.now);
  house.advance(29_999);
  house.expect(t, 'heard', ['heartbeat w1: alive']);
  house.advance(1);
  house.expect(t, 'silent', ['worker w1 offline']);
  t.end();
});

test('a worker that is heard again is online again, and told what was given away', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 'render', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.beating.delete('w1');
  house.advance(40_000);
  house.heard();
  house.heartbeat('w1', { open: ['A/0/0#1'] });
  house.expect(t, 'back', ['worker w1 online', 'heartbeat w1: alive, closed A/0/0#1']);
  house.lease('w1');
  house.expect(t, 'it may have it again', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  house.report('A/0/0', 'running');
  house.heard();
  house.advance(29_999);
  house.expect(t, 'its liveness is watched', []);
  house.advance(1);
  house.expect(t, 'again', ['worker w1 offline', 'task A/0/0 ready']);
  t.end();
});

test('its parked requests are answered when a worker goes offline', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.beating.delete('w1');
  house.advance(20_000);
  house.lease('w1');
  house.heard();
  house.advance(10_000);
  house.expect(t, 'unknown', ['worker w1 offline', 'lease w1: unknown']);
  t.end();
});

test('no worker goes offline before the service could hear it for one whole timeout', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.register('w2');
  house.submit('A', [{ name: 'render', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.beating.clear();
  house.heard();
  house.restart(3_600_000);
  house.expect(t, 'an hour of silence before the start proves nothing', []);
  house.advance(20_000);
  house.heartbeat('w1');
  house.advance(9_999);
  house.expect(t, 'one is heard', ['heartbeat w1: alive']);
  house.advance(1);
  house.expect(t, 'the other is not', ['worker w2 offline']);
  t.equal(house.task('A/0/0').status, 'running', 'nothing was disturbed');
  t.end();
});

test('nor after a stall of the service', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.beating.clear();
  house.heard();
  house.advance(25_000);
  house.stall(600_000);
  house.expect(t, 'what was not heard proves nothing', []);
  house.advance(29_999);
  house.expect(t, 'not before a whole timeout', []);
  house.advance(1);
  house.expect(t, 'now', ['worker w1 offline']);
  t.end();
});

test('when many fall silent at once, the rest is held for one more timeout', (t) => {
  const house = new TestHouse();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) house.register(name);
  house.submit('A', [{ name: 'render', tasks: 20 }]);
  for (const name of names) house.lease(name);
  house.beating.clear();
  house.heard();
  house.warned();
  house.advance(30_000);
  const first = house.heard().filter((line) => line.startsWith('worker'));
  t.strictSame(first, ['worker w0 offline', 'worker w1 offline', 'worker w2 offline', 'worker w3 offline']);
  t.equal(house.warned().filter((line) => line === HELD).length, 1, 'and says so, once');
  house.advance(15_000);
  for (const name of names.slice(10)) house.heartbeat(name);
  house.heard();
  house.advance(14_999);
  house.expect(t, 'held', []);
  house.advance(1);
  t.strictSame(
    house.heard().filter((line) => line.startsWith('worker')),
    names.slice(4, 10).map((name) => `worker ${name} offline`),
    'those that are still silent',
  );
  house.checkAtRest(t, 'ten are left');
  t.end();
});

test('a few of many that fall silent are not held', (t) => {
  const house = new TestHouse();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) house.register(name);
  for (const name of names.slice(0, 3)) house.beating.delete(name);
  house.heard();
  house.advance(30_000);
  house.expect(t, 'three of twenty', ['worker w0 offline', 'worker w1 offline', 'worker w2 offline']);
  t.end();
});

test('in a small farm nothing is held', (t) => {
  const house = new TestHouse();
  for (const name of ['w1', 'w2', 'w3']) house.register(name);
  house.beating.clear();
  house.heard();
  house.advance(30_000);
  house.expect(t, 'all of them', ['worker w1 offline', 'worker w2 offline', 'worker w3 offline']);
  t.end();
});

test('of heartbeats that say nothing new one in half a timeout is stored', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.beating.delete('w1');
  const registeredAt = house.now;
  house.advance(14_999);
  house.heartbeat('w1');
  t.equal(house.worker('w1').lastHeartbeatAt, registeredAt);
  house.heard();
  house.checkAtRest(t, 'the worker knows');
  house.advance(1);
  house.heartbeat('w1');
  t.equal(house.worker('w1').lastHeartbeatAt, house.now);
  house.checkAtRest(t, 'and so does the store');
  t.end();
});

test('however long the timeout, a stored heartbeat is of the last moments', (t) => {
  const house = new TestHouse({ heartbeatTimeoutMs: 3_600_000 });
  house.register('w1');
  house.beating.delete('w1');
  const registeredAt = house.now;
  house.advance(14_999);
  house.heartbeat('w1');
  t.equal(house.worker('w1').lastHeartbeatAt, registeredAt);
  house.advance(1);
  house.heartbeat('w1');
  t.equal(house.worker('w1').lastHeartbeatAt, house.now);
  t.end();
});

test('a heartbeat that was not stored counts for a worker that is loaded again', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.beating.delete('w1');
  house.advance(14_000);
  house.heartbeat('w1');
  house.heard();
  // No input: the handler throws, and the actor is loaded again.
  house.post({
    actor: 'worker',
    id: house.worker('w1').id,
    message: { type: 'worker.heartbeat', replyTo: replyTo('faulty') } as never,
  });
  house.run();
  t.strictSame(house.warned(), [
    'a handler threw; its actors are loaded again',
    'a message is poisoned: its handler threw twice',
  ]);
  house.heard();
  house.advance(29_999);
  house.expect(t, 'the worker may hold its tasks still', []);
  house.advance(1);
  house.expect(t, 'not a moment longer', ['worker w1 offline']);
  t.end();
});
