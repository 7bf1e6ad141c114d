import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const NOW = { stopsTasks: true, reason: 'broken fan' };

/** One task runs on w1, another is assigned to it; w2 requests work. */
function busy(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', [{ name: 's', tasks: 2 }], { retry: { maxAttempts: 1 } });
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.register('w2');
  farm.lease('w2');
  farm.takeOutputs();
  return farm;
}

test('tasks of a worker that is disabled at once run elsewhere when they have ended there', (t) => {
  const farm = busy();
  farm.disableWorker('w1', NOW);
  farm.expect(t, 'stopped', [
    'worker w1 disabled',
    'disable w1: ok',
    'stop A/0/0#1: the worker was disabled by a user',
    'task A/0/0 pending',
    'stop A/0/1#1: the worker was disabled by a user',
    'task A/0/1 pending',
  ]);
  t.match(farm.worker('w1'), { status: 'disabled', disabling: { by: 'ann', ...NOW, at: farm.now } });
  t.match(farm.attempts('A/0/0'), [{ status: 'canceled', message: 'the worker was disabled by a user' }]);
  farm.heartbeat('w1', { open: ['A/0/0#1', 'A/0/1#1'] });
  t.equal(farm.job('A').taskCounts.ready, 0, 'the processes may still run');
  farm.takeOutputs();
  farm.report('A/0/0#1', 'canceled');
  t.match(farm.takeOutputs().join(), /lease w2: A\/0\/0#2/);
  farm.expectInvariants(t, 'one runs elsewhere');
  t.match(farm.job('A'), { status: 'running', failedAttempts: 0 });
  farm.report('A/0/0#2', 'failed', { exitCode: 1 });
  t.equal(farm.task('A/0/0').status, 'failed', 'its only attempt, which was not the stopped one');
  t.strictSame(farm.takeWarnings(), ['task failed']);
  farm.enableWorker('w1');
  t.notOk(farm.worker('w1').disabling);
  t.end();
});

test('a task that is assigned while its worker is disabled is stopped too, also after a restart', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.inOneWindow(() => {
    farm.lease('w1');
    farm.disableWorker('w1', NOW);
  });
  t.equal(farm.job('A').taskCounts.assigned, 0);
  farm.expectInvariants(t, 'stopped');
  farm.restart();
  farm.heartbeat('w1', { open: ['A/0/0#1'] });
  t.equal(farm.job('A').taskCounts.ready, 0);
  farm.register('w1', { incarnation: 'start-2' });
  t.equal(farm.job('A').taskCounts.ready, 1, 'the new daemon does not have it');
  t.match(farm.worker('w1'), { status: 'disabled', disabling: NOW }, 'kept by a registration');
  farm.expectInvariants(t, 'registered again');
  t.end();
});

test('a worker that finishes its tasks can still be made to stop them, and an offline one loses them after its silence', (t) => {
  const farm = busy();
  farm.disableWorker('w1');
  farm.takeOutputs();
  farm.disableWorker('w1');
  farm.expect(t, 'unchanged', ['disable w1: ok']);
  farm.beating.delete('w1');
  farm.disableWorker('w1', NOW);
  t.equal(farm.job('A').taskCounts.pending, 2);
  farm.advance(29_000);
  t.equal(farm.job('A').taskCounts.ready, 0);
  farm.advance(2_000);
  t.equal(farm.job('A').taskCounts.pending, 0, 'a whole timeout of silence');
  farm.expectInvariants(t, 'silent');
  t.end();
});

test('stopped tasks of a paused job, of a held step and of a canceled job stay there', (t) => {
  const farm = busy();
  farm.updateJob('A', { action: 'pause' });
  farm.disableWorker('w1', NOW);
  farm.report('A/0/0#1', 'canceled');
  farm.report('A/0/1#1', 'canceled');
  farm.expectInvariants(t, 'paused');
  t.equal(farm.job('A').taskCounts.ready, 2);
  farm.updateJob('A', { action: 'resume' });
  farm.expectInvariants(t, 'resumed');
  const held = busy();
  held.hold('A', 0);
  held.disableWorker('w1', NOW);
  held.report('A/0/0#1', 'canceled');
  held.expectInvariants(t, 'held');
  held.cancelJob('A');
  held.report('A/0/1#1', 'canceled');
  held.expectInvariants(t, 'canceled');
  t.equal(held.job('A').status, 'canceled');
  t.end();
});

test('a worker is enabled at the time until which it was disabled, also after a restart', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  const until = farm.now + 3_600_000;
  farm.disableWorker('w1', { reason: 'maintenance', until });
  t.match(farm.worker('w1'), { status: 'disabled', disabling: { until } });
  farm.advance(3_500_000);
  t.equal(farm.worker('w1').status, 'disabled');
  farm.restart();
  farm.takeOutputs();
  farm.advance(101_000);
  t.match(farm.worker('w1'), { status: 'online', disabling: null });
  t.match(farm.takeOutputs().join(), /worker w1 online/);

  farm.disableWorker('w1', { until: farm.now + 60_000 });
  farm.disableWorker('w1', { until: farm.now + 600_000 });
  farm.advance(120_000);
  t.equal(farm.worker('w1').status, 'disabled', 'a later time replaces an earlier one');
  farm.enableWorker('w1');
  farm.disableWorker('w1');
  farm.advance(600_000);
  t.equal(farm.worker('w1').status, 'disabled', 'the time of an earlier request has no effect');
  farm.beating.delete('w1');
  farm.disableWorker('w1', { until: farm.now + 60_000 });
  farm.advance(120_000);
  t.equal(farm.worker('w1').status, 'offline', 'a silent one');
  t.end();
});
