import { test } from 'tap';
import type { RetrySelection } from '../../../../actors/service/job/messages.ts';
import { SELECTED_TASKS_MAX } from '../../../../actors/service/job/retry-selection.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const two = [
  { name: 'render', tasks: 3 },
  { name: 'encode', tasks: 40, after: ['render'] },
];

/** A job that has failed: one task of the first step failed, one succeeded, one was canceled; the second step waited. */
function failed(): TestHouse {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.submit('A', two, { retry: { maxAttempts: 1 } });
  house.lease('w1');
  house.report('A/0/0', 'failed', { exitCode: 3 });
  house.report('A/0/1', 'succeeded');
  house.cancelTask('A/0/2');
  house.heard();
  return house;
}

test('a failed job is tried again: what failed or was canceled, and nothing else', (t) => {
  const house = failed();
  t.match(house.job('A'), { status: 'failed', failedAttempts: 1 });
  t.equal(house.reason('A/0/0'), 'failed (exit 3)');
  house.retryJob('A');
  house.expect(t, 'tried again', [
    'task A/0/0 pending',
    'task A/0/2 pending',
    'task A/0/0 ready',
    'task A/0/2 ready',
    'job A pending',
    'retry A: ok',
  ]);
  t.strictSame(house.answer('retry A'), { ok: true, value: { retried: 42, status: null } });
  t.match(house.task('A/0/0'), { failedAttempts: 0, attemptNumber: 1, workerOrdinal: 0, hasText: false });
  t.strictSame([house.reason('A/0/0'), house.reason('A/0/2'), house.reason('A/1/39')], ['', '', '']);
  t.match(house.job('A'), {
    status: 'pending',
    failedAttempts: 0,
    taskCounts: { total: 43, succeeded: 1, ready: 2, pending: 40, failed: 0, canceled: 0 },
  });
  house.retryJob('A');
  house.expect(t, 'nothing is left to try', ['retry A: ok']);
  t.strictSame(house.answer('retry A'), { ok: true, value: { retried: 0, status: null } });
  house.lease('w1');
  house.expect(t, 'the attempts go on counting', [
    'task A/0/0 assigned w1',
    'task A/0/2 assigned w1',
    'job A running',
    'lease w1: A/0/0#2, A/0/2#1',
  ]);
  house.report('A/0/0', 'succeeded');
  house.report('A/0/2', 'succeeded');
  t.match(house.job('A').taskCounts, { succeeded: 3, ready: 40 });
  house.checkAtRest(t, 'the second step is ready');
  t.end();
});

test('a job is tried again after a restart, and lives through another', (t) => {
  const house = failed();
  house.restart();
  house.retryJob('A');
  house.checkAtRest(t, 'tried again');
  house.restart();
  house.heartbeat('w1');
  house.heard();
  house.lease('w1');
  house.expect(t, 'leased', [
    'task A/0/0 assigned w1',
    'task A/0/2 assigned w1',
    'job A running',
    'lease w1: A/0/0#2, A/0/2#1',
  ]);
  t.end();
});

test('a canceled job of untouched tasks is tried again at once', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 100_000 }]);
  house.cancelJob('A');
  house.heard();
  house.retryJob('A');
  house.expect(t, 'no word of single tasks', ['job A pending', 'retry A: ok']);
  t.match(house.job('A').taskCounts, { ready: 100_000, canceled: 0 });
  t.strictSame(house.answer('retry A'), { ok: true, value: { retried: 100_000, status: null } });
  t.strictSame([...house.store.scan('taskPage')], []);
  t.end();
});

test('a canceled job whose upstream failed does not wait for it any more', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.submit('B', [{ name: 's', tasks: 1 }], { after: ['A'] });
  house.cancelJob('A');
  t.match(house.job('B'), { status: 'canceled', cancelReason: 'canceled: upstream job failed' });
  house.retryJob('B');
  t.match(house.job('B'), { status: 'pending', cancelReason: '', taskCounts: { ready: 1 } });
  house.updateJob('B', { action: 'pause' });
  house.retryJob('A');
  house.cancelJob('A');
  t.equal(house.job('B').status, 'paused', 'and is not canceled with it');
  house.checkAtRest(t, 'paused');
  t.end();
});

test('the farm counts a job that is tried again: its queue stays, and others wait for it', (t) => {
  const house = failed();
  house.retryJob('A');
  house.heard();
  house.deleteQueue();
  t.match(house.heard(), [/^delete queue: conflict/]);
  house.submit('B', [{ name: 's', tasks: 1 }], { after: ['A'] });
  t.equal(house.job('B').status, 'blocked');
  house.cancelJob('A');
  t.equal(house.job('B').status, 'canceled');
  t.end();
});

