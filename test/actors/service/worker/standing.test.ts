import { test } from 'tap';
import type { WorkerStatus } from '../../../../src/core/records/worker.ts';
import {
  mayDeleteWorker,
  nextWorkerStatus,
  WORKER_TRANSITIONS,
  type WorkerTrigger,
} from '../../../../src/core/lifecycle/worker-transitions.ts';
import { TestHouse } from '../../../kit/test-house.ts';

test('a disabled worker ends what it has and gets nothing more; enabled, it is served at once', (t) => {
  const house = new TestHouse({ unschedulableGraceMs: 0 });
  house.register('w1', { cpu_count: 2 });
  house.submit('A', [{ name: 'render', tasks: 4 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.report('A/0/1', 'running');
  house.lease('w1');
  house.heard();
  house.disableWorker('w1');
  house.expect(t, 'its request stays parked', ['worker w1 disabled', 'disable w1: ok']);
  t.strictSame(house.answer('disable w1'), { ok: true, value: { status: 'disabled' } });
  house.report('A/0/0', 'succeeded');
  house.report('A/0/1', 'succeeded');
  house.expect(t, 'free cores get it nothing', ['task A/0/0 succeeded', 'task A/0/1 succeeded']);
  house.advance(30_000);
  house.expect(t, 'the hold ends', ['lease w1: nothing']);
  house.lease('w1');
  house.expect(t, 'it keeps asking', []);
  t.equal(house.bookedCores('w1'), 0);
  house.advance(10_000);
  house.enableWorker('w1');
  house.expect(t, 'what it asked for comes at once', [
    'worker w1 online',
    'enable w1: ok',
    'task A/0/2 assigned w1',
    'task A/0/3 assigned w1',
    'lease w1: A/0/2#1, A/0/3#1',
  ]);
  t.strictSame(house.answer('enable w1'), { ok: true, value: { status: 'online' } });
  t.end();
});

test('tasks that a disabled worker leaves are done by others', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.register('w2');
  house.disableWorker('w1');
  house.lease('w1');
  house.lease('w2');
  house.heard();
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.expect(t, 'not by the one that asked first', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w2',
    'job A running',
    'lease w2: A/0/0#1',
  ]);
  t.end();
});

test('disable and enable change nothing that is so already', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.enableWorker('w1');
  t.strictSame(house.answer('enable w1'), { ok: true, value: { status: 'online' } });
  house.disableWorker('w1');
  house.heard();
  house.disableWorker('w1');
  house.expect(t, 'disabled twice', ['disable w1: ok']);
  t.strictSame(house.answer('disable w1'), { ok: true, value: { status: 'disabled' } });
  house.enableWorker('w1');
  house.deregister('w1');
  house.heard();
  house.enableWorker('w1');
  house.expect(t, 'an offline worker is not made online', ['enable w1: ok']);
  t.strictSame(house.answer('enable w1'), { ok: true, value: { status: 'offline' } });
  t.end();
});

test('a disabled worker that starts anew, or is heard after a silence, stays disabled', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.disableWorker('w1');
  house.heard();
  house.register('w1', { incarnation: 'start-2' });
  house.expect(t, 'what it had is taken back', [
    'worker w1 disabled',
    'register w1: registered as w1',
    'task A/0/0 ready',
  ]);
  house.lease('w1');
  house.expect(t, 'it asks in vain', []);
  house.restart();
  house.heartbeat('w1');
  house.lease('w1');
  house.expect(t, 'and after a restart of the service too', ['heartbeat w1: alive']);
  t.equal(house.worker('w1').status, 'disabled');
  house.enableWorker('w1');
  house.expect(t, 'until it is enabled', [
    'worker w1 online',
    'enable w1: ok',
    'task A/0/0 assigned w1',
    'lease w1: A/0/0#2',
  ]);
  t.end();
});

test('a disabled worker that falls silent loses its tasks, once, and is offline when it is enabled', (t) => {
  const house = new TestHouse({ unschedulableGraceMs: 0 });
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.disableWorker('w1');
  house.beating.delete('w1');
  house.heard();
  house.warned();
  house.advance(29_999);
  house.expect(t, 'not yet', []);
  house.advance(1);
  house.expect(t, 'silent', ['task A/0/0 ready']);
  t.match(house.attempts('A/0/0'), [{ status: 'failed', message: 'worker went offline', reclaimed: true }]);
  t.equal(house.warned().length, 1);
  house.advance(300_000);
  house.expect(t, 'nothing more is said of it', []);
  t.strictSame(house.warned(), []);
  t.equal(house.worker('w1').status, 'disabled');
  house.enableWorker('w1');
  house.expect(t, 'enabled', ['worker w1 offline', 'enable w1: ok']);
  t.strictSame(house.answer('enable w1'), { ok: true, value: { status: 'offline' } });
  house.heartbeat('w1');
  house.expect(t, 'heard again', ['worker w1 online', 'heartbeat w1: alive']);
  house.advance(29_999);
  house.expect(t, 'its liveness is watched', []);
  house.advance(1);
  house.expect(t, 'again', ['worker w1 offline']);
  t.end();
});

test('the liveness of a disabled worker is watched again once it is heard', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.disableWorker('w1');
  house.beating.delete('w1');
  house.advance(100_000);
  house.heartbeat('w1');
  house.enableWorker('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.disableWorker('w1');
  house.heard();
  house.advance(30_000);
  house.expect(t, 'silent once more', ['task A/0/0 ready']);
  t.equal(house.worker('w1').status, 'disabled');
  t.end();
});

