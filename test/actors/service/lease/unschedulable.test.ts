import { test } from 'tap';
import { keys } from '../../../../src/core/records/tables.ts';
import { requirements } from '../../../kit/lease-parts.ts';
import { TestFarm } from '../../../kit/test-farm.ts';
import { STEP_NOTIFY_BATCH_SIZE } from '../../../../actors/service/lease/unschedulable-sweep.ts';

const GRACE_MS = 30_000;
/** The grace, and the sweep after it. */
const OVERDUE_MS = GRACE_MS + 3_000;

const needsGpu = { attributes: [{ name: 'attr.worker.tag.gpu', anyOf: ['yes'] }] };

const TIGHTER = "the worker's advertised expression limits are tighter than the server's";

const counts = (fixture: TestFarm, name: string): readonly number[] => {
  const { ready, unschedulable } = fixture.job(name).taskCounts;
  return [ready, unschedulable];
};

test('a ready task without an eligible worker gets a reason after the grace, until a worker is eligible', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: 2, needs: needsGpu }]);
  fixture.takeOutputs();
  fixture.advance(GRACE_MS - 1);
  fixture.expect(t, 'within the grace', []);
  fixture.advance(3_001);
  fixture.expect(t, 'after the grace', [
    'task A/0/0 ready (no online workers)',
    'task A/0/1 ready (no online workers)',
  ]);
  t.strictSame(counts(fixture, 'A'), [2, 2]);
  t.equal(fixture.task('A/0/1').unschedulable, true);

  fixture.register('w1');
  fixture.takeOutputs();
  fixture.advance(3_000);
  fixture.expect(t, 'another reason', [
    'task A/0/0 ready (no eligible online worker: attribute requirement not met)',
    'task A/0/1 ready (no eligible online worker: attribute requirement not met)',
  ]);

  fixture.register('w2', { tags: { gpu: 'yes' } });
  fixture.expect(t, 'an eligible worker clears it at once', [
    'worker w2 online',
    'register w2: registered as w2',
    'task A/0/0 ready',
    'task A/0/1 ready',
  ]);
  t.strictSame(counts(fixture, 'A'), [2, 0]);
  t.equal(fixture.store.get('step', keys.step(fixture.jobId('A'), 0))?.unschedulableReason, undefined);

  fixture.deregister('w2');
  fixture.takeOutputs();
  fixture.advance(3_000);
  fixture.expect(t, 'the tasks have been ready for long, and no worker is left', [
    'task A/0/0 ready (no eligible online worker: attribute requirement not met)',
    'task A/0/1 ready (no eligible online worker: attribute requirement not met)',
  ]);
  t.end();
});

test('the reason is cleared per task when it is no longer ready', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: 3, needs: needsGpu }]);
  fixture.advance(OVERDUE_MS);
  t.strictSame(counts(fixture, 'A'), [3, 3]);
  fixture.takeOutputs();
  fixture.cancelTask('A/0/1');
  fixture.expect(t, 'canceled', ['task A/0/1 canceled', 'cancel A/0/1: ok']);
  t.strictSame(counts(fixture, 'A'), [2, 2]);
  fixture.retryTask('A/0/1');
  fixture.takeOutputs();
  t.strictSame(counts(fixture, 'A'), [3, 2], 'ready again, and within its grace');
  fixture.advance(OVERDUE_MS);
  fixture.expect(t, 'its own grace has passed', ['task A/0/1 ready (no online workers)']);
  fixture.cancelJob('A');
  t.strictSame(counts(fixture, 'A'), [0, 0]);
  fixture.expectInvariants(t, 'canceled');
  t.end();
});

test('a paused job has no reason, and gets it again soon after it is resumed', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: 1, needs: needsGpu }]);
  fixture.advance(OVERDUE_MS);
  fixture.takeOutputs();
  fixture.updateJob('A', { action: 'pause' });
  fixture.expect(t, 'paused', ['task A/0/0 ready', 'job A paused', 'update A: ok']);
  t.strictSame(counts(fixture, 'A'), [1, 0]);
  fixture.advance(OVERDUE_MS);
  fixture.expect(t, 'while it is paused', []);
  fixture.updateJob('A', { action: 'resume' });
  fixture.takeOutputs();
  fixture.advance(3_000);
  fixture.expect(t, 'resumed', ['task A/0/0 ready (no online workers)']);
  t.end();
});

