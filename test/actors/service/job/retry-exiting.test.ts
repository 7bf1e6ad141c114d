import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

/** A task runs on w1 and was canceled and retried; w2 requests work. */
function retriedWhileExiting(settings: ConstructorParameters<typeof TestFarm>[0] = {}): TestFarm {
  const farm = new TestFarm(settings);
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.cancelJob('A');
  farm.retryJob('A');
  farm.register('w2');
  farm.takeOutputs();
  return farm;
}

const READY_AND_LEASED = ['task A/0/0 ready', 'task A/0/0 assigned w2', 'job A running', 'lease w2: A/0/0#2'];

test('a retried task waits until its worker has reported the end of the canceled attempt', (t) => {
  const farm = retriedWhileExiting();
  t.match(farm.job('A'), { status: 'pending', taskCounts: { pending: 1, ready: 0 } });
  farm.lease('w2');
  farm.expect(t, 'the canceled attempt may still run', []);
  farm.heartbeat('w1', { open: ['A/0/0#1'] });
  farm.expect(t, 'w1 lists it', ['heartbeat w1: alive, closed A/0/0#1']);
  farm.report('A/0/0#1', 'canceled');
  farm.expect(t, 'w1 has ended it', READY_AND_LEASED);
  t.strictSame(farm.takeWarnings(), []);
  t.end();
});

test('a report of another worker does not end the canceled attempt', (t) => {
  const farm = retriedWhileExiting();
  farm.lease('w2');
  farm.post({
    actor: 'job',
    id: farm.jobId('A'),
    message: {
      type: 'tasks.reported',
      workerId: farm.worker('w2').id,
      reports: [farm.attemptReport('A/0/0#1', 'canceled')],
    },
  });
  farm.run();
  farm.expect(t, 'still waits', []);
  t.equal(farm.job('A').taskCounts.ready, 0);
  t.end();
});

test('a new incarnation, a departure and a timeout of the worker end the canceled attempt', (t) => {
  const again = retriedWhileExiting();
  again.lease('w2');
  again.takeOutputs();
  again.register('w1', { incarnation: 'start-2' });
  t.ok(again.takeOutputs().includes('lease w2: A/0/0#2'), 'a new incarnation that does not list it');
  const departed = retriedWhileExiting();
  departed.lease('w2');
  departed.takeOutputs();
  departed.deregister('w1');
  t.ok(departed.takeOutputs().includes('lease w2: A/0/0#2'), 'a departure');
  const silent = retriedWhileExiting();
  silent.beating.delete('w1');
  silent.advance(29_000);
  t.equal(silent.job('A').taskCounts.ready, 0);
  silent.advance(2_000);
  t.equal(silent.job('A').taskCounts.ready, 1, 'a whole timeout of silence');
  silent.expectInvariants(t, 'ready');
  t.end();
});

test('heartbeats without the canceled attempt end it only after a time', (t) => {
  const farm = retriedWhileExiting();
  for (let elapsed = 0; elapsed < 40_000; elapsed += 5_000) {
    farm.heartbeat('w1');
    t.equal(farm.job('A').taskCounts.ready, 0, `after ${elapsed} ms`);
    farm.advance(5_000);
  }
  farm.heartbeat('w1');
  t.equal(farm.job('A').taskCounts.ready, 1);
  t.end();
});

test('a task waits for its canceled attempt across restarts of the service', (t) => {
  const farm = retriedWhileExiting();
  farm.restart();
  farm.heartbeat('w1', { open: ['A/0/0#1'] });
  farm.heartbeat('w2');
  farm.takeOutputs();
  farm.lease('w2');
  farm.expect(t, 'after a restart', []);
  farm.report('A/0/0#1', 'canceled');
  farm.expect(t, 'ended', READY_AND_LEASED);
  farm.expectInvariants(t, 'leased');
  t.end();
});

test('a canceled attempt that ended before the retry delays nothing', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.cancelTask('A/0/0');
  farm.report('A/0/0#1', 'canceled');
  farm.retryTask('A/0/0');
  t.match(farm.answer('retry A/0/0'), { ok: true, value: { status: 'ready' } });
  t.end();
});

test('a disabled worker that falls silent ends its canceled attempts too', (t) => {
  const farm = retriedWhileExiting();
  farm.disableWorker('w1');
  farm.beating.delete('w1');
  farm.advance(31_000);
  t.equal(farm.job('A').taskCounts.ready, 1);
  t.end();
});

test('a deleted worker ends its canceled attempts', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.disableWorker('w1');
  farm.beating.delete('w1');
  farm.advance(31_000);
  farm.deleteWorker('w1');
  farm.cancelJob('A');
  farm.retryJob('A');
  t.equal(farm.job('A').taskCounts.ready, 1);
  t.end();
});

const MINUTE_MS = 60_000;
/** A service that reclaims tasks after five minutes of silence (docs/decisions/outages.md). */
const PATIENT = { reclaimAfterMs: 5 * MINUTE_MS };

test('a retried task waits for a silent worker until the fence, not until the worker is offline', (t) => {
  const farm = retriedWhileExiting(PATIENT);
  farm.beating.delete('w1');
  farm.advance(MINUTE_MS);
  t.equal(farm.worker('w1').status, 'offline');
  farm.advance(4 * MINUTE_MS - 1);
  t.equal(farm.job('A').taskCounts.ready, 0, 'the worker may run its tasks without contact');
  farm.advance(1);
  t.equal(farm.job('A').taskCounts.ready, 1);
  t.end();
});

test('a task that is canceled and retried on an offline worker waits until the fence', (t) => {
  const farm = new TestFarm(PATIENT);
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.beating.delete('w1');
  farm.advance(2 * MINUTE_MS);
  farm.cancelJob('A');
  farm.retryJob('A');
  farm.advance(3 * MINUTE_MS - 1);
  t.match(farm.job('A'), { status: 'pending', taskCounts: { pending: 1, ready: 0 } });
  farm.advance(1);
  t.equal(farm.job('A').taskCounts.ready, 1);
  t.end();
});

test('a retried task waits for a silent worker until the bus has confirmed the connection', (t) => {
  const farm = retriedWhileExiting();
  farm.beating.delete('w1');
  farm.isBusConnected = false;
  farm.advance(2 * MINUTE_MS);
  t.equal(farm.job('A').taskCounts.ready, 0);
  farm.isBusConnected = true;
  farm.advance(30_000);
  t.equal(farm.job('A').taskCounts.ready, 1);
  t.end();
});

test('a retried task waits across a restart of the service for an offline worker without other tasks', (t) => {
  const farm = retriedWhileExiting(PATIENT);
  farm.beating.delete('w1');
  farm.advance(MINUTE_MS);
  farm.restart();
  farm.advance(5 * MINUTE_MS - 1);
  t.equal(farm.job('A').taskCounts.ready, 0, 'silence counts from the connection of the new start');
  farm.advance(1);
  t.equal(farm.job('A').taskCounts.ready, 1);
  t.end();
});

test('another machine cannot take over the name of a worker that may still run a canceled attempt', (t) => {
  const farm = retriedWhileExiting(PATIENT);
  farm.beating.delete('w1');
  farm.advance(MINUTE_MS);
  farm.register('w1', { worker_id: farm.worker('w2').id, incarnation: 'start-9' });
  t.match(farm.answer('register w1'), { type: 'refused', reason: /is silent and may still run tasks/ });
  t.equal(farm.job('A').taskCounts.ready, 0);
  t.end();
});
