import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const ONE = [{ name: 's', tasks: 1 }];

/** A has failed, so B and C were canceled: C depends on B, and B on A. */
function failedChain(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 8 });
  farm.submit('A', ONE, { retry: { maxAttempts: 1 } });
  farm.submit('B', ONE, { after: ['A'] });
  farm.submit('C', ONE, { after: ['B'] });
  farm.lease('w1');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.takeOutputs();
  return farm;
}

const statuses = (farm: TestFarm, names = ['A', 'B', 'C']): string =>
  names.map((name) => `${name} ${farm.job(name).status}`).join(', ');

test('a retried job is blocked while its upstream job is active, and is canceled when that fails', (t) => {
  const farm = failedChain();
  t.equal(statuses(farm), 'A failed, B canceled, C canceled');
  farm.retryJob('A');
  farm.retryJob('B');
  t.equal(statuses(farm), 'A pending, B blocked, C canceled');
  t.match(farm.answer('retry B'), { ok: true, value: { retried: 1, jobStatus: 'blocked' } });
  t.match(farm.job('B'), { cancelReason: '', taskCounts: { pending: 1, ready: 0 } });
  farm.expectInvariants(t, 'blocked');
  farm.lease('w1');
  t.equal(statuses(farm), 'A running, B blocked, C canceled', 'no task of B was leased');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  t.equal(statuses(farm), 'A failed, B canceled, C canceled');
  farm.expectInvariants(t, 'canceled again');
  t.end();
});

test('a retried job runs when its upstream job has completed', (t) => {
  const farm = failedChain();
  farm.retryJob('A');
  farm.retryJob('B');
  farm.lease('w1');
  farm.report('A/0/0', 'succeeded');
  t.equal(statuses(farm), 'A completed, B pending, C canceled');
  farm.retryJob('C');
  t.equal(statuses(farm), 'A completed, B pending, C blocked');
  farm.lease('w1');
  farm.report('B/0/0', 'succeeded');
  t.equal(statuses(farm), 'A completed, B completed, C pending');
  farm.expectInvariants(t, 'completed');
  t.end();
});

for (const isRestarted of [false, true]) {
  test(`a job that is retried before its failed upstream waits for its retry, restarted: ${isRestarted}`, (t) => {
    const farm = failedChain();
    farm.retryJob('B');
    t.equal(statuses(farm), 'A failed, B blocked, C canceled');
    if (isRestarted) farm.restart();
    t.equal(statuses(farm), 'A failed, B blocked, C canceled');
    farm.expectInvariants(t, 'waits');
    farm.retryJob('A');
    if (isRestarted) {
      farm.restart();
      farm.heartbeat('w1');
    }
    farm.lease('w1');
    farm.report('A/0/0', 'succeeded');
    t.equal(statuses(farm), 'A completed, B pending, C canceled');
    farm.expectInvariants(t, 'released');
    t.end();
  });
}

test('a deleted upstream job no longer counts for a retry; one that is deleted later cancels the job', (t) => {
  const farm = failedChain();
  farm.deleteJob('A');
  farm.retryJob('B');
  t.equal(farm.job('B').status, 'pending');
  t.strictSame(farm.job('B').dependsOn, []);
  const other = failedChain();
  other.retryJob('B');
  other.deleteJob('A');
  t.equal(other.job('B').status, 'canceled');
  other.expectInvariants(t, 'canceled');
  t.end();
});

test('a restore retries only jobs that were canceled by an upstream which is active or completed now', (t) => {
  const farm = failedChain();
  farm.retryJob('B', 'restore');
  t.match(farm.answer('retry B'), { ok: true, value: { retried: 0 } }, 'A has failed');
  t.equal(statuses(farm), 'A failed, B canceled, C canceled');
  farm.retryJob('A');
  farm.retryJob('B', 'restore');
  farm.retryJob('C', 'restore');
  t.equal(statuses(farm), 'A pending, B blocked, C blocked');
  farm.cancelJob('C');
  farm.retryJob('C', 'restore');
  t.match(farm.answer('retry C'), { ok: true, value: { retried: 0 } }, 'a user has canceled it');
  t.equal(farm.job('C').status, 'canceled');
  farm.expectInvariants(t, 'restored');
  t.end();
});

test('a paused retried job stays blocked when it is resumed', (t) => {
  const farm = failedChain();
  farm.retryJob('A');
  farm.retryJob('B');
  farm.updateJob('B', { action: 'pause' });
  t.equal(farm.job('B').status, 'paused');
  farm.updateJob('B', { action: 'resume' });
  t.equal(farm.job('B').status, 'blocked');
  farm.expectInvariants(t, 'blocked');
  t.end();
});

/** Steps a, b (after a) and c (after b). Task 1 of a has failed; b and c were canceled. */
function failedSteps(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 8 });
  farm.submit(
    'A',
    [
      { name: 'a', tasks: 2 },
      { name: 'b', tasks: 40, after: ['a'] },
      { name: 'c', tasks: 3, after: ['b'] },
    ],
    { retry: { maxAttempts: 1 } },
  );
  farm.lease('w1');
  farm.report('A/0/0', 'succeeded');
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  farm.takeOutputs();
  return farm;
}

test('a retried task behind a failed step waits for that step', (t) => {
  const farm = failedSteps();
  farm.retryTask('A/1/7');
  t.match(farm.answer('retry A/1/7'), { ok: true, value: { retried: 1, status: 'pending' } });
  farm.lease('w1');
  t.match(farm.job('A').taskCounts, { pending: 1, ready: 0, assigned: 0 });
  farm.retryTask('A/0/1');
  farm.lease('w1');
  farm.report('A/0/1', 'succeeded');
  t.match(farm.job('A').taskCounts, { assigned: 1, canceled: 42 });
  farm.expectInvariants(t, 'ready');
  t.end();
});

test('a retry with later steps restores the tasks that were canceled because of the step', (t) => {
  const farm = failedSteps();
  farm.retryTask('A/0/1');
  t.match(farm.job('A').taskCounts, { canceled: 43 }, 'not without');
  farm.cancelTask('A/0/1');
  farm.retryTask('A/1/7');
  farm.cancelTask('A/1/7');
  farm.retrySome('A', { stepOrder: 0 }, 'later steps');
  t.match(farm.answer('retry A'), {
    ok: true,
    value: { retried: 40, steps: [{ retried: 1 }, { stepOrder: 1, retried: 39 }] },
  });
  const left = { ready: 1, pending: 39, canceled: 4 };
  t.match(farm.job('A').taskCounts, left, 'a user canceled one task, so that the last step cannot run');
  farm.expectInvariants(t, 'restored');
  const other = failedSteps();
  other.retryTask('A/0/1', 'later steps');
  t.match(other.job('A').taskCounts, { ready: 1, pending: 43, canceled: 0 });
  t.match(other.answer('retry A/0/1'), { ok: true, value: { retried: 44, status: 'ready' } });
  t.end();
});

test('tasks of a later step stay canceled while an earlier step has failed tasks that are not retried', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 8 });
  farm.submit(
    'A',
    [
      { name: 'a', tasks: 2 },
      { name: 'b', tasks: 2, after: ['a'] },
    ],
    { retry: { maxAttempts: 1 } },
  );
  farm.lease('w1');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  farm.retryTask('A/0/1', 'later steps');
  t.match(farm.job('A').taskCounts, { ready: 1, failed: 1, canceled: 2 });
  t.end();
});
