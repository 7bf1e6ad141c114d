import { test } from 'tap';
import type { Assignment, LeaseReply } from '../../../../src/core/wire/bus-messages.ts';
import { WIRE_LIMITS } from '../../../../src/core/wire/limits.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const HOLD_MS = 30_000;

test('a job runs from submission to completion', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.expect(t, 'a worker registers', ['worker w1 online', 'register w1: registered as w1']);

  fixture.submit('A', [
    { name: 'render', tasks: 2 },
    { name: 'encode', tasks: 1, after: ['render'] },
  ]);
  fixture.expect(t, 'submitted', ['job A pending', 'submit A: ok']);
  t.strictSame(
    [fixture.task('A/0/0').status, fixture.task('A/0/1').status, fixture.task('A/1/0').status],
    ['ready', 'ready', 'pending'],
  );

  fixture.lease('w1');
  fixture.expect(t, 'both tasks of the first step', [
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/0#1, A/0/1#1',
  ]);
  t.equal(fixture.task('A/0/1').assignedAt, fixture.now);

  fixture.advance(1000);
  fixture.report('A/0/0', 'running', { sessionId: 'session-7' });
  fixture.expect(t, 'running', ['task A/0/0 running w1']);
  t.strictSame(fixture.attempts('A/0/0'), [
    {
      version: 1,
      id: fixture.attemptId('A/0/0#1'),
      attemptNumber: 1,
      status: 'running',
      workerId: 'id-of-w1',
      startedAt: fixture.now - 1000,
      message: '',
      sessionId: 'session-7',
    },
  ]);

  fixture.advance(1000);
  fixture.report('A/0/0', 'succeeded', { exitCode: 0, sessionId: 'session-7' });
  fixture.expect(t, 'one succeeded', ['task A/0/0 succeeded']);
  t.strictSame(fixture.attempts('A/0/0'), [
    {
      version: 1,
      id: fixture.attemptId('A/0/0#1'),
      attemptNumber: 1,
      status: 'succeeded',
      workerId: 'id-of-w1',
      startedAt: fixture.now - 2000,
      endedAt: fixture.now,
      exitCode: 0,
      message: '',
      sessionId: 'session-7',
    },
  ]);
  fixture.lease('w1');
  fixture.expect(t, 'the next step waits for the whole first step', []);

  fixture.report('A/0/1', 'succeeded', { exitCode: 0 });
  fixture.expect(t, 'the last task of the first step, whose running report was lost, promotes the next', [
    'task A/0/1 succeeded',
    'task A/1/0 assigned w1',
    'lease w1: A/1/0#1',
  ]);
  fixture.report('A/1/0', 'running');
  fixture.report('A/1/0', 'succeeded', { exitCode: 0 });
  fixture.expect(t, 'completed', ['task A/1/0 running w1', 'task A/1/0 succeeded', 'job A completed']);
  t.equal(fixture.isResident('job', fixture.jobId('A')), false, 'a finished job does not stay in memory');
  t.strictSame(fixture.takeWarnings(), []);
  t.end();
});

test('a lease reply contains everything that a task needs', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'render', tasks: 2, needs: { cores: 2.5 } }]);
  fixture.lease('w1');
  const reply = fixture.answer('lease w1') as LeaseReply;
  t.strictSame(reply, {
    v: 1,
    type: 'leases',
    assignments: [
      {
        task_id: `${fixture.jobId('A')}-0-0`,
        job_id: fixture.jobId('A'),
        step_id: `${fixture.jobId('A')}-0`,
        attempt_id: `${fixture.jobId('A')}-0-0-1`,
        name: 'render[Frame=1]',
        cores: 3,
        parameters: { Frame: { type: 'INT', value: '1' } },
      },
    ],
    steps: {
      [`${fixture.jobId('A')}-0`]: {
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

test('a lease packs tasks by first fit: by priority, then age, skipping what does not fit', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 8 });
  fixture.submit('old', [{ name: 's', tasks: 2 }]);
  fixture.advance(1);
  fixture.submit('young', [{ name: 's', tasks: 9 }]);
  fixture.submit('wide', [{ name: 's', tasks: 2, needs: { cores: 5 } }], { priority: 90 });
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'five cores for the first, the rest for the others', [
    'task wide/0/0 assigned w1',
    'job wide running',
    'task old/0/0 assigned w1',
    'task old/0/1 assigned w1',
    'job old running',
    'task young/0/0 assigned w1',
    'job young running',
    'lease w1: wide/0/0#1 (5 cores), old/0/0#1, old/0/1#1, young/0/0#1',
  ]);
  fixture.lease('w1');
  fixture.expect(t, 'no free cores', []);
  fixture.report('old/0/0', 'succeeded');
  fixture.expect(t, 'one core is free again', [
    'task old/0/0 succeeded',
    'task young/0/1 assigned w1',
    'lease w1: young/0/1#1',
  ]);
  t.end();
});

