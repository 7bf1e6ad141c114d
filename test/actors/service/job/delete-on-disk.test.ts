import { test } from 'tap';
import { PURGE_ROWS } from '../../../../actors/service/purge/purge-actor.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { writerOptions } from '../../../adapters/lmdb/store-kit.ts';
import { openHouseStore } from '../../../kit/house-on-disk.ts';
import { rowsOfJob } from '../../../kit/rows-of-job.ts';
import { TestHouse } from '../../../kit/test-house.ts';

/** The real store: what is left of a deleted job on disk. */
test('no row of a deleted job is left in any table of the real store', async (t) => {
  const store = await openHouseStore(writerOptions(t.testdir()));
  t.teardown(() => store.close());
  const house = new TestHouse({ retention: { afterMs: 60_000, includeFailed: false } }, store);
  house.register('w1');
  for (const name of ['A', 'B']) {
    house.submit(
      name,
      [
        { name: 's', tasks: 70 },
        { name: 'after', tasks: 2, after: ['s'] },
      ],
      { retry: { maxAttempts: 1 } },
    );
    house.lease('w1');
    house.report(`${name}/0/0`, 'failed', { exitCode: 3 });
    house.cancelTask(`${name}/0/69`);
  }
  const [a, b] = [house.jobId('A'), house.jobId('B')];
  house.write([
    put('stepFailures', keys.stepFailures(a, 0, house.worker('w1').id), {
      version: 1,
      workerId: house.worker('w1').id,
      failures: 1,
      lastAt: house.now,
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
    ].sort(),
  );
  const before = rowsOfJob(store, b);
  house.deleteJob('A');
  t.strictSame(rowsOfJob(store, a), []);
  t.strictSame(rowsOfJob(store, b), before, 'its neighbour has all its rows');
  house.cancelJob('B');
  t.ok(rowsOfJob(store, b).includes(`endedJob ${endedKey(house, 'B')}`), 'it is listed as ended');
  house.deleteJob('B');
  t.strictSame(rowsOfJob(store, b), []);
  house.checkAtRest(t, 'at the end');
});

test('a purge of the real store goes on where a crash cut it off', async (t) => {
  const store = await openHouseStore(writerOptions(t.testdir()));
  t.teardown(() => store.close());
  const house = new TestHouse({}, store);
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.cancelJob('A');
  const id = house.jobId('A');
  const tasks = 3 * PURGE_ROWS;
  house.write(
    Array.from({ length: tasks }, (_, index) =>
      put('taskText', keys.taskText({ jobId: id, stepOrder: 0, index }), {
        version: 1,
        failureReason: 'canceled by user',
      }),
    ),
  );
  house.forWindows(2, () => {
    house.deleteJob('A');
  });
  t.equal([...store.scan('taskText')].length, tasks - PURGE_ROWS, 'the first piece');
  house.withoutFlush(() => undefined);
  house.restart();
  t.strictSame(rowsOfJob(store, id), []);
  house.checkAtRest(t, 'at the end');
});

function endedKey(house: TestHouse, name: string): string {
  const { farmId, id, status, endedAt = 0 } = house.job(name);
  if (status !== 'canceled') throw new Error(`${name} is ${status}`);
  return keys.endedJob(farmId, status, endedAt, id);
}
