import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

/** A job with two live tasks, two ready tasks and two pending tasks of the next step. */
function mixed(): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', [
    { name: 'render', tasks: 4 },
    { name: 'encode', tasks: 2, after: ['render'] },
  ]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.takeOutputs();
  return farm;
}

test('canceling a job closes its live tasks, notifies their workers and cancels the others', (t) => {
  const farm = mixed();
  farm.lease('w1');
  farm.cancelJob('A');
  farm.expect(t, 'canceled', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'stop A/0/1#1: canceled by user',
    'task A/0/1 canceled',
    'job A canceled',
    'cancel A: ok',
  ]);
  for (const word of ['A/0/0', 'A/0/1', 'A/0/2', 'A/0/3', 'A/1/0', 'A/1/1']) {
    t.equal(farm.task(word).status, 'canceled', word);
    t.equal(farm.reason(word), 'canceled by user', word);
  }
  t.match(farm.attempts('A/0/0'), [{ status: 'canceled', message: 'canceled by user', endedAt: farm.now }]);
  t.match(farm.job('A'), {
    status: 'canceled',
    cancelReason: '',
    taskCounts: { total: 6, canceled: 6, ready: 0, pending: 0, assigned: 0, running: 0 },
  });
  farm.submit('B', [{ name: 's', tasks: 2 }]);
  farm.expect(t, 'the cores are free at once for the waiting request', [
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w1',
    'task B/0/1 assigned w1',
    'job B running',
    'lease w1: B/0/0#1, B/0/1#1',
  ]);
  t.end();
});

