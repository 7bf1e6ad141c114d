import { test } from 'tap';
import { SKIPPED_MESSAGE } from '../../../../src/core/lifecycle/failure-reasons.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const two = [
  { name: 'render', tasks: 3 },
  { name: 'encode', tasks: 40, after: ['render'] },
];

/** A failed job: one task of the first step failed, two succeeded; the second step was canceled. */
function failed(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 3 });
  farm.submit('A', two, { retry: { maxAttempts: 1 } });
  farm.lease('w1');
  farm.report('A/0/0', 'failed', { exitCode: 3 });
  farm.report('A/0/1', 'succeeded');
  farm.report('A/0/2', 'succeeded');
  farm.takeOutputs();
  return farm;
}

test('skipping the failed task of a failed job continues its later steps', (t) => {
  const farm = failed();
  t.equal(farm.job('A').status, 'failed');
  farm.skip('A', { isFailed: true }, true);
  farm.expect(t, 'a dry run changes nothing', ['skip A: ok']);
  t.match(farm.answer('skip A'), {
    ok: true,
    value: {
      retried: 41,
      jobStatus: 'failed',
      leavesEnded: false,
      steps: [
        { stepOrder: 0, retried: 1, isSkipped: true },
        { stepOrder: 1, retried: 40, isSkipped: false },
      ],
    },
  });
  farm.skip('A', { isFailed: true });
  t.match(farm.answer('skip A'), { ok: true, value: { retried: 41, jobStatus: 'pending' } });
  t.match(farm.task('A/0/0'), {
    status: 'succeeded',
    skipped: true,
    attemptNumber: 1,
    workerOrdinal: null,
    hasText: true,
  });
  t.equal(farm.reason('A/0/0'), '', 'the failure reason is removed');
  t.match(farm.job('A'), {
    failedAttempts: 0,
    taskCounts: { total: 43, succeeded: 3, ready: 40, failed: 0, canceled: 0 },
  });
  farm.expectInvariants(t, 'skipped');
  farm.restart();
  t.match(farm.task('A/0/0'), { status: 'succeeded', skipped: true });
  farm.heartbeat('w1');
  farm.takeOutputs();
  farm.lease('w1');
  t.match(farm.takeOutputs().at(-1), /^lease w1: A\/1\/0#1/, 'the second step is leased');
  t.end();
});

test('skipping all tasks of a failed job completes it, and its dependents can continue', (t) => {
  const farm = failed();
  farm.skip('A', { stepOrder: 1 });
  t.match(farm.job('A'), { status: 'failed', taskCounts: { succeeded: 42, failed: 1 } });
  farm.expectInvariants(t, 'the job stays as it ended while a task has failed');
  farm.takeOutputs();
  farm.skip('A', { stepOrder: 0 });
  t.match(farm.job('A'), { status: 'completed', taskCounts: { succeeded: 43, failed: 0 } });
  farm.expect(t, 'completed', ['task A/0/0 succeeded', 'job A completed', 'skip A: ok']);
  farm.submit('B', [{ name: 's', tasks: 1 }], { after: ['A'] });
  t.equal(farm.job('B').status, 'pending');
  farm.deleteQueue();
  t.match(farm.takeOutputs().at(-1), /^delete queue: conflict/, 'only job B uses the queue');
  farm.cancelJob('B');
  farm.deleteQueue();
  t.equal(farm.takeOutputs().at(-1), 'delete queue: ok', 'the farm lists no job as active');
  t.end();
});

test('skipping ready and pending tasks starts no attempt', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 3 });
  farm.submit('A', two);
  farm.skipTask('A/0/1');
  farm.skip('A', { stepOrder: 1, indices: [{ start: 0, step: 2, count: 20 }] });
  farm.takeOutputs();
  farm.lease('w1');
  farm.expect(t, 'the skipped task is not leased', [
    'task A/0/0 assigned w1',
    'task A/0/2 assigned w1',
    'job A running',
    'lease w1: A/0/0#1, A/0/2#1',
  ]);
  t.match(farm.task('A/0/1'), { status: 'succeeded', attemptNumber: 0 });
  t.match(farm.job('A').taskCounts, { succeeded: 21, pending: 20, assigned: 2 });
  farm.report('A/0/0', 'succeeded');
  farm.report('A/0/2', 'succeeded');
  t.match(farm.job('A').taskCounts, { succeeded: 23, ready: 20 });
  farm.expectInvariants(t, 'the second step is ready');
  t.end();
});

