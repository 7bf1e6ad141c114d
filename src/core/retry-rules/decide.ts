import type { RegexEngine } from '../../openjd/expr/regex/regex-engine.ts';
import type { StepRequirements } from '../../openjd/template/plan.ts';
import { isOutOfMemory } from '../resource-usage.ts';
import type { AppliedRule } from './applied-rule.ts';
import { raiseOf, type FailedUse, type Raise, type RaisedAmount } from './raised-amounts.ts';
import { versionOfRules, type RetryRule, type RetryRuleSet } from './retry-rule.ts';

/** A failure that a worker has reported. */
export interface ReportedFailure extends FailedUse {
  readonly exitCode: number | undefined;
  readonly message: string;
  /** Lines of the log, separated by line feeds (docs/task-logs.md#failure-excerpt). */
  readonly excerpt: string;
  /** Patterns that the worker has found in the log. */
  readonly logMatches: readonly string[];
}

/** Inputs of a decision, besides the failure. */
export interface RuleSituation {
  /** In the order in which they are tried. */
  readonly sets: readonly RetryRuleSet[];
  /** How often each rule has applied to the task, by `ruleKey`. */
  readonly uses: Readonly<Record<string, number>>;
  /** Requirements of the step in its template. */
  readonly requirements: StepRequirements;
  readonly raised: readonly RaisedAmount[];
}

/** The rule that applies to a failure. */
export interface RuleDecision {
  readonly key: string;
  readonly applied: AppliedRule;
  /** Set exactly for the action `raise`. */
  readonly raise: Raise | null;
}

/** Returns the key under which the uses of a rule are counted. */
const ruleKey = ({ level, of }: RetryRuleSet, { name }: RetryRule): string =>
  level === 'pool' ? `pool ${of.toLowerCase()}/${name}` : `${level}/${name}`;

/**
 * Returns the first rule that matches a failure and can still apply, or null for none: then the retry settings apply. A
 * pure function of its arguments, so that the same failure always gets the same decision.
 */
export function decideRule(
  situation: RuleSituation,
  failure: ReportedFailure,
  regex: RegexEngine,
): RuleDecision | null {
  for (const set of situation.sets) {
    for (const rule of set.rules) {
      const key = ruleKey(set, rule);
      const times = (situation.uses[key] ?? 0) + 1;
      if (times > rule.maxTimes) continue;
      const because = matchText(rule, failure, regex);
      if (because === null) continue;
      const raise =
        rule.raise === null
          ? null
          : raiseOf(rule.raise, rule.maxTimes, situation.requirements, situation.raised, failure);
      if (rule.raise !== null && raise === null) continue;
      return { key, raise, applied: appliedRule(set, rule, times, because, raise) };
    }
  }
  return null;
}

function appliedRule(
  set: RetryRuleSet,
  rule: RetryRule,
  times: number,
  because: string,
  raise: Raise | null,
): AppliedRule {
  const { level, of } = set;
  const { name, action, maxTimes, backoffSeconds } = rule;
  const pool =
    rule.pool !== '' ? rule.pool : level === 'pool' && action === 'requeue' ? of.toLowerCase() : '';
  return {
    level,
    of,
    rule: name,
    action,
    policy: versionOfRules(set.rules),
    because,
    times,
    maxTimes,
    backoffSeconds,
    ...(pool !== '' && backoffSeconds > 0 && { pool }),
    ...(raise !== null && { raised: { amount: raise.amount, from: raise.from, to: raise.to } }),
  };
}

/** Returns why a rule matches a failure: `exit code 70, log matches "no license"`; null if it does not. */
function matchText(rule: RetryRule, failure: ReportedFailure, regex: RegexEngine): string | null {
  const reasons: string[] = [];
  if (rule.exitCodes.length > 0) {
    if (failure.exitCode === undefined || !rule.exitCodes.includes(failure.exitCode)) return null;
    reasons.push(`exit code ${failure.exitCode}`);
  }
  if (rule.outOfMemory) {
    if (!isOutOfMemory(failure.message)) return null;
    reasons.push('out of memory');
  }
  if (rule.log !== '') {
    if (!hasMatch(rule.log, failure, regex)) return null;
    reasons.push(`log matches ${JSON.stringify(rule.log)}`);
  }
  return reasons.join(', ');
}

const ignoreWork = (): void => undefined;

/** The worker searches more of the log, for the patterns that it got with the task. */
function hasMatch(pattern: string, failure: ReportedFailure, regex: RegexEngine): boolean {
  if (failure.logMatches.includes(pattern)) return true;
  const compiled = regex.compile(pattern);
  if (!compiled.ok) return false;
  const lines = [failure.message, ...failure.excerpt.split('\n')];
  return lines.some((line) => compiled.value.match(line, 0, false, ignoreWork) !== null);
}

/** Returns the patterns that a worker searches the log of a task for: those of all rules, without duplicates. */
export const patternsOf = (sets: readonly RetryRuleSet[]): readonly string[] => [
  ...new Set(sets.flatMap(({ rules }) => rules.flatMap(({ log }) => (log === '' ? [] : [log])))),
];

/** Returns the rule sets that apply to the tasks of a step: those of usage pools only if it requires the pool. */
export const setsOfStep = (
  sets: readonly RetryRuleSet[],
  requirements: StepRequirements,
): readonly RetryRuleSet[] =>
  sets.filter(({ level, of }) => level !== 'pool' || requirements.pools.includes(of.toLowerCase()));
