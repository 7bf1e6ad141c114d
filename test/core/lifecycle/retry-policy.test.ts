import fc from 'fast-check';
import { test } from 'tap';
import {
  effectiveRetry,
  failureOutcome,
  isRetryDelayed,
  leasableSince,
  type RetryOverride,
  type RetryPolicy,
} from '../../../src/core/lifecycle/retry-policy.ts';

const SERVER: RetryPolicy = { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 };

test('in the cascade server, farm, queue, job the later level applies, field by field', (t) => {
  t.strictSame(effectiveRetry(SERVER), SERVER);
  t.strictSame(effectiveRetry(SERVER, {}, {}, {}), SERVER, 'an absent field is inherited');
  t.strictSame(
    effectiveRetry(
      SERVER,
      { maxAttempts: 5, failureLimit: 7 },
      { maxAttempts: 6, retryDelaySeconds: 1 },
      { maxAttempts: 2 },
    ),
    { maxAttempts: 2, retryDelaySeconds: 1, failureLimit: 7 },
  );
  t.strictSame(
    effectiveRetry(SERVER, { failureLimit: 7 }, {}, { failureLimit: 0, retryDelaySeconds: 0 }),
    { maxAttempts: 3, retryDelaySeconds: 0, failureLimit: 0 },
    'zero is a value: 0 disables an inherited limit',
  );
  t.end();
});

test('the cascade matches its definition: the last level with the field, else the server', (t) => {
  const override: fc.Arbitrary<RetryOverride> = fc.record(
    { maxAttempts: fc.nat(5), retryDelaySeconds: fc.nat(5), failureLimit: fc.nat(5) },
    { requiredKeys: [] },
  );
  const fields = ['maxAttempts', 'retryDelaySeconds', 'failureLimit'] as const;
  fc.assert(
    fc.property(fc.array(override, { maxLength: 4 }), (levels) => {
      const policy = effectiveRetry(SERVER, ...levels);
      for (const field of fields) {
        const set = levels.flatMap((level) => level[field] ?? []);
        if (policy[field] !== (set.at(-1) ?? SERVER[field])) return false;
      }
      return Object.keys(policy).length === fields.length;
    }),
  );
  t.end();
});

/**
 * docs/contract/retry.md#outcomes-of-a-failure. Each count below, at and above its limit, pairwise: auto-park when the
 * job's failures reach failure_limit; else retry below max_attempts; else exhausted.
 */
const OUTCOMES = [
  { limit: 0, job: 1, max: 3, task: 1, outcome: 'retry' },
  { limit: 0, job: 1, max: 3, task: 2, outcome: 'retry' },
  { limit: 0, job: 1, max: 3, task: 3, outcome: 'exhausted' },
  { limit: 0, job: 1, max: 3, task: 4, outcome: 'exhausted' },
  { limit: 0, job: 1000, max: 1, task: 1, outcome: 'exhausted' },
  { limit: 0, job: 1000, max: 2, task: 1, outcome: 'retry' },
  { limit: 5, job: 4, max: 3, task: 2, outcome: 'retry' },
  { limit: 5, job: 4, max: 3, task: 3, outcome: 'exhausted' },
  { limit: 5, job: 4, max: 3, task: 4, outcome: 'exhausted' },
  { limit: 5, job: 5, max: 3, task: 2, outcome: 'auto-park' },
  { limit: 5, job: 5, max: 3, task: 3, outcome: 'auto-park' },
  { limit: 5, job: 5, max: 3, task: 4, outcome: 'auto-park' },
  { limit: 5, job: 6, max: 3, task: 1, outcome: 'auto-park' },
  { limit: 5, job: 6, max: 3, task: 3, outcome: 'auto-park' },
  { limit: 1, job: 1, max: 100, task: 1, outcome: 'auto-park' },
] as const;

test('each failure has exactly one outcome', (t) => {
  for (const { limit, job, max, task, outcome } of OUTCOMES) {
    const policy = { maxAttempts: max, retryDelaySeconds: 10, failureLimit: limit };
    t.equal(
      failureOutcome(policy, task, job),
      outcome,
      `failure ${task} of ${max}, ${job} of the job's limit ${limit}`,
    );
  }
  t.end();
});

test('a retry is delayed from the millisecond of the failure to the end of its delay', (t) => {
  const task = { updatedAt: 1000, retryAfter: 1010 };
  t.ok(isRetryDelayed(task, 1000), 'in the millisecond of the failure');
  t.ok(isRetryDelayed(task, 1009));
  t.notOk(isRetryDelayed(task, 1010), 'at its end');
  t.notOk(isRetryDelayed(task, 999), 'after the clock was set back to before the failure');
  t.notOk(isRetryDelayed({ updatedAt: 1000, retryAfter: null }, 1000));
  t.equal(leasableSince(task), 1010);
  t.equal(leasableSince({ updatedAt: 1000, retryAfter: null }), 1000);
  t.end();
});
