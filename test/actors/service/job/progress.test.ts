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

/** What the attempts of the first task say. */
const said = (farm: TestFarm): unknown[] =>
  farm.attempts('A/0/0').map(({ status, progress, statusMessage }) => [status, progress, statusMessage]);

/** Rows of the first task's job that a report of progress must not touch. */
const others = (farm: TestFarm): string =>
  JSON.stringify([farm.job('A'), farm.task('A/0/0'), farm.attempts('A/0/1'), farm.worker('w1')]);

test('a task says how far it is: told to clients, and nothing else changes', (t) => {
  const farm = running();
  const before = others(farm);
  farm.advance(1000);
  farm.report('A/0/0', 'running', { progress: 12.5, statusMessage: '' });
  farm.expect(t, 'progress', ['task A/0/0 running w1 12.5%']);
  farm.report('A/0/0', 'running', { progress: 13, statusMessage: ' a\u0000\nb\u001b[2J ' });
  farm.expect(t, 'progress and message', ['task A/0/0 running w1 13% a b [2J']);
  t.strictSame(said(farm), [['running', 13, 'a b [2J']]);
  farm.report('A/0/0', 'running', { progress: 13, statusMessage: 'a b [2J' });
  farm.report('A/0/0', 'running');
  farm.expect(t, 'no news', []);
  farm.report('A/0/0', 'running', { statusMessage: 'x'.repeat(1023) + '😀' });
  t.strictSame(said(farm), [['running', undefined, 'x'.repeat(1023)]]);
  farm.takeOutputs();
  farm.report('A/0/0', 'running', { statusMessage: '' });
  farm.expect(t, 'what was said is taken back', ['task A/0/0 running w1']);
  t.strictSame(said(farm), [['running', undefined, undefined]]);
  t.equal(others(farm), before);
  t.strictSame(farm.warned(), []);
  t.end();
});

test('progress that comes before the word that the task runs is word of it', (t) => {
  const farm = running();
  farm.report('A/0/1', 'running', { progress: 1, statusMessage: '' });
  farm.expect(t, 'running', ['task A/0/1 running w1 1%']);
  farm.report('A/0/1', 'running');
  farm.expect(t, 'late', []);
  t.equal(farm.attempts('A/0/1')[0]?.progress, 1);
  t.end();
});

test('what was said outlives a restart of the service, and the end of the attempt', (t) => {
  const farm = running();
  farm.report('A/0/0', 'running', { progress: 40, statusMessage: 'sampling' });
  farm.restart();
  farm.takeOutputs();
  t.strictSame(said(farm), [['running', 40, 'sampling']]);
  farm.report('A/0/0', 'succeeded', { exitCode: 0, progress: 100, statusMessage: 'saved' });
  farm.expect(t, 'the end', ['task A/0/0 succeeded 100% saved']);
  t.strictSame(said(farm), [['succeeded', 100, 'saved']]);
  farm.report('A/0/0', 'running', { progress: 41, statusMessage: '' });
  farm.expect(t, 'overtaken', []);
  t.strictSame(farm.warned(), [], 'nothing to warn of');
  t.strictSame(said(farm), [['succeeded', 100, 'saved']]);
  t.end();
});

test('a new attempt has said nothing, and one that is canceled keeps what it said', (t) => {
  const farm = running();
  farm.report('A/0/0', 'running', { progress: 40, statusMessage: 'sampling' });
  farm.takeOutputs();
  farm.report('A/0/0', 'failed', { exitCode: 1, progress: 41, statusMessage: 'sampling' });
  farm.expect(t, 'tried again', ['task A/0/0 ready', 'count task-retries of Q']);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  t.strictSame(said(farm), [
    ['failed', 41, 'sampling'],
    ['running', undefined, undefined],
  ]);
  farm.report('A/0/0', 'running', { progress: 7, statusMessage: '' });
  farm.report('A/0/0#1', 'running', { progress: 99, statusMessage: '' });
  farm.takeOutputs();
  farm.cancelJob('A');
  t.ok(farm.takeOutputs().includes('task A/0/0 canceled 7%'));
  t.strictSame(said(farm).at(-1), ['canceled', 7, undefined]);
  t.end();
});

test('of a task that is over it is known whether it has said anything', (t) => {
  const farm = running();
  const isSilent = (word: string): boolean | undefined => farm.task(word).silent;
  t.strictSame([isSilent('A/0/0'), isSilent('A/0/1')], [false, false], 'at work');
  farm.report('A/0/0', 'running', { progress: 40, statusMessage: '' });
  farm.report('A/0/0', 'succeeded', { exitCode: 0, progress: 100, statusMessage: '' });
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  t.strictSame([isSilent('A/0/0'), isSilent('A/0/1')], [false, false], 'one has spoken, one is tried again');
  farm.lease('w1');
  farm.report('A/0/1', 'running', { progress: 3, statusMessage: '' });
  farm.report('A/0/1', 'running', { statusMessage: '' });
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  t.strictSame([farm.task('A/0/1').status, isSilent('A/0/1')], ['failed', true], 'it has taken all back');
  farm.retryTask('A/0/1');
  t.strictSame([farm.task('A/0/1').status, isSilent('A/0/1')], ['ready', false], 'to be tried again');
  farm.cancelTask('A/0/1');
  t.strictSame([farm.task('A/0/1').status, isSilent('A/0/1')], ['canceled', false], 'nobody had it');
  t.end();
});

test('a report of progress writes the row of its attempt alone', (t) => {
  const farm = running();
  const before = farm.commits.length;
  farm.report('A/0/0', 'running', { progress: 12, statusMessage: 'x' });
  t.strictSame(farm.commits.slice(before), [1]);
  t.strictSame(said(farm), [['running', 12, 'x']]);
  farm.report('A/0/0', 'running', { progress: 12, statusMessage: 'x' });
  t.strictSame(farm.commits.slice(before), [1], 'no news is not written');
  t.end();
});
