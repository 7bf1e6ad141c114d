import { test } from 'tap';
import type { Assignment, LeaseReply } from '../../../../src/core/wire/bus-messages.ts';
import { WIRE_LIMITS } from '../../../../src/core/wire/limits.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const HOLD_MS = 30_000;

test('a job from its submission to its end', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.expect(t, 'a worker comes', ['worker w1 online', 'register w1: registered as w1']);

  house.submit('A', [
    { name: 'render', tasks: 2 },
    { name: 'encode', tasks: 1, after: ['render'] },
  ]);
  house.expect(t, 'submitted', ['job A pending', 'submit A: ok']);
  t.strictSame(
    [house.task('A/0/0').status, house.task('A/0/1').status, house.task('A/1/0').status],
    ['ready', 'ready', 'pending'],
  );

  house.lease('w1');
  house.expect(t, 'both tasks of the first step', [
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/0#1, A/0/1#1',
  ]);
  t.equal(house.task('A/0/1').assignedAt, house.now);

  house.advance(1000);
  house.report('A/0/0', 'running', { sessionId: 'session-7' });
  house.expect(t, 'running', ['task A/0/0 running w1']);
  t.strictSame(house.attempts('A/0/0'), [
    {
      version: 1,
      id: house.attemptId('A/0/0#1'),
      attemptNumber: 1,
      status: 'running',
      workerId: 'id-of-w1',
      startedAt: house.now - 1000,
      message: '',
      sessionId: 'session-7',
    },
  ]);

  house.advance(1000);
  house.report('A/0/0', 'succeeded', { exitCode: 0, sessionId: 'session-7' });
  house.expect(t, 'one succeeded', ['task A/0/0 succeeded']);
  t.strictSame(house.attempts('A/0/0'), [
    {
      version: 1,
      id: house.attemptId('A/0/0#1'),
      attemptNumber: 1,
      status: 'succeeded',
      workerId: 'id-of-w1',
      startedAt: house.now - 2000,
      endedAt: house.now,
      exitCode: 0,
      message: '',
      sessionId: 'session-7',
    },
  ]);
  house.lease('w1');
  house.expect(t, 'the next step waits for the whole of the first', []);

  house.report('A/0/1', 'succeeded', { exitCode: 0 });
  house.expect(t, 'the last of the first step, whose running report was lost, promotes the next', [
    'task A/0/1 succeeded',
    'task A/1/0 assigned w1',
    'lease w1: A/1/0#1',
  ]);
  house.report('A/1/0', 'running');
  house.report('A/1/0', 'succeeded', { exitCode: 0 });
  house.expect(t, 'completed', ['task A/1/0 running w1', 'task A/1/0 succeeded', 'job A completed']);
  t.equal(house.isResident('job', house.jobId('A')), false, 'a finished job is not kept in memory');
  t.strictSame(house.warned(), []);
  t.end();
});

test('what a worker is handed', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 'render', tasks: 2, needs: { cores: 2.5 } }]);
  house.lease('w1');
  const reply = house.answer('lease w1') as LeaseReply;
  t.strictSame(reply, {
    v: 1,
    type: 'leases',
    assignments: [
      {
        task_id: `${house.jobId('A')}-0-0`,
        job_id: house.jobId('A'),
        step_id: `${house.jobId('A')}-0`,
        attempt_id: `${house.jobId('A')}-0-0-1`,
        name: 'render[Frame=1]',
        cores: 3,
        parameters: { Frame: { type: 'INT', value: '1' } },
      },
    ],
    steps: {
      [`${house.jobId('A')}-0`]: {
        job_name: 'A',
        step_name: 'render',
        job_parameters: { Scene: { type: 'STRING', value: 'forest' } },
        job_environments: [],
        step_environments: [],
        script: { onRun: { command: 'render', args: ['{{Task.Param.Frame}}'] }, embeddedFiles: [] },
        compute_location: '',
        ready_left: 1,
      },
    },
  });
  t.end();
});

test('one lease packs tasks by first fit: by priority, then age, and over what does not fit', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 8 });
  house.submit('old', [{ name: 's', tasks: 2 }]);
  house.advance(1);
  house.submit('young', [{ name: 's', tasks: 9 }]);
  house.submit('wide', [{ name: 's', tasks: 2, needs: { cores: 5 } }], { priority: 90 });
  house.heard();
  house.lease('w1');
  house.expect(t, 'five cores for the first, and the rest to the others', [
    'task wide/0/0 assigned w1',
    'job wide running',
    'task old/0/0 assigned w1',
    'task old/0/1 assigned w1',
    'job old running',
    'task young/0/0 assigned w1',
    'job young running',
    'lease w1: wide/0/0#1 (5 cores), old/0/0#1, old/0/1#1, young/0/0#1',
  ]);
  house.lease('w1');
  house.expect(t, 'no core is free', []);
  house.report('old/0/0', 'succeeded');
  house.expect(t, 'one core is free again', [
    'task old/0/0 succeeded',
    'task young/0/1 assigned w1',
    'lease w1: young/0/1#1',
  ]);
  t.end();
});

