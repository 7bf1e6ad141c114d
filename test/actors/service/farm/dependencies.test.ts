import { test } from 'tap';
import { jobId } from '../../../../src/core/ids.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const one = [{ name: 's', tasks: 1 }];

test('a job with upstream jobs is blocked until the last of them has completed', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.submit('B', one);
  fixture.takeOutputs();
  fixture.submit(
    'C',
    [
      { name: 's', tasks: 2 },
      { name: 'after', tasks: 1, after: ['s'] },
    ],
    { after: ['A', 'B'] },
  );
  fixture.expect(t, 'submitted', ['job C blocked', 'submit C: ok']);
  t.match(fixture.job('C'), {
    dependsOn: [fixture.jobId('A'), fixture.jobId('B')],
    taskCounts: { pending: 3, ready: 0 },
  });
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.report('B/0/0', 'succeeded');
  fixture.expect(t, 'unblocked: the tasks of its first step are ready', [
    'task B/0/0 succeeded',
    'job B completed',
    'job C pending',
    'task C/0/0 assigned w1',
    'task C/0/1 assigned w1',
    'job C running',
    'lease w1: C/0/0#1, C/0/1#1',
  ]);
  t.end();
});

test('a job whose upstreams have completed is not blocked', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.takeOutputs();
  fixture.submit('B', one, { after: ['A'] });
  fixture.expect(t, 'blocked only during its submission', ['job B blocked', 'submit B: ok', 'job B pending']);
  fixture.lease('w1');
  fixture.expect(t, 'it can be leased', ['task B/0/0 assigned w1', 'job B running', 'lease w1: B/0/0#1']);
  t.end();
});

test('a failed or canceled upstream cancels all its dependents, transitively', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('other', one);
  fixture.submit('B', one, { after: ['A', 'other'] });
  fixture.submit('C', one, { after: ['B'] });
  fixture.submit('D', one, { after: ['C', 'A'] });
  fixture.submit('E', one, { after: ['other'] });
  fixture.takeOutputs();
  fixture.cancelJob('A');
  fixture.expect(t, 'the chain', [
    'job A canceled',
    'cancel A: ok',
    'job B canceled',
    'job D canceled',
    'job C canceled',
  ]);
  for (const name of ['B', 'C', 'D']) {
    t.match(fixture.job(name), { status: 'canceled', cancelReason: 'canceled: upstream job failed' }, name);
    t.equal(fixture.reason(`${name}/0/0`), 'canceled: upstream job failed', name);
  }
  t.equal(fixture.job('A').cancelReason, '');
  t.equal(fixture.job('E').status, 'blocked');
  t.end();
});

test('a job with a failed upstream is canceled at once', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.cancelJob('A');
  fixture.takeOutputs();
  fixture.submit('B', one, { after: ['A'] });
  fixture.expect(t, 'canceled', ['job B blocked', 'submit B: ok', 'job B canceled']);
  t.end();
});

test('canceling a blocked job does not affect its upstream', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.submit('B', one, { after: ['A'] });
  fixture.takeOutputs();
  fixture.cancelJob('B');
  fixture.expect(t, 'canceled by a user', ['job B canceled', 'cancel B: ok']);
  t.equal(fixture.reason('B/0/0'), 'canceled by user');
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'the upstream completes', [
    'task A/0/0 assigned w1',
    'job A running',
    'lease w1: A/0/0#1',
    'task A/0/0 succeeded',
    'job A completed',
  ]);
  t.end();
});

test('an upstream that is listed twice counts once', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.submit('B', one, { after: ['A', 'A'] });
  t.strictSame(fixture.job('B').dependsOn, [fixture.jobId('A')]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  t.equal(fixture.job('B').status, 'pending');
  t.end();
});

test('an upstream may end between the read of the store and the submission', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', one);
  fixture.submit('X', one);
  const before = [{ jobId: fixture.jobId('A'), status: fixture.job('A').status }];
  fixture.cancelJob('A');
  fixture.takeOutputs();
  fixture.submitAfter('B', one, before);
  fixture.expect(t, 'the farm has the outcome', ['job B blocked', 'submit B: ok', 'job B canceled']);
  fixture.restart();
  fixture.takeOutputs();
  fixture.submitAfter('C', one, before);
  fixture.expect(t, 'without the outcome the client must retry', [
    `submit C: unavailable, job ${fixture.jobId('A')} is ending; retry the request`,
  ]);
  fixture.submitAfter('D', one, [{ jobId: jobId(fixture.jobId('A')), status: 'canceled' }]);
  fixture.expect(t, 'retried with the current status', ['job D blocked', 'submit D: ok', 'job D canceled']);
  t.end();
});

test('dependencies survive a restart of the service', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.submit('B', one);
  fixture.submit('C', one, { after: ['A', 'B'] });
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.restart();
  fixture.takeOutputs();
  fixture.report('B/0/0', 'succeeded');
  fixture.expect(t, 'unblocked', ['task B/0/0 succeeded', 'job B completed', 'job C pending']);
  t.end();
});

test('a job that fails cancels its dependents', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', one, { retry: { maxAttempts: 1 } });
  fixture.submit('B', one, { after: ['A'] });
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.report('A/0/0', 'failed', { exitCode: 1 });
  fixture.expect(t, 'B does not run', ['task A/0/0 failed', 'job A failed', 'job B canceled']);
  t.end();
});