test('canceling a job twice is idempotent, and canceling another terminal job is a conflict', (t) => {
  const farm = mixed();
  farm.cancelJob('A');
  const { updatedAt } = farm.job('A');
  farm.takeOutputs();
  farm.advance(1000);
  farm.cancelJob('A');
  farm.expect(t, 'idempotent', ['cancel A: ok']);
  t.equal(farm.job('A').updatedAt, updatedAt);

  farm.submit('B', [{ name: 's', tasks: 1 }], { retry: { maxAttempts: 1 } });
  farm.submit('C', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.report('B/0/0', 'failed');
  farm.report('C/0/0', 'succeeded');
  farm.takeOutputs();
  farm.cancelJob('B');
  farm.cancelJob('C');
  farm.expect(t, 'conflicts', [
    'cancel B: conflict, the job is failed already',
    'cancel C: conflict, the job is completed already',
  ]);
  t.end();
});

test('tasks of a canceled job are not leased when its cap frees up in the same window', (t) => {
  const farm = new TestFarm();
  farm.replaceQueue({ maxConcurrentTasks: 1 });
  farm.register('w1');
  farm.register('w2');
  farm.submit('A', [{ name: 'render', tasks: 3 }]);
  farm.submit('B', [{ name: 's', tasks: 1 }]);
  farm.lease('w1');
  farm.lease('w2');
  farm.takeOutputs();
  farm.cancelJob('A');
  farm.expect(t, 'the next job is served', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'job A canceled',
    'cancel A: ok',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.strictSame(farm.takeWarnings(), []);
  t.end();
});

test('a parked request that only canceled tasks could serve stays parked', (t) => {
  const farm = new TestFarm();
  farm.replaceQueue({ maxConcurrentTasks: 1 });
  farm.register('w1');
  farm.register('w2');
  farm.submit('A', [{ name: 'render', tasks: 3 }]);
  farm.lease('w1');
  farm.lease('w2');
  farm.takeOutputs();
  farm.cancelJob('A');
  farm.expect(t, 'no task is left for it', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'job A canceled',
    'cancel A: ok',
  ]);
  farm.submit('B', [{ name: 's', tasks: 1 }]);
  farm.expect(t, 'now there is one', [
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.end();
});

test('a ready, live or pending task can be canceled', (t) => {
  const farm = mixed();
  farm.cancelTask('A/0/3');
  farm.expect(t, 'ready', ['task A/0/3 canceled', 'cancel A/0/3: ok']);
  t.equal(farm.reason('A/0/3'), 'canceled by user');
  farm.cancelTask('A/0/0');
  farm.expect(t, 'running', ['stop A/0/0#1: canceled by user', 'task A/0/0 canceled', 'cancel A/0/0: ok']);
  t.match(farm.attempts('A/0/0'), [{ status: 'canceled', message: 'canceled by user' }]);
  farm.cancelTask('A/1/1');
  farm.expect(t, 'pending', ['task A/1/1 canceled', 'cancel A/1/1: ok']);
  t.equal(farm.job('A').status, 'running');
  farm.lease('w1');
  farm.expect(t, 'the other tasks can be leased', ['task A/0/2 assigned w1', 'lease w1: A/0/2#1']);
  farm.report('A/0/1', 'succeeded');
  farm.report('A/0/2', 'succeeded');
  farm.expect(t, 'a step with a canceled task does not complete, so its dependents are canceled', [
    'task A/0/1 succeeded',
    'task A/0/2 succeeded',
    'job A failed',
  ]);
  t.equal(farm.reason('A/1/0'), 'canceled: upstream step failed');
  t.equal(farm.reason('A/1/1'), 'canceled by user', 'an earlier reason is kept');
  t.end();
});

test('a task with a retry delay can be canceled and does not become ready again', (t) => {
  const farm = mixed();
  farm.report('A/0/0', 'failed');
  farm.cancelTask('A/0/0');
  farm.takeOutputs();
  farm.lease('w1');
  farm.takeOutputs();
  farm.report('A/0/1', 'succeeded');
  farm.advance(20_000);
  farm.lease('w1');
  farm.expect(t, 'only the other tasks', [
    'task A/0/1 succeeded',
    'task A/0/3 assigned w1',
    'lease w1: A/0/3#1',
  ]);
  t.end();
});

test('canceling the last active task ends the job', (t) => {
  const farm = new TestFarm();
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.takeOutputs();
  farm.cancelTask('A/0/0');
  farm.expect(t, 'failed, because it did not complete', [
    'task A/0/0 canceled',
    'job A failed',
    'cancel A/0/0: ok',
  ]);
  farm.register('w1');
  farm.lease('w1');
  farm.expect(t, 'no task is left to lease', ['worker w1 online', 'register w1: registered as w1']);
  t.end();
});

test('canceling a terminal task is a conflict, and canceling an unknown task is not found', (t) => {
  const farm = mixed();
  farm.report('A/0/0', 'succeeded');
  farm.cancelTask('A/0/3');
  farm.takeOutputs();
  farm.cancelTask('A/0/0');
  farm.cancelTask('A/0/3');
  farm.cancelTask('A/0/4');
  farm.cancelTask('A/2/0');
  farm.expect(t, 'refused', [
    'cancel A/0/0: conflict, the task is succeeded already',
    'cancel A/0/3: conflict, the task is canceled already',
    'cancel A/0/4: not-found, the job has no such task',
    'cancel A/2/0: not-found, the job has no such task',
  ]);
  t.end();
});

test('canceling a task of an unknown job is not found', (t) => {
  const farm = new TestFarm();
  farm.cancelJobById('01900000-0000-7000-8000-ffffffffffff');
  farm.expect(t, 'no such job', ['cancel: not-found, there is no job 01900000-0000-7000-8000-ffffffffffff']);
  t.end();
});

test('canceling every task of a blocked job ends the job', (t) => {
  const farm = new TestFarm();
  farm.submit('A', [{ name: 's', tasks: 1 }]);
  farm.submit('B', [{ name: 's', tasks: 1 }], { after: ['A'] });
  farm.submit('C', [{ name: 's', tasks: 1 }], { after: ['B'] });
  farm.takeOutputs();
  farm.cancelTask('B/0/0');
  farm.expect(t, 'and cancels the jobs that wait for it', [
    'task B/0/0 canceled',
    'job B failed',
    'cancel B/0/0: ok',
    'job C canceled',
  ]);
  farm.cancelJob('A');
  farm.expect(t, 'its upstream has no dependents left', ['job A canceled', 'cancel A: ok']);
  t.end();
});