test('a task without declared cores takes the whole machine', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.register('w2', { cpu_count: 2 });
  fixture.submit('whole', [{ name: 's', tasks: 2, needs: { cores: null } }], { priority: 90 });
  fixture.submit('small', [{ name: 's', tasks: 1 }]);
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'only one task', [
    'task whole/0/0 assigned w1',
    'job whole running',
    'lease w1: whole/0/0#1 (4 cores)',
  ]);
  fixture.lease('w2');
  fixture.expect(t, 'as many cores as this worker has', [
    'task whole/0/1 assigned w2',
    'lease w2: whole/0/1#1 (2 cores)',
  ]);
  fixture.lease('w1');
  fixture.report('whole/0/0', 'succeeded');
  fixture.expect(t, 'after its end other tasks fit', [
    'task whole/0/0 succeeded',
    'task small/0/0 assigned w1',
    'job small running',
    'lease w1: small/0/0#1',
  ]);
  fixture.submit('again', [{ name: 's', tasks: 1, needs: { cores: null } }]);
  fixture.lease('w1');
  fixture.expect(t, 'a machine with one task is not free as a whole', [
    'job again pending',
    'submit again: ok',
  ]);
  t.end();
});

test('a worker that is not eligible gets no tasks', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createQueue({ name: 'other' });
  fixture.register('north', { compute_location: 'North' });
  fixture.register('affine', { queues: ['other'] });
  fixture.register('plain', { tags: { gpu: 'yes' } });
  fixture.submit('A', [{ name: 's', tasks: 1, needs: { computeLocation: 'North' } }]);
  fixture.submit('B', [
    { name: 's', tasks: 1, needs: { attributes: [{ name: 'attr.worker.tag.gpu', anyOf: ['yes'] }] } },
  ]);
  fixture.submit('C', [{ name: 's', tasks: 1 }], { queueId: other });
  fixture.submit('D', [{ name: 's', tasks: 1, needs: { cores: 5 } }]);
  fixture.takeOutputs();
  fixture.lease('affine', { queue: other });
  fixture.lease('plain');
  fixture.lease('north');
  fixture.expect(t, 'each gets its own, and no worker has five cores', [
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
  fixture.lease('plain', { queue: other });
  fixture.lease('north', { queue: fixture.queue });
  fixture.submit('E', [{ name: 's', tasks: 1 }], { queueId: other });
  fixture.expect(t, 'a request for one queue gets tasks of that queue', [
    'job E pending',
    'submit E: ok',
    'task E/0/0 assigned plain',
    'job E running',
    'lease plain: E/0/0#1',
  ]);
  t.end();
});

test('a submission serves parked requests, longest waiting first', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 1 });
  fixture.register('w2', { cpu_count: 1 });
  fixture.register('w3', { cpu_count: 1 });
  fixture.takeOutputs();
  fixture.lease('w2');
  fixture.lease('w1');
  fixture.lease('w3');
  fixture.expect(t, 'no tasks', []);
  fixture.submit('A', [{ name: 's', tasks: 2 }]);
  fixture.expect(t, 'in the order of their arrival', [
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

test('freed cores serve a parked request', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 2 });
  fixture.submit('A', [{ name: 's', tasks: 3, needs: { cores: 2 } }]);
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'busy', []);
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'free', [
    'task A/0/0 succeeded',
    'task A/0/1 assigned w1',
    'lease w1: A/0/1#1 (2 cores)',
  ]);
  t.end();
});

