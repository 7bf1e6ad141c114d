import { test } from 'tap';
import { workerId } from '../../../../src/core/ids.ts';
import type { StepFailuresRecord, WorkerFailuresRecord } from '../../../../src/core/records/step-failures.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const W1 = workerId('id-of-w1');
const W2 = workerId('id-of-w2');

const failuresOn = (house: TestHouse, worker: string): WorkerFailuresRecord | undefined =>
  house.store.get('workerFailures', keys.workerFailures(workerId(`id-of-${worker}`)));

const failuresOf = (house: TestHouse, job: string, stepOrder: number): StepFailuresRecord[] =>
  [...house.store.scan('stepFailures', { prefix: keys.stepFailuresOf(house.jobId(job), stepOrder) })].map(
    (row) => row.value,
  );

/** The worker asks for work and fails the task that it gets. */
function fail(house: TestHouse, worker: string, task: string): void {
  house.lease(worker);
  house.report(task, 'running');
  house.report(task, 'failed', { exitCode: 1 });
}

test('every failure that a worker reports is counted by step and worker: retry, auto-park, exhausted', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 1 }], {
    retry: { maxAttempts: 3, retryDelaySeconds: 0, failureLimit: 2 },
  });
  const jobId = house.jobId('A');
  fail(house, 'w1', 'A/0/0');
  const at = house.now;
  t.strictSame(failuresOf(house, 'A', 0), [{ version: 1, workerId: W1, failures: 1, lastAt: at }], 'a retry');
  t.strictSame(failuresOn(house, 'w1'), {
    version: 1,
    total: 1,
    steps: [{ jobId, stepOrder: 0, failures: 1, lastAt: at }],
  });
  house.register('w2', { cpu_count: 1 });
  house.advance(1000);
  fail(house, 'w2', 'A/0/0');
  t.equal(house.task('A/0/0').status, 'failed');
  t.match(failuresOf(house, 'A', 0), [
    { workerId: W1, failures: 1, lastAt: at },
    { workerId: W2, failures: 1, lastAt: at + 1000 },
  ]);
  house.checkAtRest(t, 'the job was ended by its failure limit');
  house.retryJob('A');
  house.updateJob('A', { retry: { maxAttempts: 1, failureLimit: 0 } });
  house.advance(1000);
  fail(house, 'w1', 'A/0/0');
  t.equal(house.job('A').status, 'failed', 'its attempts are exhausted');
  t.match(failuresOf(house, 'A', 0), [
    { workerId: W1, failures: 2, lastAt: at + 2000 },
    { workerId: W2, failures: 1 },
  ]);
  t.match(failuresOn(house, 'w1'), { total: 2, steps: [{ jobId, failures: 2, lastAt: at + 2000 }] });
  house.checkAtRest(t, 'a manual retry forgot nothing');
  t.end();
});

test('a report that comes twice, or late, counts once or not at all', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 2 }], { retry: { retryDelaySeconds: 0 } });
  house.lease('w1');
  house.report('A/0/0#1', 'failed');
  house.report('A/0/0#1', 'failed');
  house.cancelTask('A/0/1');
  house.report('A/0/1#1', 'failed');
  t.match(failuresOn(house, 'w1'), { total: 1 });
  house.checkAtRest(t, 'one failure');
  t.end();
});

test('work that was taken back or canceled is no failure', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 3 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.report('A/0/1', 'canceled');
  house.heard();
  house.deregister('w1');
  t.match(house.attempts('A/0/0'), [{ status: 'failed', reclaimed: true }]);
  t.strictSame(failuresOf(house, 'A', 0), []);
  t.equal(failuresOn(house, 'w1'), undefined);
  house.checkAtRest(t, 'the worker has gone');
  house.register('w1', { incarnation: 'start-2' });
  house.lease('w1');
  house.advance(30_000);
  house.checkAtRest(t, 'the reaper took them back');
  t.match(house.attempts('A/0/0').at(-1), { status: 'failed', reclaimed: true });
  t.equal(failuresOn(house, 'w1'), undefined);
  fail(house, 'w1', 'A/0/0');
  t.notOk('reclaimed' in (house.attempts('A/0/0').at(-1) ?? {}), 'a failure of its own is none of those');
  house.checkAtRest(t, 'one failure');
  t.end();
});

test('counts survive a restart of the service and the end of the job', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.submit(
    'A',
    [
      { name: 'first', tasks: 2 },
      { name: 'second', tasks: 1 },
    ],
    { retry: { maxAttempts: 2, retryDelaySeconds: 0 } },
  );
  fail(house, 'w1', 'A/0/0');
  house.restart();
  house.heartbeat('w1');
  fail(house, 'w1', 'A/0/0');
  house.advance(1000);
  fail(house, 'w1', 'A/0/1');
  fail(house, 'w1', 'A/0/1');
  fail(house, 'w1', 'A/1/0');
  fail(house, 'w1', 'A/1/0');
  t.equal(house.job('A').status, 'failed');
  const jobId = house.jobId('A');
  t.match(failuresOn(house, 'w1'), {
    total: 6,
    steps: [
      { jobId, stepOrder: 0, failures: 4 },
      { jobId, stepOrder: 1, failures: 2 },
    ],
  });
  house.checkAtRest(t, 'the job has ended');
  house.retryJob('A');
  house.checkAtRest(t, 'and is loaded again');
  t.match(failuresOf(house, 'A', 0), [{ failures: 4 }]);
  t.end();
});
