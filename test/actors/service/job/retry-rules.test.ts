import { test } from 'tap';
import type { RetryRule } from '../../../../src/core/retry-rules/retry-rule.ts';
import { versionOfRules } from '../../../../src/core/retry-rules/retry-rule.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const rule = (some: Partial<RetryRule>): RetryRule => ({
  name: 'r',
  exitCodes: [70],
  log: '',
  outOfMemory: false,
  action: 'requeue',
  maxTimes: 2,
  backoffSeconds: 60,
  pool: '',
  raise: null,
  ...some,
});

/** A farm whose queue has the rules, and a job A of one step that a worker of 4 cores runs. */
function running(
  rules: readonly RetryRule[],
  { tasks = 1, needs = {} }: { tasks?: number; needs?: object } = {},
): TestFarm {
  const farm = new TestFarm();
  farm.replaceQueue({ retryRules: rules });
  farm.register('w1', { cpu_count: 4, memory_mib: 64_000 });
  farm.submit('A', [{ name: 's', tasks, needs: { cores: 1, ...needs } }], {
    retry: { maxAttempts: 2, retryDelaySeconds: 0 },
  });
  farm.lease('w1');
  farm.takeOutputs();
  return farm;
}

const fail = (farm: TestFarm, word = 'A/0/0', exitCode = 70, message = ''): void =>
  farm.report(word, 'failed', { exitCode, message });

for (const isCold of [false, true]) {
  test(`a requeued task uses up no attempt, at most max_times, restarted in between: ${isCold}`, (t) => {
    const rules = [rule({})];
    const farm = running(rules);
    for (const times of [1, 2]) {
      fail(farm);
      t.match(farm.task('A/0/0'), { status: 'ready', failedAttempts: 0, retryAfter: farm.now + 60_000 });
      t.equal(farm.job('A').failedAttempts, 0);
      t.match(farm.attempts('A/0/0').at(-1), {
        status: 'failed',
        rule: { rule: 'r', level: 'queue', times, because: 'exit code 70', policy: versionOfRules(rules) },
      });
      if (isCold) {
        farm.restart();
        farm.heartbeat('w1');
      }
      farm.lease('w1');
      farm.advance(60_000);
      farm.lease('w1');
      t.equal(farm.task('A/0/0').status, 'assigned', `it runs again after the delay, time ${times}`);
      farm.expectInvariants(t, `time ${times}`);
    }
    fail(farm);
    t.match(farm.task('A/0/0'), { failedAttempts: 1 }, 'the rule is used up: the retry settings decide');
    t.equal(farm.attempts('A/0/0').at(-1)?.rule, undefined);
    farm.lease('w1');
    fail(farm);
    t.match(farm.task('A/0/0'), { status: 'failed', failedAttempts: 2 });
    farm.retryJob('A');
    farm.lease('w1');
    fail(farm);
    t.match(farm.attempts('A/0/0').at(-1), { rule: { times: 1 } }, 'a manual retry resets the counts');
    t.end();
  });
}

test('fail_fast fails the task at once, and counts for the failure limit', (t) => {
  const farm = running([rule({ action: 'fail_fast', maxTimes: 1 })]);
  fail(farm);
  t.match(farm.task('A/0/0'), { status: 'failed', failedAttempts: 1 });
  t.equal(farm.job('A').status, 'failed');
  t.match(farm.attempts('A/0/0'), [{ rule: { action: 'fail_fast' } }]);
  t.end();
});

for (const isCold of [false, true]) {
  test(`avoid_worker gives the task to another worker, restarted in between: ${isCold}`, (t) => {
    const farm = running([rule({ action: 'avoid_worker', backoffSeconds: 0 })]);
    farm.register('w2', { cpu_count: 4 });
    fail(farm);
    if (isCold) {
      farm.restart();
      for (const worker of ['w1', 'w2']) farm.heartbeat(worker);
    }
    t.match(farm.task('A/0/0'), { status: 'ready', failedAttempts: 0 });
    farm.lease('w1');
    t.equal(farm.task('A/0/0').status, 'ready', 'the worker is passed over');
    farm.lease('w2');
    t.equal(farm.task('A/0/0').status, 'assigned');
    farm.expectInvariants(t, 'assigned');
    t.end();
  });
}

const RAISE = rule({
  exitCodes: [],
  outOfMemory: true,
  action: 'raise',
  backoffSeconds: 0,
  raise: { amount: 'amount.worker.memory', factor: 2, maxAmount: null },
});
const OUT_OF_MEMORY =
  'out of memory: the task used 1,000 MiB of its limit of 1,000 MiB (requested 1,000 MiB)';

