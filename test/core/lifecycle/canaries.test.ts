import { test } from 'tap';
import {
  canaryIndices,
  canaryParkReason,
  failsEverywhere,
  isProbing,
  type CanaryStep,
} from '../../../src/core/lifecycle/canaries.ts';

const step = (taskCount: number, succeeded = 0, failed = 0, canceled = 0): CanaryStep => ({
  taskCount,
  taskCounts: { succeeded, failed, canceled },
});

test('the first, the middle and the last task are tried first', (t) => {
  t.same(canaryIndices(100), [0, 49, 99]);
  t.same(canaryIndices(5), [0, 2, 4]);
  t.end();
});

test('the others wait until as many tasks have ended as are tried first', (t) => {
  t.ok(isProbing(step(100)));
  t.ok(isProbing(step(100, 1, 1)));
  t.notOk(isProbing(step(100, 1, 1, 1)));
  t.notOk(isProbing(step(4)), 'a step with few tasks');
  t.ok(isProbing({ ...step(5), chunks: null }));
  t.notOk(isProbing({ ...step(5), chunks: {} }), 'chunks that change their size');
  t.end();
});

test('a step fails everywhere after enough failures on enough workers, or once all tasks that are tried have failed', (t) => {
  t.ok(failsEverywhere(step(100), 6, 3));
  t.notOk(failsEverywhere(step(100), 5, 3));
  t.notOk(failsEverywhere(step(100), 6, 2));
  t.notOk(failsEverywhere(step(100, 1), 60, 30), 'one has succeeded');
  t.ok(failsEverywhere(step(100, 0, 3), 3, 1));
  t.notOk(failsEverywhere(step(100, 0, 3, 1), 3, 1));
  t.notOk(failsEverywhere(step(4, 0, 3), 3, 1), 'all its tasks may start');
  t.ok(failsEverywhere(step(4), 6, 3));
  t.equal(
    canaryParkReason('Render', 6, 3),
    'step Render fails everywhere: 6 failures on 3 workers, no success',
  );
  t.end();
});
