import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const MINUTE_MS = 60_000;
const BUS = { id: 'bus-1', limitMs: 10 * MINUTE_MS };
const OTHER_BUS = { id: 'bus-2', limitMs: 10 * MINUTE_MS };
/** Settings of a service that waits for five minutes before it reclaims tasks. */
const PATIENT = { reclaimAfterMs: 5 * MINUTE_MS };
const STOPPED = 'the worker stopped the task because it had no contact with the service';

/** A farm with a worker that runs a task and sends no heartbeats. */
function withSilentWorker(settings: ConstructorParameters<typeof TestFarm>[0]): TestFarm {
  const fixture = new TestFarm(settings);
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.beating.delete('w1');
  fixture.takeOutputs();
  return fixture;
}

const isReclaimed = (fixture: TestFarm): boolean => fixture.task('A/0/0').status === 'ready';

test('a silent worker is offline after the timeout, and loses its tasks after reclaim_after', (t) => {
  const fixture = withSilentWorker(PATIENT);
  fixture.advance(30_000);
  fixture.expect(t, 'offline', ['worker w1 offline']);
  t.match(fixture.takeWarnings(), ['no heartbeat for a whole timeout; the worker may still run its tasks']);
  fixture.advance(5 * MINUTE_MS - 30_001);
  fixture.expect(t, 'not yet', []);
  fixture.advance(1);
  fixture.expect(t, 'reclaimed', ['task A/0/0 ready']);
  t.end();
});

test('a worker that returns before reclaim_after keeps its tasks', (t) => {
  const fixture = withSilentWorker(PATIENT);
  fixture.advance(4 * MINUTE_MS);
  fixture.takeOutputs();
  fixture.heartbeat('w1', { open: ['A/0/0#1'] });
  fixture.expect(t, 'back', ['worker w1 online', 'heartbeat w1: alive']);
  t.equal(fixture.task('A/0/0').status, 'running');
  t.end();
});

test('a restarted service waits for the whole promised time, also with a shorter one of its own', (t) => {
  const fixture = withSilentWorker(PATIENT);
  fixture.advance(4 * MINUTE_MS);
  fixture.restartWith({ reclaimAfterMs: 30_000, serviceId: 'second' });
  fixture.advance(5 * MINUTE_MS - 1);
  t.notOk(isReclaimed(fixture));
  fixture.advance(1);
  t.ok(isReclaimed(fixture));
  t.end();
});

test('a promise shrinks only when a heartbeat reports the shorter time of this start of the service', (t) => {
  const fixture = withSilentWorker(PATIENT);
  fixture.restartWith({ reclaimAfterMs: 30_000, serviceId: 'second' });
  const promised = (): number | undefined => fixture.worker('w1').promise?.reclaimAfterMs;
  fixture.heartbeat('w1', {
    open: ['A/0/0#1'],
    terms: { reclaim_after_ms: 5 * MINUTE_MS, service: 'this-service' },
  });
  t.equal(promised(), 5 * MINUTE_MS);
  fixture.heartbeat('w1', {
    open: ['A/0/0#1'],
    terms: { reclaim_after_ms: 30_000, service: 'this-service' },
  });
  t.equal(promised(), 5 * MINUTE_MS, 'an earlier start had the same time');
  fixture.heartbeat('w1', { open: ['A/0/0#1'], terms: { reclaim_after_ms: 30_000, service: 'second' } });
  t.equal(promised(), 30_000);
  t.end();
});

test('a longer time is stored before the reply that promises it', (t) => {
  const fixture = withSilentWorker({});
  fixture.restartWith({ ...PATIENT, serviceId: 'second' });
  fixture.heartbeat('w1', {
    open: ['A/0/0#1'],
    terms: { reclaim_after_ms: 30_000, service: 'this-service' },
  });
  t.match(fixture.answer('heartbeat w1'), { reclaim_after_ms: 5 * MINUTE_MS });
  t.match(fixture.worker('w1').promise, { reclaimAfterMs: 5 * MINUTE_MS });
  t.end();
});

test('a worker of an earlier version is reclaimed after the heartbeat timeout', (t) => {
  const fixture = withSilentWorker(PATIENT);
  fixture.heartbeat('w1', { open: ['A/0/0#1'] });
  fixture.advance(30_000);
  t.ok(isReclaimed(fixture));
  t.end();
});

test('tasks are not reclaimed before the bus has confirmed the connection', (t) => {
  const fixture = withSilentWorker({});
  fixture.isBusConnected = false;
  fixture.advance(2 * MINUTE_MS);
  fixture.expect(t, 'only offline', ['worker w1 offline']);
  fixture.isBusConnected = true;
  fixture.advance(30_000);
  fixture.expect(t, 'reclaimed', ['task A/0/0 ready']);
  t.end();
});

