import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const MINUTE_MS = 60_000;
const STEPS = [
  { name: 'render', tasks: 2 },
  { name: 'encode', tasks: 1, after: ['render'] },
];

function waiting(delayMs: number): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 4 });
  farm.submit('A', STEPS, { startAfter: farm.now + delayMs });
  farm.takeOutputs();
  return farm;
}

test('no task is leased before the start time; then the job starts by itself', (t) => {
  const farm = waiting(2.5 * MINUTE_MS);
  t.match(farm.job('A'), { status: 'pending', startAfter: farm.now + 2.5 * MINUTE_MS });
  farm.expectInvariants(t, 'waiting');
  farm.advance(MINUTE_MS);
  farm.advance(MINUTE_MS);
  farm.heartbeat('w1');
  farm.takeOutputs();
  farm.lease('w1');
  farm.expect(t, 'too early', []);
  farm.heartbeat('w1');
  farm.advance(0.5 * MINUTE_MS);
  t.equal(farm.job('A').startAfter, undefined);
  farm.heartbeat('w1');
  farm.lease('w1', { client: 'again' });
  t.match(farm.takeOutputs().join(), /A\/0\/0#1, A\/0\/1#1/);
  farm.expectInvariants(t, 'started');
  t.end();
});

test('a job waits for its start time also after restarts of the service', (t) => {
  const farm = waiting(MINUTE_MS);
  farm.restart();
  farm.heartbeat('w1');
  farm.takeOutputs();
  farm.lease('w1');
  farm.expect(t, 'waiting', []);
  farm.expectInvariants(t, 'after the restart');
  farm.advance(MINUTE_MS);
  t.equal(farm.job('A').startAfter, undefined, 'the timer was restored');
  farm.submit('B', STEPS, { startAfter: farm.now + 100 });
  farm.restart();
  farm.advance(100);
  t.equal(farm.job('B').startAfter, undefined);
  farm.expectInvariants(t, 'both');
  t.end();
});

test('a start time can be set, moved and removed; running tasks continue', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', STEPS);
  farm.lease('w1');
  farm.takeOutputs();
  farm.updateJob('A', { startAfter: farm.now + MINUTE_MS });
  t.match(farm.takeOutputs(), ['job A running', 'update A: ok']);
  farm.expectInvariants(t, 'set while a task is assigned');
  farm.report('A/0/0', 'succeeded');
  farm.takeOutputs();
  farm.lease('w1', { client: 'again' });
  farm.expect(t, 'the next task waits', []);
  farm.updateJob('A', { startAfter: farm.now + 3 * MINUTE_MS });
  farm.advance(MINUTE_MS);
  t.not(farm.job('A').startAfter, undefined, 'moved');
  farm.heartbeat('w1');
  farm.takeOutputs();
  farm.updateJob('A', { startAfter: null });
  farm.lease('w1', { client: 'third' });
  t.match(farm.takeOutputs().join(), /A\/0\/1#1/);
  farm.updateJob('A', { startAfter: farm.now - 1 });
  t.equal(farm.job('A').startAfter, undefined, 'a time that has passed has no effect');
  farm.expectInvariants(t, 'removed');
  t.end();
});

test('paused, blocked and canceled jobs keep their start time', (t) => {
  const farm = waiting(MINUTE_MS);
  farm.submit('B', STEPS, { after: ['A'], startAfter: farm.now + MINUTE_MS });
  farm.updateJob('A', { action: 'pause' });
  farm.updateJob('A', { action: 'resume' });
  farm.expectInvariants(t, 'resumed, and waiting');
  farm.skip('A', { stepOrder: 0 });
  farm.skip('A', { stepOrder: 1 });
  t.match(farm.job('B'), { status: 'pending' });
  farm.expectInvariants(t, 'upstream completed');
  farm.cancelJob('B');
  farm.updateJob('B', { startAfter: farm.now + 2 * MINUTE_MS });
  t.match(farm.takeOutputs().at(-1), /^update B: conflict, the job is canceled already/);
  farm.retryJob('B');
  t.match(farm.job('B'), { status: 'pending', startAfter: farm.now + MINUTE_MS });
  farm.expectInvariants(t, 'retried, and waiting');
  farm.advance(MINUTE_MS);
  t.equal(farm.job('B').startAfter, undefined);
  farm.expectInvariants(t, 'started');
  t.end();
});
