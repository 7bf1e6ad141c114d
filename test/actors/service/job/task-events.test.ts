import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

/** Returns the events of tasks since the last call, as `Step status` or `lost`. */
function eventsOf(farm: TestFarm): readonly string[] {
  return farm.taskEvents
    .splice(0)
    .map((event) => (event === 'lost' ? event : `${event.task_id.slice(-3)} ${event.status}`));
}

/** A job with three tasks, of which w1 runs the first. */
function running(tasks = 3): TestFarm {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks }]);
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.taskEvents.splice(0);
  return farm;
}

test('a canceled job publishes the events of its tasks', (t) => {
  const farm = running();
  farm.cancelJob('A');
  t.strictSame(eventsOf(farm), ['0-0 canceled', '0-1 canceled', '0-2 canceled']);
  t.end();
});

test('events of tasks that change together have the fields of the others', (t) => {
  const farm = running();
  farm.cancelJob('A');
  const [own, untouched] = farm.taskEvents;
  if (own === undefined || own === 'lost' || untouched === undefined || untouched === 'lost')
    throw new Error('there are two events');
  t.strictSame(Object.keys(untouched), Object.keys(own));
  t.match(untouched, { job_id: farm.jobId('A'), worker_id: '', unschedulable_reason: '' });
  t.equal(untouched.updated_at, own.updated_at);
  t.end();
});

test('a retry publishes each untouched task once, with its last status', (t) => {
  const farm = running();
  farm.cancelJob('A');
  farm.report('A/0/0#1', 'canceled');
  farm.taskEvents.splice(0);
  farm.retryJob('A');
  t.strictSame(eventsOf(farm), ['0-0 pending', '0-0 ready', '0-1 ready', '0-2 ready']);
  t.end();
});

test('a step that becomes ready, and one that is canceled with it, publish their tasks', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.submit('A', [
    { name: 'a', tasks: 1 },
    { name: 'b', tasks: 2, after: ['a'] },
  ]);
  farm.submit(
    'B',
    [
      { name: 'a', tasks: 1 },
      { name: 'b', tasks: 2, after: ['a'] },
    ],
    { retry: { maxAttempts: 1 } },
  );
  farm.lease('w1');
  farm.taskEvents.splice(0);
  farm.report('A/0/0', 'succeeded');
  t.strictSame(eventsOf(farm), ['0-0 succeeded', '1-0 ready', '1-1 ready']);
  farm.report('B/0/0', 'failed', { exitCode: 1 });
  t.strictSame(eventsOf(farm), ['0-0 failed', '1-0 canceled', '1-1 canceled']);
  t.end();
});

test('the events of more than 1,000 tasks are lost, of 1,000 they are not', (t) => {
  for (const [tasks, expected] of [
    [1_000, 1_000],
    [1_001, 'lost'],
  ] as const) {
    const farm = running(tasks);
    farm.cancelJob('A');
    const events = eventsOf(farm);
    if (expected === 'lost') t.equal(events.at(-1), 'lost');
    else t.equal(events.length, expected);
    t.equal(events.includes('lost'), expected === 'lost', `${tasks} tasks`);
  }
  t.end();
});

test('a job of several steps loses its events by the number of all tasks', (t) => {
  const farm = new TestFarm();
  farm.submit('A', [
    { name: 'a', tasks: 600 },
    { name: 'b', tasks: 600 },
  ]);
  farm.taskEvents.splice(0);
  farm.cancelJob('A');
  t.equal(eventsOf(farm).at(-1), 'lost');
  t.end();
});

test('tasks with rows of their own that change together lose their events too', (t) => {
  const farm = new TestFarm();
  farm.submit('A', [{ name: 's', tasks: 1_200 }]);
  for (let index = 0; index < 1_200; index++) farm.cancelTask(`A/0/${index}`);
  farm.taskEvents.splice(0);
  farm.retryJob('A');
  t.equal(eventsOf(farm).at(-1), 'lost');
  t.end();
});

test('600 tasks that are retried and ready at once lose no events', (t) => {
  const farm = new TestFarm();
  farm.submit('A', [{ name: 's', tasks: 600 }]);
  for (let index = 0; index < 600; index++) farm.cancelTask(`A/0/${index}`);
  farm.taskEvents.splice(0);
  farm.retryJob('A');
  const events = eventsOf(farm);
  t.notOk(events.includes('lost'));
  t.equal(events.filter((event) => event.endsWith(' ready')).length, 600);
  t.end();
});

test('a deleted job gives the subscribers of its tasks a gap', (t) => {
  const farm = running();
  farm.deleteJob('A');
  t.equal(eventsOf(farm).at(-1), 'lost');
  t.end();
});
