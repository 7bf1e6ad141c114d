import { test } from 'tap';
import type { RetrySelection } from '../../../../actors/service/job/messages.ts';
import { SELECTED_TASKS_MAX } from '../../../../actors/service/job/retry-selection.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const two = [
  { name: 'render', tasks: 3 },
  { name: 'encode', tasks: 40, after: ['render'] },
];

/** A failed job: one task of the first step failed, one succeeded, one was canceled; the second step waited. */
function failed(): TestFarm {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 2 });
  fixture.submit('A', two, { retry: { maxAttempts: 1 } });
  fixture.lease('w1');
  fixture.report('A/0/0', 'failed', { exitCode: 3 });
  fixture.report('A/0/1', 'succeeded');
  fixture.cancelTask('A/0/2');
  fixture.takeOutputs();
  return fixture;
}

test('retrying a failed job retries only its failed and canceled tasks', (t) => {
  const fixture = failed();
  t.match(fixture.job('A'), { status: 'failed', failedAttempts: 1 });
  t.equal(fixture.reason('A/0/0'), 'failed (exit 3)');
  fixture.retryJob('A');
  fixture.expect(t, 'retried', [
    'task A/0/0 pending',
    'task A/0/2 pending',
    'task A/0/0 ready',
    'task A/0/2 ready',
    'job A pending',
    'retry A: ok',
  ]);
  t.match(fixture.answer('retry A'), { ok: true, value: { retried: 42, status: null } });
  t.match(fixture.task('A/0/0'), {
    failedAttempts: 0,
    attemptNumber: 1,
    workerOrdinal: null,
    hasText: false,
  });
  t.strictSame([fixture.reason('A/0/0'), fixture.reason('A/0/2'), fixture.reason('A/1/39')], ['', '', '']);
  t.match(fixture.job('A'), {
    status: 'pending',
    failedAttempts: 0,
    taskCounts: { total: 43, succeeded: 1, ready: 2, pending: 40, failed: 0, canceled: 0 },
  });
  fixture.retryJob('A');
  fixture.expect(t, 'no task is left to retry', ['retry A: ok']);
  t.match(fixture.answer('retry A'), { ok: true, value: { retried: 0, status: null } });
  fixture.lease('w1');
  fixture.expect(t, 'attempt numbers continue', [
    'task A/0/0 assigned w1',
    'task A/0/2 assigned w1',
    'job A running',
    'lease w1: A/0/0#2, A/0/2#1',
  ]);
  fixture.report('A/0/0', 'succeeded');
  fixture.report('A/0/2', 'succeeded');
  t.match(fixture.job('A').taskCounts, { succeeded: 3, ready: 40 });
  fixture.expectInvariants(t, 'the second step is ready');
  t.end();
});

test('a job can be retried after a restart and survives another one', (t) => {
  const fixture = failed();
  fixture.restart();
  fixture.retryJob('A');
  fixture.expectInvariants(t, 'retried');
  fixture.restart();
  fixture.heartbeat('w1');
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'leased', [
    'task A/0/0 assigned w1',
    'task A/0/2 assigned w1',
    'job A running',
    'lease w1: A/0/0#2, A/0/2#1',
  ]);
  t.end();
});

test('a canceled job without materialized tasks is retried at once', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: 100_000 }]);
  fixture.cancelJob('A');
  fixture.takeOutputs();
  fixture.retryJob('A');
  fixture.expect(t, 'no events of single tasks', ['job A pending', 'retry A: ok']);
  t.match(fixture.job('A').taskCounts, { ready: 100_000, canceled: 0 });
  t.match(fixture.answer('retry A'), { ok: true, value: { retried: 100_000, status: null } });
  t.strictSame([...fixture.store.scan('taskPage')], []);
  t.end();
});

test('a retried job is active for its farm: its queue cannot be deleted, and jobs can depend on it', (t) => {
  const fixture = failed();
  fixture.retryJob('A');
  fixture.takeOutputs();
  fixture.deleteQueue();
  t.match(fixture.takeOutputs(), [/^delete queue: conflict/]);
  fixture.submit('B', [{ name: 's', tasks: 1 }], { after: ['A'] });
  t.equal(fixture.job('B').status, 'blocked');
  fixture.cancelJob('A');
  t.equal(fixture.job('B').status, 'canceled');
  t.end();
});