test('a task without declared cores takes the whole machine', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.register('w2', { cpu_count: 2 });
  house.submit('whole', [{ name: 's', tasks: 2, needs: { cores: null } }], { priority: 90 });
  house.submit('small', [{ name: 's', tasks: 1 }]);
  house.heard();
  house.lease('w1');
  house.expect(t, 'one task only', [
    'task whole/0/0 assigned w1',
    'job whole running',
    'lease w1: whole/0/0#1 (4 cores)',
  ]);
  house.lease('w2');
  house.expect(t, 'as many cores as this one has', [
    'task whole/0/1 assigned w2',
    'lease w2: whole/0/1#1 (2 cores)',
  ]);
  house.lease('w1');
  house.report('whole/0/0', 'succeeded');
  house.expect(t, 'when it is over there is room for others', [
    'task whole/0/0 succeeded',
    'task small/0/0 assigned w1',
    'job small running',
    'lease w1: small/0/0#1',
  ]);
  house.submit('again', [{ name: 's', tasks: 1, needs: { cores: null } }]);
  house.lease('w1');
  house.expect(t, 'a machine with one task is not whole', ['job again pending', 'submit again: ok']);
  t.end();
});

test('a worker that is not eligible gets nothing', (t) => {
  const house = new TestHouse();
  const other = house.createQueue({ name: 'other' });
  house.register('north', { compute_location: 'North' });
  house.register('affine', { queues: ['other'] });
  house.register('plain', { tags: { gpu: 'yes' } });
  house.submit('A', [{ name: 's', tasks: 1, needs: { computeLocation: 'North' } }]);
  house.submit('B', [
    { name: 's', tasks: 1, needs: { attributes: [{ name: 'attr.worker.tag.gpu', anyOf: ['yes'] }] } },
  ]);
  house.submit('C', [{ name: 's', tasks: 1 }], { queueId: other });
  house.submit('D', [{ name: 's', tasks: 1, needs: { cores: 5 } }]);
  house.heard();
  house.lease('affine', { queue: other });
  house.lease('plain');
  house.lease('north');
  house.expect(t, 'to each its own; nobody has five cores', [
    'task C/0/0 assigned affine',
    'job C running',
    'lease affine: C/0/0#1',
    'task B/0/0 assigned plain',
    'job B running',
    'lease plain: B/0/0#1',
    'task A/0/0 assigned north',
    'job A running',
    'lease north: A/0/0#1',
  ]);
  house.lease('plain', { queue: other });
  house.lease('north', { queue: house.queue });
  house.submit('E', [{ name: 's', tasks: 1 }], { queueId: other });
  house.expect(t, 'a request for one queue gets tasks of that queue', [
    'job E pending',
    'submit E: ok',
    'task E/0/0 assigned plain',
    'job E running',
    'lease plain: E/0/0#1',
  ]);
  t.end();
});

test('a parked request is woken when a job is submitted, the longest waiting first', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.register('w2', { cpu_count: 1 });
  house.register('w3', { cpu_count: 1 });
  house.heard();
  house.lease('w2');
  house.lease('w1');
  house.lease('w3');
  house.expect(t, 'nothing to do', []);
  house.submit('A', [{ name: 's', tasks: 2 }]);
  house.expect(t, 'in the order in which they came', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w2',
    'job A running',
    'task A/0/1 assigned w1',
    'lease w2: A/0/0#1',
    'lease w1: A/0/1#1',
  ]);
  t.end();
});

test('a parked request is woken when cores are freed', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.submit('A', [{ name: 's', tasks: 3, needs: { cores: 2 } }]);
  house.lease('w1');
  house.heard();
  house.lease('w1');
  house.expect(t, 'busy', []);
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'free', ['task A/0/0 succeeded', 'task A/0/1 assigned w1', 'lease w1: A/0/1#1 (2 cores)']);
  t.end();
});

test('a parked request is woken when the retry delay of a task is over', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.heard();
  house.report('A/0/0', 'failed', { exitCode: 1 });
  house.expect(t, 'ready, but not yet', ['task A/0/0 ready', 'count task-retries of Q']);
  t.equal(house.task('A/0/0').retryAfter, house.now + 10_000);
  house.lease('w1');
  house.advance(9_999);
  house.expect(t, 'held back', []);
  house.advance(1);
  house.expect(t, 'due', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('a hold that ends is answered with nothing, each at its own time', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.register('w2');
  house.heard();
  house.lease('w1');
  house.advance(10_000);
  house.lease('w2');
  house.advance(HOLD_MS - 10_001);
  house.expect(t, 'held', []);
  house.advance(1);
  house.expect(t, 'the first', ['lease w1: nothing']);
  house.advance(9_999);
  house.expect(t, 'the second is held', []);
  house.advance(1);
  house.expect(t, 'the second', ['lease w2: nothing']);
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.expect(t, 'an answered request gets nothing more', ['job A pending', 'submit A: ok']);
  t.end();
});

test('a second request of a worker replaces the first', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.heard();
  house.lease('w1', { client: 'first' });
  house.lease('w1', { client: 'second' });
  house.expect(t, 'the first is answered', ['first: nothing']);
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.expect(t, 'the second gets the work', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w1',
    'job A running',
    'second: A/0/0#1',
  ]);
  t.end();
});