test('the end of a retry delay serves a parked request', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.takeOutputs();
  fixture.report('A/0/0', 'failed', { exitCode: 1 });
  fixture.expect(t, 'ready, but delayed', ['task A/0/0 ready', 'count task-retries of Q']);
  t.equal(fixture.task('A/0/0').retryAfter, fixture.now + 10_000);
  fixture.lease('w1');
  fixture.advance(9_999);
  fixture.expect(t, 'still delayed', []);
  fixture.advance(1);
  fixture.expect(t, 'due', ['task A/0/0 assigned w1', 'lease w1: A/0/0#2']);
  t.end();
});

test('an expired hold gets an empty reply, each at its own time', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.register('w2');
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.advance(10_000);
  fixture.lease('w2');
  fixture.advance(HOLD_MS - 10_001);
  fixture.expect(t, 'held', []);
  fixture.advance(1);
  fixture.expect(t, 'the first', ['lease w1: nothing']);
  fixture.advance(9_999);
  fixture.expect(t, 'the second is still held', []);
  fixture.advance(1);
  fixture.expect(t, 'the second', ['lease w2: nothing']);
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.expect(t, 'an answered request gets nothing more', ['job A pending', 'submit A: ok']);
  t.end();
});

test('a second request of a worker replaces the first', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.takeOutputs();
  fixture.lease('w1', { client: 'first' });
  fixture.lease('w1', { client: 'second' });
  fixture.expect(t, 'the first gets an empty reply', ['first: nothing']);
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.expect(t, 'the second gets the task', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w1',
    'job A running',
    'second: A/0/0#1',
  ]);
  t.end();
});

test('a request of an unknown worker or an earlier incarnation gets the reply unknown', (t) => {
  const fixture = new TestFarm();
  fixture.lease('stranger');
  fixture.expect(t, 'never registered', ['lease stranger: unknown']);
  fixture.register('w1', { incarnation: 'start-1' });
  fixture.register('w1', { incarnation: 'start-2' });
  fixture.takeOutputs();
  fixture.lease('w1', { incarnation: 'start-1' });
  fixture.expect(t, 'an earlier incarnation', ['lease w1: unknown']);
  t.end();
});

test('a parked request of an earlier incarnation gets no tasks', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { incarnation: 'start-1' });
  fixture.takeOutputs();
  fixture.lease('w1', { client: 'before' });
  fixture.register('w1', { incarnation: 'start-2' });
  fixture.expect(t, 'it is answered when the worker restarts', [
    'worker w1 online',
    'register w1: registered as w1',
    'before: unknown',
  ]);
  fixture.lease('w1', { client: 'after' });
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.expect(t, 'the current request gets the task', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w1',
    'job A running',
    'after: A/0/0#1',
  ]);
  t.end();
});

test('the cap of a queue limits live tasks', (t) => {
  const fixture = new TestFarm();
  fixture.replaceQueue({ maxConcurrentTasks: 2 });
  fixture.register('w1');
  fixture.register('w2');
  fixture.submit('A', [{ name: 's', tasks: 4 }]);
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.lease('w2');
  fixture.expect(t, 'two tasks, although more cores are free', [
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/0#1, A/0/1#1',
  ]);
  fixture.report('A/0/1', 'succeeded');
  fixture.expect(t, 'one has ended: the other, waiting worker is served', [
    'task A/0/1 succeeded',
    'task A/0/2 assigned w2',
    'lease w2: A/0/2#1',
  ]);
  fixture.lease('w1');
  fixture.replaceQueue({ maxConcurrentTasks: 0 });
  fixture.expect(t, 'the cap is lifted', [
    'replace queue: ok',
    'task A/0/3 assigned w1',
    'lease w1: A/0/3#1',
  ]);
  t.end();
});

