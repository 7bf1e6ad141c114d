import { test } from 'tap';
import { Uuid7 } from '../../../../src/adapters/system/uuid7.ts';
import { REFUSED_AHEAD_MS } from '../../../../src/core/wire/incarnation.ts';
import { workerId } from '../../../../src/core/ids.ts';
import type { PresenceReply } from '../../../../src/core/wire/bus-messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

test('a registration is stored and answered', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', {
    queues: ['Q', fixture.queue],
    cpu_count: 16,
    memory_mib: 65_536,
    gpu_count: 1,
    gpu_memory_mib: 24_564,
    gpu_models: ['NVIDIA RTX A5000'],
    scratch_mib: 900_000,
    os_version: 'debian-12',
    compute_location: 'North',
    tags: { gpu: 'yes' },
    expr_memory_limit: 500_000,
  });
  fixture.expect(t, 'online', ['worker w1 online', 'register w1: registered as w1']);
  const wanted: PresenceReply = {
    v: 1,
    type: 'registered',
    worker_id: workerId('id-of-w1'),
    farm_id: fixture.farm,
    queue_ids: [fixture.queue],
    heartbeat_timeout_ms: 30_000,
    service: 'this-service',
    closed: [],
    reclaim_after_ms: 30_000,
    mark: fixture.now,
    previews: true,
  };
  t.strictSame(fixture.answer('register w1'), wanted, 'queues by name and by id, each once');
  t.strictSame(fixture.worker('w1'), {
    version: 1,
    id: 'id-of-w1',
    ordinal: 1,
    farmId: fixture.farm,
    name: 'w1',
    hostname: 'host-w1',
    status: 'online',
    incarnation: 'start-1',
    computeLocation: 'North',
    cpuCount: 16,
    memoryMib: 65_536,
    hardware: {
      gpuCount: 1,
      gpuMemoryMib: 24_564,
      gpuModels: ['NVIDIA RTX A5000'],
      scratchMib: 900_000,
      osVersion: 'debian-12',
    },
    os: 'linux',
    arch: 'x86_64',
    softwareVersion: '0.1.0',
    queueIds: [fixture.queue],
    tags: { gpu: 'yes' },
    exprMemoryBytes: 500_000,
    lastHeartbeatAt: fixture.now,
    registeredAt: fixture.now,
    hasLeased: false,
    promise: { reclaimAfterMs: 30_000, buses: [] },
  });
  fixture.register('w1', { incarnation: 'start-2' });
  t.equal(fixture.worker('w1').exprMemoryBytes, 0, 'an absent property is empty, not the earlier value');
  t.end();
});

test('a repeated registration replaces the properties of the worker', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { gpu_count: 2, tags: { blender: 'true' } });
  const before = fixture.worker('w1');
  t.match(before, { hardware: { gpuCount: 2 }, tags: { blender: 'true' } });
  // The same start, and an older agent without GPU properties.
  fixture.register('w1', { tags: { nuke: 'true' } });
  const none = { gpuCount: 0, gpuMemoryMib: 0, gpuModels: [], scratchMib: 0, osVersion: '' };
  t.strictSame(fixture.worker('w1'), {
    ...before,
    hardware: none,
    tags: { nuke: 'true' },
    lastHeartbeatAt: fixture.now,
  });
  t.end();
});

test('a repeated registration of the same incarnation changes nothing and reclaims nothing', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.lease('w1');
  const { registeredAt } = fixture.worker('w1');
  fixture.takeOutputs();
  fixture.advance(1000);
  fixture.register('w1', { open_attempts: [] });
  fixture.expect(t, 'the same incarnation', ['register w1: registered as w1']);
  t.equal(fixture.task('A/0/0').status, 'assigned');
  t.match(fixture.worker('w1'), { ordinal: 1, registeredAt, lastHeartbeatAt: fixture.now });
  t.end();
});

test('a registration with an unknown queue is refused', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { queues: ['Q', 'night'] });
  fixture.expect(t, 'refused', ['register w1: refused, the farm has no queue "night"']);
  t.strictSame([...fixture.store.scan('worker')], []);
  t.end();
});

test('a restarted worker gives back the attempts that it does not report', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 3 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/1', 'running');
  fixture.takeOutputs();
  fixture.register('w1', { incarnation: 'start-2', open_attempts: [fixture.attemptId('A/0/1')] });
  fixture.expect(t, 'one of three is still open', [
    'worker w1 online',
    'register w1: registered as w1',
    'task A/0/0 ready',
    'task A/0/2 ready',
  ]);
  t.match(fixture.attempts('A/0/0'), [{ status: 'failed', message: 'the worker was restarted' }]);
  t.equal(fixture.task('A/0/0').failedAttempts, 0);
  t.equal(fixture.task('A/0/1').status, 'running');
  fixture.lease('w1');
  fixture.expect(t, 'it can get them again', [
    'task A/0/0 assigned w1',
    'task A/0/2 assigned w1',
    'lease w1: A/0/0#2, A/0/2#2',
  ]);
  t.end();
});

