import { test } from 'tap';
import type { RetryOverride } from '../../../../src/core/lifecycle/retry-policy.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/** A farm with workers of one core and a job A of ten tasks, in a queue that tries canary tasks first. */
function farmWith(
  workers: number,
  retry: RetryOverride = {},
  queue: RetryOverride = { canaryTasks: true },
): TestFarm {
  const farm = new TestFarm({ heartbeatTimeoutMs: 1e12, staleAssignedMs: 1e12, leaseHoldMs: 1e12 });
  farm.replaceQueue({ retry: queue });
  for (let number = 0; number < workers; number++) farm.register(`w${number}`, { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 10, needs: { cores: 1 } }], {
    retry: { maxAttempts: 3, retryDelaySeconds: 0, ...retry },
  });
  return farm;
}

const statuses = (farm: TestFarm): string =>
  Array.from({ length: 10 }, (_, index) => farm.task(`A/0/${index}`).status.charAt(0)).join('');

for (const isCold of [false, true]) {
  const restart = (farm: TestFarm): void => {
    if (isCold) farm.restart();
  };

  test(`other tasks start after the first, the middle and the last have ended, restarted in between: ${isCold}`, (t) => {
    const farm = farmWith(5);
    for (let number = 0; number < 5; number++) farm.lease(`w${number}`);
    t.equal(statuses(farm), 'arrrarrrra');
    farm.expectInvariants(t, 'three run');
    restart(farm);
    for (const index of [0, 4]) farm.report(`A/0/${index}`, 'succeeded');
    restart(farm);
    for (let number = 0; number < 5; number++) farm.lease(`w${number}`);
    t.equal(statuses(farm), 'srrrsrrrra', 'two of three have ended');
    farm.report('A/0/9', 'failed', { exitCode: 1 });
    t.match(farm.task('A/0/9'), { failedAttempts: 1 }, 'it is retried');
    t.equal(statuses(farm).slice(0, 9), 'srrrsrrrr');
    restart(farm);
    for (let number = 0; number < 5; number++) farm.lease(`w${number}`);
    farm.report('A/0/9', 'succeeded');
    farm.expectInvariants(t, 'all have ended');
    restart(farm);
    for (let number = 0; number < 5; number++) farm.lease(`w${number}`);
    t.equal(statuses(farm), 'saaasaarrs');
    farm.expectInvariants(t, 'the others run');
    t.end();
  });

  test(`a job that fails everywhere is parked, restarted in between: ${isCold}`, (t) => {
    const farm = farmWith(4, { maxAttempts: 10 });
    let failures = 0;
    while (farm.job('A').status !== 'paused' && failures < 30) {
      for (let number = 0; number < 4; number++) farm.lease(`w${number}`);
      const running = [0, 4, 9].find((index) => farm.task(`A/0/${index}`).status === 'assigned');
      if (running === undefined) break;
      farm.report(`A/0/${running}`, 'failed', { exitCode: 1 });
      failures++;
      restart(farm);
    }
    t.equal(failures, 6);
    t.match(farm.job('A'), {
      status: 'paused',
      parkReason: /^step s fails everywhere: 6 failures on \d workers/,
    });
    farm.expectInvariants(t, 'parked');
    t.end();
  });
}

test('a job is parked once all tasks that are tried have failed, and a resume starts the others', (t) => {
  const farm = farmWith(1, { maxAttempts: 1 });
  for (const index of [0, 4, 9]) {
    t.equal(farm.job('A').status === 'paused', false);
    farm.lease('w0');
    farm.report(`A/0/${index}`, 'failed', { exitCode: 1 });
  }
  t.match(farm.job('A'), { status: 'paused', parkReason: /3 failures on 1 worker/ });
  farm.updateJob('A', { action: 'resume' });
  farm.lease('w0');
  t.equal(statuses(farm), 'farrfrrrrf');
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  t.not(farm.job('A').status, 'paused', 'the user has decided to continue');
  farm.expectInvariants(t, 'resumed');
  t.end();
});

test('a task that is ready again waits for the canary tasks', (t) => {
  const farm = farmWith(5, {}, {});
  for (let number = 0; number < 2; number++) farm.lease(`w${number}`);
  t.equal(statuses(farm), 'aarrrrrrrr');
  farm.updateJob('A', { retry: { canaryTasks: true } });
  for (let number = 2; number < 5; number++) farm.lease(`w${number}`);
  t.equal(statuses(farm), 'aarrarrrra', 'the last worker waits');
  farm.report('A/0/1', 'failed', { exitCode: 1 });
  farm.lease('w1');
  t.equal(statuses(farm), 'arrrarrrra', 'the failed task waits too');
  farm.expectInvariants(t, 'waiting');
  for (const index of [0, 4, 9]) farm.report(`A/0/${index}`, 'succeeded');
  t.equal(farm.task('A/0/1').status, 'assigned');
  farm.expectInvariants(t, 'all have ended');
  t.end();
});

test('the setting of farm, queue or job counts, and its changes too', (t) => {
  const farm = farmWith(5, {}, {});
  for (let number = 0; number < 2; number++) farm.lease(`w${number}`);
  t.equal(statuses(farm), 'aarrrrrrrr');
  farm.updateJob('A', { retry: { canaryTasks: true } });
  farm.lease('w2');
  farm.lease('w3');
  t.equal(statuses(farm), 'aarrarrrra', 'of the job');
  farm.expectInvariants(t, 'job');
  farm.lease('w4');
  farm.updateJob('A', { retry: { canaryTasks: false } });
  t.equal(statuses(farm), 'aaararrrra', 'a parked request is served');
  farm.replaceFarm({ retry: { canaryTasks: true } });
  farm.expectInvariants(t, 'farm');
  farm.replaceFarm({});
  farm.expectInvariants(t, 'none');
  t.end();
});
