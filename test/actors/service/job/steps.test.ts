import { test } from 'tap';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestHouse } from '../../../kit/test-house.ts';

/** left and right after source, join after both, tail after join. */
function diamond(): TestHouse {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 8 });
  house.submit(
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
  house.lease('w1');
  house.heard();
  return house;
}

const statuses = (house: TestHouse): string[] =>
  [...house.store.scan('step', { prefix: keys.stepsOf(house.jobId('A')) })].map((row) => row.value.status);

test('a step waits for every step that it depends on', (t) => {
  const house = diamond();
  t.strictSame(statuses(house), ['running', 'pending', 'pending', 'pending', 'pending']);
  house.report('A/0/0', 'succeeded');
  t.strictSame(statuses(house), ['completed', 'ready', 'ready', 'pending', 'pending']);
  house.lease('w1');
  house.report('A/1/0', 'succeeded');
  house.lease('w1');
  house.expect(t, 'one of two', [
    'task A/0/0 succeeded',
    'task A/1/0 assigned w1',
    'task A/2/0 assigned w1',
    'lease w1: A/1/0#1, A/2/0#1',
    'task A/1/0 succeeded',
  ]);
  t.strictSame(statuses(house), ['completed', 'completed', 'running', 'pending', 'pending']);
  house.report('A/2/0', 'succeeded');
  house.expect(t, 'both', [
    'task A/2/0 succeeded',
    'task A/3/0 assigned w1',
    'task A/3/1 assigned w1',
    'lease w1: A/3/0#1, A/3/1#1',
  ]);
  house.report('A/3/0', 'succeeded');
  t.strictSame(statuses(house), ['completed', 'completed', 'completed', 'running', 'pending']);
  house.checkAtRest(t, 'half of the join');
  t.end();
});

test('a failed step cancels all behind it, through every way; what does not depend on it goes on', (t) => {
  const house = diamond();
  house.report('A/0/0', 'succeeded');
  house.lease('w1');
  house.heard();
  house.report('A/1/0', 'failed');
  house.expect(t, 'the other side runs on', ['task A/1/0 failed']);
  t.strictSame(statuses(house), ['completed', 'failed', 'running', 'canceled', 'canceled']);
  house.report('A/2/0', 'succeeded');
  house.expect(t, 'and does not wake what is canceled', ['task A/2/0 succeeded', 'job A failed']);
  t.strictSame(statuses(house), ['completed', 'failed', 'completed', 'canceled', 'canceled']);
  t.equal(house.reason('A/3/1'), 'canceled: upstream step failed');
  t.equal(house.reason('A/4/0'), 'canceled: upstream step failed');
  t.end();
});

test('a step whose only task is canceled while it waits is over at once, and so is what waits for it', (t) => {
  const house = diamond();
  house.cancelTask('A/2/0');
  house.expect(t, 'canceled', ['task A/2/0 canceled', 'cancel A/2/0: ok']);
  t.strictSame(statuses(house), ['running', 'pending', 'canceled', 'canceled', 'canceled']);
  t.equal(house.reason('A/2/0'), 'canceled by user');
  t.equal(house.reason('A/3/0'), 'canceled: upstream step failed');
  house.report('A/0/0', 'succeeded');
  house.lease('w1');
  house.report('A/1/0', 'succeeded');
  house.expect(t, 'the job ends with what was left', [
    'task A/0/0 succeeded',
    'task A/1/0 assigned w1',
    'lease w1: A/1/0#1',
    'task A/1/0 succeeded',
    'job A failed',
  ]);
  t.end();
});

test('tasks beyond one page of packed state', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 100 });
  house.submit('A', [{ name: 's', tasks: 70 }]);
  house.lease('w1');
  for (const index of [0, 31, 32, 63, 64, 69]) house.report(`A/0/${index}`, 'running');
  house.report('A/0/32', 'succeeded');
  house.report('A/0/69', 'failed');
  house.restart();
  t.strictSame(
    [0, 1, 31, 32, 63, 64, 69].map((index) => house.task(`A/0/${index}`).status),
    ['running', 'assigned', 'running', 'succeeded', 'running', 'running', 'ready'],
  );
  house.checkAtRest(t, 'three pages');
  t.end();
});
