import { test } from 'tap';
import { STEPS_TOLD_AT_ONCE } from '../../../../actors/service/lease/unmatched.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { requirements } from '../../../kit/lease-parts.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const GRACE_MS = 30_000;
/** The grace, and the sweep that comes after it. */
const OVERDUE_MS = GRACE_MS + 3_000;

const needsGpu = { attributes: [{ name: 'attr.worker.tag.gpu', anyOf: ['yes'] }] };

const TIGHTER = "the worker's advertised expression limits are tighter than the server's";

const counts = (house: TestHouse, name: string): readonly number[] => {
  const { ready, unschedulable } = house.job(name).taskCounts;
  return [ready, unschedulable];
};

test('a ready task that nobody may run says so after the grace, and no longer once somebody may', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 2, needs: needsGpu }]);
  house.heard();
  house.advance(GRACE_MS - 1);
  house.expect(t, 'within the grace', []);
  house.advance(3_001);
  house.expect(t, 'after it', [
    'task A/0/0 ready (no online workers)',
    'task A/0/1 ready (no online workers)',
  ]);
  t.strictSame(counts(house, 'A'), [2, 2]);
  t.equal(house.task('A/0/1').unschedulable, true);

  house.register('w1');
  house.heard();
  house.advance(3_000);
  house.expect(t, 'another reason', [
    'task A/0/0 ready (no eligible online worker: attribute requirement not met)',
    'task A/0/1 ready (no eligible online worker: attribute requirement not met)',
  ]);

  house.register('w2', { tags: { gpu: 'yes' } });
  house.expect(t, 'a match clears it at once', [
    'worker w2 online',
    'register w2: registered as w2',
    'task A/0/0 ready',
    'task A/0/1 ready',
  ]);
  t.strictSame(counts(house, 'A'), [2, 0]);
  t.equal(house.store.get('step', keys.step(house.jobId('A'), 0))?.unschedulableReason, undefined);

  house.deregister('w2');
  house.heard();
  house.advance(3_000);
  house.expect(t, 'the tasks have been ready for long: nobody is left', [
    'task A/0/0 ready (no eligible online worker: attribute requirement not met)',
    'task A/0/1 ready (no eligible online worker: attribute requirement not met)',
  ]);
  t.end();
});

test('the reason goes with the readiness, task by task', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 3, needs: needsGpu }]);
  house.advance(OVERDUE_MS);
  t.strictSame(counts(house, 'A'), [3, 3]);
  house.heard();
  house.cancelTask('A/0/1');
  house.expect(t, 'canceled', ['task A/0/1 canceled', 'cancel A/0/1: ok']);
  t.strictSame(counts(house, 'A'), [2, 2]);
  house.retryTask('A/0/1');
  house.heard();
  t.strictSame(counts(house, 'A'), [3, 2], 'ready again, and within its grace');
  house.advance(OVERDUE_MS);
  house.expect(t, 'its own grace is over', ['task A/0/1 ready (no online workers)']);
  house.cancelJob('A');
  t.strictSame(counts(house, 'A'), [0, 0]);
  house.checkAtRest(t, 'canceled');
  t.end();
});

test('a paused job says nothing, and says it again soon after it is resumed', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 1, needs: needsGpu }]);
  house.advance(OVERDUE_MS);
  house.heard();
  house.updateJob('A', { action: 'pause' });
  house.expect(t, 'paused', ['task A/0/0 ready', 'job A paused', 'update A: ok']);
  t.strictSame(counts(house, 'A'), [1, 0]);
  house.advance(OVERDUE_MS);
  house.expect(t, 'while it is paused', []);
  house.updateJob('A', { action: 'resume' });
  house.heard();
  house.advance(3_000);
  house.expect(t, 'resumed', ['task A/0/0 ready (no online workers)']);
  t.end();
});

test('a job that is paused and resumed between two sweeps says it again', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 1, needs: needsGpu }]);
  house.advance(OVERDUE_MS);
  t.strictSame(counts(house, 'A'), [1, 1]);
  house.updateJob('A', { action: 'pause' });
  t.strictSame(counts(house, 'A'), [1, 0]);
  house.updateJob('A', { action: 'resume' });
  house.advance(3_000);
  t.strictSame(counts(house, 'A'), [1, 1]);
  t.end();
});

test('each reason of the contract', (t) => {
  const reasonOf = (prepare: (house: TestHouse) => void, needs: object): string => {
    const house = new TestHouse();
    const other = house.createQueue({ name: 'Other' });
    prepare(house);
    house.submit('A', [{ name: 's', tasks: 1, needs }], { queueId: other });
    house.advance(OVERDUE_MS);
    return house.store.get('step', keys.step(house.jobId('A'), 0))?.unschedulableReason ?? '';
  };
  const worker = (house: TestHouse): void => house.register('w1', { compute_location: 'north' });
  t.equal(
    reasonOf(() => undefined, {}),
    'no online workers',
  );
  t.equal(
    reasonOf((house) => {
      const farm = house.createFarm({ name: 'G' });
      house.register('w1', { farm });
    }, {}),
    'no eligible online worker: farm mismatch',
  );
  t.equal(
    reasonOf((house) => house.register('w1', { queues: ['Q'] }), {}),
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
    reasonOf((house) => house.register('w1', { expr_memory_limit: 999_999 }), { usesExpressions: true }),
    TIGHTER,
    'a sentence of its own',
  );
  t.equal(
    reasonOf((house) => {
      house.register('w1', { queues: ['Q'] });
      house.register('w2', {});
    }, needsGpu),
    'no eligible online worker: attribute requirement not met',
    'of several workers the one that comes furthest',
  );
  t.equal(reasonOf(worker, {}), '', 'a busy or silent worker is a worker');
  t.end();
});

