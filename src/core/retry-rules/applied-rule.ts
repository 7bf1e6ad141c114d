import { durationText, numberText, pluralize, sentenceOf } from '../explain/wording.ts';
import type { RetryAction, RetryRuleLevel } from './retry-rule.ts';

/** The rule that has decided about a failed attempt, with everything that explains the decision. */
export interface AppliedRule {
  readonly level: RetryRuleLevel;
  /** Name of the queue or pool at that time; empty for the job. */
  readonly of: string;
  /** Name of the rule. */
  readonly rule: string;
  readonly action: RetryAction;
  /** Version of its list of rules. */
  readonly policy: string;
  /** The conditions that matched. */
  readonly because: string;
  /** How often it has applied to the task, this time included. */
  readonly times: number;
  readonly maxTimes: number;
  readonly backoffSeconds: number;
  /** Usage pool that is held back, in lower case. Absent: none. */
  readonly pool?: string;
  readonly raised?: { readonly amount: string; readonly from: number; readonly to: number };
}

/** Reports whether an attempt with this rule counts as a failure of its task. */
export const usesAttempt = (rule: Pick<AppliedRule, 'action'> | undefined): boolean =>
  rule === undefined || rule.action === 'fail_fast';

const SECOND_MS = 1000;

/** `queue day`, `usage pool houdini`, `the job`. */
export const ruleOwnerText = ({ level, of }: Pick<AppliedRule, 'level' | 'of'>): string =>
  level === 'job' ? 'the job' : level === 'queue' ? `queue ${of}` : `usage pool ${of}`;

/** Returns the decision as a sentence. */
export function ruleSentence(rule: AppliedRule): string {
  const why = `retry rule ${rule.rule} of ${ruleOwnerText(rule)} applied (${rule.because})`;
  return sentenceOf(`${why}: ${consequenceText(rule)}`);
}

function consequenceText(rule: AppliedRule): string {
  const { action, times, maxTimes, backoffSeconds, pool, raised } = rule;
  if (action === 'fail_fast') return 'the task failed without another attempt';
  const count = `${numberText(times)} of at most ${pluralize(maxTimes, 'time')}`;
  const delay = backoffSeconds > 0 ? `, after ${durationText(backoffSeconds * SECOND_MS)}` : '';
  const again = `the task is ready again${delay}, without using up an attempt (${count})`;
  switch (action) {
    case 'requeue':
      return pool === undefined ? again : `${again}; usage pool ${pool} is held back`;
    case 'avoid_worker':
      return `${again}, and avoids the worker`;
    case 'raise':
      return raised === undefined ? again : `${again}; ${raisedText(raised)}`;
  }
}

const raisedText = ({ amount, from, to }: NonNullable<AppliedRule['raised']>): string =>
  from === to
    ? `${amount} of its step was already raised to ${numberText(to)}`
    : `${amount} of its step is raised from ${numberText(from)} to ${numberText(to)}`;
