import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

/** A job with a task of each kind: two live ones, two ready, two pending behind them. */
function mixed(): TestHouse {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.submit('A', [
    { name: 'render', tasks: 4 },
    { name: 'encode', tasks: 2, after: ['render'] },
  ]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.heard();
  return house;
}

test('a canceled job: live tasks are closed and their workers told, the rest is canceled', (t) => {
  const house = mixed();
  house.lease('w1');
  house.cancelJob('A');
  house.expect(t, 'canceled', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'stop A/0/1#1: canceled by user',
    'task A/0/1 canceled',
    'job A canceled',
    'cancel A: ok',
  ]);
  for (const word of ['A/0/0', 'A/0/1', 'A/0/2', 'A/0/3', 'A/1/0', 'A/1/1']) {
    t.equal(house.task(word).status, 'canceled', word);
    t.equal(house.reason(word), 'canceled by user', word);
  }
  t.match(house.attempts('A/0/0'), [{ status: 'canceled', message: 'canceled by user', endedAt: house.now }]);
  t.match(house.job('A'), {
    status: 'canceled',
    cancelReason: '',
    taskCounts: { total: 6, canceled: 6, ready: 0, pending: 0, assigned: 0, running: 0 },
  });
  house.submit('B', [{ name: 's', tasks: 2 }]);
  house.expect(t, 'the cores are free at once, for the request that waits', [
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w1',
    'task B/0/1 assigned w1',
    'job B running',
    'lease w1: B/0/0#1, B/0/1#1',
  ]);
  t.end();
});

test('canceling a job twice is once; what is over otherwise is a conflict', (t) => {
  const house = mixed();
  house.cancelJob('A');
  const { updatedAt } = house.job('A');
  house.heard();
  house.advance(1000);
  house.cancelJob('A');
  house.expect(t, 'idempotent', ['cancel A: ok']);
  t.equal(house.job('A').updatedAt, updatedAt);

  house.submit('B', [{ name: 's', tasks: 1 }], { retry: { maxAttempts: 1 } });
  house.submit('C', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('B/0/0', 'failed');
  house.report('C/0/0', 'succeeded');
  house.heard();
  house.cancelJob('B');
  house.cancelJob('C');
  house.expect(t, 'conflicts', [
    'cancel B: conflict, the job is failed already',
    'cancel C: conflict, the job is completed already',
  ]);
  t.end();
});

test('nothing of a canceled job is leased when a cap gives way in the same breath', (t) => {
  const house = new TestHouse();
  house.replaceQueue({ maxConcurrentTasks: 1 });
  house.register('w1');
  house.register('w2');
  house.submit('A', [{ name: 'render', tasks: 3 }]);
  house.submit('B', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.lease('w2');
  house.heard();
  house.cancelJob('A');
  house.expect(t, 'the next job has its turn', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'job A canceled',
    'cancel A: ok',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.strictSame(house.warned(), []);
  t.end();
});

test('a request that was woken for what is canceled in the same breath goes on waiting', (t) => {
  const house = new TestHouse();
  house.replaceQueue({ maxConcurrentTasks: 1 });
  house.register('w1');
  house.register('w2');
  house.submit('A', [{ name: 'render', tasks: 3 }]);
  house.lease('w1');
  house.lease('w2');
  house.heard();
  house.cancelJob('A');
  house.expect(t, 'there is nothing for it', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'job A canceled',
    'cancel A: ok',
  ]);
  house.submit('B', [{ name: 's', tasks: 1 }]);
  house.expect(t, 'now there is', [
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.end();
});

test('a canceled task: ready, live, pending', (t) => {
  const house = mixed();
  house.cancelTask('A/0/3');
  house.expect(t, 'ready', ['task A/0/3 canceled', 'cancel A/0/3: ok']);
  t.equal(house.reason('A/0/3'), 'canceled by user');
  house.cancelTask('A/0/0');
  house.expect(t, 'running', ['stop A/0/0#1: canceled by user', 'task A/0/0 canceled', 'cancel A/0/0: ok']);
  t.match(house.attempts('A/0/0'), [{ status: 'canceled', message: 'canceled by user' }]);
  house.cancelTask('A/1/1');
  house.expect(t, 'pending', ['task A/1/1 canceled', 'cancel A/1/1: ok']);
  t.equal(house.job('A').status, 'running');
  house.lease('w1');
  house.expect(t, 'what is left can be leased', ['task A/0/2 assigned w1', 'lease w1: A/0/2#1']);
  house.report('A/0/1', 'succeeded');
  house.report('A/0/2', 'succeeded');
  house.expect(t, 'a step with a canceled task is not completed: what waits for it is canceled', [
    'task A/0/1 succeeded',
    'task A/0/2 succeeded',
    'job A failed',
  ]);
  t.equal(house.reason('A/1/0'), 'canceled: upstream step failed');
  t.equal(house.reason('A/1/1'), 'canceled by user', 'the reason that was there wins');
  t.end();
});

test('a task that is held back for its retry can be canceled, and does not come back', (t) => {
  const house = mixed();
  house.report('A/0/0', 'failed');
  house.cancelTask('A/0/0');
  house.heard();
  house.lease('w1');
  house.heard();
  house.report('A/0/1', 'succeeded');
  house.advance(20_000);
  house.lease('w1');
  house.expect(t, 'the other tasks only', [
    'task A/0/1 succeeded',
    'task A/0/3 assigned w1',
    'lease w1: A/0/3#1',
  ]);
  t.end();
});

test('canceling the last task that is not over ends the job', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.heard();
  house.cancelTask('A/0/0');
  house.expect(t, 'failed, for it did not complete', [
    'task A/0/0 canceled',
    'job A failed',
    'cancel A/0/0: ok',
  ]);
  house.register('w1');
  house.lease('w1');
  house.expect(t, 'nothing is left to lease', ['worker w1 online', 'register w1: registered as w1']);
  t.end();
});

test('canceling a task that is over is a conflict, one that is not there is not found', (t) => {
  const house = mixed();
  house.report('A/0/0', 'succeeded');
  house.cancelTask('A/0/3');
  house.heard();
  house.cancelTask('A/0/0');
  house.cancelTask('A/0/3');
  house.cancelTask('A/0/4');
  house.cancelTask('A/2/0');
  house.expect(t, 'refused', [
    'cancel A/0/0: conflict, the task is succeeded already',
    'cancel A/0/3: conflict, the task is canceled already',
    'cancel A/0/4: not-found, the job has no such task',
    'cancel A/2/0: not-found, the job has no such task',
  ]);
  t.end();
});

test('canceling in a job that does not exist is not found', (t) => {
  const house = new TestHouse();
  house.cancelJobById('01900000-0000-7000-8000-ffffffffffff');
  house.expect(t, 'no such job', ['cancel: not-found, there is no job 01900000-0000-7000-8000-ffffffffffff']);
  t.end();
});

test('every task of a blocked job can be canceled: the job is over', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.submit('B', [{ name: 's', tasks: 1 }], { after: ['A'] });
  house.submit('C', [{ name: 's', tasks: 1 }], { after: ['B'] });
  house.heard();
  house.cancelTask('B/0/0');
  house.expect(t, 'and with it those that wait for it', [
    'task B/0/0 canceled',
    'job B failed',
    'cancel B/0/0: ok',
    'job C canceled',
  ]);
  house.cancelJob('A');
  house.expect(t, 'its upstream has nobody to tell', ['job A canceled', 'cancel A: ok']);
  t.end();
});