test('a confirmation from before an interruption reclaims nothing', (t) => {
  const fixture = withSilentWorker({});
  fixture.isBusConnected = false;
  fixture.advance(30_000);
  const askedAt = fixture.now;
  fixture.stall(20_000);
  fixture.post({ actor: 'worker', id: fixture.worker('w1').id, message: { type: 'bus.confirmed', askedAt } });
  fixture.run();
  t.notOk(isReclaimed(fixture));
  t.end();
});

test('replies name a single bus, and a worker that may use another one keeps its tasks for its limit', (t) => {
  const fixture = withSilentWorker({ singleBus: () => BUS });
  t.match(fixture.answer('register w1'), {
    single_bus: true,
    bus: 'bus-1',
    absence_limit_ms: 10 * MINUTE_MS,
  });
  fixture.restartWith({ singleBus: () => OTHER_BUS, serviceId: 'second' });
  fixture.advance(10 * MINUTE_MS + 29_999);
  t.notOk(isReclaimed(fixture));
  fixture.advance(1);
  t.ok(isReclaimed(fixture));
  t.end();
});

test('a worker at the same bus is reclaimed after the timeout', (t) => {
  const fixture = withSilentWorker({ singleBus: () => BUS });
  fixture.restartWith({ singleBus: () => BUS, serviceId: 'second' });
  fixture.advance(30_000);
  t.ok(isReclaimed(fixture));
  t.end();
});

test('an earlier bus is forgotten when the worker reports the current one', (t) => {
  const fixture = withSilentWorker({ singleBus: () => BUS });
  fixture.restartWith({ singleBus: () => OTHER_BUS, serviceId: 'second' });
  const buses = (): readonly string[] => (fixture.worker('w1').promise?.buses ?? []).map(({ id }) => id);
  const terms = { reclaim_after_ms: 30_000, service: 'this-service', bus: 'bus-1' };
  fixture.heartbeat('w1', { open: ['A/0/0#1'], terms });
  t.strictSame(buses(), ['bus-1', 'bus-2']);
  fixture.heartbeat('w1', { open: ['A/0/0#1'], terms: { ...terms, service: 'second', bus: 'bus-2' } });
  t.strictSame(buses(), ['bus-2']);
  t.end();
});

test('an assignment that a patient worker does not have returns after a later mark', (t) => {
  const fixture = new TestFarm(PATIENT);
  fixture.register('w1');
  fixture.beating.delete('w1');
  const beat = (mark: number): void =>
    fixture.heartbeat('w1', { terms: { reclaim_after_ms: 5 * MINUTE_MS, service: 'this-service', mark } });
  fixture.submit('A', [{ name: 'render', tasks: 1 }]);
  fixture.lease('w1');
  const assignedAt = fixture.now;
  fixture.advance(1_000);
  beat(assignedAt);
  fixture.advance(28_000);
  beat(fixture.now);
  fixture.advance(25_000);
  beat(assignedAt);
  t.equal(
    fixture.task('A/0/0').status,
    'assigned',
    'the reaper and heartbeats with an old mark change nothing',
  );
  beat(fixture.now);
  t.ok(isReclaimed(fixture));
  t.match(fixture.attempts('A/0/0'), [{ message: 'the worker does not have the task' }]);
  t.end();
});

test('another machine cannot take over the name of a worker that may still run tasks', (t) => {
  const fixture = withSilentWorker(PATIENT);
  fixture.advance(MINUTE_MS);
  fixture.takeOutputs();
  const [other] = ['0190ffff-0000-7000-8000-000000000001'];
  fixture.register('w1', { worker_id: other as never, incarnation: 'start-9' });
  t.match(fixture.answer('register w1'), { type: 'refused', reason: /is silent and may still run tasks/ });
  t.notOk(isReclaimed(fixture));
  fixture.register('w1', { incarnation: 'start-9' });
  t.ok(isReclaimed(fixture), 'its own daemon ends its tasks before it registers');
  t.end();
});

test('attempts that a worker has stopped itself have the true reason', (t) => {
  const fixture = withSilentWorker({});
  fixture.register('w1', { incarnation: 'start-2', stopped: 'no-contact' });
  t.match(fixture.attempts('A/0/0'), [{ status: 'failed', message: STOPPED }]);
  t.end();
});

test('a mark of an earlier start of the service proves nothing about a missing attempt', (t) => {
  const fixture = withSilentWorker(PATIENT);
  const beat = (service: string): void => {
    const terms = { reclaim_after_ms: 5 * MINUTE_MS, service, mark: fixture.now };
    fixture.heartbeat('w1', { open: [], terms });
  };
  beat('this-service');
  fixture.advance(MINUTE_MS);
  beat('an earlier start');
  t.notOk(isReclaimed(fixture));
  beat('this-service');
  t.ok(isReclaimed(fixture));
  t.end();
});