test('a grace of zero is no sweep', (t) => {
  const house = new TestHouse({ unschedulableGraceMs: 0 });
  house.submit('A', [{ name: 's', tasks: 1 }]);
  house.heard();
  house.advance(10 * GRACE_MS);
  house.expect(t, 'ten times the usual grace', []);
  t.end();
});

test('the reason outlives the service, and is cleared by the next', (t) => {
  const house = new TestHouse();
  house.submit('A', [{ name: 's', tasks: 40_000, needs: needsGpu }]);
  house.advance(OVERDUE_MS);
  t.strictSame(counts(house, 'A'), [40_000, 40_000]);
  t.equal(house.heard().length, 1_002, 'the job, and as many tasks as clients are told of at once');
  house.restart(1_000);
  t.strictSame(counts(house, 'A'), [40_000, 40_000]);
  house.register('w1', { tags: { gpu: 'yes' } });
  t.strictSame(counts(house, 'A'), [40_000, 0]);
  house.checkAtRest(t, 'cleared');
  t.end();
});

test('a job with EXPR waits for a worker that grants its expressions as much as the server does', (t) => {
  const house = new TestHouse();
  house.register('tight', { expr_memory_limit: 500_000 });
  house.submit('A', [{ name: 's', tasks: 1, needs: { cores: 1, usesExpressions: true } }]);
  house.submit('B', [{ name: 's', tasks: 1, needs: { cores: 1 } }]);
  house.heard();
  house.lease('tight');
  house.expect(t, 'a later job without expressions goes first', [
    'task B/0/0 assigned tight',
    'job B running',
    'lease tight: B/0/0#1',
  ]);
  house.report('B/0/0', 'succeeded');
  house.lease('tight');
  house.heard();
  house.advance(OVERDUE_MS);
  t.same(
    house.heard().filter((line) => line.startsWith('task')),
    [`task A/0/0 ready (${TIGHTER})`],
  );
  t.match(house.explain('A/0/0').workers, {
    online: 1,
    eligible: 0,
    rejected: [{ reason: TIGHTER, requirement: '', workers: 1 }],
    nearestMiss: { ineligibility: { reason: TIGHTER, shortfall: { granted: 500_000, wanted: 1_000_000 } } },
  });
  const outlooks = house.explainDemands(requirements({ usesExpressions: true }), requirements());
  t.strictSame(
    outlooks.map(({ eligible }) => eligible),
    [0, 1],
  );

  house.lease('tight');
  house.heard();
  house.register('tight', { expr_memory_limit: 1_000_000 });
  house.expect(t, 'its parked request is served when it says a wider limit', [
    'register tight: registered as tight',
    'task A/0/0 ready',
    'task A/0/0 assigned tight',
    'job A running',
    'lease tight: A/0/0#1',
  ]);
  t.end();
});

test('a service that grants more than the default passes over workers that say nothing', (t) => {
  const house = new TestHouse({ exprMemoryBytes: 2_000_000 });
  house.register('w1');
  house.register('w2', { expr_memory_limit: 2_000_000 });
  house.submit('A', [{ name: 's', tasks: 1, needs: { cores: 1, usesExpressions: true } }]);
  house.heard();
  house.lease('w1');
  house.expect(t, 'nothing for the first', []);
  house.lease('w2');
  house.expect(t, 'one that says enough', ['task A/0/0 assigned w2', 'job A running', 'lease w2: A/0/0#1']);
  t.end();
});

test('many jobs are told in pieces, and all of them', (t) => {
  const house = new TestHouse();
  const jobs = 2 * STEPS_TOLD_AT_ONCE + 1;
  for (let job = 0; job < jobs; job++)
    house.submit(`J${job}`, [{ name: 's', tasks: 1, needs: needsGpu }], { priority: 50 });
  house.heard();
  house.advance(OVERDUE_MS);
  t.equal(house.heard().length, jobs, 'all have been told that nobody may run them');
  const matched = (): number => house.heard().filter((said) => /^task J\d+\/0\/0 ready$/.test(said)).length;
  house.register('w1', { tags: { gpu: 'yes' } });
  t.equal(matched(), STEPS_TOLD_AT_ONCE, 'the first are told at once that somebody may');
  house.advance(0);
  t.equal(matched(), jobs - STEPS_TOLD_AT_ONCE, 'and the others after them');
  house.checkAtRest(t, 'told');
  t.end();
});
