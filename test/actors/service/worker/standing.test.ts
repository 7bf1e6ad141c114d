import { test } from 'tap';
import type { WorkerStatus } from '../../../../src/core/records/worker.ts';
import {
  mayDeleteWorker,
  nextWorkerStatus,
  WORKER_TRANSITIONS,
  type WorkerTrigger,
} from '../../../../src/core/lifecycle/worker-transitions.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

test('a disabled worker finishes its tasks and gets no more; once enabled, it is served at once', (t) => {
  const farm = new TestFarm({ unschedulableGraceMs: 0 });
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', [{ name: 'render', tasks: 4 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.report('A/0/1', 'running');
  farm.lease('w1');
  farm.takeOutputs();
  farm.disableWorker('w1');
  farm.expect(t, 'its request stays parked', ['worker w1 disabled', 'disable w1: ok']);
  t.match(farm.answer('disable w1'), {
    ok: true,
    value: { status: 'disabled', disabling: { by: 'ann', reason: '', stopsTasks: false } },
  });
  farm.report('A/0/0', 'succeeded');
  farm.report('A/0/1', 'succeeded');
  farm.expect(t, 'no tasks for its free cores', ['task A/0/0 succeeded', 'task A/0/1 succeeded']);
  farm.advance(30_000);
  farm.expect(t, 'the hold ends', ['lease w1: nothing']);
  farm.lease('w1');
  farm.expect(t, 'it keeps requesting', []);
  t.equal(farm.bookedCores('w1'), 0);
  farm.advance(10_000);
  farm.enableWorker('w1');
  farm.expect(t, 'its request is served at once', [
    'worker w1 online',
    'enable w1: ok',
    'task A/0/2 assigned w1',
    'task A/0/3 assigned w1',
    'lease w1: A/0/2#1, A/0/3#1',
  ]);
  t.strictSame(farm.answer('enable w1'), { ok: true, value: { status: 'online', disabling: null } });
  t.end();
});

test('other workers run the tasks that a disabled worker does not get', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.register('w2');
  farm.disableWorker('w1');
  farm.lease('w1');
  farm.lease('w2');
  farm.takeOutputs();
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.expect(t, 'not by the first requester', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w2',
    'job A running',
    'lease w2: A/0/0#1',
  ]);
  t.end();
});

test('disable and enable are idempotent', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.enableWorker('w1');
  t.strictSame(farm.answer('enable w1'), { ok: true, value: { status: 'online', disabling: null } });
  farm.disableWorker('w1');
  farm.takeOutputs();
  farm.disableWorker('w1');
  farm.expect(t, 'disabled twice', ['disable w1: ok']);
  t.match(farm.answer('disable w1'), { ok: true, value: { status: 'disabled' } });
  farm.enableWorker('w1');
  farm.deregister('w1');
  farm.takeOutputs();
  farm.enableWorker('w1');
  farm.expect(t, 'enable does not make an offline worker online', ['enable w1: ok']);
  t.strictSame(farm.answer('enable w1'), { ok: true, value: { status: 'offline', disabling: null } });
  t.end();
});

test('a disabled worker stays disabled after a restart or a silence', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.disableWorker('w1');
  farm.takeOutputs();
  farm.register('w1', { incarnation: 'start-2' });
  farm.expect(t, 'its attempts are reclaimed', [
    'worker w1 disabled',
    'register w1: registered as w1',
    'task A/0/0 ready',
  ]);
  farm.lease('w1');
  farm.expect(t, 'it gets no tasks', []);
  farm.restart();
  farm.heartbeat('w1');
  farm.lease('w1');
  farm.expect(t, 'also after a restart of the service', ['heartbeat w1: alive']);
  t.equal(farm.worker('w1').status, 'disabled');
  farm.enableWorker('w1');
  farm.expect(t, 'until it is enabled', [
    'worker w1 online',
    'enable w1: ok',
    'task A/0/0 assigned w1',
    'lease w1: A/0/0#2',
  ]);
  t.end();
});

test('a disabled worker that falls silent loses its tasks once, and is offline when it is enabled', (t) => {
  const farm = new TestFarm({ unschedulableGraceMs: 0 });
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.disableWorker('w1');
  farm.beating.delete('w1');
  farm.takeOutputs();
  farm.takeWarnings();
  farm.advance(29_999);
  farm.expect(t, 'not yet', []);
  farm.advance(1);
  farm.expect(t, 'silent', ['task A/0/0 ready']);
  t.match(farm.attempts('A/0/0'), [{ status: 'failed', message: 'worker went offline', reclaimed: true }]);
  t.equal(farm.takeWarnings().length, 1);
  farm.advance(300_000);
  farm.expect(t, 'nothing more is published', []);
  t.strictSame(farm.takeWarnings(), []);
  t.equal(farm.worker('w1').status, 'disabled');
  farm.enableWorker('w1');
  farm.expect(t, 'enabled', ['worker w1 offline', 'enable w1: ok']);
  t.strictSame(farm.answer('enable w1'), { ok: true, value: { status: 'offline', disabling: null } });
  farm.heartbeat('w1');
  farm.expect(t, 'a heartbeat again', ['worker w1 online', 'heartbeat w1: alive']);
  farm.advance(29_999);
  farm.expect(t, 'its liveness is monitored', []);
  farm.advance(1);
  farm.expect(t, 'again', ['worker w1 offline']);
  t.end();
});

test('the liveness of a disabled worker is monitored again after a heartbeat', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.disableWorker('w1');
  farm.beating.delete('w1');
  farm.advance(100_000);
  farm.heartbeat('w1');
  farm.enableWorker('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.disableWorker('w1');
  farm.takeOutputs();
  farm.advance(30_000);
  farm.expect(t, 'silent once more', ['task A/0/0 ready']);
  t.equal(farm.worker('w1').status, 'disabled');
  t.end();
});

