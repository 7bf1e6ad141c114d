import { test } from 'tap';
import { FailureBudget } from '../../../src/core/rate-limit/failure-budget.ts';

test('a key is blocked after too many failures, until some are forgotten', (t) => {
  const budget = new FailureBudget({ max: 3, forgetMs: 1000, keysMax: 10 });
  for (let at = 0; at < 2; at += 1) budget.failed('a', 0);
  t.equal(budget.blockedMs('a', 0), 0);
  budget.failed('a', 0);
  t.equal(budget.blockedMs('a', 0), 1000);
  t.equal(budget.blockedMs('b', 0), 0, 'others are free');
  t.equal(budget.blockedMs('a', 1000), 0);
  for (let at = 0; at < 50; at += 1) budget.failed('a', 1000);
  t.equal(budget.blockedMs('a', 1000), 1000, 'a flood does not make the block longer');
  t.end();
});

test('only the latest keys are remembered', (t) => {
  const budget = new FailureBudget({ max: 1, forgetMs: 1000, keysMax: 2 });
  for (const key of ['a', 'b', 'c']) budget.failed(key, 0);
  t.strictSame(
    ['a', 'b', 'c'].map((key) => budget.blockedMs(key, 0)),
    [0, 1000, 1000],
  );
  t.end();
});
