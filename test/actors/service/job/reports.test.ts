import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const STALE = 'status report ignored: stale attempt';
const UNKNOWN = 'status report ignored: unknown attempt';

function running(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 2 }], { retry: { maxAttempts: 2, retryDelaySeconds: 0 } });
  farm.lease('w1');
  farm.takeOutputs();
  return farm;
}

/** All rows of a job as text, to detect changes. */
const rowsOf = (farm: TestFarm): string =>
  JSON.stringify([farm.job('A'), farm.task('A/0/0'), farm.attempts('A/0/0'), farm.worker('w1')]);

test('a repeated report changes nothing', (t) => {
  const farm = running();
  farm.report('A/0/0', 'running');
  farm.report('A/0/0', 'running', { sessionId: 'another' });
  farm.expect(t, 'running twice', ['task A/0/0 running w1']);
  t.equal(farm.attempts('A/0/0')[0]?.sessionId, 'session-1');
  t.strictSame(farm.takeWarnings(), [], 'no warning for a repetition');
  farm.report('A/0/0', 'succeeded', { exitCode: 0 });
  const before = rowsOf(farm);
  farm.advance(1000);
  farm.report('A/0/0', 'succeeded', { exitCode: 0 });
  farm.expect(t, 'succeeded twice', ['task A/0/0 succeeded']);
  t.equal(rowsOf(farm), before);
  t.strictSame(farm.takeWarnings(), [], 'no warning: it may have been piggybacked before');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  t.equal(rowsOf(farm), before);
  t.strictSame(farm.takeWarnings(), [STALE], 'a different end is logged');
  t.end();
});

test('reports out of order: the first terminal one counts', (t) => {
  const farm = running();
  farm.report('A/0/0', 'succeeded', { exitCode: 0 });
  const before = rowsOf(farm);
  farm.report('A/0/0', 'running');
  farm.report('A/0/0', 'failed', { exitCode: 1 });
  farm.report('A/0/0', 'canceled');
  farm.expect(t, 'succeeded, and it stays so', ['task A/0/0 succeeded']);
  t.equal(rowsOf(farm), before);
  t.strictSame(
    farm.takeWarnings(),
    [STALE, STALE],
    'no warning for running: the end may have overtaken that report',
  );
  t.end();
});

test('a report of an attempt that is not open changes nothing', (t) => {
  const farm = running();
  farm.report('A/0/0', 'failed');
  farm.lease('w1');
  farm.takeOutputs();
  t.strictSame(farm.takeWarnings(), ['attempt failed; the task is retried']);
  const before = rowsOf(farm);
  for (const status of ['running', 'succeeded', 'failed', 'canceled'] as const)
    farm.report('A/0/0#1', status);
  farm.report('A/0/0#3', 'succeeded');
  farm.expect(t, 'neither an earlier nor a later attempt', []);
  t.equal(rowsOf(farm), before);
  t.strictSame(farm.takeWarnings(), [STALE, STALE, STALE, STALE, STALE]);
  farm.report('A/0/0#2', 'succeeded');
  farm.expect(t, 'the open one', ['task A/0/0 succeeded']);
  t.end();
});

test('a report of an unassigned or unknown task changes nothing', (t) => {
  const farm = new TestFarm();
  farm.submit('A', [{ name: 'render', tasks: 2 }]);
  farm.register('w1');
  farm.takeOutputs();
  const before = rowsOf(farm);
  farm.report('A/0/0#0', 'running');
  farm.report('A/0/0#1', 'succeeded');
  farm.report('A/0/2#1', 'succeeded', { from: 'w1' });
  farm.report('A/7/0#1', 'succeeded', { from: 'w1' });
  farm.expect(t, 'ready tasks stay ready', []);
  t.equal(rowsOf(farm), before);
  t.strictSame(farm.takeWarnings(), [STALE, STALE, UNKNOWN, UNKNOWN]);
  t.end();
});

