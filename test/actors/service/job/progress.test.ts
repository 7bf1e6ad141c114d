import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

function running(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 2 }], { retry: { maxAttempts: 2, retryDelaySeconds: 0 } });
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.takeOutputs();
  return farm;
}

/** Status, progress and message of the first task's attempts. */
const progressOf = (farm: TestFarm): unknown[] =>
  farm.attempts('A/0/0').map(({ status, progress, statusMessage }) => [status, progress, statusMessage]);

/** Rows of the job that a progress report must not change. */
const others = (farm: TestFarm): string =>
  JSON.stringify([farm.job('A'), farm.task('A/0/0'), farm.attempts('A/0/1'), farm.worker('w1')]);

test('a progress report is published and changes nothing else', (t) => {
  const farm = running();
  const before = others(farm);
  farm.advance(1000);
  farm.report('A/0/0', 'running', { progress: 12.5, statusMessage: '' });
  farm.expect(t, 'progress', ['task A/0/0 running w1 12.5%']);
  farm.report('A/0/0', 'running', { progress: 13, statusMessage: ' a\u0000\nb\u001b[2J ' });
  farm.expect(t, 'progress and message', ['task A/0/0 running w1 13% a b [2J']);
  t.strictSame(progressOf(farm), [['running', 13, 'a b [2J']]);
  farm.report('A/0/0', 'running', { progress: 13, statusMessage: 'a b [2J' });
  farm.report('A/0/0', 'running');
  farm.expect(t, 'no new progress', []);
  farm.report('A/0/0', 'running', { statusMessage: 'x'.repeat(1023) + '😀' });
  t.strictSame(progressOf(farm), [['running', undefined, 'x'.repeat(1023)]]);
  farm.takeOutputs();
  farm.report('A/0/0', 'running', { statusMessage: '' });
  farm.expect(t, 'an empty report clears the progress', ['task A/0/0 running w1']);
  t.strictSame(progressOf(farm), [['running', undefined, undefined]]);
  t.equal(others(farm), before);
  t.strictSame(farm.takeWarnings(), []);
  t.end();
});

test('a progress report before the running report marks the task as running', (t) => {
  const farm = running();
  farm.report('A/0/1', 'running', { progress: 1, statusMessage: '' });
  farm.expect(t, 'running', ['task A/0/1 running w1 1%']);
  farm.report('A/0/1', 'running');
  farm.expect(t, 'late', []);
  t.equal(farm.attempts('A/0/1')[0]?.progress, 1);
  t.end();
});

test('progress survives a restart of the service and the end of the attempt', (t) => {
  const farm = running();
  farm.report('A/0/0', 'running', { progress: 40, statusMessage: 'sampling' });
  farm.restart();
  farm.takeOutputs();
  t.strictSame(progressOf(farm), [['running', 40, 'sampling']]);
  farm.report('A/0/0', 'succeeded', { exitCode: 0, progress: 100, statusMessage: 'saved' });
  farm.expect(t, 'the end', ['task A/0/0 succeeded 100% saved']);
  t.strictSame(progressOf(farm), [['succeeded', 100, 'saved']]);
  farm.report('A/0/0', 'running', { progress: 41, statusMessage: '' });
  farm.expect(t, 'overtaken', []);
  t.strictSame(farm.takeWarnings(), [], 'no warning');
  t.strictSame(progressOf(farm), [['succeeded', 100, 'saved']]);
  t.end();
});

test('a new attempt has no progress, and a canceled one keeps its own', (t) => {
  const farm = running();
  farm.report('A/0/0', 'running', { progress: 40, statusMessage: 'sampling' });
  farm.takeOutputs();
  farm.report('A/0/0', 'failed', { exitCode: 1, progress: 41, statusMessage: 'sampling' });
  farm.expect(t, 'retried', ['task A/0/0 ready', 'count task-retries of Q']);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  t.strictSame(progressOf(farm), [
    ['failed', 41, 'sampling'],
    ['running', undefined, undefined],
  ]);
  farm.report('A/0/0', 'running', { progress: 7, statusMessage: '' });
  farm.report('A/0/0#1', 'running', { progress: 99, statusMessage: '' });
  farm.takeOutputs();
  farm.cancelJob('A');
  t.ok(farm.takeOutputs().includes('task A/0/0 canceled 7%'));
  t.strictSame(progressOf(farm).at(-1), ['canceled', 7, undefined]);
  t.end();
});

test('a terminal task records whether its attempt had progress', (t) => {
  const farm = running();
  const isSilent = (word: string): boolean | undefined => farm.task(word).silent;
  t.strictSame([isSilent('A/0/0'), isSilent('A/0/1')], [false, false], 'running');
  farm.report('A/0/0', 'running', { progress: 40, statusMessage: '' });
  farm.report('A/0/0', 'succeeded', { exitCode: 0, progress: 100, statusMessage: '' });
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  t.strictSame([isSilent('A/0/0'), isSilent('A/0/1')], [false, false], 'one has progress, one is retried');
  farm.lease('w1');
  farm.report('A/0/1', 'running', { progress: 3, statusMessage: '' });
  farm.report('A/0/1', 'running', { statusMessage: '' });
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  t.strictSame([farm.task('A/0/1').status, isSilent('A/0/1')], ['failed', true], 'its progress was cleared');
  farm.retryTask('A/0/1');
  t.strictSame([farm.task('A/0/1').status, isSilent('A/0/1')], ['ready', false], 'waiting for a retry');
  farm.cancelTask('A/0/1');
  t.strictSame([farm.task('A/0/1').status, isSilent('A/0/1')], ['canceled', false], 'no worker had the task');
  t.end();
});

test('a progress report writes only the row of its attempt', (t) => {
  const farm = running();
  const before = farm.commits.length;
  farm.report('A/0/0', 'running', { progress: 12, statusMessage: 'x' });
  t.strictSame(farm.commits.slice(before), [1]);
  t.strictSame(progressOf(farm), [['running', 12, 'x']]);
  farm.report('A/0/0', 'running', { progress: 12, statusMessage: 'x' });
  t.strictSame(farm.commits.slice(before), [1], 'unchanged progress is not written');
  t.end();
});
