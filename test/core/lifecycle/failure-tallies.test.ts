import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { test } from 'tap';
import { jobId, workerId } from '../../../src/core/ids.ts';
import {
  countStepFailure,
  countWorkerFailure,
  failingJobsOf,
  NO_WORKER_FAILURES,
  WORKER_FAILURE_STEPS_MAX,
} from '../../../src/core/lifecycle/failure-tallies.ts';

const A = jobId('a');
const B = jobId('b');

test('counts failures of a step on a worker', (t) => {
  const worker = workerId('w');
  const once = countStepFailure(undefined, worker, 5);
  t.strictSame(once, { version: 1, workerId: worker, failures: 1, lastAt: 5 });
  t.strictSame(countStepFailure(once, worker, 9), { version: 1, workerId: worker, failures: 2, lastAt: 9 });
  t.end();
});

test('a worker is flagged for failures of three different jobs in the last hour', (t) => {
  const HOUR_MS = 3_600_000;
  const failure = (id: string, lastAt: number, stepOrder = 0) => ({
    jobId: jobId(id),
    stepOrder,
    failures: 9,
    lastAt,
  });
  const now = 10 * HOUR_MS;
  t.equal(failingJobsOf([], now), null);
  const two = [failure('a', now), failure('a', now, 1), failure('b', now)];
  t.equal(failingJobsOf(two, now), null, 'two jobs, three steps');
  t.equal(failingJobsOf([...two, failure('c', now - HOUR_MS)], now), null, 'an hour ago');
  t.equal(failingJobsOf([...two, failure('c', now - HOUR_MS + 1)], now), 3);
  t.end();
});

test('lists the steps with failures on a worker, latest last', (t) => {
  let record = NO_WORKER_FAILURES;
  record = countWorkerFailure(record, A, 0, 1);
  record = countWorkerFailure(record, A, 1, 2);
  record = countWorkerFailure(record, B, 0, 3);
  record = countWorkerFailure(record, A, 0, 4);
  t.strictSame(record, {
    version: 1,
    total: 4,
    steps: [
      { jobId: A, stepOrder: 1, failures: 1, lastAt: 2 },
      { jobId: B, stepOrder: 0, failures: 1, lastAt: 3 },
      { jobId: A, stepOrder: 0, failures: 2, lastAt: 4 },
    ],
  });
  t.strictSame(NO_WORKER_FAILURES, { version: 1, total: 0, steps: [] }, 'the input is not changed');
  t.end();
});

test('only the latest steps are kept, and the total keeps counting', (t) => {
  const anyOrders = fc.array(fc.nat({ max: WORKER_FAILURE_STEPS_MAX + 10 }), { maxLength: 300, size: 'max' });
  let withDropped = 0;
  fc.assert(
    fc.property(anyOrders, (orders) => {
      if (new Set(orders).size > WORKER_FAILURE_STEPS_MAX) withDropped++;
      let record = NO_WORKER_FAILURES;
      orders.forEach((order, at) => {
        record = countWorkerFailure(record, A, order, at);
      });
      const latest = [...new Set(orders.toReversed())].slice(0, WORKER_FAILURE_STEPS_MAX).reverse();
      const isLatest = isDeepStrictEqual(
        record.steps.map(({ stepOrder, lastAt }) => [stepOrder, lastAt]),
        latest.map((order) => [order, orders.lastIndexOf(order)]),
      );
      const counted = record.steps.reduce((sum, { failures }) => sum + failures, 0);
      const isWhole = new Set(orders).size > WORKER_FAILURE_STEPS_MAX || counted === record.total;
      return isLatest && isWhole && counted <= record.total && record.total === orders.length;
    }),
    { numRuns: 200 },
  );
  t.ok(withDropped > 20, `${withDropped} of 200 lists have more steps than are kept`);
  t.end();
});