test('a report of a terminal or unknown job changes nothing', (t) => {
  const farm = running();
  farm.cancelJob('A');
  farm.takeOutputs();
  farm.report('A/0/0#1', 'succeeded', { exitCode: 0 });
  farm.expect(t, 'the end of the canceled attempt', []);
  t.equal(farm.job('A').status, 'canceled');
  const before = rowsOf(farm);
  t.strictSame(farm.takeWarnings(), []);
  farm.report('A/0/0#1', 'succeeded', { exitCode: 0 });
  farm.expect(t, 'canceled before', []);
  t.equal(rowsOf(farm), before);
  t.strictSame(farm.takeWarnings(), [STALE]);
  const stranger = '01900000-0000-7000-8000-ffffffffffff';
  farm.post({
    actor: 'job',
    id: stranger,
    message: {
      type: 'tasks.reported',
      workerId: farm.worker('w1').id,
      reports: [farm.attemptReport('A/0/0#1', 'succeeded')],
    },
  });
  farm.run();
  farm.expect(t, 'no such job', []);
  t.strictSame(farm.takeWarnings(), ['status report ignored: unknown job']);
  t.end();
});

test('the reaper ignores attempts that were reported running, once or repeatedly', (t) => {
  const farm = running();
  farm.report('A/0/0', 'running');
  farm.report('A/0/1', 'running');
  farm.advance(120_000);
  farm.expect(t, 'running tasks have no time limit', ['task A/0/0 running w1', 'task A/0/1 running w1']);
  t.end();
});

test('reports that arrive together count one by one, and the job is updated once', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 4 });
  farm.submit(
    'A',
    [
      { name: 'render', tasks: 4 },
      { name: 'join', tasks: 1, after: ['render'] },
    ],
    { retry: { maxAttempts: 2, retryDelaySeconds: 0 } },
  );
  farm.lease('w1');
  farm.takeOutputs();
  farm.reportAll([
    ['A/0/0#1', 'succeeded'],
    ['A/0/1#2', 'succeeded'],
    ['A/0/0#1', 'succeeded'],
    ['A/0/9#1', 'succeeded'],
    ['A/0/2#1', 'failed'],
    ['A/0/3#1', 'succeeded'],
  ]);
  farm.expect(t, 'the open attempts', [
    'task A/0/0 succeeded',
    'task A/0/2 ready',
    'count task-retries of Q',
    'task A/0/3 succeeded',
  ]);
  t.strictSame(farm.takeWarnings(), [STALE, UNKNOWN, 'attempt failed; the task is retried']);
  t.match(farm.job('A'), { status: 'running', failedAttempts: 1 });
  t.equal(farm.bookedCores('w1'), 1, 'the cores of three tasks are free again');
  farm.lease('w1');
  farm.takeOutputs();
  farm.reportAll([
    ['A/0/2', 'succeeded'],
    ['A/0/1', 'succeeded'],
  ]);
  farm.expect(t, 'the last tasks of a step', ['task A/0/2 succeeded', 'task A/0/1 succeeded']);
  t.match(farm.job('A').taskCounts, { succeeded: 4, ready: 1 }, 'the dependent step is ready');
  t.end();
});

test('only the worker that holds an attempt can report on it', (t) => {
  const farm = running();
  farm.register('w2');
  farm.takeOutputs();
  const before = rowsOf(farm);
  for (const status of ['running', 'succeeded', 'failed', 'canceled'] as const)
    farm.report('A/0/0', status, { from: 'w2' });
  farm.expect(t, 'another worker reports', []);
  t.equal(rowsOf(farm), before);
  t.strictSame(farm.takeWarnings(), Array(4).fill('status report ignored: not the holder'));
  farm.report('A/0/0', 'succeeded', { from: 'w1', exitCode: 0 });
  farm.expect(t, 'the holder reports', ['task A/0/0 succeeded']);
  t.end();
});