test('a request of an unknown worker, or of an earlier start of it, is told so', (t) => {
  const house = new TestHouse();
  house.lease('stranger');
  house.expect(t, 'never seen', ['lease stranger: unknown']);
  house.register('w1', { incarnation: 'start-1' });
  house.register('w1', { incarnation: 'start-2' });
  house.heard();
  house.lease('w1', { incarnation: 'start-1' });
  house.expect(t, 'an earlier start', ['lease w1: unknown']);
  t.end();
});

test('a parked request of an earlier start gets no work', (t) => {
  const house = new TestHouse();
  house.register('w1', { incarnation: 'start-1' });
  house.heard();
  house.lease('w1', { client: 'before' });
  house.register('w1', { incarnation: 'start-2' });
  house.expect(t, 'it is answered when the worker starts anew', [
    'worker w1 online',
    'register w1: registered as w1',
    'before: unknown',
  ]);
  house.lease('w1', { client: 'after' });
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.expect(t, 'the living request gets the work', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w1',
    'job A running',
    'after: A/0/0#1',
  ]);
  t.end();
});

test('the cap of a queue', (t) => {
  const house = new TestHouse();
  house.replaceQueue({ maxConcurrentTasks: 2 });
  house.register('w1');
  house.register('w2');
  house.submit('A', [{ name: 's', tasks: 4 }]);
  house.heard();
  house.lease('w1');
  house.lease('w2');
  house.expect(t, 'two tasks, however many cores are free', [
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/0#1, A/0/1#1',
  ]);
  house.report('A/0/1', 'succeeded');
  house.expect(t, 'one is over: the other worker, which waits, is woken', [
    'task A/0/1 succeeded',
    'task A/0/2 assigned w2',
    'lease w2: A/0/2#1',
  ]);
  house.lease('w1');
  house.replaceQueue({ maxConcurrentTasks: 0 });
  house.expect(t, 'the cap is lifted', ['replace queue: ok', 'task A/0/3 assigned w1', 'lease w1: A/0/3#1']);
  t.end();
});

test('the cap of a farm holds over all its queues', (t) => {
  const house = new TestHouse();
  const other = house.createQueue({ name: 'other' });
  house.replaceFarm({ maxConcurrentTasks: 1 });
  house.register('w1');
  house.register('w2');
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.submit('B', [{ name: 's', tasks: 1 }], { queueId: other });
  house.heard();
  house.lease('w1');
  house.lease('w2', { queue: other });
  house.replaceQueue({ paused: true });
  house.expect(t, 'one task', [
    'task A/0/0 assigned w1',
    'job A running',
    'lease w1: A/0/0#1',
    'replace queue: ok',
  ]);
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'a task of a paused queue makes room for another queue', [
    'task A/0/0 succeeded',
    'job A completed',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.end();
});

test('a paused queue hands out nothing; what runs runs on', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 2 }]);
  house.lease('w1');
  house.replaceQueue({ paused: true });
  house.heard();
  house.report('A/0/0', 'running');
  house.report('A/0/0', 'succeeded');
  house.lease('w1');
  house.expect(t, 'paused', ['task A/0/0 running w1', 'task A/0/0 succeeded']);
  house.replaceQueue({ paused: false });
  house.expect(t, 'resumed', ['replace queue: ok', 'task A/0/1 assigned w1', 'lease w1: A/0/1#1']);
  t.end();
});

test('a job of thousands of tasks is handed out in replies of bounded size', (t) => {
  const { tasksPerLease } = WIRE_LIMITS;
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1000 });
  house.submit('A', [{ name: 's', tasks: 3000 }]);
  const assignmentsOf = (client: string): readonly Assignment[] => {
    const reply = house.answer(client) as LeaseReply;
    return reply.type === 'leases' ? reply.assignments : [];
  };
  house.lease('w1', { client: 'first' });
  t.equal(assignmentsOf('first').length, tasksPerLease);
  house.lease('w1', { client: 'second' });
  t.equal(assignmentsOf('second').length, tasksPerLease);
  t.equal(assignmentsOf('second')[0]?.attempt_id, house.attemptId(`A/0/${tasksPerLease}#1`));
  house.checkAtRest(t, 'two leases');
  t.end();
});

test('a lease takes tasks of so many steps; the rest is for the next', (t) => {
  const { stepsPerLease } = WIRE_LIMITS;
  const house = new TestHouse();
  house.register('w1', { cpu_count: 100 });
  const names = Array.from({ length: stepsPerLease + 1 }, (_, each) => `s${each}`);
  house.submit(
    'A',
    names.map((name) => ({ name, tasks: 1 })),
  );
  house.heard();
  house.lease('w1');
  house.lease('w1');
  const taken = names.map((_, order) => `A/${order}/0#1`);
  t.strictSame(
    house.heard().filter((line) => line.startsWith('lease')),
    [`lease w1: ${taken.slice(0, -1).join(', ')}`, `lease w1: ${taken.at(-1) ?? ''}`],
  );
  house.checkAtRest(t, 'two leases');
  t.end();
});
