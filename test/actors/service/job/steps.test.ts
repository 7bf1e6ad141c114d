import { test } from 'tap';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/** left and right after source, join after both, tail after join. */
function diamond(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 8 });
  farm.submit(
    'A',
    [
      { name: 'source', tasks: 1 },
      { name: 'left', tasks: 1, after: ['source'] },
      { name: 'right', tasks: 1, after: ['source'] },
      { name: 'join', tasks: 2, after: ['left', 'right'] },
      { name: 'tail', tasks: 1, after: ['join'] },
    ],
    { retry: { maxAttempts: 1 } },
  );
  farm.lease('w1');
  farm.takeOutputs();
  return farm;
}

const statuses = (farm: TestFarm): string[] =>
  [...farm.store.scan('step', { prefix: keys.stepsOf(farm.jobId('A')) })].map((row) => row.value.status);

test('a step waits for every step that it depends on', (t) => {
  const farm = diamond();
  t.strictSame(statuses(farm), ['running', 'pending', 'pending', 'pending', 'pending']);
  farm.report('A/0/0', 'succeeded');
  t.strictSame(statuses(farm), ['completed', 'ready', 'ready', 'pending', 'pending']);
  farm.lease('w1');
  farm.report('A/1/0', 'succeeded');
  farm.lease('w1');
  farm.expect(t, 'one of two', [
    'task A/0/0 succeeded',
    'task A/1/0 assigned w1',
    'task A/2/0 assigned w1',
    'lease w1: A/1/0#1, A/2/0#1',
    'task A/1/0 succeeded',
  ]);
  t.strictSame(statuses(farm), ['completed', 'completed', 'running', 'pending', 'pending']);
  farm.report('A/2/0', 'succeeded');
  farm.expect(t, 'both', [
    'task A/2/0 succeeded',
    'task A/3/0 assigned w1',
    'task A/3/1 assigned w1',
    'lease w1: A/3/0#1, A/3/1#1',
  ]);
  farm.report('A/3/0', 'succeeded');
  t.strictSame(statuses(farm), ['completed', 'completed', 'completed', 'running', 'pending']);
  farm.expectInvariants(t, 'half of the join');
  t.end();
});

test('a failed step cancels all dependent steps, and independent steps continue', (t) => {
  const farm = diamond();
  farm.report('A/0/0', 'succeeded');
  farm.lease('w1');
  farm.takeOutputs();
  farm.report('A/1/0', 'failed');
  farm.expect(t, 'the other branch continues', ['task A/1/0 failed']);
  t.strictSame(statuses(farm), ['completed', 'failed', 'running', 'canceled', 'canceled']);
  farm.report('A/2/0', 'succeeded');
  farm.expect(t, 'and does not start canceled steps', ['task A/2/0 succeeded', 'job A failed']);
  t.strictSame(statuses(farm), ['completed', 'failed', 'completed', 'canceled', 'canceled']);
  t.equal(farm.reason('A/3/1'), 'canceled: upstream step failed');
  t.equal(farm.reason('A/4/0'), 'canceled: upstream step failed');
  t.end();
});

test('canceling the only task of a waiting step ends the step and its dependents at once', (t) => {
  const farm = diamond();
  farm.cancelTask('A/2/0');
  farm.expect(t, 'canceled', ['task A/2/0 canceled', 'cancel A/2/0: ok']);
  t.strictSame(statuses(farm), ['running', 'pending', 'canceled', 'canceled', 'canceled']);
  t.equal(farm.reason('A/2/0'), 'canceled by user');
  t.equal(farm.reason('A/3/0'), 'canceled: upstream step failed');
  farm.report('A/0/0', 'succeeded');
  farm.lease('w1');
  farm.report('A/1/0', 'succeeded');
  farm.expect(t, 'the job ends with the remaining tasks', [
    'task A/0/0 succeeded',
    'task A/1/0 assigned w1',
    'lease w1: A/1/0#1',
    'task A/1/0 succeeded',
    'job A failed',
  ]);
  t.end();
});

test('tasks beyond the first page of packed state behave like those on it', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 100 });
  farm.submit('A', [{ name: 's', tasks: 70 }]);
  farm.lease('w1');
  for (const index of [0, 31, 32, 63, 64, 69]) farm.report(`A/0/${index}`, 'running');
  farm.report('A/0/32', 'succeeded');
  farm.report('A/0/69', 'failed');
  farm.restart();
  t.strictSame(
    [0, 1, 31, 32, 63, 64, 69].map((index) => farm.task(`A/0/${index}`).status),
    ['running', 'assigned', 'running', 'succeeded', 'running', 'running', 'ready'],
  );
  farm.expectInvariants(t, 'three pages');
  t.end();
});
