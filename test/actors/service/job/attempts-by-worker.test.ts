import { test } from 'tap';
import { attemptIdOf } from '../../../../src/core/ids.ts';
import { indexedAttempts } from '../../../../src/core/records/attempts-of-worker.ts';
import { rowsOfJob } from '../../../kit/rows-of-job.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const entries = (farm: TestFarm): number => [...farm.store.scan('workerAttempt')].length;

/** Returns the closed attempts of a worker, the latest end first: `<job>/<step>/<index>/<number>`. */
const closedOn = (farm: TestFarm, worker: string, jobs: readonly string[]): string[] =>
  [...indexedAttempts(farm.store, farm.worker(worker).id, null)].map(({ attempt }) => {
    const name = jobs.find((each) => farm.jobId(each) === attempt.jobId) ?? '?';
    return `${name}/${attempt.stepOrder}/${attempt.index}/${attempt.attemptNumber}`;
  });

test('each closed attempt is in the index of its worker, in all jobs', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 3 });
  farm.register('w2', { cpu_count: 1 });
  farm.submit('A', [{ name: 'render', tasks: 3 }]);
  farm.submit('B', [{ name: 'comp', tasks: 1 }]);
  farm.lease('w1');
  farm.lease('w2');
  t.equal(entries(farm), 0, 'a lease writes no entry');
  farm.report('A/0/0', 'running');
  t.equal(entries(farm), 0, 'nor does the start');
  farm.advance(10);
  farm.report('A/0/0', 'succeeded');
  farm.advance(10);
  farm.report('B/0/0', 'failed', { exitCode: 1 });
  farm.advance(10);
  farm.cancelTask('A/0/1');
  t.strictSame(closedOn(farm, 'w1', ['A', 'B']), ['A/0/1/1', 'A/0/0/1']);
  t.strictSame(closedOn(farm, 'w2', ['A', 'B']), ['B/0/0/1']);
  farm.advance(10);
  farm.deleteWorker('w1');
  t.strictSame(closedOn(farm, 'w1', ['A', 'B']).length, 2, 'an online worker is not deleted');
  farm.restart();
  t.strictSame(closedOn(farm, 'w1', ['A', 'B']), ['A/0/1/1', 'A/0/0/1'], 'after a restart');
  farm.expectInvariants(t, 'at the end');
  t.end();
});

test('attempts that are closed in one turn share an entry', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 4 });
  farm.submit('A', [{ name: 'render', tasks: 4 }]);
  farm.lease('w1');
  farm.reportAll([
    ['A/0/0', 'succeeded'],
    ['A/0/1', 'succeeded'],
    ['A/0/2', 'succeeded'],
  ]);
  t.equal(entries(farm), 1);
  t.strictSame(closedOn(farm, 'w1', ['A']), ['A/0/0/1', 'A/0/1/1', 'A/0/2/1']);
  t.end();
});

test('a deleted job leaves no entry, and those of other jobs remain', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 3 });
  farm.submit('A', [{ name: 'render', tasks: 3 }]);
  farm.submit('B', [{ name: 'comp', tasks: 1 }]);
  farm.lease('w1');
  farm.reportAll([
    ['A/0/0', 'succeeded'],
    ['A/0/1', 'succeeded'],
  ]);
  farm.advance(5);
  farm.lease('w1');
  farm.report('B/0/0', 'succeeded');
  const id = farm.jobId('A');
  const open = attemptIdOf({ ...farm.address('A/0/2'), attemptNumber: 1 });
  t.ok(rowsOfJob(farm.store, id).some((row) => row.startsWith('workerAttempt')));
  farm.deleteJob('A');
  farm.takeOutputs();
  t.strictSame(
    rowsOfJob(farm.store, id).filter((row) => !row.startsWith('doomedJob')),
    [],
    `also of ${open}, which was open`,
  );
  t.equal(entries(farm), 1);
  t.strictSame(closedOn(farm, 'w1', ['B']), ['B/0/0/1']);
  t.end();
});