for (const isCold of [false, true]) {
  test(`an out-of-memory kill raises the request of the step once, restarted in between: ${isCold}`, (t) => {
    const needs = { amounts: [{ name: 'amount.worker.memory', min: 1000 }] };
    const farm = running([RAISE], { tasks: 2, needs });
    fail(farm, 'A/0/0', 137, OUT_OF_MEMORY);
    if (isCold) {
      farm.restart();
      farm.heartbeat('w1', { open: ['A/0/1'] });
    }
    fail(farm, 'A/0/1', 137, OUT_OF_MEMORY);
    t.match(farm.attempts('A/0/0'), [
      { rule: { raised: { amount: 'amount.worker.memory', from: 1000, to: 2000 } } },
    ]);
    t.match(
      farm.attempts('A/0/1'),
      [{ rule: { raised: { from: 2000, to: 2000 } } }],
      'it ran before the raise',
    );
    t.match(farm.store.get('step', keys.step(farm.jobId('A'), 0))?.raised, [
      { name: 'amount.worker.memory', declared: 1000, amount: 2000, times: 1 },
    ]);
    farm.advance(1);
    const offered = farm.explain('A/0/0');
    t.equal(offered.workers.eligible, 1);
    farm.lease('w1');
    t.equal(farm.task('A/0/0').status, 'assigned');
    farm.advance(1);
    for (const amount of [4000, 8000]) {
      fail(farm, 'A/0/0', 137, OUT_OF_MEMORY);
      const isLast = amount === 8000;
      t.match(
        farm.store.get('step', keys.step(farm.jobId('A'), 0))?.raised,
        [{ amount: 4000, times: 2 }],
        isLast ? 'at most max_times' : 'raised again',
      );
      farm.advance(1);
      farm.lease('w1');
    }
    farm.expectInvariants(t, 'raised');
    t.end();
  });
}

test('a worker below the raised request no longer gets tasks of the step', (t) => {
  const needs = { amounts: [{ name: 'amount.worker.memory', min: 40_000 }] };
  const farm = running([RAISE], { needs });
  fail(farm, 'A/0/0', 137, OUT_OF_MEMORY);
  farm.lease('w1');
  t.equal(farm.task('A/0/0').status, 'ready');
  farm.register('large', { memory_mib: 80_000 });
  farm.lease('large');
  t.equal(farm.task('A/0/0').status, 'assigned');
  t.end();
});

test('a shortage holds the pool back for all tasks that require it', (t) => {
  const farm = new TestFarm();
  farm.createPool('Houdini', { maxConcurrent: 5, retryRules: [rule({ name: 'seats', backoffSeconds: 30 })] });
  farm.register('w1', { cpu_count: 1 });
  farm.register('w2', { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 3, needs: { cores: 1, pools: ['houdini'] } }]);
  farm.submit('B', [{ name: 's', tasks: 3, needs: { cores: 1 } }]);
  farm.lease('w1');
  fail(farm);
  t.match(farm.pool('Houdini').hold, { since: farm.now, until: farm.now + 30_000, times: 1 });
  t.match(
    farm.pool('Houdini').hold?.reason,
    /retry rule seats of usage pool Houdini applied \(exit code 70\)/,
  );
  t.match(farm.explain('A/0/1').pools, [{ name: 'houdini', hold: { times: 1 } }]);
  farm.lease('w2');
  t.equal(farm.task('B/0/0').status, 'assigned', 'other tasks start');
  t.equal(farm.task('A/0/1').status, 'ready', 'tasks that require the pool wait');
  farm.restart();
  for (const worker of ['w1', 'w2']) farm.heartbeat(worker, { open: worker === 'w2' ? ['B/0/0'] : [] });
  farm.report('B/0/0', 'succeeded');
  farm.lease('w2');
  t.equal(farm.task('A/0/1').status, 'ready', 'also after a restart');
  farm.advance(30_000);
  farm.lease('w1');
  t.equal(farm.task('A/0/0').status, 'assigned', 'the hold has ended');
  t.match(farm.explain('A/0/2').pools, [{ name: 'houdini' }]);
  farm.expectInvariants(t, 'after the hold');
  t.end();
});

test('tasks that are unschedulable because a pool is held back get schedulable when the hold ends', (t) => {
  const farm = new TestFarm();
  // Longer than the grace of 30 s, and its end is not that of a sweep, which is every 3 s.
  farm.createPool('Houdini', { maxConcurrent: 5, retryRules: [rule({ backoffSeconds: 61 })] });
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 2, needs: { cores: 1, pools: ['houdini'] } }]);
  farm.lease('w1');
  fail(farm);
  for (let second = 0; second < 60; second += 10) {
    farm.advance(10_000);
    farm.heartbeat('w1', {});
  }
  t.equal(farm.task('A/0/1').unschedulable, true);
  farm.takeOutputs();
  farm.advance(1_000);
  farm.expect(t, 'the hold has ended', ['task A/0/1 ready']);
  t.equal(farm.task('A/0/1').unschedulable, false);
  t.end();
});

test('rules of the job come first, and can be replaced', (t) => {
  const farm = running([rule({ name: 'of queue' })]);
  farm.updateJob('A', { retryRules: [rule({ name: 'of job', backoffSeconds: 0 })] });
  fail(farm);
  t.match(farm.attempts('A/0/0'), [{ rule: { level: 'job', rule: 'of job' } }]);
  farm.updateJob('A', { retryRules: [] });
  farm.lease('w1');
  fail(farm);
  t.match(farm.attempts('A/0/0').at(-1), { rule: { level: 'queue', rule: 'of queue', of: 'Q' } });
  farm.replaceQueue({ retryRules: [] });
  farm.advance(60_000);
  farm.lease('w1');
  fail(farm);
  t.equal(farm.attempts('A/0/0').at(-1)?.rule, undefined, 'no rules are left');
  t.end();
});
