import { test } from 'tap';
import { PURGE_ROWS } from '../../../../actors/service/purge/purge-actor.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { writerOptions } from '../../../adapters/lmdb/store-kit.ts';
import { openDiskStore } from '../../../kit/farm-on-disk.ts';
import { rowsOfJob } from '../../../kit/rows-of-job.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/** The real store after a job was deleted. */
test('the real store has no row of a deleted job in any table', async (t) => {
  const store = await openDiskStore(writerOptions(t.testdir()));
  t.teardown(() => store.close());
  const farm = new TestFarm({ retention: { afterMs: 60_000, includeFailed: false } }, store);
  farm.register('w1');
  for (const name of ['A', 'B']) {
    farm.submit(
      name,
      [
        { name: 's', tasks: 70 },
        { name: 'after', tasks: 2, after: ['s'] },
      ],
      { retry: { maxAttempts: 1 } },
    );
    farm.lease('w1');
    farm.report(`${name}/0/0`, 'failed', { exitCode: 3 });
    farm.cancelTask(`${name}/0/69`);
    farm.report(`${name}/0/69`, 'canceled');
  }
  const [a, b] = [farm.jobId('A'), farm.jobId('B')];
  farm.write([
    put('stepFailures', keys.stepFailures(a, 0, farm.worker('w1').id), {
      version: 1,
      workerId: farm.worker('w1').id,
      failures: 1,
      lastAt: farm.now,
    }),
  ]);
  const tablesOf = (id: string): string[] =>
    [...new Set(rowsOfJob(store, id).map((row) => row.split(' ')[0] ?? ''))].sort();
  t.strictSame(
    tablesOf(a),
    [
      'activeJob',
      'attempt',
      'booking',
      'job',
      'plan',
      'stepFailures',
      'step',
      'taskPage',
      'taskText',
      'template',
      'workerAttempt',
    ].sort(),
  );
  const before = rowsOfJob(store, b);
  farm.deleteJob('A');
  t.strictSame(rowsOfJob(store, a), []);
  t.strictSame(rowsOfJob(store, b), before, 'the other job keeps all its rows');
  farm.cancelJob('B');
  t.ok(rowsOfJob(store, b).includes(`endedJob ${endedKey(farm, 'B')}`), 'it is listed as ended');
  farm.deleteJob('B');
  t.strictSame(rowsOfJob(store, b), []);
  farm.expectInvariants(t, 'at the end');
});

test('a purge of the real store resumes after a crash', async (t) => {
  const store = await openDiskStore(writerOptions(t.testdir()));
  t.teardown(() => store.close());
  const farm = new TestFarm({}, store);
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.cancelJob('A');
  const id = farm.jobId('A');
  const tasks = 3 * PURGE_ROWS;
  farm.write(
    Array.from({ length: tasks }, (_, index) =>
      put('taskText', keys.taskText({ jobId: id, stepOrder: 0, index }), {
        version: 1,
        failureReason: 'canceled by user',
      }),
    ),
  );
  farm.forWindows(2, () => {
    farm.deleteJob('A');
  });
  t.equal([...store.scan('taskText')].length, tasks - PURGE_ROWS, 'the first batch');
  farm.withoutFlush(() => undefined);
  farm.restart();
  t.strictSame(rowsOfJob(store, id), []);
  farm.expectInvariants(t, 'at the end');
});

function endedKey(farm: TestFarm, name: string): string {
  const { farmId, id, status, endedAt = 0 } = farm.job(name);
  if (status !== 'canceled') throw new Error(`job ${name} is ${status}`);
  return keys.endedJob(farmId, status, endedAt, id);
}
