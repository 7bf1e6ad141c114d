import { test } from 'tap';
import type { JobMessage } from '../../../../actors/service/job/messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const LOST = 'the worker was lost';

/** A farm in which the first attempt of the only task was given back and its second one is assigned. */
function withSecondAttempt(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 1 }]);
  farm.lease('w1');
  farm.register('w1', { incarnation: 'start-2' });
  farm.lease('w1');
  farm.takeOutputs();
  return farm;
}

function tell(farm: TestFarm, message: JobMessage): void {
  farm.deliver({ actor: 'job', id: farm.jobId('A'), message });
}

const reclaimOf = (farm: TestFarm, word: string): JobMessage => ({
  type: 'attempts.reclaim',
  attemptIds: [farm.attemptId(word)],
  reason: LOST,
});

test('a late reclaim of an earlier attempt leaves the one that runs', (t) => {
  const farm = withSecondAttempt();
  farm.report('A/0/0#2', 'running');
  farm.takeOutputs();
  tell(farm, reclaimOf(farm, 'A/0/0#1'));
  farm.expect(t, 'the first attempt is closed already', []);
  t.match(farm.task('A/0/0'), { status: 'running', attemptNumber: 2 });
  tell(farm, reclaimOf(farm, 'A/0/0#3'));
  farm.expect(t, 'there is no third attempt', []);
  tell(farm, reclaimOf(farm, 'A/0/0#2'));
  farm.expect(t, 'the open one is reclaimed', ['task A/0/0 ready']);
  t.match(farm.attempts('A/0/0').at(-1), { attemptNumber: 2, status: 'failed', message: LOST });
  t.end();
});

test('a heartbeat that names an earlier attempt does not start the open one', (t) => {
  const farm = withSecondAttempt();
  tell(farm, { type: 'attempts.held', attemptIds: [farm.attemptId('A/0/0#1')] });
  farm.expect(t, 'an earlier attempt', []);
  t.equal(farm.task('A/0/0').status, 'assigned');
  tell(farm, { type: 'attempts.held', attemptIds: [farm.attemptId('A/0/0#2')] });
  farm.expect(t, 'the open one', ['task A/0/0 running w1']);
  tell(farm, { type: 'attempts.held', attemptIds: [farm.attemptId('A/0/0#2')] });
  farm.expect(t, 'it is running already', []);
  t.end();
});

test('a task that is given back and leased again within 30 s has 30 s from the second lease', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 1 }]);
  farm.lease('w1');
  farm.advance(10_000);
  farm.register('w1', { incarnation: 'start-2' });
  farm.advance(5_000);
  farm.lease('w1');
  farm.takeOutputs();
  farm.advance(29_999);
  farm.expect(t, 'the deadline of the first attempt has passed', []);
  farm.advance(1);
  farm.expect(t, 'that of the second', ['task A/0/0 ready', 'job A pending']);
  t.end();
});

test('a reclaim that is not stale leaves the job running', (t) => {
  const farm = withSecondAttempt();
  tell(farm, reclaimOf(farm, 'A/0/0#2'));
  farm.expect(t, 'its task is ready', ['task A/0/0 ready']);
  t.equal(farm.job('A').status, 'running');
  t.end();
});

test('the request to give back an assigned task is repeated until it is given back', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 2 }]);
  farm.lease('w1');
  farm.takeOutputs();
  farm.beating.clear();
  farm.isBusConnected = false;
  farm.advance(20_000);
  farm.heartbeat('w1');
  farm.advance(20_000);
  farm.heartbeat('w1');
  farm.expect(t, 'the bus has confirmed nothing', ['heartbeat w1: alive', 'heartbeat w1: alive']);
  farm.isBusConnected = true;
  farm.advance(19_999);
  farm.expect(t, 'not yet asked again', []);
  farm.advance(1);
  farm.expect(t, 'both tasks', ['task A/0/0 ready', 'task A/0/1 ready', 'job A pending']);
  t.end();
});

test('a clock that is set back delays a stale assigned task by 30 s at most', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 1 }]);
  farm.lease('w1');
  farm.takeOutputs();
  farm.advance(10_000);
  farm.now -= 3_600_000;
  farm.stall(0);
  farm.takeOutputs();
  farm.advance(29_999);
  farm.expect(t, 'one whole period after the clock was set', []);
  farm.advance(20_001);
  farm.expect(t, 'not in an hour', ['task A/0/0 ready', 'job A pending']);
  t.end();
});

test('a late reclaim of an attempt that has ended changes nothing', (t) => {
  const farm = withSecondAttempt();
  farm.report('A/0/0#2', 'succeeded', { exitCode: 0 });
  farm.takeOutputs();
  farm.takeWarnings();
  tell(farm, reclaimOf(farm, 'A/0/0#2'));
  farm.expect(t, 'it has succeeded', []);
  t.equal(farm.task('A/0/0').status, 'succeeded');
  t.strictSame(farm.takeWarnings(), []);
  t.end();
});

test('an attempt that a heartbeat reports while the bus is asked is not reclaimed as never started', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 1 }]);
  farm.lease('w1');
  farm.beating.clear();
  farm.advance(20_000);
  farm.heartbeat('w1');
  farm.isBusConnected = false;
  farm.advance(10_000);
  const askedAt = farm.now;
  farm.heartbeat('w1', { open: ['A/0/0'] });
  farm.takeOutputs();
  farm.post({ actor: 'worker', id: farm.worker('w1').id, message: { type: 'bus.confirmed', askedAt } });
  farm.run();
  farm.expect(t, 'it runs', []);
  t.equal(farm.task('A/0/0').status, 'running');
  t.end();
});

test('an answer of the bus from before an interruption reclaims no assigned task', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [{ name: 'render', tasks: 1 }]);
  farm.lease('w1');
  farm.isBusConnected = false;
  farm.advance(30_000);
  const askedAt = farm.now;
  farm.stall(1_000);
  farm.takeOutputs();
  farm.post({ actor: 'worker', id: farm.worker('w1').id, message: { type: 'bus.confirmed', askedAt } });
  farm.run();
  farm.expect(t, 'its report may be in transit', []);
  t.equal(farm.task('A/0/0').status, 'assigned');
  t.end();
});