test('a job that is paused and resumed between two sweeps gets the reason again', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: 1, needs: needsGpu }]);
  fixture.advance(OVERDUE_MS);
  t.strictSame(counts(fixture, 'A'), [1, 1]);
  fixture.updateJob('A', { action: 'pause' });
  t.strictSame(counts(fixture, 'A'), [1, 0]);
  fixture.updateJob('A', { action: 'resume' });
  fixture.advance(3_000);
  t.strictSame(counts(fixture, 'A'), [1, 1]);
  t.end();
});

test('every reason of the contract occurs', (t) => {
  const reasonOf = (prepare: (fixture: TestFarm) => void, needs: object): string => {
    const fixture = new TestFarm();
    const other = fixture.createQueue({ name: 'Other' });
    prepare(fixture);
    fixture.submit('A', [{ name: 's', tasks: 1, needs }], { queueId: other });
    fixture.advance(OVERDUE_MS);
    return fixture.store.get('step', keys.step(fixture.jobId('A'), 0))?.unschedulableReason ?? '';
  };
  const worker = (fixture: TestFarm): void => fixture.register('w1', { compute_location: 'north' });
  t.equal(
    reasonOf(() => undefined, {}),
    'no online workers',
  );
  t.equal(
    reasonOf((fixture) => {
      const farm = fixture.createFarm({ name: 'G' });
      fixture.register('w1', { farm });
    }, {}),
    'no eligible online worker: farm mismatch',
  );
  t.equal(
    reasonOf((fixture) => fixture.register('w1', { queues: ['Q'] }), {}),
    'no eligible online worker: queue affinity',
  );
  t.equal(
    reasonOf(worker, { computeLocation: 'south' }),
    'no eligible online worker: compute location mismatch',
  );
  t.equal(reasonOf(worker, { cores: 64 }), 'no eligible online worker: amount requirement not met');
  t.equal(
    reasonOf(worker, { amounts: [{ name: 'amount.worker.memory', min: 1e6 }] }),
    'no eligible online worker: amount requirement not met',
  );
  t.equal(reasonOf(worker, needsGpu), 'no eligible online worker: attribute requirement not met');
  t.equal(reasonOf(worker, { pools: ['nuke'] }), 'no eligible online worker: usage pool at capacity');
  t.equal(
    reasonOf((fixture) => fixture.register('w1', { expr_memory_limit: 999_999 }), { usesExpressions: true }),
    TIGHTER,
    'a separate sentence',
  );
  t.equal(
    reasonOf((fixture) => {
      fixture.register('w1', { queues: ['Q'] });
      fixture.register('w2', {});
    }, needsGpu),
    'no eligible online worker: attribute requirement not met',
    'the nearest miss among several workers',
  );
  t.equal(reasonOf(worker, {}), '', 'a busy or silent worker counts as a worker');
  t.end();
});

test('a grace of zero disables the sweep', (t) => {
  const fixture = new TestFarm({ unschedulableGraceMs: 0 });
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.takeOutputs();
  fixture.advance(10 * GRACE_MS);
  fixture.expect(t, 'ten times the usual grace', []);
  t.end();
});

test('the reason survives a restart and is cleared afterwards', (t) => {
  const fixture = new TestFarm();
  fixture.submit('A', [{ name: 's', tasks: 40_000, needs: needsGpu }]);
  fixture.advance(OVERDUE_MS);
  t.strictSame(counts(fixture, 'A'), [40_000, 40_000]);
  t.equal(fixture.takeOutputs().length, 1_002, 'the job, and as many tasks as are published at once');
  fixture.restart(1_000);
  t.strictSame(counts(fixture, 'A'), [40_000, 40_000]);
  fixture.register('w1', { tags: { gpu: 'yes' } });
  t.strictSame(counts(fixture, 'A'), [40_000, 0]);
  fixture.expectInvariants(t, 'cleared');
  t.end();
});