test('after a restart a disabled worker with tasks counts as alive until it was silent for a timeout', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.register('idle');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.disableWorker('w1');
  farm.disableWorker('idle');
  farm.beating.clear();
  farm.takeOutputs();
  farm.restart(3_600_000);
  farm.deleteWorker('w1');
  farm.expect(t, 'its task may still run', [
    'delete w1: conflict, the worker is disabled and still sends heartbeats; it can be deleted after 30 s of silence',
  ]);
  farm.enableWorker('w1');
  farm.enableWorker('idle');
  farm.expect(t, 'enabled', ['worker w1 online', 'enable w1: ok', 'worker idle offline', 'enable idle: ok']);
  t.equal(farm.task('A/0/0').status, 'running');
  farm.advance(30_000);
  farm.expect(t, 'it sent no heartbeat', ['worker w1 offline', 'task A/0/0 ready']);
  t.end();
});

test('a disabled worker that has departed is offline when it is enabled, however recently it departed', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.disableWorker('w1');
  farm.takeOutputs();
  const { incarnation } = farm.worker('w1');
  farm.deregister('w1');
  farm.expect(t, 'its attempts are reclaimed at once', ['deregister w1: departed', 'task A/0/0 ready']);
  farm.heartbeat('w1', { incarnation });
  farm.expect(t, 'a heartbeat after the departure was sent before it', ['heartbeat w1: unknown']);
  farm.enableWorker('w1');
  farm.expect(t, 'enabled', ['worker w1 offline', 'enable w1: ok']);
  farm.disableWorker('w1');
  farm.register('w1', { incarnation: 'start-2' });
  farm.enableWorker('w1');
  farm.expect(t, 'back with its next start', [
    'worker w1 disabled',
    'disable w1: ok',
    'worker w1 disabled',
    'register w1: registered as w1',
    'worker w1 online',
    'enable w1: ok',
  ]);
  farm.heartbeat('w1');
  farm.expect(t, 'it sends a heartbeat', ['heartbeat w1: alive']);
  t.end();
});

test('silent disabled workers do not count against the expiry limit', (t) => {
  const farm = new TestFarm();
  const names = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const name of names) farm.register(name);
  for (const name of names.slice(0, 10)) {
    farm.disableWorker(name);
    farm.beating.delete(name);
  }
  farm.advance(25_000);
  farm.beating.delete('w10');
  farm.takeOutputs();
  farm.takeWarnings();
  farm.advance(35_000);
  farm.expect(t, 'one of ten is not many', ['worker w10 offline']);
  t.strictSame(farm.takeWarnings(), ['no heartbeat for a whole timeout; reclaiming the tasks of the worker']);
  t.end();
});

test('requests for an unknown worker are not found', (t) => {
  const farm = new TestFarm();
  farm.disableWorker('w1');
  farm.enableWorker('w1');
  farm.deleteWorker('w1');
  farm.expect(
    t,
    'refused',
    ['disable', 'enable', 'delete'].map((what) => `${what} w1: not-found, there is no worker id-of-w1`),
  );
  t.end();
});

/** Creates a worker of each status, silent or not. */
function workerOf(status: WorkerStatus, isSilent: boolean): TestFarm {
  const farm = new TestFarm();
  farm.register('w1');
  // An online and silent worker is one that the service could not receive.
  if (status === 'offline' && !isSilent) farm.deregister('w1');
  if (status === 'disabled') farm.disableWorker('w1');
  farm.beating.delete('w1');
  if (isSilent && status === 'online') farm.restart(60_000);
  else if (isSilent) farm.advance(60_000);
  farm.takeOutputs();
  return farm;
}

const CAUSES: Readonly<Record<WorkerTrigger, (farm: TestFarm) => void>> = {
  register: (farm) => {
    farm.register('w1', { incarnation: 'start-2' });
  },
  heartbeat: (farm) => {
    farm.heartbeat('w1');
  },
  deregister: (farm) => {
    farm.deregister('w1');
  },
  timeout: (farm) => {
    farm.advance(30_000);
  },
  disable: (farm) => {
    farm.disableWorker('w1');
  },
  'enable while alive': (farm) => {
    farm.enableWorker('w1');
  },
  'enable while silent': (farm) => {
    farm.enableWorker('w1');
  },
  'delete while alive': (farm) => {
    farm.deleteWorker('w1');
  },
  'delete while silent': (farm) => {
    farm.deleteWorker('w1');
  },
};

test('the actor follows the transition table in every status', (t) => {
  for (const status of ['online', 'offline', 'disabled'] as const) {
    for (const trigger of Object.keys(CAUSES) as WorkerTrigger[]) {
      const isDelete = trigger === 'delete while alive' || trigger === 'delete while silent';
      const isSilent = trigger.endsWith('silent') || (status === 'offline' && trigger === 'heartbeat');
      const farm = workerOf(status, isSilent);
      t.equal(farm.worker('w1').status, status, `a worker that is ${status}`);
      CAUSES[trigger](farm);
      const after = farm.store.get('worker', 'id-of-w1')?.status ?? null;
      const wanted = isDelete
        ? mayDeleteWorker(status, trigger)
          ? null
          : status
        : nextWorkerStatus(status, trigger);
      t.equal(after, wanted, `${status}: ${trigger}`);
      farm.expectInvariants(t, `${status}: ${trigger}`);
    }
  }
  t.ok(WORKER_TRANSITIONS.some(({ from, to }) => from === null && to === 'online'));
  t.end();
});