test('a terminal job cannot be retried after its queue or farm was deleted', (t) => {
  const fixture = failed();
  const other = fixture.createQueue({ name: 'other' });
  fixture.deleteQueue();
  fixture.takeOutputs();
  fixture.retryJob('A');
  fixture.retryTask('A/0/0');
  t.match(fixture.takeOutputs(), [
    /^retry A: conflict, queue .* of the job was deleted; move the job to another queue first$/,
    /^retry A\/0\/0: conflict, queue .* of the job was deleted/,
  ]);
  fixture.updateJob('A', { queueId: other });
  fixture.retryTask('A/0/0');
  t.match(fixture.job('A'), { status: 'pending', queueId: other });
  fixture.cancelJob('A');
  fixture.deleteFarm();
  fixture.takeOutputs();
  fixture.retryJob('A');
  fixture.expect(t, 'no farm', ['retry A: conflict, the farm of the job was deleted']);
  t.end();
});

test('retries, a cancel and a lease in one window leave the job consistent', (t) => {
  const fixture = failed();
  fixture.inOneWindow(() => {
    fixture.retryJob('A');
    fixture.retryTask('A/0/0');
    fixture.lease('w1');
    fixture.cancelJob('A');
    fixture.retryJob('A');
    fixture.lease('w1', { client: 'again' });
  });
  fixture.expectInvariants(t, 'together');
  fixture.deleteQueue();
  t.match(fixture.takeOutputs().at(-1), /^delete queue: conflict/);
  fixture.cancelJob('A');
  fixture.deleteQueue();
  t.equal(fixture.takeOutputs().at(-1), 'delete queue: ok', 'the farm no longer lists the job as active');
  t.end();
});

test('one task of a terminal or running job can be retried', (t) => {
  const fixture = failed();
  fixture.retryTask('A/0/0');
  fixture.expect(t, 'of a failed job', [
    'task A/0/0 pending',
    'task A/0/0 ready',
    'job A pending',
    'retry A/0/0: ok',
  ]);
  t.match(fixture.answer('retry A/0/0'), { ok: true, value: { retried: 1, status: 'ready' } });
  t.match(fixture.job('A').taskCounts, { ready: 1, canceled: 41, succeeded: 1 });
  fixture.retryTask('A/1/7');
  fixture.expect(t, 'one that waits for its step', ['task A/1/7 pending', 'retry A/1/7: ok']);
  t.match(fixture.answer('retry A/1/7'), { ok: true, value: { retried: 1, status: 'pending' } });
  fixture.retryTask('A/0/2');
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.report('A/0/2', 'succeeded');
  t.equal(fixture.task('A/1/7').status, 'ready', 'its step has completed');
  fixture.takeOutputs();
  fixture.retryTask('A/0/0');
  fixture.retryTask('A/1/7');
  fixture.retryTask('A/1/40');
  fixture.retryTask('A/2/0');
  fixture.expect(t, 'refused', [
    'retry A/0/0: conflict, the task is succeeded, neither failed nor canceled',
    'retry A/1/7: conflict, the task is ready, neither failed nor canceled',
    'retry A/1/40: not-found, the job has no such task',
    'retry A/2/0: not-found, the job has no such task',
  ]);
  t.end();
});

test('a retry next to live tasks reports ready tasks and counts live ones', (t) => {
  const fixture = new TestFarm();
  fixture.replaceQueue({ maxConcurrentTasks: 2 });
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 4 }], { retry: { maxAttempts: 1 } });
  fixture.lease('w1');
  fixture.report('A/0/0', 'failed');
  fixture.cancelTask('A/0/3');
  fixture.report('A/0/3', 'canceled');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.inOneWindow(() => {
    fixture.cancelTask('A/0/1');
    fixture.report('A/0/1', 'canceled');
    fixture.lease('w1');
    fixture.retryJob('A');
  });
  fixture.expectInvariants(t, 'together');
  t.match(fixture.job('A').taskCounts, { assigned: 2, ready: 2 });
  t.end();
});

test('a retry resumes a parked job but not a job that a user paused', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 1 });
  fixture.submit('A', [{ name: 's', tasks: 2 }], { retry: { failureLimit: 1 } });
  fixture.lease('w1');
  fixture.report('A/0/0', 'failed');
  t.match(fixture.job('A'), { status: 'paused', parkReason: 'failure limit reached' });
  fixture.takeOutputs();
  fixture.retryJob('A');
  fixture.expect(t, 'parked', ['task A/0/0 pending', 'task A/0/0 ready', 'job A pending', 'retry A: ok']);
  t.match(fixture.job('A'), { parkReason: '', failedAttempts: 0 });
  fixture.cancelTask('A/0/0');
  fixture.updateJob('A', { action: 'pause' });
  fixture.takeOutputs();
  fixture.retryTask('A/0/0');
  fixture.expect(t, 'paused', ['task A/0/0 pending', 'task A/0/0 ready', 'retry A/0/0: ok']);
  t.equal(fixture.job('A').status, 'paused');
  t.end();
});