test('without its queue or its farm a job that has ended cannot be tried again', (t) => {
  const house = failed();
  const other = house.createQueue({ name: 'other' });
  house.deleteQueue();
  house.heard();
  house.retryJob('A');
  house.retryTask('A/0/0');
  t.match(house.heard(), [
    /^retry A: conflict, the queue .* does not exist any more; move the job to another first$/,
    /^retry A\/0\/0: conflict, the queue .* does not exist any more/,
  ]);
  house.updateJob('A', { queueId: other });
  house.retryTask('A/0/0');
  t.match(house.job('A'), { status: 'pending', queueId: other });
  house.cancelJob('A');
  house.deleteFarm();
  house.heard();
  house.retryJob('A');
  house.expect(t, 'no farm', ['retry A: conflict, the farm of the job does not exist any more']);
  t.end();
});

test('retries, a cancel and a lease in one breath', (t) => {
  const house = failed();
  house.together(() => {
    house.retryJob('A');
    house.retryTask('A/0/0');
    house.lease('w1');
    house.cancelJob('A');
    house.retryJob('A');
    house.lease('w1', { client: 'again' });
  });
  house.checkAtRest(t, 'together');
  house.deleteQueue();
  t.match(house.heard().at(-1), /^delete queue: conflict/);
  house.cancelJob('A');
  house.deleteQueue();
  t.equal(house.heard().at(-1), 'delete queue: ok', 'the farm has forgotten the job');
  t.end();
});

test('one task is tried again, in a job that has ended and in one that runs', (t) => {
  const house = failed();
  house.retryTask('A/0/0');
  house.expect(t, 'of a failed job', [
    'task A/0/0 pending',
    'task A/0/0 ready',
    'job A pending',
    'retry A/0/0: ok',
  ]);
  t.strictSame(house.answer('retry A/0/0'), { ok: true, value: { retried: 1, status: 'ready' } });
  t.match(house.job('A').taskCounts, { ready: 1, canceled: 41, succeeded: 1 });
  house.retryTask('A/1/7');
  house.expect(t, 'one that waits for its step', ['task A/1/7 pending', 'retry A/1/7: ok']);
  t.strictSame(house.answer('retry A/1/7'), { ok: true, value: { retried: 1, status: 'pending' } });
  house.retryTask('A/0/2');
  house.lease('w1');
  house.report('A/0/0', 'succeeded');
  house.report('A/0/2', 'succeeded');
  t.equal(house.task('A/1/7').status, 'ready', 'its step has completed');
  house.heard();
  house.retryTask('A/0/0');
  house.retryTask('A/1/7');
  house.retryTask('A/1/40');
  house.retryTask('A/2/0');
  house.expect(t, 'refused', [
    'retry A/0/0: conflict, the task is succeeded, neither failed nor canceled',
    'retry A/1/7: conflict, the task is ready, neither failed nor canceled',
    'retry A/1/40: not-found, the job has no such task',
    'retry A/2/0: not-found, the job has no such task',
  ]);
  t.end();
});

test('a retry beside live tasks offers what is ready and counts what is live', (t) => {
  const house = new TestHouse();
  house.replaceQueue({ maxConcurrentTasks: 2 });
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 4 }], { retry: { maxAttempts: 1 } });
  house.lease('w1');
  house.report('A/0/0', 'failed');
  house.cancelTask('A/0/3');
  house.lease('w1');
  house.heard();
  house.together(() => {
    house.cancelTask('A/0/1');
    house.lease('w1');
    house.retryJob('A');
  });
  house.checkAtRest(t, 'together');
  t.match(house.job('A').taskCounts, { assigned: 2, ready: 2 });
  t.end();
});

test('a parked job goes on when it is tried again, one that a user has paused does not', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 2 }], { retry: { failureLimit: 1 } });
  house.lease('w1');
  house.report('A/0/0', 'failed');
  t.match(house.job('A'), { status: 'paused', parkReason: 'failure limit reached' });
  house.heard();
  house.retryJob('A');
  house.expect(t, 'parked', ['task A/0/0 pending', 'task A/0/0 ready', 'job A pending', 'retry A: ok']);
  t.match(house.job('A'), { parkReason: '', failedAttempts: 0 });
  house.cancelTask('A/0/0');
  house.updateJob('A', { action: 'pause' });
  house.heard();
  house.retryTask('A/0/0');
  house.expect(t, 'paused', ['task A/0/0 pending', 'task A/0/0 ready', 'retry A/0/0: ok']);
  t.equal(house.job('A').status, 'paused');
  t.end();
});

