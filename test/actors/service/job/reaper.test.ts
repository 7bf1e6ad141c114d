import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

const REAPED = 'an assigned task was never reported running and goes back to ready';
const STALE_MESSAGE = 'the worker never reported that it runs';

function assigned(): TestHouse {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.submit('A', [{ name: 'render', tasks: 2 }]);
  house.lease('w1');
  house.heard();
  return house;
}

test('a task that stays assigned for 30 s goes back to ready, and no attempt is counted', (t) => {
  const house = assigned();
  house.report('A/0/1', 'running');
  house.heard();
  house.advance(29_999);
  house.expect(t, 'not yet', []);
  house.advance(1);
  house.expect(t, 'now', ['task A/0/0 ready']);
  t.strictSame(house.warned(), [REAPED]);
  t.match(house.task('A/0/0'), {
    status: 'ready',
    failedAttempts: 0,
    retryAfter: 0,
    workerOrdinal: 0,
    hasText: false,
    unschedulable: false,
    silent: false,
  });
  t.match(house.attempts('A/0/0'), [{ status: 'failed', message: STALE_MESSAGE, endedAt: house.now }]);
  t.match(house.job('A'), { failedAttempts: 0, status: 'running' }, 'another task is running');
  house.lease('w1');
  house.expect(t, 'it can be leased again', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('a job that is idle after the reaper is pending again', (t) => {
  const house = assigned();
  house.advance(30_000);
  house.expect(t, 'both tasks', ['task A/0/0 ready', 'task A/0/1 ready', 'job A pending']);
  house.lease('w1');
  house.expect(t, 'and runs again with the next lease', [
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/0#2, A/0/1#2',
  ]);
  t.end();
});

test('what the reaper takes back wakes a parked request', (t) => {
  const house = assigned();
  house.register('w2');
  house.heard();
  house.advance(29_000);
  house.lease('w2');
  house.advance(1000);
  house.expect(t, 'another worker waits: the first task that is ready is its answer', [
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
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.register('w2', { cpu_count: 1 });
  house.submit('A', [{ name: 'render', tasks: 2 }]);
  house.lease('w1');
  house.advance(20_000);
  house.lease('w2');
  house.heard();
  house.advance(10_000);
  house.expect(t, 'the first', ['task A/0/0 ready']);
  house.advance(19_999);
  house.expect(t, 'the second is not due', []);
  house.advance(1);
  house.expect(t, 'the second', ['task A/0/1 ready', 'job A pending']);
  t.end();
});

test('time in which the service could not hear does not count', (t) => {
  const house = assigned();
  house.advance(20_000);
  house.stall(60_000);
  house.expect(t, 'a report may be on its way', []);
  house.advance(29_999);
  house.expect(t, 'not before 30 s of hearing', []);
  house.advance(1);
  house.expect(t, 'now', ['task A/0/0 ready', 'task A/0/1 ready', 'job A pending']);
  t.end();
});

test('the 30 s of an assignment are kept through a restart of the service', (t) => {
  const house = assigned();
  house.advance(10_000);
  house.restart(1000);
  house.heard();
  house.advance(29_999);
  house.expect(t, 'one whole time of hearing', []);
  house.advance(1);
  house.expect(t, 'now', ['task A/0/0 ready', 'task A/0/1 ready', 'job A pending']);
  t.end();
});
