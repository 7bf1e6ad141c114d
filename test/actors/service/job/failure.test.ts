import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

/** A fixture with one worker of 4 cores and a job A that it has leased. */
function running(
  tasks: number,
  retry: { maxAttempts?: number; failureLimit?: number; retryDelaySeconds?: number } = {},
): TestFarm {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit(
    'A',
    [
      { name: 'render', tasks },
      { name: 'encode', tasks: 2, after: ['render'] },
      { name: 'publish', tasks: 1, after: ['encode'] },
    ],
    { retry },
  );
  fixture.lease('w1');
  fixture.takeOutputs();
  return fixture;
}

test('a failure within max_attempts is retried after the delay', (t) => {
  const fixture = running(1);
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/0', 'failed', { exitCode: 3, message: 'out of memory' });
  fixture.expect(t, 'ready again', ['task A/0/0 running w1', 'task A/0/0 ready', 'count task-retries of Q']);
  t.match(fixture.task('A/0/0'), {
    status: 'ready',
    failedAttempts: 1,
    attemptNumber: 1,
    assignedAt: null,
    retryAfter: fixture.now + 10_000,
    workerOrdinal: null,
  });
  t.equal(fixture.reason('A/0/0'), '', 'it is not failed permanently');
  t.match(fixture.attempts('A/0/0'), [
    { status: 'failed', exitCode: 3, message: 'out of memory', endedAt: fixture.now },
  ]);
  t.equal(fixture.job('A').failedAttempts, 1);
  t.equal(fixture.job('A').status, 'running');
  t.end();
});

test('the last failure fails the task and cancels the dependents of its step', (t) => {
  const fixture = running(2, { maxAttempts: 2, retryDelaySeconds: 0 });
  fixture.report('A/0/1', 'succeeded');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.report('A/0/0', 'failed', { exitCode: 1 });
  fixture.expect(t, 'at once without a delay', [
    'task A/0/0 ready',
    'count task-retries of Q',
    'task A/0/0 assigned w1',
    'lease w1: A/0/0#2',
  ]);
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/0', 'failed', { exitCode: 1, message: 'no license' });
  fixture.expect(t, 'exhausted', ['task A/0/0 running w1', 'task A/0/0 failed', 'job A failed']);
  t.equal(fixture.reason('A/0/0'), 'no license');
  t.equal(fixture.task('A/0/0').failedAttempts, 2);
  for (const word of ['A/1/0', 'A/1/1', 'A/2/0']) {
    t.equal(fixture.task(word).status, 'canceled', word);
    t.equal(fixture.reason(word), 'canceled: upstream step failed', word);
  }
  t.match(fixture.job('A'), { failedAttempts: 2, parkReason: '', cancelReason: '' });
  t.equal(fixture.isResident('job', fixture.jobId('A')), false);
  t.end();
});

test('a failed task does not stop its own step', (t) => {
  const fixture = running(3, { maxAttempts: 1 });
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'the other tasks continue', ['task A/0/0 failed']);
  fixture.report('A/0/1', 'running');
  fixture.report('A/0/1', 'succeeded');
  fixture.report('A/0/2', 'succeeded');
  fixture.expect(t, 'the step ends with its last task', [
    'task A/0/1 running w1',
    'task A/0/1 succeeded',
    'task A/0/2 succeeded',
    'job A failed',
  ]);
  t.end();
});

test('a failure without a message gets a reason from its exit code', (t) => {
  const fixture = running(2, { maxAttempts: 1 });
  fixture.report('A/0/0', 'failed', { exitCode: 3 });
  fixture.report('A/0/1', 'failed');
  t.equal(fixture.reason('A/0/0'), 'failed (exit 3)');
  t.equal(fixture.reason('A/0/1'), 'failed');
  t.match(fixture.attempts('A/0/0'), [{ status: 'failed', message: '', exitCode: 3 }]);
  fixture.expectInvariants(t, 'both failed');
  t.end();
});

test('a reported cancel stores its message as the reason and counts no failure', (t) => {
  const fixture = running(1);
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/0', 'canceled', { message: 'the session was ended' });
  fixture.expect(t, 'canceled', ['task A/0/0 running w1', 'task A/0/0 canceled', 'job A failed']);
  t.equal(fixture.reason('A/0/0'), 'the session was ended');
  t.equal(fixture.task('A/0/0').failedAttempts, 0);
  t.match(fixture.attempts('A/0/0'), [{ status: 'canceled', message: 'the session was ended' }]);
  t.end();
});