test('the registration reply of a restarted worker lists its closed attempts', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 2 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.takeOutputs();
  const open = [fixture.attemptId('A/0/0#1'), fixture.attemptId('A/0/1#1')];
  fixture.register('w1', { incarnation: 'start-2', open_attempts: open });
  fixture.expect(t, 'its unconfirmed report has arrived', [
    'worker w1 online',
    'register w1: registered as w1, closed A/0/0#1',
    'task A/0/1 running w1',
  ]);
  t.end();
});

test('an earlier incarnation of a worker is refused', (t) => {
  const fixture = new TestFarm();
  const ids = new Uuid7(() => fixture.now);
  const [earlier, later] = [ids.next(), ids.next()];
  fixture.register('w1', { incarnation: later });
  fixture.takeOutputs();
  fixture.register('w1', { incarnation: earlier });
  fixture.heartbeat('w1', { incarnation: earlier });
  fixture.deregister('w1', earlier);
  fixture.expect(t, 'neither by registering nor otherwise', [
    'register w1: refused, a later incarnation of this worker has already registered',
    'heartbeat w1: unknown',
    'deregister w1: departed',
  ]);
  t.match(fixture.worker('w1'), { status: 'online', incarnation: later });
  t.end();
});

test('names are unique: an online worker keeps its name', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.takeOutputs();
  fixture.register('w1', { worker_id: workerId('another'), hostname: 'elsewhere' });
  fixture.expect(t, 'refused', ['register w1: refused, the farm has a worker named "w1" that is online']);
  t.equal(fixture.worker('w1').hostname, 'host-w1');
  t.equal(fixture.store.get('worker', 'another'), undefined);
  t.end();
});

test('the name of an offline worker is taken over, with its id', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.deregister('w1');
  fixture.takeOutputs();
  fixture.advance(1000);
  fixture.register('w1', { worker_id: workerId('another'), hostname: 'elsewhere', incarnation: 'start-9' });
  fixture.expect(t, 'registered under its earlier id', ['worker w1 online', 'register w1: registered as w1']);
  t.match(fixture.answer('register w1'), { worker_id: 'id-of-w1' });
  t.match(fixture.worker('w1'), { ordinal: 1, hostname: 'elsewhere', registeredAt: fixture.now - 1000 });
  t.equal(fixture.store.get('worker', 'another'), undefined);
  fixture.lease('w1');
  fixture.expect(t, 'and runs tasks', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('a worker can change its name', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.register('other');
  fixture.takeOutputs();
  fixture.register('better', { worker_id: workerId('id-of-w1') });
  fixture.expect(t, 'it is the same worker', ['register better: registered as better']);
  t.equal(fixture.store.get('worker', 'id-of-w1')?.name, 'better');
  fixture.register('w1', { worker_id: workerId('id-of-third') });
  fixture.expect(t, 'its old name can be used again', ['worker w1 online', 'register w1: registered as w1']);
  t.equal(fixture.store.get('worker', 'id-of-third')?.ordinal, 3);
  t.end();
});

test('a departing worker gives back its attempts at once', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.register('w2');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.lease('w2');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.deregister('w1');
  fixture.expect(t, 'to a waiting worker', [
    'worker w1 offline',
    'deregister w1: departed',
    'lease w1: unknown',
    'task A/0/0 ready',
    'task A/0/0 assigned w2',
    'lease w2: A/0/0#2',
  ]);
  t.match(fixture.attempts('A/0/0')[0], { status: 'failed', message: 'worker went offline' });
  fixture.deregister('w1');
  fixture.expect(t, 'a second departure', ['deregister w1: departed']);
  fixture.advance(60_000);
  t.notOk(
    fixture.takeOutputs().some((line) => line.startsWith('worker w1')),
    'it is offline once',
  );
  t.end();
});

