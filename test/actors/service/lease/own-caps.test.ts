import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

/** A farm with a worker of 8 cores. */
function farmWithWorker(settings = {}): TestFarm {
  const fixture = new TestFarm(settings);
  fixture.register('w1', { cpu_count: 8 });
  fixture.takeOutputs();
  return fixture;
}

const needs = { cores: 1 };
const STEPS = [
  { name: 'render', tasks: 6, needs },
  { name: 'comp', tasks: 6, needs },
];

/** The tasks of the last lease. */
const leased = (fixture: TestFarm): string | undefined =>
  fixture
    .takeOutputs()
    .findLast((line) => line.startsWith('lease w1'))
    ?.replace('lease w1: ', '');

test('caps of a job and of its steps limit live tasks; tasks that end make room', (t) => {
  const fixture = farmWithWorker();
  fixture.submit('A', STEPS, { caps: { maxConcurrentTasks: 3, stepCaps: { render: 2 } } });
  fixture.submit('B', [{ name: 's', tasks: 1, needs }]);
  fixture.lease('w1');
  t.equal(
    leased(fixture),
    'A/0/0#1, A/0/1#1, A/1/0#1, B/0/0#1',
    'two of the step, three of the job, and then the next job',
  );
  fixture.lease('w1');
  t.equal(leased(fixture), undefined, 'the request waits');
  fixture.report('A/1/0', 'succeeded', { exitCode: 0 });
  t.equal(leased(fixture), 'A/1/1#1', 'the step render is still at its cap');
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.equal(leased(fixture), 'A/0/2#1');
  fixture.expectInvariants(t, 'caps');
  t.end();
});

test('caps change live, and running tasks continue', (t) => {
  const fixture = farmWithWorker();
  fixture.submit('A', STEPS, { caps: { stepCaps: { render: 1, comp: 1 } } });
  fixture.lease('w1');
  t.equal(leased(fixture), 'A/0/0#1, A/1/0#1');
  fixture.lease('w1');
  fixture.updateJob('A', { caps: { stepCaps: { comp: 2 } } });
  t.equal(leased(fixture), 'A/1/1#1', 'a raised cap serves the parked request');
  t.strictSame(fixture.job('A').stepCaps, { render: 1, comp: 2 }, 'the other step keeps its cap');
  fixture.lease('w1');
  fixture.updateJob('A', { caps: { maxConcurrentTasks: 1 } });
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.equal(leased(fixture), undefined, 'two tasks are live, one is allowed');
  fixture.updateJob('A', { caps: { maxConcurrentTasks: 0, stepCaps: { render: 0, comp: 0 } } });
  t.equal(
    leased(fixture),
    'A/0/1#1, A/0/2#1, A/0/3#1, A/0/4#1, A/0/5#1, A/1/2#1',
    'without caps the 6 free cores are used',
  );
  t.match(fixture.job('A'), { maxConcurrentTasks: 0, stepCaps: {} });
  fixture.expectInvariants(t, 'removed');
  t.end();
});

test('a cap that is removed lets all steps of the job start', (t) => {
  const fixture = farmWithWorker();
  fixture.submit('A', STEPS, { caps: { maxConcurrentTasks: 1 } });
  fixture.lease('w1');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.updateJob('A', { caps: { maxConcurrentTasks: 0 } });
  t.equal(leased(fixture), 'A/0/1#1, A/0/2#1, A/0/3#1, A/0/4#1, A/0/5#1, A/1/0#1, A/1/1#1');
  t.end();
});

test('after a restart of the service the caps count as before', (t) => {
  const leasesAfter = (prepare: (fixture: TestFarm) => void): string | undefined => {
    const fixture = farmWithWorker();
    fixture.submit('A', STEPS, { caps: { maxConcurrentTasks: 4, stepCaps: { render: 1 } } });
    fixture.lease('w1');
    fixture.report('A/1/1', 'succeeded', { exitCode: 0 });
    fixture.takeOutputs();
    prepare(fixture);
    fixture.lease('w1');
    const tasks = leased(fixture);
    fixture.expectInvariants(t, 'restarted');
    return tasks;
  };
  const warm = leasesAfter(() => undefined);
  const cold = leasesAfter((fixture) => {
    fixture.restart();
    fixture.heartbeat('w1', { open: ['A/0/0#1', 'A/1/0#1', 'A/1/2#1'] });
    fixture.takeOutputs();
  });
  t.equal(warm, 'A/1/3#1');
  t.equal(cold, warm);
  t.end();
});

