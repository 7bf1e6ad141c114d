import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

function running(): TestHouse {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 'render', tasks: 2 }], { retry: { maxAttempts: 2, retryDelaySeconds: 0 } });
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.heard();
  return house;
}

/** What the attempts of the first task say. */
const said = (house: TestHouse): unknown[] =>
  house.attempts('A/0/0').map(({ status, progress, statusMessage }) => [status, progress, statusMessage]);

/** Rows of the first task's job that a report of progress must not touch. */
const others = (house: TestHouse): string =>
  JSON.stringify([house.job('A'), house.task('A/0/0'), house.attempts('A/0/1'), house.worker('w1')]);

test('a task says how far it is: told to clients, and nothing else changes', (t) => {
  const house = running();
  const before = others(house);
  house.advance(1000);
  house.report('A/0/0', 'running', { progress: 12.5, statusMessage: '' });
  house.expect(t, 'progress', ['task A/0/0 running w1 12.5%']);
  house.report('A/0/0', 'running', { progress: 13, statusMessage: ' a\u0000\nb\u001b[2J ' });
  house.expect(t, 'progress and message', ['task A/0/0 running w1 13% a b [2J']);
  t.strictSame(said(house), [['running', 13, 'a b [2J']]);
  house.report('A/0/0', 'running', { progress: 13, statusMessage: 'a b [2J' });
  house.report('A/0/0', 'running');
  house.expect(t, 'no news', []);
  house.report('A/0/0', 'running', { statusMessage: 'x'.repeat(1023) + '😀' });
  t.strictSame(said(house), [['running', undefined, 'x'.repeat(1023)]]);
  house.heard();
  house.report('A/0/0', 'running', { statusMessage: '' });
  house.expect(t, 'what was said is taken back', ['task A/0/0 running w1']);
  t.strictSame(said(house), [['running', undefined, undefined]]);
  t.equal(others(house), before);
  t.strictSame(house.warned(), []);
  t.end();
});

test('progress that comes before the word that the task runs is word of it', (t) => {
  const house = running();
  house.report('A/0/1', 'running', { progress: 1, statusMessage: '' });
  house.expect(t, 'running', ['task A/0/1 running w1 1%']);
  house.report('A/0/1', 'running');
  house.expect(t, 'late', []);
  t.equal(house.attempts('A/0/1')[0]?.progress, 1);
  t.end();
});

test('what was said outlives a restart of the service, and the end of the attempt', (t) => {
  const house = running();
  house.report('A/0/0', 'running', { progress: 40, statusMessage: 'sampling' });
  house.restart();
  house.heard();
  t.strictSame(said(house), [['running', 40, 'sampling']]);
  house.report('A/0/0', 'succeeded', { exitCode: 0, progress: 100, statusMessage: 'saved' });
  house.expect(t, 'the end', ['task A/0/0 succeeded 100% saved']);
  t.strictSame(said(house), [['succeeded', 100, 'saved']]);
  house.report('A/0/0', 'running', { progress: 41, statusMessage: '' });
  house.expect(t, 'overtaken', []);
  t.strictSame(house.warned(), [], 'nothing to warn of');
  t.strictSame(said(house), [['succeeded', 100, 'saved']]);
  t.end();
});

test('a new attempt has said nothing, and one that is canceled keeps what it said', (t) => {
  const house = running();
  house.report('A/0/0', 'running', { progress: 40, statusMessage: 'sampling' });
  house.heard();
  house.report('A/0/0', 'failed', { exitCode: 1, progress: 41, statusMessage: 'sampling' });
  house.expect(t, 'tried again', ['task A/0/0 ready', 'count task-retries of Q']);
  house.lease('w1');
  house.report('A/0/0', 'running');
  t.strictSame(said(house), [
    ['failed', 41, 'sampling'],
    ['running', undefined, undefined],
  ]);
  house.report('A/0/0', 'running', { progress: 7, statusMessage: '' });
  house.report('A/0/0#1', 'running', { progress: 99, statusMessage: '' });
  house.heard();
  house.cancelJob('A');
  t.ok(house.heard().includes('task A/0/0 canceled 7%'));
  t.strictSame(said(house).at(-1), ['canceled', 7, undefined]);
  t.end();
});

test('of a task that is over it is known whether it has said anything', (t) => {
  const house = running();
  const isSilent = (word: string): boolean | undefined => house.task(word).silent;
  t.strictSame([isSilent('A/0/0'), isSilent('A/0/1')], [false, false], 'at work');
  house.report('A/0/0', 'running', { progress: 40, statusMessage: '' });
  house.report('A/0/0', 'succeeded', { exitCode: 0, progress: 100, statusMessage: '' });
  house.report('A/0/1', 'failed', { exitCode: 1 });
  t.strictSame([isSilent('A/0/0'), isSilent('A/0/1')], [false, false], 'one has spoken, one is tried again');
  house.lease('w1');
  house.report('A/0/1', 'running', { progress: 3, statusMessage: '' });
  house.report('A/0/1', 'running', { statusMessage: '' });
  house.report('A/0/1', 'failed', { exitCode: 1 });
  t.strictSame([house.task('A/0/1').status, isSilent('A/0/1')], ['failed', true], 'it has taken all back');
  house.retryTask('A/0/1');
  t.strictSame([house.task('A/0/1').status, isSilent('A/0/1')], ['ready', false], 'to be tried again');
  house.cancelTask('A/0/1');
  t.strictSame([house.task('A/0/1').status, isSilent('A/0/1')], ['canceled', false], 'nobody had it');
  t.end();
});

test('a report of progress writes the row of its attempt alone', (t) => {
  const house = running();
  const before = house.commits.length;
  house.report('A/0/0', 'running', { progress: 12, statusMessage: 'x' });
  t.strictSame(house.commits.slice(before), [1]);
  t.strictSame(said(house), [['running', 12, 'x']]);
  house.report('A/0/0', 'running', { progress: 12, statusMessage: 'x' });
  t.strictSame(house.commits.slice(before), [1], 'no news is not written');
  t.end();
});
