import fc from 'fast-check';
import { test } from 'tap';
import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import { ruleSentence } from '../../../src/core/retry-rules/applied-rule.ts';
import {
  decideRule,
  patternsOf,
  setsOfStep,
  type ReportedFailure,
  type RuleSituation,
} from '../../../src/core/retry-rules/decide.ts';
import { holdAfter, isHeldBack, type PoolHold } from '../../../src/core/retry-rules/pool-hold.ts';
import { raiseOf, withRaised, type RaisedAmount } from '../../../src/core/retry-rules/raised-amounts.ts';
import type { RetryRule } from '../../../src/core/retry-rules/retry-rule.ts';
import { requirements } from '../../kit/lease-parts.ts';

const regex = createRe2Engine();

const rule = (some: Partial<RetryRule>): RetryRule => ({
  name: 'r',
  exitCodes: [],
  log: '',
  outOfMemory: false,
  action: 'requeue',
  maxTimes: 3,
  backoffSeconds: 60,
  pool: '',
  raise: null,
  ...some,
});

const situation = (rules: readonly RetryRule[], some: Partial<RuleSituation> = {}): RuleSituation => ({
  sets: [{ level: 'queue', of: 'day', rules }],
  uses: {},
  requirements: requirements(),
  raised: [],
  ...some,
});

const failure = (some: Partial<ReportedFailure> = {}): ReportedFailure => ({
  exitCode: 1,
  message: '',
  excerpt: '',
  logMatches: [],
  startedAt: 1000,
  maxRssMib: undefined,
  ...some,
});

const decide = (rules: readonly RetryRule[], some: Partial<ReportedFailure>, more?: Partial<RuleSituation>) =>
  decideRule(situation(rules, more), failure(some), regex);

test('a rule matches if all of its conditions do', (t) => {
  const codes = rule({ exitCodes: [70, 71] });
  t.match(decide([codes], { exitCode: 71 }), { key: 'queue/r', applied: { because: 'exit code 71' } });
  t.equal(decide([codes], { exitCode: 1 }), null);
  t.equal(decide([codes], { exitCode: undefined }), null);
  const log = rule({ log: '(?i)no license$' });
  t.match(decide([log], { excerpt: 'start\nFatal: No License\nend' }), {
    applied: { because: 'log matches "(?i)no license$"' },
  });
  t.ok(decide([log], { message: 'no license' }), 'the message is searched');
  t.ok(decide([log], { logMatches: ['(?i)no license$'] }), 'the worker has found it');
  t.equal(decide([log], { excerpt: 'no license here', logMatches: ['no license'] }), null);
  const memory = rule({ outOfMemory: true });
  t.ok(decide([memory], { message: 'out of memory: the task used 10 MiB of its limit' }));
  t.equal(decide([memory], { message: 'it ran out of memory: sorry' }), null);
  const both = rule({ exitCodes: [70], log: 'x' });
  t.match(decide([both], { exitCode: 70, message: 'x' }), {
    applied: { because: 'exit code 70, log matches "x"' },
  });
  t.equal(decide([both], { exitCode: 70 }), null);
  t.equal(decide([both], { message: 'x' }), null);
  t.end();
});

test('the first rule that can still apply decides', (t) => {
  const first = rule({ name: 'first', exitCodes: [1], maxTimes: 2 });
  const second = rule({ name: 'second', exitCodes: [1], action: 'fail_fast', maxTimes: 1 });
  t.match(decide([first, second], {}), { key: 'queue/first', applied: { times: 1, maxTimes: 2 } });
  t.match(decide([first, second], {}, { uses: { 'queue/first': 1 } }), {
    applied: { rule: 'first', times: 2 },
  });
  t.match(decide([first, second], {}, { uses: { 'queue/first': 2 } }), { applied: { rule: 'second' } });
  t.equal(decide([first], {}, { uses: { 'queue/first': 2 } }), null, 'the retry settings decide');
  const sets = [
    { level: 'job', of: '', rules: [rule({ name: 'r', exitCodes: [2] })] },
    { level: 'queue', of: 'day', rules: [first] },
    { level: 'pool', of: 'Houdini', rules: [rule({ name: 'r', exitCodes: [1] })] },
  ] as const;
  t.match(decide([], {}, { sets }), { key: 'queue/first' });
  t.match(decide([], { exitCode: 2 }, { sets }), { key: 'job/r' });
  t.match(decide([], {}, { sets, uses: { 'queue/first': 2 } }), {
    key: 'pool houdini/r',
    applied: { pool: 'houdini' },
  });
  t.equal(setsOfStep(sets, requirements()).length, 2, 'only of pools that the step requires');
  t.equal(setsOfStep(sets, requirements({ pools: ['houdini'] })).length, 3);
  t.same(patternsOf([{ level: 'job', of: '', rules: [rule({ log: 'a' }), rule({ log: 'a' }), rule({})] }]), [
    'a',
  ]);
  t.end();
});