test('a paused job keeps its count, and refused tasks give it back', (t) => {
  const fixture = farmWithWorker();
  fixture.submit('A', STEPS, { caps: { maxConcurrentTasks: 2 } });
  fixture.lease('w1');
  fixture.updateJob('A', { action: 'pause' });
  fixture.updateJob('A', { action: 'resume' });
  fixture.takeOutputs();
  fixture.lease('w1');
  t.equal(leased(fixture), undefined, 'two tasks are live');
  fixture.cancelTask('A/0/0');
  t.equal(leased(fixture), 'A/0/2#1');
  fixture.expectInvariants(t, 'resumed');
  t.end();
});

test('explain names the caps of job and step, and the farm counts what waits for them', (t) => {
  const fixture = farmWithWorker();
  fixture.submit('A', STEPS, { caps: { maxConcurrentTasks: 3, stepCaps: { render: 2 } } });
  fixture.submit('B', [{ name: 's', tasks: 3, needs }], { caps: { stepCaps: { s: 1 } } });
  fixture.lease('w1');
  const jobId = fixture.jobId('A');
  t.match(fixture.explain('A/0/2'), {
    isOffered: true,
    jobCap: {
      maxConcurrentTasks: 3,
      live: 3,
      holders: [
        { jobId, stepOrder: 0, live: 2 },
        { jobId, stepOrder: 1, live: 1 },
      ],
    },
    stepCap: { maxConcurrentTasks: 2, live: 2, holders: [{ jobId, stepOrder: 0, live: 2 }] },
  });
  t.equal(fixture.explain('A/1/1').stepCap, undefined);
  t.match(fixture.explainFarm().groups, [
    { reason: 'job_cap', tasks: 9, jobs: 1 },
    { reason: 'step_cap', tasks: 2, jobs: 1 },
  ]);
  t.end();
});

test('a task at the cap of its job that no worker may run is marked', (t) => {
  const fixture = farmWithWorker({ unschedulableGraceMs: 5_000 });
  const steps = [
    { name: 'render', tasks: 2, needs },
    { name: 'comp', tasks: 1, needs: { cores: 64 } },
  ];
  fixture.submit('A', steps, { caps: { maxConcurrentTasks: 1 } });
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.advance(10_000);
  t.equal(fixture.task('A/1/0').unschedulable, true);
  t.end();
});

test('a worker is not kept free for a step at its cap', (t) => {
  const AFTER_MS = 5_000;
  const fixture = farmWithWorker({ reservationAfterMs: AFTER_MS });
  fixture.submit('A', [{ name: 'wide', tasks: 2, needs: { cores: 8 } }], {
    priority: 90,
    caps: { maxConcurrentTasks: 1 },
  });
  fixture.lease('w1');
  fixture.register('w2', { cpu_count: 8 });
  fixture.submit('B', [{ name: 's', tasks: 40, needs }]);
  fixture.lease('w2');
  fixture.report('B/0/0', 'succeeded', { exitCode: 0 });
  fixture.lease('w2');
  fixture.advance(2 * AFTER_MS);
  t.equal(fixture.explain('A/0/1').reservedWorker, null, 'its job is at its cap');
  fixture.updateJob('A', { caps: { maxConcurrentTasks: 0 } });
  fixture.report('B/0/1', 'succeeded', { exitCode: 0 });
  fixture.lease('w2');
  fixture.advance(2 * AFTER_MS);
  t.equal(fixture.explain('A/0/1').reservedWorker, 'id-of-w2', 'without the cap it waits for the worker');
  t.end();
});
