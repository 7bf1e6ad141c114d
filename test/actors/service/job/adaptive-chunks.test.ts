import { test } from 'tap';
import { put } from '../../../../src/core/records/change-set.ts';
import type { StepRecord } from '../../../../src/core/records/step.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { openTasks } from '../../../../src/openjd/template/space/adaptive-space.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const CHUNKS = { size: 2, targetSeconds: 100 };

/** A farm with a job of 40 frames in 20 chunks of two. */
function withJob(cpus = 1, chunks = CHUNKS): TestFarm {
  const farm = new TestFarm({ retry: { maxAttempts: 2, retryDelaySeconds: 0, failureLimit: 0 } });
  farm.register('w1', { cpu_count: cpus });
  farm.submit('A', [{ name: 'render', tasks: 20, chunks }]);
  return farm;
}

function stepOf(farm: TestFarm): StepRecord {
  const step = farm.store.get('step', keys.step(farm.jobId('A'), 0));
  if (step === undefined) throw new Error('the step has no record');
  return step;
}

/** The frames of all tasks, in task order. */
function framesOf(farm: TestFarm): readonly string[] {
  const plan = farm.store.get('plan', keys.plan(farm.jobId('A')))?.steps[0];
  if (plan === undefined) throw new Error('the step has no plan');
  const { chunks, taskCount } = stepOf(farm);
  const space = openTasks(plan, chunks?.sections ?? null);
  return Array.from({ length: taskCount }, (_, index) => space.at(index)['Frame'] ?? '');
}

/** Leases a task that runs for a time and then succeeds. */
function run(farm: TestFarm, task: string, seconds: number): void {
  farm.lease('w1');
  farm.report(task, 'running');
  farm.advance(seconds * 1000);
  farm.report(task, 'succeeded');
}

test('chunks that have not started get the size that takes the target time', (t) => {
  const farm = withJob();
  t.equal(stepOf(farm).chunks?.sections.length, 1);
  run(farm, 'A/0/0', 20);
  const grown = ['1-2', '3-10', '11-18', '19-26', '27-34', '35-40'];
  t.strictSame(framesOf(farm), grown, 'ten seconds a frame, but four times the largest chunk at most');
  t.match(farm.job('A').taskCounts, { total: 6, ready: 5, succeeded: 1 });
  t.match(stepOf(farm).taskCounts, { total: 6, ready: 5, succeeded: 1 });
  run(farm, 'A/0/1', 80);
  t.strictSame(framesOf(farm), ['1-2', '3-10', '11-20', '21-30', '31-40']);
  t.ok(farm.taskEvents.includes('lost'), 'subscribers load the tasks again');
  run(farm, 'A/0/2', 400);
  t.strictSame(framesOf(farm), ['1-2', '3-10', '11-20', '21-24', '25-28', '29-32', '33-36', '37-40']);
  for (const index of [3, 4, 5, 6, 7]) run(farm, `A/0/${index}`, 60);
  t.equal(farm.job('A').status, 'completed');
  t.match(farm.job('A').taskCounts, { total: 8, succeeded: 8 });
  t.end();
});

test('the worker gets the values of the changed chunk', (t) => {
  const farm = withJob();
  run(farm, 'A/0/0', 20);
  farm.lease('w1');
  const last = farm.taskEvents.at(-1);
  t.match(last, { name: 'render[Frame=3-10]', status: 'assigned' });
  t.end();
});

test('chunks without a target keep their size', (t) => {
  const farm = withJob(1, { size: 2, targetSeconds: 0 });
  run(farm, 'A/0/0', 1);
  t.equal(stepOf(farm).taskCount, 20);
  t.notOk('chunks' in stepOf(farm));
  t.end();
});

