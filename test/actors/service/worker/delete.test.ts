import { test } from 'tap';
import { workerId } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const ONLINE = 'conflict, the worker is online; stop it before you delete it';
const LATELY =
  'conflict, the worker is disabled and still sends heartbeats; it can be deleted after 30 s of silence';

/** The stored rows of a worker, by table. */
const rowsOf = (fixture: TestFarm, name: string): readonly unknown[] => {
  const id = workerId(`id-of-${name}`);
  return [
    fixture.store.get('worker', keys.worker(id)),
    fixture.store.get('booking', keys.booking(id)),
    fixture.store.get('workerFailures', keys.workerFailures(id)),
  ];
};

test('deleting an offline worker leaves only its ordinal', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 2 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/0', 'failed');
  fixture.deregister('w1');
  t.equal(rowsOf(fixture, 'w1').filter((row) => row === undefined).length, 0, 'all its rows exist');
  fixture.takeOutputs();
  fixture.deleteWorker('w1');
  fixture.expect(t, 'deleted', ['worker w1 removed', 'delete w1: ok']);
  t.strictSame(fixture.answer('delete w1'), { ok: true, value: null });
  t.strictSame(rowsOf(fixture, 'w1'), [undefined, undefined, undefined]);
  t.match(fixture.store.get('workerOrdinal', keys.workerOrdinal(fixture.farm, 1)), { workerId: 'id-of-w1' });
  t.notOk(fixture.isResident('worker', 'id-of-w1'));
  fixture.deleteWorker('w1');
  fixture.expect(t, 'twice', ['delete w1: not-found, there is no worker id-of-w1']);
  fixture.advance(120_000);
  t.strictSame(
    fixture.takeOutputs().filter((line) => line.startsWith('worker')),
    [],
    'its timers are removed',
  );
  t.end();
});

test('an online worker, or a disabled one with heartbeats, cannot be deleted', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.takeOutputs();
  fixture.deleteWorker('w1');
  fixture.expect(t, 'online', [`delete w1: ${ONLINE}`]);
  fixture.disableWorker('w1');
  fixture.beating.delete('w1');
  fixture.advance(29_999);
  fixture.takeOutputs();
  fixture.deleteWorker('w1');
  fixture.expect(t, 'disabled', [`delete w1: ${LATELY}`]);
  fixture.advance(1);
  fixture.deleteWorker('w1');
  fixture.expect(t, 'disabled and silent for a whole timeout', ['worker w1 removed', 'delete w1: ok']);
  t.end();
});

test('a disabled worker that has departed can be deleted once its last heartbeat is old', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.disableWorker('w1');
  fixture.deregister('w1');
  fixture.takeOutputs();
  fixture.deleteWorker('w1');
  fixture.expect(t, 'not yet', [`delete w1: ${LATELY}`]);
  fixture.advance(30_000);
  fixture.deleteWorker('w1');
  fixture.expect(t, 'now', ['worker w1 removed', 'delete w1: ok']);
  t.end();
});

test('a worker can be deleted after the clock was set back', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.disableWorker('w1');
  fixture.beating.clear();
  fixture.takeOutputs();
  fixture.now -= 3_600_000;
  fixture.stall(0);
  fixture.deleteWorker('w1');
  fixture.expect(t, 'not before one timeout', [`delete w1: ${LATELY}`]);
  fixture.advance(30_000);
  fixture.deleteWorker('w1');
  fixture.expect(t, 'then', ['worker w1 removed', 'delete w1: ok']);
  t.end();
});

test('deleting a worker reclaims its booked attempts', (t) => {
  const fixture = new TestFarm();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) fixture.register(name, { cpu_count: 1 });
  fixture.submit('A', [{ name: 's', tasks: 20 }]);
  for (const name of names) fixture.lease(name);
  for (let index = 0; index < 20; index++) fixture.report(`A/0/${index}`, 'running');
  fixture.disableWorker('w19');
  fixture.beating.clear();
  fixture.advance(30_000);
  fixture.takeOutputs();
  t.equal(
    fixture.task('A/0/19').status,
    'running',
    'its expiry was deferred, because many workers fell silent',
  );
  fixture.deleteWorker('w19');
  fixture.expect(t, 'deleted', ['worker w19 removed', 'delete w19: ok', 'task A/0/19 ready']);
  t.match(fixture.attempts('A/0/19'), [
    { status: 'failed', message: 'the worker was deleted', reclaimed: true },
  ]);
  t.match(fixture.task('A/0/19'), { failedAttempts: 0 });
  t.end();
});

test('a deleted worker that returns gets the reply unknown and registers as a new one', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  const open = fixture.attemptId('A/0/0');
  const before = fixture.worker('w1');
  fixture.beating.clear();
  fixture.advance(30_000);
  fixture.deleteWorker('w1');
  fixture.takeOutputs();
  fixture.heartbeatOf(before, [open]);
  fixture.expect(t, 'unknown', ['heartbeat: unknown']);
  fixture.lease('w1', { incarnation: before.incarnation });
  fixture.expect(t, 'it gets no tasks', ['lease w1: unknown']);
  fixture.advance(1000);
  fixture.register('w1', { open_attempts: [open] });
  fixture.expect(t, 'registered', ['worker w1 online', 'register w1: registered as w1, closed A/0/0#1']);
  t.match(fixture.worker('w1'), { id: before.id, ordinal: 2, registeredAt: fixture.now });
  fixture.lease('w1');
  fixture.expect(t, 'and runs tasks', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  fixture.restart();
  fixture.heartbeat('w1');
  fixture.report('A/0/0', 'running');
  fixture.expect(t, 'after a restart too', ['heartbeat w1: alive', 'task A/0/0 running w1']);
  t.end();
});

test('the name of a deleted worker can be used again, that of a disabled one cannot', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.disableWorker('w1');
  fixture.beating.clear();
  fixture.advance(30_000);
  fixture.takeOutputs();
  fixture.register('w1', { worker_id: workerId('another') });
  fixture.expect(t, 'taken', ['register w1: refused, the farm has a worker named "w1" that is disabled']);
  fixture.deleteWorker('w1');
  fixture.register('w1', { worker_id: workerId('another') });
  fixture.expect(t, 'free', [
    'worker w1 removed',
    'delete w1: ok',
    'worker w1 online',
    'register w1: registered as w1',
  ]);
  t.match(fixture.store.get('worker', 'another'), { ordinal: 2, name: 'w1' });
  t.end();
});

test('a deletion that was not durable before a crash has no effect', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.deregister('w1');
  fixture.withoutFlush(() => {
    fixture.deleteWorker('w1');
  });
  fixture.restart();
  fixture.takeOutputs();
  t.equal(fixture.worker('w1').status, 'offline');
  fixture.register('w1', { worker_id: workerId('another'), incarnation: 'start-2' });
  fixture.expect(t, 'its name is taken over with its id', [
    'worker w1 online',
    'register w1: registered as w1',
  ]);
  t.match(fixture.answer('register w1'), { worker_id: 'id-of-w1' });
  t.end();
});
