import { test, type Test } from 'tap';
import { attemptIdOf } from '../../../../src/core/ids.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { openAttemptOf } from '../../../../src/core/records/open-attempt.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import type { BookingRecord } from '../../../../src/core/records/worker.ts';
import { TestHouse } from '../../../kit/test-house.ts';

/** A job of which each task is held and none has said anything. */
function leased(tasks = 3): TestHouse {
  const house = new TestHouse();
  house.register('w1', { cpu_count: tasks });
  house.submit('A', [{ name: 'render', tasks }]);
  house.advance(7);
  house.lease('w1');
  house.heard();
  return house;
}

const rows = (house: TestHouse): number => [...house.store.scan('attempt')].length;

const open = (house: TestHouse, word: string): unknown =>
  openAttemptOf(house.address(word), house.task(word), house.worker('w1').id);

test('a lease writes no attempt, the first report and the end do', (t) => {
  const house = leased();
  t.equal(rows(house), 0);
  const { now } = house;
  t.match(house.attempts('A/0/0'), [{ attemptNumber: 1, status: 'running', startedAt: now, sessionId: '' }]);
  t.strictSame(house.attempts('A/0/0'), [open(house, 'A/0/0')]);
  house.advance(5);
  house.report('A/0/0', 'running', { sessionId: 's1' });
  t.equal(rows(house), 1);
  t.match(house.attempts('A/0/0'), [{ status: 'running', startedAt: now, sessionId: 's1' }]);
  house.report('A/0/1', 'failed', { exitCode: 3 });
  house.report('A/0/2', 'succeeded');
  t.equal(rows(house), 3);
  t.match(house.attempts('A/0/1'), [
    { status: 'failed', exitCode: 3, startedAt: now, endedAt: house.now, workerId: house.worker('w1').id },
  ]);
  t.match(house.attempts('A/0/2'), [{ status: 'succeeded', startedAt: now, endedAt: house.now }]);
  t.end();
});

test('a service that starts again knows the attempts of which nothing was said', (t) => {
  const house = leased();
  const before = [0, 1, 2].map((index) => house.attempts(`A/0/${index}`));
  house.restart(5000);
  t.strictSame(
    [0, 1, 2].map((index) => house.attempts(`A/0/${index}`)),
    before,
  );
  house.report('A/0/0', 'succeeded');
  house.report('A/0/1', 'running', { sessionId: 's1' });
  house.restart(5000);
  house.heartbeat('w1', { open: ['A/0/1', 'A/0/2'] });
  t.equal(house.task('A/0/2').status, 'running', 'the worker has it, and has said nothing of it');
  t.strictSame(house.attempts('A/0/2'), before[2]);
  t.equal(rows(house), 2);
  house.restart(5000);
  t.strictSame(house.attempts('A/0/2'), before[2]);
  t.match(house.attempts('A/0/1'), [{ status: 'running', sessionId: 's1' }]);
  house.report('A/0/1', 'succeeded');
  house.report('A/0/2', 'succeeded');
  t.equal(house.job('A').status, 'completed');
  t.equal(rows(house), 3);
  t.end();
});

test('each way in which an attempt is closed writes its row', (t) => {
  const cases: [name: string, status: string, close: (house: TestHouse) => void][] = [
    ['a user cancels the task', 'canceled', (house) => house.cancelTask('A/0/0')],
    ['a user cancels the job', 'canceled', (house) => house.cancelJob('A')],
    ['it is never reported', 'failed', (house) => house.advance(30_000)],
    [
      'the worker comes back without it',
      'failed',
      (house) => house.register('w1', { incarnation: 'start-2' }),
    ],
    ['the worker leaves', 'failed', (house) => house.deregister('w1')],
    ['the worker is deleted', 'failed', (house) => (house.deregister('w1'), house.deleteWorker('w1'))],
  ];
  for (const [name, status, close] of cases) {
    for (const isLoadedAgain of [false, true]) {
      const house = leased(1);
      const { id } = house.worker('w1');
      if (isLoadedAgain) house.restart();
      if (isLoadedAgain) house.heartbeat('w1');
      close(house);
      const found = [...house.store.scan('attempt')].map(({ value }) => value);
      t.match(found, [{ status, attemptNumber: 1, workerId: id }], `${name}, ${isLoadedAgain}`);
      t.type(found[0]?.endedAt, 'number');
    }
  }
  t.end();
});

test('a job is deleted while its attempts have no rows', (t) => {
  const house = leased();
  house.deleteJob('A');
  t.equal(rows(house), 0);
  t.equal(house.bookedCores('w1'), 0);
  t.end();
});

test('rows of an earlier version, written at the lease and with more in a booking, are read', (t) => {
  const house = leased();
  const worker = house.worker('w1');
  const words = ['A/0/0', 'A/0/1', 'A/0/2'];
  const old = words.map((word) => {
    const address = house.address(word);
    const attemptId = attemptIdOf({ ...address, attemptNumber: 1 });
    return { attemptId, taskId: attemptId.slice(0, -2), cores: 1, bookedAt: 5 };
  });
  const bookings: BookingRecord = { version: 1, bookings: old };
  house.write([
    put('booking', keys.booking(worker.id), bookings),
    ...words.map((word) => {
      const address = house.address(word);
      return put('attempt', keys.attempt(address, 1), openAttemptOf(address, house.task(word), worker.id));
    }),
  ]);
  house.restart();
  house.report('A/0/0', 'succeeded');
  t.strictSame(
    house.store.get('booking', keys.booking(worker.id))?.bookings,
    old.slice(1).map(({ attemptId, cores }) => ({ attemptId, cores })),
  );
  house.report('A/0/1', 'succeeded');
  house.report('A/0/2', 'succeeded');
  isCompleted(t, house);
  t.end();
});

function isCompleted(t: Test, house: TestHouse): void {
  t.equal(house.job('A').status, 'completed');
  t.strictSame(house.warned(), []);
}
