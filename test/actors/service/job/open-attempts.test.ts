import { test, type Test } from 'tap';
import { attemptIdOf } from '../../../../src/core/ids.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { openAttemptOf } from '../../../../src/core/records/open-attempt.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { hasAssignment, type AssignedTaskState } from '../../../../src/core/records/task-page.ts';
import type { BookingRecord } from '../../../../src/core/records/worker.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/** A job whose tasks are all assigned, without any report. */
function leased(tasks = 3): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: tasks });
  farm.submit('A', [{ name: 'render', tasks }]);
  farm.advance(7);
  farm.lease('w1');
  farm.takeOutputs();
  return farm;
}

const rows = (farm: TestFarm): number => [...farm.store.scan('attempt')].length;

function assigned(farm: TestFarm, word: string): AssignedTaskState {
  const task = farm.task(word);
  if (!hasAssignment(task)) throw new Error(`task ${word} has no assignment`);
  return task;
}

const open = (farm: TestFarm, word: string): unknown =>
  openAttemptOf(farm.address(word), assigned(farm, word), farm.worker('w1').id);

test('a lease writes no attempt row, but the first report and the end do', (t) => {
  const farm = leased();
  t.equal(rows(farm), 0);
  const { now } = farm;
  t.match(farm.attempts('A/0/0'), [{ attemptNumber: 1, status: 'running', startedAt: now, sessionId: '' }]);
  t.strictSame(farm.attempts('A/0/0'), [open(farm, 'A/0/0')]);
  farm.advance(5);
  farm.report('A/0/0', 'running', { sessionId: 's1' });
  t.equal(rows(farm), 1);
  t.match(farm.attempts('A/0/0'), [{ status: 'running', startedAt: now, sessionId: 's1' }]);
  farm.report('A/0/1', 'failed', { exitCode: 3 });
  farm.report('A/0/2', 'succeeded');
  t.equal(rows(farm), 3);
  t.match(farm.attempts('A/0/1'), [
    { status: 'failed', exitCode: 3, startedAt: now, endedAt: farm.now, workerId: farm.worker('w1').id },
  ]);
  t.match(farm.attempts('A/0/2'), [{ status: 'succeeded', startedAt: now, endedAt: farm.now }]);
  t.end();
});

test('a restarted service restores open attempts without reports', (t) => {
  const farm = leased();
  const before = [0, 1, 2].map((index) => farm.attempts(`A/0/${index}`));
  farm.restart(5000);
  t.strictSame(
    [0, 1, 2].map((index) => farm.attempts(`A/0/${index}`)),
    before,
  );
  farm.report('A/0/0', 'succeeded');
  farm.report('A/0/1', 'running', { sessionId: 's1' });
  farm.restart(5000);
  farm.heartbeat('w1', { open: ['A/0/1', 'A/0/2'] });
  t.equal(farm.task('A/0/2').status, 'running', 'the worker has it but has not reported it');
  t.strictSame(farm.attempts('A/0/2'), before[2]);
  t.equal(rows(farm), 2);
  farm.restart(5000);
  t.strictSame(farm.attempts('A/0/2'), before[2]);
  t.match(farm.attempts('A/0/1'), [{ status: 'running', sessionId: 's1' }]);
  farm.report('A/0/1', 'succeeded');
  farm.report('A/0/2', 'succeeded');
  t.equal(farm.job('A').status, 'completed');
  t.equal(rows(farm), 3);
  t.end();
});

test('every way of closing an attempt writes its row', (t) => {
  const cases: [name: string, status: string, close: (farm: TestFarm) => void][] = [
    ['a user cancels the task', 'canceled', (farm) => farm.cancelTask('A/0/0')],
    ['a user cancels the job', 'canceled', (farm) => farm.cancelJob('A')],
    ['it is never reported', 'failed', (farm) => farm.advance(30_000)],
    ['the worker comes back without it', 'failed', (farm) => farm.register('w1', { incarnation: 'start-2' })],
    ['the worker leaves', 'failed', (farm) => farm.deregister('w1')],
    ['the worker is deleted', 'failed', (farm) => (farm.deregister('w1'), farm.deleteWorker('w1'))],
  ];
  for (const [name, status, close] of cases) {
    for (const isLoadedAgain of [false, true]) {
      const farm = leased(1);
      const { id } = farm.worker('w1');
      if (isLoadedAgain) farm.restart();
      if (isLoadedAgain) farm.heartbeat('w1');
      close(farm);
      const found = [...farm.store.scan('attempt')].map(({ value }) => value);
      t.match(found, [{ status, attemptNumber: 1, workerId: id }], `${name}, ${isLoadedAgain}`);
      t.type(found[0]?.endedAt, 'number');
    }
  }
  t.end();
});

test('a job can be deleted while its attempts have no rows', (t) => {
  const farm = leased();
  farm.deleteJob('A');
  t.equal(rows(farm), 0);
  t.equal(farm.bookedCores('w1'), 0);
  t.end();
});

test('attempt rows and bookings of an earlier version are read', (t) => {
  const farm = leased();
  const worker = farm.worker('w1');
  const words = ['A/0/0', 'A/0/1', 'A/0/2'];
  const old = words.map((word) => {
    const address = farm.address(word);
    const attemptId = attemptIdOf({ ...address, attemptNumber: 1 });
    return { attemptId, taskId: attemptId.slice(0, -2), cores: 1, bookedAt: 5 };
  });
  const bookings: BookingRecord = { version: 1, bookings: old };
  farm.write([
    put('booking', keys.booking(worker.id), bookings),
    ...words.map((word) => {
      const address = farm.address(word);
      return put(
        'attempt',
        keys.attempt(address, 1),
        openAttemptOf(address, assigned(farm, word), worker.id),
      );
    }),
  ]);
  farm.restart();
  farm.report('A/0/0', 'succeeded');
  t.strictSame(
    farm.store.get('booking', keys.booking(worker.id))?.bookings,
    old.slice(1).map(({ attemptId, cores }) => ({ attemptId, cores })),
  );
  farm.report('A/0/1', 'succeeded');
  farm.report('A/0/2', 'succeeded');
  isCompleted(t, farm);
  t.end();
});

function isCompleted(t: Test, farm: TestFarm): void {
  t.equal(farm.job('A').status, 'completed');
  t.strictSame(farm.takeWarnings(), []);
}