test('a job that is loaded for each message decides like one in memory', (t) => {
  const warm = withJob(2);
  const cold = withJob(2);
  const seconds = [20, 3, 90, 400, 7, 55];
  for (const [index, time] of seconds.entries()) {
    for (const farm of [warm, cold]) {
      if (farm === cold) cold.restart();
      farm.lease('w1');
      farm.report(`A/0/${index}`, 'running');
      if (farm === cold) cold.restart();
      farm.advance(time * 1000);
      if (farm === cold) cold.restart();
      farm.report(`A/0/${index}`, 'succeeded');
    }
    t.strictSame(framesOf(cold), framesOf(warm));
    t.strictSame(stepOf(cold).chunks, stepOf(warm).chunks);
  }
  t.ok((stepOf(warm).chunks?.changes ?? 0) > 1);
  t.end();
});

test('a failed chunk is retried with the same values, and so is a canceled one', (t) => {
  const farm = withJob(3);
  farm.lease('w1');
  farm.report('A/0/1', 'failed');
  farm.cancelTask('A/0/4');
  farm.advance(20_000);
  farm.report('A/0/0', 'succeeded');
  const frames = framesOf(farm);
  t.strictSame(
    frames.slice(0, 5),
    ['1-2', '3-4', '5-6', '7-8', '9-10'],
    'touched tasks and those before them',
  );
  t.strictSame(frames.slice(5, 7), ['11-18', '19-26']);
  farm.cancelJob('A');
  farm.retryJob('A');
  t.strictSame(framesOf(farm), frames, 'a retry of the job keeps the chunks');
  t.match(farm.job('A').taskCounts, { total: frames.length, succeeded: 1 });
  t.end();
});

test('tasks that no longer exist when they are taken are refused', (t) => {
  const farm = withJob(1);
  farm.lease('w1');
  farm.advance(20_000);
  farm.register('w2', { cpu_count: 19 });
  farm.inOneWindow(() => {
    farm.report('A/0/0', 'succeeded');
    farm.lease('w2');
  });
  t.match(stepOf(farm).taskCounts, { total: 6, assigned: 5, ready: 0, succeeded: 1 });
  t.equal(farm.bookedCores('w2'), 5);
  t.end();
});

test('a selection of tasks with earlier chunks is refused', (t) => {
  const farm = withJob();
  run(farm, 'A/0/0', 20);
  const indices = [{ start: 1, step: 1, count: 2 }];
  farm.takeOutputs();
  farm.skip('A', { stepOrder: 0, indices, chunkChanges: 0 });
  t.match(farm.takeOutputs(), [/the step has just changed the size of its chunks; repeat the request/]);
  farm.skip('A', { stepOrder: 0, indices, chunkChanges: 1 });
  t.match(farm.job('A').taskCounts, { total: 6, succeeded: 3, ready: 3 });
  t.end();
});

test('chunks of a held step and of a paused job change too', (t) => {
  const farm = withJob();
  farm.lease('w1');
  farm.report('A/0/0', 'running');
  farm.hold('A', 0);
  farm.advance(20_000);
  farm.report('A/0/0', 'succeeded');
  t.equal(stepOf(farm).taskCount, 6);
  farm.hold('A', 0, false);
  farm.lease('w1');
  farm.report('A/0/1', 'running');
  farm.updateJob('A', { action: 'pause' });
  farm.advance(80_000);
  farm.report('A/0/1', 'succeeded');
  t.strictSame(framesOf(farm), ['1-2', '3-10', '11-20', '21-30', '31-40']);
  farm.updateJob('A', { action: 'resume' });
  run(farm, 'A/0/2', 100);
  t.match(stepOf(farm).taskCounts, { succeeded: 3, ready: 2 });
  t.end();
});

test('a step that an earlier version has written adapts from its next task on', (t) => {
  const farm = withJob();
  run(farm, 'A/0/0', 100);
  const { chunks: _, ...old } = stepOf(farm);
  farm.write([put('step', keys.step(farm.jobId('A'), 0), { ...old, taskCount: 20 })]);
  farm.restart();
  run(farm, 'A/0/1', 20);
  t.strictSame(framesOf(farm).slice(0, 4), ['1-2', '3-4', '5-12', '13-20']);
  t.end();
});