test('after a restart of the service a disabled worker that holds tasks is alive until it was silent for a timeout', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.register('idle');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.disableWorker('w1');
  house.disableWorker('idle');
  house.beating.clear();
  house.heard();
  house.restart(3_600_000);
  house.deleteWorker('w1');
  house.expect(t, 'its task may still run', [
    'delete w1: conflict, the worker is disabled and was heard lately: it can be deleted when it was silent for 30 s',
  ]);
  house.enableWorker('w1');
  house.enableWorker('idle');
  house.expect(t, 'enabled', ['worker w1 online', 'enable w1: ok', 'worker idle offline', 'enable idle: ok']);
  t.equal(house.task('A/0/0').status, 'running');
  house.advance(30_000);
  house.expect(t, 'it was not heard', ['worker w1 offline', 'task A/0/0 ready']);
  t.end();
});

test('a disabled worker that has said goodbye is offline when it is enabled, however lately that was', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.disableWorker('w1');
  house.heard();
  const { incarnation } = house.worker('w1');
  house.deregister('w1');
  house.expect(t, 'what it has is taken back at once', ['deregister w1: departed', 'task A/0/0 ready']);
  house.heartbeat('w1', { incarnation });
  house.expect(t, 'a heartbeat that comes after the goodbye was sent before it', ['heartbeat w1: unknown']);
  house.enableWorker('w1');
  house.expect(t, 'enabled', ['worker w1 offline', 'enable w1: ok']);
  house.disableWorker('w1');
  house.register('w1', { incarnation: 'start-2' });
  house.enableWorker('w1');
  house.expect(t, 'and back with its next start', [
    'worker w1 disabled',
    'disable w1: ok',
    'worker w1 disabled',
    'register w1: registered as w1',
    'worker w1 online',
    'enable w1: ok',
  ]);
  house.heartbeat('w1');
  house.expect(t, 'it is heard', ['heartbeat w1: alive']);
  t.end();
});

test('the silence of disabled workers is not held against the limit of a sweep', (t) => {
  const house = new TestHouse();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) house.register(name);
  for (const name of names.slice(0, 10)) {
    house.disableWorker(name);
    house.beating.delete(name);
  }
  house.advance(25_000);
  house.beating.delete('w10');
  house.heard();
  house.warned();
  house.advance(35_000);
  house.expect(t, 'one of ten is not many', ['worker w10 offline']);
  t.strictSame(house.warned(), [
    'a worker was not heard for a whole heartbeat timeout; its tasks are taken back',
  ]);
  t.end();
});

test('nobody knows the worker', (t) => {
  const house = new TestHouse();
  house.disableWorker('w1');
  house.enableWorker('w1');
  house.deleteWorker('w1');
  house.expect(
    t,
    'refused',
    ['disable', 'enable', 'delete'].map((what) => `${what} w1: not-found, there is no worker id-of-w1`),
  );
  t.end();
});

/** Brings a worker of each status about, silent or not. */
function workerOf(status: WorkerStatus, isSilent: boolean): TestHouse {
  const house = new TestHouse();
  house.register('w1');
  // A worker that is online and silent is one that the service could not hear.
  if (status === 'offline' && !isSilent) house.deregister('w1');
  if (status === 'disabled') house.disableWorker('w1');
  house.beating.delete('w1');
  if (isSilent && status === 'online') house.restart(60_000);
  else if (isSilent) house.advance(60_000);
  house.heard();
  return house;
}

const CAUSES: Readonly<Record<WorkerTrigger, (house: TestHouse) => void>> = {
  register: (house) => {
    house.register('w1', { incarnation: 'start-2' });
  },
  heartbeat: (house) => {
    house.heartbeat('w1');
  },
  deregister: (house) => {
    house.deregister('w1');
  },
  timeout: (house) => {
    house.advance(30_000);
  },
  disable: (house) => {
    house.disableWorker('w1');
  },
  'enable while alive': (house) => {
    house.enableWorker('w1');
  },
  'enable while silent': (house) => {
    house.enableWorker('w1');
  },
  'delete while alive': (house) => {
    house.deleteWorker('w1');
  },
  'delete while silent': (house) => {
    house.deleteWorker('w1');
  },
};

test('the actor does what the table says, in every status', (t) => {
  for (const status of ['online', 'offline', 'disabled'] as const) {
    for (const trigger of Object.keys(CAUSES) as WorkerTrigger[]) {
      const isDelete = trigger === 'delete while alive' || trigger === 'delete while silent';
      const isSilent = trigger.endsWith('silent') || (status === 'offline' && trigger === 'heartbeat');
      const house = workerOf(status, isSilent);
      t.equal(house.worker('w1').status, status, `a worker that is ${status}`);
      CAUSES[trigger](house);
      const after = house.store.get('worker', 'id-of-w1')?.status ?? null;
      const wanted = isDelete
        ? mayDeleteWorker(status, trigger)
          ? null
          : status
        : nextWorkerStatus(status, trigger);
      t.equal(after, wanted, `${status}: ${trigger}`);
      house.checkAtRest(t, `${status}: ${trigger}`);
    }
  }
  t.ok(WORKER_TRANSITIONS.some(({ from, to }) => from === null && to === 'online'));
  t.end();
});
