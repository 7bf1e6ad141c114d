import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

const STALE = 'a status report changes nothing: stale attempt';
const UNKNOWN = 'a status report changes nothing: unknown attempt';

function running(): TestHouse {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 'render', tasks: 2 }], { retry: { maxAttempts: 2, retryDelaySeconds: 0 } });
  house.lease('w1');
  house.heard();
  return house;
}

/** All rows of a job, to see that nothing has changed. */
const rowsOf = (house: TestHouse): string =>
  JSON.stringify([house.job('A'), house.task('A/0/0'), house.attempts('A/0/0'), house.worker('w1')]);

test('a repeated report changes nothing', (t) => {
  const house = running();
  house.report('A/0/0', 'running');
  house.report('A/0/0', 'running', { sessionId: 'another' });
  house.expect(t, 'running twice', ['task A/0/0 running w1']);
  t.equal(house.attempts('A/0/0')[0]?.sessionId, 'session-1');
  t.strictSame(house.warned(), [], 'a repetition is nothing to warn of');
  house.report('A/0/0', 'succeeded', { exitCode: 0 });
  const before = rowsOf(house);
  house.advance(1000);
  house.report('A/0/0', 'succeeded', { exitCode: 0 });
  house.expect(t, 'succeeded twice', ['task A/0/0 succeeded']);
  t.equal(rowsOf(house), before);
  t.strictSame(house.warned(), [], 'it may have ridden on a lease request before');
  house.report('A/0/0', 'failed', { exitCode: 1 });
  t.equal(rowsOf(house), before);
  t.strictSame(house.warned(), [STALE], 'another end is worth a word');
  t.end();
});

test('reports out of order: the first terminal one counts', (t) => {
  const house = running();
  house.report('A/0/0', 'succeeded', { exitCode: 0 });
  const before = rowsOf(house);
  house.report('A/0/0', 'running');
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.report('A/0/0', 'canceled');
  house.expect(t, 'succeeded, and it stays so', ['task A/0/0 succeeded']);
  t.equal(rowsOf(house), before);
  t.strictSame(house.warned(), [STALE, STALE], 'an end may have overtaken the word that the task runs');
  t.end();
});

test('a report of an attempt that is not the open one changes nothing', (t) => {
  const house = running();
  house.report('A/0/0', 'failed');
  house.lease('w1');
  house.heard();
  const before = rowsOf(house);
  for (const status of ['running', 'succeeded', 'failed', 'canceled'] as const)
    house.report('A/0/0#1', status);
  house.report('A/0/0#3', 'succeeded');
  house.expect(t, 'neither an earlier nor a later attempt', []);
  t.equal(rowsOf(house), before);
  t.strictSame(house.warned(), [STALE, STALE, STALE, STALE, STALE]);
  house.report('A/0/0#2', 'succeeded');
  house.expect(t, 'the open one', ['task A/0/0 succeeded']);
  t.end();
});

test('a report of a task that nobody has, or that does not exist, changes nothing', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 'render', tasks: 2 }]);
  house.register('w1');
  house.heard();
  const before = rowsOf(house);
  house.report('A/0/0#0', 'running');
  house.report('A/0/0#1', 'succeeded');
  house.report('A/0/2#1', 'succeeded');
  house.report('A/7/0#1', 'succeeded');
  house.expect(t, 'ready tasks stay ready', []);
  t.equal(rowsOf(house), before);
  t.strictSame(house.warned(), [STALE, STALE, UNKNOWN, UNKNOWN]);
  t.end();
});

test('a report of a job that is over, or was never here, changes nothing', (t) => {
  const house = running();
  house.cancelJob('A');
  house.heard();
  const before = rowsOf(house);
  house.report('A/0/0#1', 'succeeded', { exitCode: 0 });
  house.expect(t, 'canceled before', []);
  t.equal(rowsOf(house), before);
  t.strictSame(house.warned(), [STALE]);
  const stranger = '01900000-0000-7000-8000-ffffffffffff';
  house.post({
    actor: 'job',
    id: stranger,
    message: {
      type: 'tasks.reported',
      workerId: house.worker('w1').id,
      reports: [house.attemptReport('A/0/0#1', 'succeeded')],
    },
  });
  house.run();
  house.expect(t, 'no such job', []);
  t.strictSame(house.warned(), ['a status report changes nothing: unknown job']);
  t.end();
});

test('the running report of an attempt is what the reaper waits for, however often it comes', (t) => {
  const house = running();
  house.report('A/0/0', 'running');
  house.report('A/0/1', 'running');
  house.advance(120_000);
  house.expect(t, 'tasks run as long as they run', ['task A/0/0 running w1', 'task A/0/1 running w1']);
  t.end();
});

test('of reports that come together each counts for itself, and what follows is drawn from all', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 4 });
  house.submit(
    'A',
    [
      { name: 'render', tasks: 4 },
      { name: 'join', tasks: 1, after: ['render'] },
    ],
    { retry: { maxAttempts: 2, retryDelaySeconds: 0 } },
  );
  house.lease('w1');
  house.heard();
  house.reportAll([
    ['A/0/0#1', 'succeeded'],
    ['A/0/1#2', 'succeeded'],
    ['A/0/0#1', 'succeeded'],
    ['A/0/9#1', 'succeeded'],
    ['A/0/2#1', 'failed'],
    ['A/0/3#1', 'succeeded'],
  ]);
  house.expect(t, 'the open ones', [
    'task A/0/0 succeeded',
    'task A/0/2 ready',
    'count task-retries of Q',
    'task A/0/3 succeeded',
  ]);
  t.strictSame(house.warned(), [STALE, UNKNOWN]);
  t.match(house.job('A'), { status: 'running', failedAttempts: 1 });
  t.equal(house.bookedCores('w1'), 1, 'the cores of three are free again');
  house.lease('w1');
  house.heard();
  house.reportAll([
    ['A/0/2', 'succeeded'],
    ['A/0/1', 'succeeded'],
  ]);
  house.expect(t, 'the last of a step', ['task A/0/2 succeeded', 'task A/0/1 succeeded']);
  t.match(house.job('A').taskCounts, { succeeded: 4, ready: 1 }, 'the step behind it is free');
  t.end();
});
