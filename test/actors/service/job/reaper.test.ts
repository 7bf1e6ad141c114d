import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

const REAPED = 'assigned task reclaimed: not reported running in time';
const STALE_MESSAGE = 'the worker did not report the attempt as running in time';

function assigned(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', [{ name: 'render', tasks: 2 }]);
  farm.lease('w1');
  farm.takeOutputs();
  return farm;
}

test('a task that stays assigned for 30 s goes back to ready without counting as a failure', (t) => {
  const farm = assigned();
  farm.report('A/0/1', 'running');
  farm.takeOutputs();
  farm.advance(29_999);
  farm.expect(t, 'not yet', []);
  farm.advance(1);
  farm.expect(t, 'now', ['task A/0/0 ready']);
  t.strictSame(farm.takeWarnings(), [REAPED]);
  t.match(farm.task('A/0/0'), {
    status: 'ready',
    failedAttempts: 0,
    retryAfter: null,
    workerOrdinal: null,
    hasText: false,
    unschedulable: false,
    silent: false,
    exiting: false,
    cascaded: false,
  });
  t.match(farm.attempts('A/0/0'), [{ status: 'failed', message: STALE_MESSAGE, endedAt: farm.now }]);
  t.match(farm.job('A'), { failedAttempts: 0, status: 'running' }, 'another task is running');
  farm.lease('w1');
  farm.expect(t, 'it can be leased again', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('a job without live tasks after the reaper is pending again', (t) => {
  const farm = assigned();
  farm.advance(30_000);
  farm.expect(t, 'both tasks', ['task A/0/0 ready', 'task A/0/1 ready', 'job A pending']);
  farm.lease('w1');
  farm.expect(t, 'and runs again with the next lease', [
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/0#2, A/0/1#2',
  ]);
  t.end();
});

test('a reclaimed task is assigned to a parked request', (t) => {
  const farm = assigned();
  farm.register('w2');
  farm.takeOutputs();
  farm.advance(29_000);
  farm.lease('w2');
  farm.advance(1000);
  farm.expect(t, 'the waiting worker gets the first ready task', [
    'task A/0/0 ready',
    'task A/0/1 ready',
    'job A pending',
    'task A/0/0 assigned w2',
    'job A running',
    'lease w2: A/0/0#2',
  ]);
  t.end();
});

test('each assignment has its own 30 s', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.register('w2', { cpu_count: 1 });
  farm.submit('A', [{ name: 'render', tasks: 2 }]);
  farm.lease('w1');
  farm.advance(20_000);
  farm.lease('w2');
  farm.takeOutputs();
  farm.advance(10_000);
  farm.expect(t, 'the first', ['task A/0/0 ready']);
  farm.advance(19_999);
  farm.expect(t, 'the second is not due', []);
  farm.advance(1);
  farm.expect(t, 'the second', ['task A/0/1 ready', 'job A pending']);
  t.end();
});

test('time in which the service could not receive does not count', (t) => {
  const farm = assigned();
  farm.advance(20_000);
  farm.stall(60_000);
  farm.expect(t, 'a report may be in transit', []);
  farm.advance(29_999);
  farm.expect(t, 'not before 30 s of receiving', []);
  farm.advance(1);
  farm.expect(t, 'now', ['task A/0/0 ready', 'task A/0/1 ready', 'job A pending']);
  t.end();
});

test('the 30 s of an assignment continue through a restart of the service', (t) => {
  const farm = assigned();
  farm.advance(10_000);
  farm.restart(1000);
  farm.takeOutputs();
  farm.advance(29_999);
  farm.expect(t, 'a full period after the restart', []);
  farm.advance(1);
  farm.expect(t, 'now', ['task A/0/0 ready', 'task A/0/1 ready', 'job A pending']);
  t.end();
});
