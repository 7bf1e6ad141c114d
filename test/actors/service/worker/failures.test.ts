import { test } from 'tap';
import { workerId } from '../../../../src/core/ids.ts';
import type { StepFailuresRecord, WorkerFailuresRecord } from '../../../../src/core/records/step-failures.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const W1 = workerId('id-of-w1');
const W2 = workerId('id-of-w2');

const failuresOn = (farm: TestFarm, worker: string): WorkerFailuresRecord | undefined =>
  farm.store.get('workerFailures', keys.workerFailures(workerId(`id-of-${worker}`)));

const failuresOf = (farm: TestFarm, job: string, stepOrder: number): StepFailuresRecord[] =>
  [...farm.store.scan('stepFailures', { prefix: keys.stepFailuresOf(farm.jobId(job), stepOrder) })].map(
    (row) => row.value,
  );

/** The worker requests a task and fails it. */
function fail(farm: TestFarm, worker: string, task: string): void {
  farm.lease(worker);
  farm.report(task, 'running');
  farm.report(task, 'failed', { exitCode: 1 });
}

test('every reported failure is counted by step and worker: retry, auto-park, exhausted', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 1 }], {
    retry: { maxAttempts: 3, retryDelaySeconds: 0, failureLimit: 2 },
  });
  const jobId = farm.jobId('A');
  fail(farm, 'w1', 'A/0/0');
  const at = farm.now;
  t.strictSame(failuresOf(farm, 'A', 0), [{ version: 1, workerId: W1, failures: 1, lastAt: at }], 'a retry');
  t.strictSame(failuresOn(farm, 'w1'), {
    version: 1,
    total: 1,
    steps: [{ jobId, stepOrder: 0, failures: 1, lastAt: at }],
  });
  farm.register('w2', { cpu_count: 1 });
  farm.advance(1000);
  fail(farm, 'w2', 'A/0/0');
  t.equal(farm.task('A/0/0').status, 'failed');
  t.match(failuresOf(farm, 'A', 0), [
    { workerId: W1, failures: 1, lastAt: at },
    { workerId: W2, failures: 1, lastAt: at + 1000 },
  ]);
  farm.expectInvariants(t, 'the job ended by its failure limit');
  farm.retryJob('A');
  farm.updateJob('A', { retry: { maxAttempts: 1, failureLimit: 0 } });
  farm.advance(1000);
  fail(farm, 'w1', 'A/0/0');
  t.equal(farm.job('A').status, 'failed', 'its attempts are exhausted');
  t.match(failuresOf(farm, 'A', 0), [
    { workerId: W1, failures: 2, lastAt: at + 2000 },
    { workerId: W2, failures: 1 },
  ]);
  t.match(failuresOn(farm, 'w1'), { total: 2, steps: [{ jobId, failures: 2, lastAt: at + 2000 }] });
  farm.expectInvariants(t, 'a manual retry keeps the counts');
  t.end();
});

test('a repeated report counts once, and a late one not at all', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 2 }], { retry: { retryDelaySeconds: 0 } });
  farm.lease('w1');
  farm.report('A/0/0#1', 'failed');
  farm.report('A/0/0#1', 'failed');
  farm.cancelTask('A/0/1');
  farm.report('A/0/1#1', 'failed');
  t.match(failuresOn(farm, 'w1'), { total: 1 });
  farm.expectInvariants(t, 'one failure');
  t.end();
});

test('reclaimed or canceled work is not a failure', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 3 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.report('A/0/1', 'canceled');
  farm.takeOutputs();
  farm.deregister('w1');
  t.match(farm.attempts('A/0/0'), [{ status: 'failed', reclaimed: true }]);
  t.strictSame(failuresOf(farm, 'A', 0), []);
  t.equal(failuresOn(farm, 'w1'), undefined);
  farm.expectInvariants(t, 'the worker has departed');
  farm.register('w1', { incarnation: 'start-2' });
  farm.lease('w1');
  farm.advance(30_000);
  farm.expectInvariants(t, 'the reaper reclaimed them');
  t.match(farm.attempts('A/0/0').at(-1), { status: 'failed', reclaimed: true });
  t.equal(failuresOn(farm, 'w1'), undefined);
  fail(farm, 'w1', 'A/0/0');
  t.notOk('reclaimed' in (farm.attempts('A/0/0').at(-1) ?? {}), 'its own failure is not reclaimed');
  farm.expectInvariants(t, 'one failure');
  t.end();
});

test('failure counts survive a restart of the service and the end of the job', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.submit(
    'A',
    [
      { name: 'first', tasks: 2 },
      { name: 'second', tasks: 1 },
    ],
    { retry: { maxAttempts: 2, retryDelaySeconds: 0 } },
  );
  fail(farm, 'w1', 'A/0/0');
  farm.restart();
  farm.heartbeat('w1');
  fail(farm, 'w1', 'A/0/0');
  farm.advance(1000);
  fail(farm, 'w1', 'A/0/1');
  fail(farm, 'w1', 'A/0/1');
  fail(farm, 'w1', 'A/1/0');
  fail(farm, 'w1', 'A/1/0');
  t.equal(farm.job('A').status, 'failed');
  const jobId = farm.jobId('A');
  t.match(failuresOn(farm, 'w1'), {
    total: 6,
    steps: [
      { jobId, stepOrder: 0, failures: 4 },
      { jobId, stepOrder: 1, failures: 2 },
    ],
  });
  farm.expectInvariants(t, 'the job has ended');
  farm.retryJob('A');
  farm.expectInvariants(t, 'and is loaded again');
  t.match(failuresOf(farm, 'A', 0), [{ failures: 4 }]);
  t.end();
});
