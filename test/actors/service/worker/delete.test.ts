import { test } from 'tap';
import { workerId } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const ONLINE = 'conflict, the worker is online: it can be deleted when it is stopped';
const LATELY =
  'conflict, the worker is disabled and was heard lately: it can be deleted when it was silent for 30 s';

/** What the store holds of a worker, by table. */
const rowsOf = (house: TestHouse, name: string): readonly unknown[] => {
  const id = workerId(`id-of-${name}`);
  return [
    house.store.get('worker', keys.worker(id)),
    house.store.get('booking', keys.booking(id)),
    house.store.get('workerFailures', keys.workerFailures(id)),
  ];
};

test('an offline worker is deleted, and nothing is left but its ordinal', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 2 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.report('A/0/0', 'failed');
  house.deregister('w1');
  t.equal(rowsOf(house, 'w1').filter((row) => row === undefined).length, 0, 'all its rows are there');
  house.heard();
  house.deleteWorker('w1');
  house.expect(t, 'deleted', ['worker w1 removed', 'delete w1: ok']);
  t.strictSame(house.answer('delete w1'), { ok: true, value: null });
  t.strictSame(rowsOf(house, 'w1'), [undefined, undefined, undefined]);
  t.match(house.store.get('workerOrdinal', keys.workerOrdinal(house.farm, 1)), { workerId: 'id-of-w1' });
  t.notOk(house.isResident('worker', 'id-of-w1'));
  house.deleteWorker('w1');
  house.expect(t, 'twice', ['delete w1: not-found, there is no worker id-of-w1']);
  house.advance(120_000);
  t.strictSame(
    house.heard().filter((line) => line.startsWith('worker')),
    [],
    'its timers are gone',
  );
  t.end();
});

test('an online worker, or one that is disabled and alive, is not deleted', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.heard();
  house.deleteWorker('w1');
  house.expect(t, 'online', [`delete w1: ${ONLINE}`]);
  house.disableWorker('w1');
  house.beating.delete('w1');
  house.advance(29_999);
  house.heard();
  house.deleteWorker('w1');
  house.expect(t, 'disabled', [`delete w1: ${LATELY}`]);
  house.advance(1);
  house.deleteWorker('w1');
  house.expect(t, 'disabled and silent for a whole timeout', ['worker w1 removed', 'delete w1: ok']);
  t.end();
});

test('a disabled worker that has said goodbye is deleted when its last heartbeat is old', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.disableWorker('w1');
  house.deregister('w1');
  house.heard();
  house.deleteWorker('w1');
  house.expect(t, 'not yet', [`delete w1: ${LATELY}`]);
  house.advance(30_000);
  house.deleteWorker('w1');
  house.expect(t, 'now', ['worker w1 removed', 'delete w1: ok']);
  t.end();
});

test('a clock that was set back does not make a worker undeletable', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.disableWorker('w1');
  house.beating.clear();
  house.heard();
  house.now -= 3_600_000;
  house.stall(0);
  house.deleteWorker('w1');
  house.expect(t, 'not before one timeout', [`delete w1: ${LATELY}`]);
  house.advance(30_000);
  house.deleteWorker('w1');
  house.expect(t, 'then', ['worker w1 removed', 'delete w1: ok']);
  t.end();
});

test('what is still booked when a worker is deleted is taken back', (t) => {
  const house = new TestHouse();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) house.register(name, { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 20 }]);
  for (const name of names) house.lease(name);
  for (let index = 0; index < 20; index++) house.report(`A/0/${index}`, 'running');
  house.disableWorker('w19');
  house.beating.clear();
  house.advance(30_000);
  house.heard();
  t.equal(house.task('A/0/19').status, 'running', 'so many fell silent that its task was left to it');
  house.deleteWorker('w19');
  house.expect(t, 'deleted', ['worker w19 removed', 'delete w19: ok', 'task A/0/19 ready']);
  t.match(house.attempts('A/0/19'), [
    { status: 'failed', message: 'the worker was deleted', reclaimed: true },
  ]);
  t.match(house.task('A/0/19'), { failedAttempts: 0 });
  t.end();
});

test('a deleted worker that is heard again is told so, and registers as a new one', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  const open = house.attemptId('A/0/0');
  const before = house.worker('w1');
  house.beating.clear();
  house.advance(30_000);
  house.deleteWorker('w1');
  house.heard();
  house.heartbeatOf(before, [open]);
  house.expect(t, 'unknown', ['heartbeat: unknown']);
  house.lease('w1', { incarnation: before.incarnation });
  house.expect(t, 'it gets no work', ['lease w1: unknown']);
  house.advance(1000);
  house.register('w1', { open_attempts: [open] });
  house.expect(t, 'registered', ['worker w1 online', 'register w1: registered as w1, closed A/0/0#1']);
  t.match(house.worker('w1'), { id: before.id, ordinal: 2, registeredAt: house.now });
  house.lease('w1');
  house.expect(t, 'and works', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  house.restart();
  house.heartbeat('w1');
  house.report('A/0/0', 'running');
  house.expect(t, 'after a restart too', ['heartbeat w1: alive', 'task A/0/0 running w1']);
  t.end();
});

test('the name of a deleted worker is free, and that of a disabled one is not', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.disableWorker('w1');
  house.beating.clear();
  house.advance(30_000);
  house.heard();
  house.register('w1', { worker_id: workerId('another') });
  house.expect(t, 'taken', ['register w1: refused, the farm has a worker named "w1" that is disabled']);
  house.deleteWorker('w1');
  house.register('w1', { worker_id: workerId('another') });
  house.expect(t, 'free', [
    'worker w1 removed',
    'delete w1: ok',
    'worker w1 online',
    'register w1: registered as w1',
  ]);
  t.match(house.store.get('worker', 'another'), { ordinal: 2, name: 'w1' });
  t.end();
});

test('a deletion that did not reach the disk did not happen', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.deregister('w1');
  house.withoutFlush(() => {
    house.deleteWorker('w1');
  });
  house.restart();
  house.heard();
  t.equal(house.worker('w1').status, 'offline');
  house.register('w1', { worker_id: workerId('another'), incarnation: 'start-2' });
  house.expect(t, 'its name is taken over with its id', [
    'worker w1 online',
    'register w1: registered as w1',
  ]);
  t.match(house.answer('register w1'), { worker_id: 'id-of-w1' });
  t.end();
});