test('a heartbeat detects an assignment that was lost in transit', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 2 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/1', 'running');
  fixture.beating.delete('w1');
  fixture.takeOutputs();
  fixture.advance(20_000);
  fixture.heartbeat('w1', { open: ['A/0/0'] });
  fixture.expect(t, 'the lease reply may be in transit', ['heartbeat w1: alive']);
  fixture.advance(20_000);
  fixture.heartbeat('w1', { open: ['A/0/0'] });
  fixture.expect(t, 'it is missing for 20 s', ['heartbeat w1: alive']);
  fixture.advance(19_999);
  fixture.heartbeat('w1', { open: ['A/0/0'] });
  fixture.expect(t, 'it may still arrive', ['heartbeat w1: alive']);
  fixture.advance(1);
  fixture.heartbeat('w1', { open: ['A/0/0'] });
  fixture.expect(t, 'it never arrived', ['heartbeat w1: alive', 'task A/0/1 ready']);
  t.match(fixture.attempts('A/0/1'), [{ status: 'failed', message: 'the worker does not have the task' }]);
  t.equal(fixture.task('A/0/1').failedAttempts, 0);
  t.equal(fixture.task('A/0/0').status, 'running');
  t.end();
});

test('every heartbeat reply lists closed attempts that the worker reports', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 2 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.cancelTask('A/0/0');
  fixture.takeOutputs();
  fixture.heartbeat('w1', { open: ['A/0/0#1', 'A/0/1#1'] });
  fixture.heartbeat('w1', { open: ['A/0/0#1', 'A/0/1#1'] });
  fixture.expect(t, 'until it has stopped it', [
    'heartbeat w1: alive, closed A/0/0#1',
    'task A/0/1 running w1',
    'heartbeat w1: alive, closed A/0/0#1',
  ]);
  t.end();
});

test('a heartbeat of an unknown worker gets the reply unknown', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.takeOutputs();
  fixture.heartbeat('w1', { incarnation: 'start-0' });
  fixture.expect(t, 'it must register', ['heartbeat w1: unknown']);
  t.end();
});

test('booked cores are released by every way of ending a task', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 4 });
  fixture.submit('A', [{ name: 's', tasks: 4 }], { retry: { maxAttempts: 1 } });
  fixture.lease('w1');
  fixture.takeOutputs();
  const booked = (): number => fixture.bookedCores('w1');
  t.equal(booked(), 4);
  fixture.report('A/0/0', 'succeeded');
  t.equal(booked(), 3);
  fixture.report('A/0/1', 'failed');
  t.equal(booked(), 2);
  fixture.cancelTask('A/0/2');
  t.equal(booked(), 1);
  fixture.deregister('w1');
  t.equal(booked(), 0);
  fixture.expectInvariants(t, 'all ends');
  t.end();
});

test('an incarnation of the future locks the worker out for a day at most', (t) => {
  const fixture = new TestFarm();
  const at = (aheadMs: number): string => new Uuid7(() => fixture.now + aheadMs).next();
  fixture.register('w1', { incarnation: at(REFUSED_AHEAD_MS + 60_000) });
  fixture.expect(t, 'more than a day ahead', [
    'register w1: refused, its incarnation is more than a day in the future; check the clocks of the worker and the service',
  ]);
  fixture.register('w1', { incarnation: at(REFUSED_AHEAD_MS - 60_000) });
  fixture.takeOutputs();
  fixture.register('w1', { incarnation: at(0) });
  fixture.expect(t, 'a forged one of today', [
    'register w1: refused, a later incarnation of this worker has already registered',
  ]);
  fixture.advance(REFUSED_AHEAD_MS);
  const own = at(0);
  fixture.register('w1', { incarnation: own });
  t.equal(fixture.worker('w1').incarnation, own, 'a day later');
  t.end();
});

test('an attempt that a heartbeat has again counts as missing only from the next gap', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.beating.delete('w1');
  fixture.takeOutputs();
  fixture.heartbeat('w1', { open: [] });
  fixture.advance(20_000);
  fixture.heartbeat('w1', { open: ['A/0/0'] });
  fixture.advance(20_000);
  fixture.heartbeat('w1', { open: [] });
  fixture.expect(t, 'missing for the second time, 40 s after the first', [
    'heartbeat w1: alive',
    'heartbeat w1: alive',
    'heartbeat w1: alive',
  ]);
  fixture.advance(25_000);
  fixture.heartbeat('w1', { open: [] });
  fixture.advance(15_000);
  fixture.heartbeat('w1', { open: [] });
  fixture.expect(t, 'missing for 40 s since then', [
    'heartbeat w1: alive',
    'heartbeat w1: alive',
    'task A/0/0 ready',
  ]);
  t.end();
});

test('time in which the service could not receive does not count for a missing attempt', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.beating.delete('w1');
  fixture.heartbeat('w1', { open: [] });
  fixture.stall(60_000);
  fixture.takeOutputs();
  fixture.heartbeat('w1', { open: [] });
  fixture.expect(t, 'this heartbeat may be from before the stall', ['heartbeat w1: alive']);
  t.equal(fixture.task('A/0/0').status, 'running');
  t.end();
});