test('a canceled task of a blocked job is pending again', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.submit('B', [{ name: 's', tasks: 2 }], { after: ['A'] });
  fixture.cancelTask('B/0/0');
  fixture.takeOutputs();
  fixture.retryTask('B/0/0');
  fixture.expect(t, 'blocked', ['task B/0/0 pending', 'retry B/0/0: ok']);
  t.match(fixture.job('B'), { status: 'blocked', taskCounts: { pending: 2 } });
  t.end();
});

test('a selection retries tasks of a step, by index or by the worker that failed them', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 3 });
  fixture.register('w2', { cpu_count: 2 });
  const steps = [
    { name: 'render', tasks: 6 },
    { name: 'light', tasks: 1, after: [] },
    { name: 'encode', tasks: 40, after: ['render'] },
  ];
  fixture.submit('A', steps, { retry: { maxAttempts: 1 } });
  fixture.lease('w1');
  fixture.lease('w2');
  for (const index of [0, 1, 3, 4]) fixture.report(`A/0/${index}`, 'failed');
  fixture.report('A/0/2', 'succeeded');
  for (const task of ['A/0/5', 'A/1/0']) {
    fixture.cancelTask(task);
    fixture.report(task, 'canceled');
  }
  t.match(fixture.job('A'), { status: 'failed', taskCounts: { succeeded: 1, failed: 4, canceled: 42 } });
  const ordinalOf = (word: string): number => fixture.task(word).workerOrdinal ?? 0;
  const [first, second] = [ordinalOf('A/0/0'), ordinalOf('A/0/3')];
  fixture.takeOutputs();
  const retry = (selection: RetrySelection): unknown => {
    fixture.retrySome('A', selection);
    return fixture.answer('retry A');
  };
  const retried = (count: number): object => ({ ok: true, value: { retried: count, status: null } });

  t.match(retry({ stepOrder: 0, indices: [{ start: 2, step: 1, count: 1 }] }), retried(0), 'succeeded');
  t.match(retry({ stepOrder: 3 }), retried(0), 'no such step');
  t.match(retry({ workerOrdinal: 77 }), retried(0), 'no such worker');
  t.match(retry({ stepOrder: 1, workerOrdinal: first }), retried(0), 'canceled, not failed');
  t.equal(fixture.job('A').status, 'failed', 'an empty retry does not reactivate the job');
  fixture.takeOutputs();

  t.match(retry({ workerOrdinal: second }), retried(2));
  t.strictSame(fixture.takeOutputs(), [
    'task A/0/3 pending',
    'task A/0/4 pending',
    'task A/0/3 ready',
    'task A/0/4 ready',
    'job A pending',
    'retry A: ok',
  ]);
  t.match(retry({ stepOrder: 0, indices: [{ start: 1, step: 2, count: 50 }] }), retried(2), '1 and 5');
  t.match(fixture.task('A/0/1'), { status: 'ready', workerOrdinal: null });
  t.equal(fixture.task('A/0/5').status, 'ready');
  t.match(retry({ stepOrder: 2, indices: [{ start: 10, step: 10, count: 3 }] }), retried(3), 'untouched');
  t.strictSame(
    [9, 10, 20, 30, 39].map((index) => fixture.task(`A/2/${index}`).status),
    ['canceled', 'pending', 'pending', 'pending', 'canceled'],
  );
  t.match(retry({ stepOrder: 2 }), retried(37), 'the rest of the step');
  t.match(fixture.job('A').taskCounts, { succeeded: 1, failed: 1, canceled: 1, ready: 4, pending: 40 });
  t.match(retry({}), retried(2), 'all remaining tasks');
  fixture.expectInvariants(t, 'retried');
  fixture.restart();
  fixture.expectInvariants(t, 'after a restart');
  t.end();
});

test('too many single tasks are refused, whole steps are retried', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: SELECTED_TASKS_MAX + 1 }]);
  fixture.cancelJob('A');
  fixture.takeOutputs();
  fixture.retrySome('A', {
    stepOrder: 0,
    indices: [{ start: 0, step: 1, count: SELECTED_TASKS_MAX + 1 }],
  });
  fixture.expect(t, 'refused', [
    'retry A: conflict, the selection has more than 100000 tasks; select fewer tasks or whole steps',
  ]);
  fixture.retrySome('A', { stepOrder: 0 });
  fixture.expect(t, 'whole steps', ['job A pending', 'retry A: ok']);
  t.match(fixture.job('A').taskCounts, { ready: SELECTED_TASKS_MAX + 1 });
  t.end();
});