test('the failure limit parks the job: live tasks continue, and no more tasks are leased', (t) => {
  const fixture = running(6, { failureLimit: 2 });
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'the first failure', ['task A/0/0 ready', 'count task-retries of Q']);
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.report('A/0/1', 'failed', { exitCode: 7 });
  fixture.expect(t, 'the second failure reaches the limit', [
    'task A/0/1 failed',
    'count jobs-autoparked of Q',
    'job A paused',
  ]);
  t.equal(fixture.task('A/0/1').failedAttempts, 1, 'although it had attempts left');
  t.equal(fixture.reason('A/0/1'), 'failed (exit 7)');
  t.match(fixture.job('A'), { status: 'paused', parkReason: 'failure limit reached', failedAttempts: 2 });
  fixture.advance(10_000);
  fixture.lease('w1');
  fixture.report('A/0/2', 'running');
  fixture.report('A/0/2', 'succeeded');
  fixture.expect(t, 'parked', ['task A/0/2 running w1', 'task A/0/2 succeeded']);
  fixture.report('A/0/3', 'failed');
  fixture.expect(t, 'another failure fails its task; the job is already parked', ['task A/0/3 failed']);
  fixture.cancelJob('A');
  fixture.expect(t, 'a parked job can be canceled', [
    'task A/0/0 canceled',
    'stop A/0/4#1: canceled by user',
    'task A/0/4 canceled',
    'job A canceled',
    'cancel A: ok',
  ]);
  t.equal(fixture.job('A').parkReason, '');
  t.end();
});

test('a job ends at once if its last active task reaches the failure limit', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 1 }], { retry: { failureLimit: 1 } });
  fixture.submit('B', [{ name: 's', tasks: 1 }], { after: ['A'] });
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'the job fails and its dependents are canceled', [
    'task A/0/0 failed',
    'count jobs-autoparked of Q',
    'job A failed',
    'job B canceled',
  ]);
  t.match(fixture.job('A'), { status: 'failed', parkReason: 'failure limit reached' });
  t.end();
});

test('a parked job ends when its step ends: waiting steps are canceled', (t) => {
  const fixture = running(1, { failureLimit: 1 });
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'no live task is left', [
    'task A/0/0 failed',
    'count jobs-autoparked of Q',
    'job A failed',
  ]);
  t.equal(fixture.reason('A/1/0'), 'canceled: upstream step failed');
  t.end();
});

test('retry settings apply as of the moment of the failure', (t) => {
  const fixture = running(4);
  fixture.replaceQueue({ retry: { maxAttempts: 1 } });
  fixture.takeOutputs();
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'the queue allows one attempt', ['task A/0/0 failed']);
  fixture.replaceFarm({ retry: { retryDelaySeconds: 2 } });
  fixture.replaceQueue({ retry: {} });
  fixture.takeOutputs();
  fixture.report('A/0/1', 'failed');
  fixture.expect(t, 'the server allows three attempts', ['task A/0/1 ready', 'count task-retries of Q']);
  t.equal(fixture.task('A/0/1').retryAfter, fixture.now + 2000, 'the farm sets the delay');
  fixture.replaceFarm({ retry: { failureLimit: 3 } });
  fixture.takeOutputs();
  fixture.report('A/0/2', 'failed');
  fixture.expect(t, 'the farm has a failure limit now', [
    'task A/0/2 failed',
    'count jobs-autoparked of Q',
    'job A paused',
  ]);
  t.end();
});

test('the settings of a job override those of queue and farm', (t) => {
  const fixture = running(1, { maxAttempts: 2, retryDelaySeconds: 1, failureLimit: 0 });
  fixture.replaceFarm({ retry: { failureLimit: 1, maxAttempts: 1 } });
  fixture.replaceQueue({ retry: { retryDelaySeconds: 99 } });
  fixture.takeOutputs();
  fixture.report('A/0/0', 'failed');
  fixture.expect(t, 'retried', ['task A/0/0 ready', 'count task-retries of Q']);
  t.equal(fixture.task('A/0/0').retryAfter, fixture.now + 1000);
  t.end();
});
