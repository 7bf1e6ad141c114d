import { textHashDigits } from '../text-hash.ts';

/** Consequences of a failure that a rule can have (docs/retry-rules.md#actions). */
export const RETRY_ACTIONS = ['requeue', 'fail_fast', 'avoid_worker', 'raise'] as const;
export type RetryAction = (typeof RETRY_ACTIONS)[number];

/** One rule for failed attempts (docs/retry-rules.md). It matches if all of its conditions do. */
export interface RetryRule {
  /** Unique in its list. */
  readonly name: string;
  /** Exit codes of which one must match. Empty: any end. */
  readonly exitCodes: readonly number[];
  /** Pattern in the syntax of RE2 that a line of the log, or the failure message, must contain. Empty: any. */
  readonly log: string;
  /** Whether the kernel must have ended a process of the task for lack of memory. */
  readonly outOfMemory: boolean;
  readonly action: RetryAction;
  /** How often the rule applies to one task at most; for `raise` also how often it raises the amount of a step. */
  readonly maxTimes: number;
  /** Delay of the task; with a pool also the first time for which the pool is held back. */
  readonly backoffSeconds: number;
  /** Name of the usage pool that is held back, in lower case. Empty: none. Only with `requeue`. */
  readonly pool: string;
  /** Only with `raise`. */
  readonly raise: RaiseOf | null;
}

/** How a rule raises an amount that a step requests. */
export interface RaiseOf {
  /** Name of the amount, in lower case. */
  readonly amount: string;
  /** Above 1. */
  readonly factor: number;
  /** Highest request; null: no limit. */
  readonly maxAmount: number | null;
}

/** Where a list of rules is set. */
export type RetryRuleLevel = 'job' | 'queue' | 'pool';

/** The rules of one job, queue or usage pool. */
export interface RetryRuleSet {
  readonly level: RetryRuleLevel;
  /** Name of the queue or pool; empty for the job. */
  readonly of: string;
  readonly rules: readonly RetryRule[];
}

export const RETRY_RULE_LIMITS = {
  rules: 20,
  nameCharacters: 64,
  exitCodes: 50,
  logCharacters: 200,
  maxTimes: 1000,
  backoffSeconds: 86_400,
  factor: 100,
  amount: 1e12,
} as const;

/** Defaults of `max_times` and `backoff_seconds` by action. */
export const RETRY_RULE_DEFAULTS: Readonly<
  Record<RetryAction, { readonly maxTimes: number; readonly backoffSeconds: number }>
> = {
  requeue: { maxTimes: 100, backoffSeconds: 60 },
  fail_fast: { maxTimes: 1, backoffSeconds: 0 },
  avoid_worker: { maxTimes: 3, backoffSeconds: 0 },
  raise: { maxTimes: 3, backoffSeconds: 0 },
};

/** A rule as clients send and receive it. */
export interface RetryRuleFields {
  name: string;
  match: { exit_codes?: number[]; log?: string; out_of_memory?: boolean };
  action: RetryAction;
  max_times?: number;
  backoff_seconds?: number;
  pool?: string;
  amount?: string;
  factor?: number;
  max_amount?: number;
}

/** Returns a rule with all its settings, in the format of clients. */
export function fieldsOfRule(rule: RetryRule): RetryRuleFields {
  const { exitCodes, log, outOfMemory, action, pool, raise } = rule;
  return {
    name: rule.name,
    match: {
      ...(exitCodes.length > 0 && { exit_codes: [...exitCodes] }),
      ...(log !== '' && { log }),
      ...(outOfMemory && { out_of_memory: true }),
    },
    action,
    ...(action !== 'fail_fast' && { max_times: rule.maxTimes, backoff_seconds: rule.backoffSeconds }),
    ...(pool !== '' && { pool }),
    ...(raise !== null && {
      amount: raise.amount,
      factor: raise.factor,
      ...(raise.maxAmount !== null && { max_amount: raise.maxAmount }),
    }),
  };
}

/** Returns the version of a list of rules: equal for equal lists, and independent of where and when they were set. */
export const versionOfRules = (rules: readonly RetryRule[]): string =>
  textHashDigits(JSON.stringify(rules.map(fieldsOfRule)));
