import { ruleSentence, type AppliedRule } from '../../src/core/retry-rules/applied-rule.ts';
import type { PoolHold } from '../../src/core/retry-rules/pool-hold.ts';
import type { RaisedAmount } from '../../src/core/retry-rules/raised-amounts.ts';
import { fieldsOfRule, versionOfRules, type RetryRule } from '../../src/core/retry-rules/retry-rule.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/** Returns the rules of an object, to be spread into its view; nothing without rules. */
export function retryRulesView(rules: readonly RetryRule[] | undefined): {
  retry_rules?: Schemas['RetryRule'][];
  retry_rules_version?: string;
} {
  if (rules === undefined || rules.length === 0) return {};
  return { retry_rules: rules.map(fieldsOfRule), retry_rules_version: versionOfRules(rules) };
}

/** Returns the rule that has decided about an attempt. */
export function appliedRuleView(applied: AppliedRule): Schemas['AppliedRetryRule'] {
  const { level, of, rule, action, policy, because, times, maxTimes, backoffSeconds, pool, raised } = applied;
  return {
    rule,
    level,
    ...(of !== '' && { of }),
    action,
    version: policy,
    because,
    times,
    max_times: maxTimes,
    backoff_seconds: backoffSeconds,
    ...(pool !== undefined && { pool }),
    ...(raised !== undefined && { raised }),
    sentence: ruleSentence(applied),
  };
}

/** Returns the hold of a pool. */
export const poolHoldView = ({
  since,
  until,
  times,
  reason,
  policy,
}: PoolHold): Schemas['UsagePoolHold'] => ({
  since: timestampOf(since),
  until: timestampOf(until),
  times,
  reason,
  version: policy,
});

/** Returns an amount that a rule has raised. */
export const raisedAmountView = (raised: RaisedAmount): Schemas['RaisedAmount'] => ({
  name: raised.name,
  ...(raised.declared !== null && { declared: raised.declared }),
  amount: raised.amount,
  times: raised.times,
  at: timestampOf(raised.at),
  rule: raised.rule,
  level: raised.level,
  ...(raised.of !== '' && { of: raised.of }),
  version: raised.policy,
});
