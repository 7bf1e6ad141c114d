import { test } from 'tap';
import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import { readRetryRules } from '../../../src/core/retry-rules/read-rules.ts';
import { fieldsOfRule, versionOfRules } from '../../../src/core/retry-rules/retry-rule.ts';

const regex = createRe2Engine();
const read = (value: unknown) => readRetryRules(value, '/retry_rules', regex);
const GOOD = { name: 'a', match: { exit_codes: [70] }, action: 'requeue' };

/** Returns the errors of one rule, as texts. */
function errorsOf(rule: unknown): readonly string[] {
  const result = read([rule]);
  return result.ok ? [] : result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

test('rules get the defaults of their action', (t) => {
  const result = read([
    GOOD,
    { ...GOOD, name: 'b', action: 'fail_fast' },
    { ...GOOD, name: 'c', action: 'avoid_worker' },
    {
      name: 'd',
      match: { out_of_memory: true, log: 'Killed' },
      action: 'raise',
      amount: 'amount.worker.Memory',
      factor: 1.5,
      max_times: 2,
    },
  ]);
  t.ok(result.ok);
  if (!result.ok) return t.end();
  t.same(result.rules.map(fieldsOfRule), [
    { ...GOOD, max_times: 100, backoff_seconds: 60 },
    { ...GOOD, name: 'b', action: 'fail_fast' },
    { ...GOOD, name: 'c', action: 'avoid_worker', max_times: 3, backoff_seconds: 0 },
    {
      name: 'd',
      match: { log: 'Killed', out_of_memory: true },
      action: 'raise',
      max_times: 2,
      backoff_seconds: 0,
      amount: 'amount.worker.memory',
      factor: 1.5,
    },
  ]);
  const again = read(result.rules.map(fieldsOfRule));
  t.same(again, result, 'the fields of a rule are read back to the same rule');
  return t.end();
});

const WRONG: readonly (readonly [rule: unknown, error: string])[] = [
  ['text', '/retry_rules/0: must be a mapping'],
  [{ ...GOOD, name: undefined }, '/retry_rules/0/name: is missing'],
  [{ ...GOOD, name: ' x' }, '/retry_rules/0/name: must be text of at most 64 characters'],
  [{ ...GOOD, action: 'retry' }, '/retry_rules/0/action: must be one of requeue, fail_fast'],
  [{ ...GOOD, pol: 'x' }, '/retry_rules/0/pol: is not a member of a retry rule'],
  [{ ...GOOD, match: {} }, '/retry_rules/0/match: needs at least one of exit_codes, log, out_of_memory'],
  [{ ...GOOD, match: { exit_codes: [1.5] } }, '/retry_rules/0/match/exit_codes/0: must be an exit code'],
  [{ ...GOOD, match: { log: '(' } }, '/retry_rules/0/match/log: is not a pattern in the syntax of RE2'],
  [{ ...GOOD, match: { log: 'x'.repeat(201) } }, '/retry_rules/0/match/log: must not have more than 200'],
  [{ ...GOOD, match: { out_of_memory: 1 } }, '/retry_rules/0/match/out_of_memory: must be true or false'],
  [{ ...GOOD, max_times: 0 }, '/retry_rules/0/max_times: must be an integer from 1 to 1000'],
  [{ ...GOOD, backoff_seconds: -1 }, '/retry_rules/0/backoff_seconds: must be an integer from 0 to 86400'],
  [
    { ...GOOD, pool: 'x', backoff_seconds: 0 },
    '/retry_rules/0/backoff_seconds: must be at least 1 with a pool',
  ],
  [{ ...GOOD, factor: 2 }, '/retry_rules/0/factor: has no meaning with the action requeue'],
  [{ ...GOOD, action: 'fail_fast', max_times: 2 }, '/retry_rules/0/max_times: has no meaning'],
  [{ ...GOOD, action: 'raise', factor: 2 }, '/retry_rules/0/amount: is missing'],
  [
    { ...GOOD, action: 'raise', amount: 'amount.worker.vcpu', factor: 2 },
    '/retry_rules/0/amount: cannot be the cores',
  ],
  [
    { ...GOOD, action: 'raise', amount: 'amount.worker.usagepool.x', factor: 2 },
    '/retry_rules/0/amount: cannot be a usage pool',
  ],
  [
    { ...GOOD, action: 'raise', amount: 'amount.worker.memory', factor: 1 },
    '/retry_rules/0/factor: must be a number above 1',
  ],
];

test('an invalid rule is refused with the place and the reason', (t) => {
  for (const [rule, error] of WRONG) {
    const errors = errorsOf(rule);
    t.ok(
      errors.some((each) => each.startsWith(error)),
      `${error}: ${errors.join('; ')}`,
    );
  }
  t.match(read({}), {
    ok: false,
    errors: [{ pointer: '/retry_rules', detail: 'must be a list of retry rules' }],
  });
  t.match(read(Array.from({ length: 21 }, () => GOOD)), { ok: false });
  t.match(read([GOOD, GOOD]), {
    errors: [{ pointer: '/retry_rules/1/name', detail: 'is also the name of rule 0' }],
  });
  t.end();
});

test('the version of rules changes with each of their settings', (t) => {
  const versionFor = (rule: object): string => {
    const result = read([rule]);
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    return versionOfRules(result.rules);
  };
  t.equal(versionFor(GOOD), versionFor({ ...GOOD }));
  t.equal(versionFor(GOOD), versionFor({ ...GOOD, max_times: 100 }), 'a default is the same as its value');
  const all = [GOOD, { ...GOOD, name: 'b' }, { ...GOOD, max_times: 99 }, { ...GOOD, match: { log: 'x' } }];
  t.equal(new Set(all.map(versionFor)).size, all.length);
  t.end();
});