test('the cap of a farm applies to all its queues', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createQueue({ name: 'other' });
  fixture.replaceFarm({ maxConcurrentTasks: 1 });
  fixture.register('w1');
  fixture.register('w2');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.submit('B', [{ name: 's', tasks: 1 }], { queueId: other });
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.lease('w2', { queue: other });
  fixture.replaceQueue({ paused: true });
  fixture.expect(t, 'one task', [
    'task A/0/0 assigned w1',
    'job A running',
    'lease w1: A/0/0#1',
    'replace queue: ok',
  ]);
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'a task of a paused queue frees capacity for another queue', [
    'task A/0/0 succeeded',
    'job A completed',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.end();
});

test('a paused queue leases no tasks, and running tasks continue', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 1 });
  fixture.submit('A', [{ name: 's', tasks: 2 }]);
  fixture.lease('w1');
  fixture.replaceQueue({ paused: true });
  fixture.takeOutputs();
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/0', 'succeeded');
  fixture.lease('w1');
  fixture.expect(t, 'paused', ['task A/0/0 running w1', 'task A/0/0 succeeded']);
  fixture.replaceQueue({ paused: false });
  fixture.expect(t, 'resumed', ['replace queue: ok', 'task A/0/1 assigned w1', 'lease w1: A/0/1#1']);
  t.end();
});

test('a job of thousands of tasks is leased in replies of bounded size', (t) => {
  const { tasksPerLease } = WIRE_LIMITS;
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 1000 });
  fixture.submit('A', [{ name: 's', tasks: 3000 }]);
  const assignmentsOf = (client: string): readonly Assignment[] => {
    const reply = fixture.answer(client) as LeaseReply;
    return reply.type === 'leases' ? reply.assignments : [];
  };
  fixture.lease('w1', { client: 'first' });
  t.equal(assignmentsOf('first').length, tasksPerLease);
  fixture.lease('w1', { client: 'second' });
  t.equal(assignmentsOf('second').length, tasksPerLease);
  t.equal(assignmentsOf('second')[0]?.attempt_id, fixture.attemptId(`A/0/${tasksPerLease}#1`));
  fixture.expectInvariants(t, 'two leases');
  t.end();
});

test('a lease has a limited number of steps, the rest follows with the next', (t) => {
  const { stepsPerLease } = WIRE_LIMITS;
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 100 });
  const names = Array.from({ length: stepsPerLease + 1 }, (_, each) => `s${each}`);
  fixture.submit(
    'A',
    names.map((name) => ({ name, tasks: 1 })),
  );
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.lease('w1');
  const taken = names.map((_, order) => `A/${order}/0#1`);
  t.strictSame(
    fixture.takeOutputs().filter((line) => line.startsWith('lease')),
    [`lease w1: ${taken.slice(0, -1).join(', ')}`, `lease w1: ${taken.at(-1) ?? ''}`],
  );
  fixture.expectInvariants(t, 'two leases');
  t.end();
});

test('cores that were freed while there was no work are found by a later submission', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 2 });
  fixture.submit('A', [{ name: 's', tasks: 2 }]);
  fixture.lease('w1');
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded');
  fixture.takeOutputs();
  fixture.submit('B', [{ name: 's', tasks: 1 }]);
  fixture.expect(t, 'the request was parked without free cores', [
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w1',
    'job B running',
    'lease w1: B/0/0#1',
  ]);
  t.end();
});

test('a worker that drains gets no tasks, and its requests get a reply', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.heartbeatOf(fixture.worker('w1'), [], 'drain w1', { draining: true });
  fixture.expect(t, 'its parked request ends', ['drain w1: alive', 'lease w1: unknown']);
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.expect(t, 'no new tasks', ['job A pending', 'submit A: ok']);
  fixture.register('w1', { incarnation: 'start-2' });
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'a new start gets tasks', [
    'task A/0/0 assigned w1',
    'job A running',
    'lease w1: A/0/0#1',
  ]);
  t.end();
});