test('a decision is explained in a sentence', (t) => {
  const sentence = (some: Partial<RetryRule>, more: Partial<RuleSituation> = {}): string => {
    const decision = decide([rule({ exitCodes: [1], ...some })], {}, more);
    return decision === null ? '' : ruleSentence(decision.applied);
  };
  t.equal(
    sentence({ pool: 'houdini' }),
    'Retry rule r of queue day applied (exit code 1): the task is ready again, after 1 min, without using up an attempt (1 of at most 3 times); usage pool houdini is held back.',
  );
  t.equal(
    sentence({ action: 'fail_fast' }),
    'Retry rule r of queue day applied (exit code 1): the task failed without another attempt.',
  );
  t.equal(
    sentence({ action: 'avoid_worker', backoffSeconds: 0 }),
    'Retry rule r of queue day applied (exit code 1): the task is ready again, without using up an attempt (1 of at most 3 times), and avoids the worker.',
  );
  const raise = { amount: 'amount.worker.memory', factor: 2, maxAmount: null };
  const needs = requirements({ amounts: [{ name: 'amount.worker.memory', min: 2048 }] });
  t.match(sentence({ action: 'raise', raise }, { requirements: needs }), /is raised from 2,048 to 4,096\.$/);
  t.end();
});

const MEMORY = 'amount.worker.memory';
const doubled = { amount: MEMORY, factor: 2, maxAmount: 5000 };
const raisedTo = (amount: number, times: number, at: number): RaisedAmount => ({
  name: MEMORY,
  declared: 1000,
  amount,
  times,
  at,
  rule: 'r',
  level: 'queue',
  of: 'day',
  policy: '',
});

test('an amount is raised up to its limits, and once for the tasks that ran before', (t) => {
  const needs = requirements({ amounts: [{ name: MEMORY, min: 1000 }] });
  const at = (startedAt: number, maxRssMib?: number) => ({ startedAt, maxRssMib });
  t.same(raiseOf(doubled, 3, needs, [], at(5)), { amount: MEMORY, from: 1000, to: 2000, isNew: true });
  t.same(raiseOf(doubled, 3, needs, [raisedTo(2000, 1, 10)], at(10)), {
    amount: MEMORY,
    from: 2000,
    to: 2000,
    isNew: false,
  });
  t.match(raiseOf(doubled, 3, needs, [raisedTo(2000, 1, 10)], at(11)), { from: 2000, to: 4000, isNew: true });
  t.match(raiseOf(doubled, 3, needs, [raisedTo(4000, 2, 10)], at(11)), { to: 5000 }, 'up to max_amount');
  t.equal(raiseOf(doubled, 3, needs, [raisedTo(5000, 2, 10)], at(11)), null);
  t.equal(raiseOf(doubled, 1, needs, [raisedTo(2000, 1, 10)], at(11)), null, 'max_times');
  t.equal(raiseOf(doubled, 3, requirements(), [], at(5)), null, 'no request, and the use is unknown');
  t.match(raiseOf(doubled, 3, requirements(), [], at(5, 300)), { from: 300, to: 600 });
  const bounded = requirements({ amounts: [{ name: MEMORY, min: 1000, max: 1500 }] });
  t.match(raiseOf(doubled, 3, bounded, [], at(5)), { to: 1500 });
  t.equal(raiseOf({ ...doubled, amount: 'amount.worker.gpu' }, 3, needs, [], at(5, 300)), null);
  t.same(withRaised(needs, [raisedTo(2000, 1, 10)]).amounts, [{ name: MEMORY, min: 2000 }]);
  t.same(withRaised(requirements(), [raisedTo(2000, 1, 10)]).amounts, [{ name: MEMORY, min: 2000 }]);
  t.equal(withRaised(needs, []), needs, 'the same object without raises');
  t.end();
});

test('property: repeated raises end, and never pass the limits', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 1.01, max: 100, noNaN: true }),
      fc.option(fc.integer({ min: 1, max: 100_000 })),
      fc.integer({ min: 1, max: 20 }),
      (min, factor, maxAmount, maxTimes) => {
        const needs = requirements({ amounts: [{ name: MEMORY, min }] });
        let raised: RaisedAmount[] = [];
        let times = 0;
        for (;;) {
          const raise = raiseOf({ amount: MEMORY, factor, maxAmount }, maxTimes, needs, raised, {
            startedAt: times + 1,
            maxRssMib: undefined,
          });
          if (raise === null) return times <= maxTimes;
          if (!raise.isNew || raise.to <= raise.from || raise.to > (maxAmount ?? Infinity)) return false;
          raised = [raisedTo(raise.to, ++times, times)];
          if (times > maxTimes) return false;
        }
      },
    ),
  );
  t.pass('for all requests, factors and limits');
  t.end();
});

test('a pool is held back longer with each shortage in a row', (t) => {
  const shortage = (at: number) => ({ at, backoffSeconds: 60, reason: 'why', policy: 'v' });
  const first = holdAfter(undefined, shortage(1000));
  t.same(first, { since: 1000, until: 61_000, times: 1, reason: 'why', policy: 'v' });
  t.equal(holdAfter(first, shortage(30_000)), first, 'tasks that had started before');
  const second = holdAfter(first, shortage(61_000));
  t.match(second, { since: 61_000, until: 181_000, times: 2 });
  t.match(holdAfter(second, shortage(181_000 + 119_999)), { times: 3 });
  t.match(
    holdAfter(second, shortage(181_000 + 120_000)),
    { times: 1 },
    'it has worked for as long as it was held',
  );
  let hold: PoolHold = second;
  for (let each = 0; each < 40; each++) hold = holdAfter(hold, shortage(hold.until));
  t.equal(hold.until - hold.since, 3_600_000, 'at most an hour');
  t.ok(isHeldBack(first, 1000));
  t.notOk(isHeldBack(first, 61_000));
  t.notOk(isHeldBack(first, 999), 'the clock was set back');
  t.notOk(isHeldBack(undefined, 5));
  t.end();
});