test('skipping a running task ends its process and counts no failure', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 3 });
  farm.submit('A', two);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.takeOutputs();
  farm.skipTask('A/0/0');
  farm.expect(t, 'canceled on the worker', [
    `stop A/0/0#1: ${SKIPPED_MESSAGE}`,
    'task A/0/0 succeeded',
    'skip A/0/0: ok',
  ]);
  t.match(farm.task('A/0/0'), { status: 'succeeded', skipped: true, exiting: true, failedAttempts: 0 });
  farm.report('A/0/0', 'succeeded');
  t.match(farm.task('A/0/0'), { status: 'succeeded', skipped: true, exiting: false }, 'a late end');
  farm.retryTask('A/0/0');
  t.match(farm.task('A/0/0'), { status: 'ready', skipped: false, attemptNumber: 1 });
  farm.expectInvariants(t, 'retried');
  t.end();
});

test('a retry undoes a skip: later steps wait again, and live tasks of them continue', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', two);
  farm.skip('A', { stepOrder: 0 });
  t.match(farm.job('A').taskCounts, { succeeded: 3, ready: 40 });
  farm.lease('w1');
  farm.takeOutputs();
  farm.retryJob('A');
  farm.expect(t, 'a retry of the job leaves skipped tasks', ['retry A: ok']);
  farm.retrySome('A', { stepOrder: 0, indices: [{ start: 1, step: 1, count: 1 }] });
  t.match(farm.answer('retry A'), { ok: true, value: { retried: 1 } });
  t.match(farm.task('A/0/1'), { status: 'ready', skipped: false });
  t.match(farm.job('A').taskCounts, { succeeded: 2, ready: 1, assigned: 2, pending: 38 });
  farm.expectInvariants(t, 'one is undone');
  farm.restart();
  farm.retrySome('A', { isSkipped: true });
  t.match(farm.job('A').taskCounts, { succeeded: 0, ready: 3, pending: 38 });
  farm.expectInvariants(t, 'all are undone');
  farm.retrySome('A', { isSkipped: true });
  t.match(farm.answer('retry A'), { ok: true, value: { retried: 0 } });
  t.end();
});

test('a retry of skipped tasks makes a completed job active again', (t) => {
  const farm = new TestFarm();
  farm.submit('A', [{ name: 's', tasks: 100_000 }]);
  farm.takeOutputs();
  farm.skip('A', { stepOrder: 0 });
  farm.expect(t, 'no events of single tasks', ['job A completed', 'skip A: ok']);
  t.strictSame([...farm.store.scan('taskPage')], [], 'a whole step takes no page');
  farm.skip('A', { stepOrder: 0 });
  t.match(farm.answer('skip A'), { ok: true, value: { retried: 0 } });
  farm.skipTask('A/0/7');
  t.match(farm.takeOutputs().at(-1), /^skip A\/0\/7: conflict, the task is skipped already/);
  farm.retryTask('A/0/7');
  t.match(farm.job('A'), { status: 'pending', taskCounts: { ready: 1, succeeded: 99_999 } });
  farm.expectInvariants(t, 'active');
  farm.restart();
  t.match(farm.task('A/0/8'), { status: 'succeeded', skipped: true });
  t.end();
});

test('a skip in a blocked job does not start its later steps', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.submit('B', two, { after: ['A'] });
  farm.skip('B', { stepOrder: 0 });
  t.match(farm.job('B'), { status: 'blocked', taskCounts: { succeeded: 3, pending: 40, ready: 0 } });
  farm.skip('A', { stepOrder: 0 });
  t.match(farm.job('A'), { status: 'completed' });
  t.match(farm.job('B'), { status: 'pending', taskCounts: { ready: 40 } });
  farm.expectInvariants(t, 'unblocked');
  t.end();
});

test('skips in a canceled job do not start it, unless all tasks are skipped', (t) => {
  const farm = new TestFarm();
  farm.submit('A', two);
  farm.cancelJob('A');
  farm.skip('A', { stepOrder: 0, indices: [{ start: 0, step: 1, count: 2 }] });
  t.match(farm.job('A'), { status: 'canceled', taskCounts: { succeeded: 2, canceled: 41 } });
  farm.retrySome('A', { isSkipped: true });
  t.match(farm.job('A').status, 'pending');
  farm.expectInvariants(t, 'retried');
  farm.skip('A', { stepOrder: 0 });
  farm.skip('A', { stepOrder: 1 });
  t.match(farm.job('A'), { status: 'completed' });
  t.end();
});

test('skips, retries and reports in one window leave the job consistent', (t) => {
  const farm = failed();
  farm.inOneWindow(() => {
    farm.skip('A', { isFailed: true });
    farm.skipTask('A/0/0');
    farm.lease('w1');
    farm.skip('A', { stepOrder: 1 });
    farm.retryTask('A/0/0');
    farm.lease('w1', { client: 'again' });
  });
  farm.expectInvariants(t, 'together');
  farm.restart();
  farm.expectInvariants(t, 'after a restart');
  t.end();
});