test('a job with EXPR waits for a worker with the expression limits of the server', (t) => {
  const fixture = new TestFarm();
  fixture.register('tight', { expr_memory_limit: 500_000 });
  fixture.submit('A', [{ name: 's', tasks: 1, needs: { cores: 1, usesExpressions: true } }]);
  fixture.submit('B', [{ name: 's', tasks: 1, needs: { cores: 1 } }]);
  fixture.takeOutputs();
  fixture.lease('tight');
  fixture.expect(t, 'a later job without expressions goes first', [
    'task B/0/0 assigned tight',
    'job B running',
    'lease tight: B/0/0#1',
  ]);
  fixture.report('B/0/0', 'succeeded');
  fixture.lease('tight');
  fixture.takeOutputs();
  fixture.advance(OVERDUE_MS);
  t.same(
    fixture.takeOutputs().filter((line) => line.startsWith('task')),
    [`task A/0/0 ready (${TIGHTER})`],
  );
  t.match(fixture.explain('A/0/0').workers, {
    online: 1,
    eligible: 0,
    rejected: [{ reason: TIGHTER, workers: 1 }],
    nearestMiss: { ineligibility: { reason: TIGHTER, shortfall: { granted: 500_000, wanted: 1_000_000 } } },
  });
  const outlooks = fixture.explainDemands(requirements({ usesExpressions: true }), requirements());
  t.strictSame(
    outlooks.map(({ eligible }) => eligible),
    [0, 1],
  );

  fixture.lease('tight');
  fixture.takeOutputs();
  fixture.register('tight', { expr_memory_limit: 1_000_000 });
  fixture.expect(t, 'its parked request is served when it registers a wider limit', [
    'register tight: registered as tight',
    'task A/0/0 ready',
    'task A/0/0 assigned tight',
    'job A running',
    'lease tight: A/0/0#1',
  ]);
  t.end();
});

test('a service with higher limits than the default skips workers without limits', (t) => {
  const fixture = new TestFarm({ exprMemoryBytes: 2_000_000 });
  fixture.register('w1');
  fixture.register('w2', { expr_memory_limit: 2_000_000 });
  fixture.submit('A', [{ name: 's', tasks: 1, needs: { cores: 1, usesExpressions: true } }]);
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'nothing for the first', []);
  fixture.lease('w2');
  fixture.expect(t, 'one with sufficient limits', [
    'task A/0/0 assigned w2',
    'job A running',
    'lease w2: A/0/0#1',
  ]);
  t.end();
});

test('many jobs are notified in batches, and all of them', (t) => {
  const fixture = new TestFarm();
  const jobs = 2 * STEP_NOTIFY_BATCH_SIZE + 1;
  for (let job = 0; job < jobs; job++)
    fixture.submit(`J${job}`, [{ name: 's', tasks: 1, needs: needsGpu }], { priority: 50 });
  fixture.takeOutputs();
  fixture.advance(OVERDUE_MS);
  t.equal(fixture.takeOutputs().length, jobs, 'all jobs were notified that no worker is eligible');
  const matched = (): number =>
    fixture.takeOutputs().filter((said) => /^task J\d+\/0\/0 ready$/.test(said)).length;
  fixture.register('w1', { tags: { gpu: 'yes' } });
  t.equal(matched(), STEP_NOTIFY_BATCH_SIZE, 'the first batch is notified at once');
  fixture.advance(0);
  t.equal(matched(), jobs - STEP_NOTIFY_BATCH_SIZE, 'the others follow');
  fixture.expectInvariants(t, 'told');
  t.end();
});

test('tasks that wait for canary tasks lose the reason when the usage pool has room', (t) => {
  const fixture = new TestFarm({ leaseHoldMs: 1e12 });
  fixture.createPool('nuke', { maxConcurrent: 1 });
  for (const name of ['w1', 'w2', 'w3', 'w4']) fixture.register(name, { cpu_count: 1 });
  const needs = { cores: 1, pools: ['nuke'] };
  fixture.submit('C', [{ name: 's', tasks: 1, needs }]);
  fixture.lease('w1');
  fixture.report('C/0/0', 'running');
  fixture.submit('A', [{ name: 's', tasks: 10, needs }], { retry: { canaryTasks: true } });
  for (const name of ['w2', 'w3', 'w4']) fixture.lease(name);
  fixture.advance(OVERDUE_MS);
  t.strictSame(counts(fixture, 'A'), [10, 10]);
  t.equal(
    fixture.store.get('step', keys.step(fixture.jobId('A'), 0))?.unschedulableReason,
    'no eligible online worker: usage pool at capacity',
  );
  fixture.replacePool('nuke', { maxConcurrent: 9 });
  t.strictSame(counts(fixture, 'A'), [7, 0], 'the canary tasks are assigned');
  t.equal(fixture.store.get('step', keys.step(fixture.jobId('A'), 0))?.unschedulableReason, undefined);
  fixture.expectInvariants(t, 'the pool has room');
  t.end();
});