test('a canceled task of a blocked job goes back to waiting', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.submit('B', [{ name: 's', tasks: 2 }], { after: ['A'] });
  house.cancelTask('B/0/0');
  house.heard();
  house.retryTask('B/0/0');
  house.expect(t, 'blocked', ['task B/0/0 pending', 'retry B/0/0: ok']);
  t.match(house.job('B'), { status: 'blocked', taskCounts: { pending: 2 } });
  t.end();
});

test('some tasks of a job are tried again: of a step, at places in it, failed on a worker', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 3 });
  house.register('w2', { cpu_count: 2 });
  const steps = [
    { name: 'render', tasks: 6 },
    { name: 'light', tasks: 1, after: [] },
    { name: 'encode', tasks: 40, after: ['render'] },
  ];
  house.submit('A', steps, { retry: { maxAttempts: 1 } });
  house.lease('w1');
  house.lease('w2');
  for (const index of [0, 1, 3, 4]) house.report(`A/0/${index}`, 'failed');
  house.report('A/0/2', 'succeeded');
  house.cancelTask('A/0/5');
  house.cancelTask('A/1/0');
  t.match(house.job('A'), { status: 'failed', taskCounts: { succeeded: 1, failed: 4, canceled: 42 } });
  const [first, second] = [house.task('A/0/0').workerOrdinal, house.task('A/0/3').workerOrdinal];
  house.heard();
  const retry = (selection: RetrySelection): unknown => {
    house.retrySome('A', selection);
    return house.answer('retry A');
  };
  const retried = (count: number): object => ({ ok: true, value: { retried: count, status: null } });

  t.strictSame(retry({ stepOrder: 0, indices: [{ start: 2, step: 1, count: 1 }] }), retried(0), 'succeeded');
  t.strictSame(retry({ stepOrder: 3 }), retried(0), 'no such step');
  t.strictSame(retry({ workerOrdinal: 77 }), retried(0), 'no such worker');
  t.strictSame(retry({ stepOrder: 1, workerOrdinal: first }), retried(0), 'canceled, not failed');
  t.equal(house.job('A').status, 'failed', 'a retry of nothing takes no job in again');
  house.heard();

  t.strictSame(retry({ workerOrdinal: second }), retried(2));
  t.strictSame(house.heard(), [
    'task A/0/3 pending',
    'task A/0/4 pending',
    'task A/0/3 ready',
    'task A/0/4 ready',
    'job A pending',
    'retry A: ok',
  ]);
  t.strictSame(retry({ stepOrder: 0, indices: [{ start: 1, step: 2, count: 50 }] }), retried(2), '1 and 5');
  t.match(house.task('A/0/1'), { status: 'ready', workerOrdinal: 0 });
  t.equal(house.task('A/0/5').status, 'ready');
  t.strictSame(
    retry({ stepOrder: 2, indices: [{ start: 10, step: 10, count: 3 }] }),
    retried(3),
    'untouched',
  );
  t.strictSame(
    [9, 10, 20, 30, 39].map((index) => house.task(`A/2/${index}`).status),
    ['canceled', 'pending', 'pending', 'pending', 'canceled'],
  );
  t.strictSame(retry({ stepOrder: 2 }), retried(37), 'the rest of the step');
  t.match(house.job('A').taskCounts, { succeeded: 1, failed: 1, canceled: 1, ready: 4, pending: 40 });
  t.strictSame(retry({}), retried(2), 'and what is left');
  house.checkAtRest(t, 'tried again');
  house.restart();
  house.checkAtRest(t, 'after a restart');
  t.end();
});

test('too many single tasks are not tried again at once, whole steps are', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: SELECTED_TASKS_MAX + 1 }]);
  house.cancelJob('A');
  house.heard();
  house.retrySome('A', {
    stepOrder: 0,
    indices: [{ start: 0, step: 1, count: SELECTED_TASKS_MAX + 1 }],
  });
  house.expect(t, 'refused', [
    'retry A: conflict, more than 100000 tasks are selected: select fewer, or whole steps',
  ]);
  house.retrySome('A', { stepOrder: 0 });
  house.expect(t, 'whole', ['job A pending', 'retry A: ok']);
  t.match(house.job('A').taskCounts, { ready: SELECTED_TASKS_MAX + 1 });
  t.end();
});
