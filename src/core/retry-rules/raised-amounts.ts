import type { AmountRequirement, StepRequirements } from '../../openjd/template/plan.ts';
import type { RaiseOf, RetryRuleLevel } from './retry-rule.ts';

/** An amount that a rule has raised for the tasks of a step that start from now on (docs/retry-rules.md#raise). */
export interface RaisedAmount {
  /** Name of the amount, in lower case. */
  readonly name: string;
  /** Request of the template; null without one. */
  readonly declared: number | null;
  /** Present request. */
  readonly amount: number;
  /** How often it was raised. */
  readonly times: number;
  /** Time of the latest raise, in milliseconds since the epoch. */
  readonly at: number;
  /** Name of the rule, and where it is set. */
  readonly rule: string;
  readonly level: RetryRuleLevel;
  readonly of: string;
  /** Version of its list of rules. */
  readonly policy: string;
}

/** Returns the requirements with the raised amounts. */
export function withRaised(
  requirements: StepRequirements,
  raised: readonly RaisedAmount[] | undefined,
): StepRequirements {
  if (raised === undefined || raised.length === 0) return requirements;
  const amounts: AmountRequirement[] = requirements.amounts.map((requirement) => {
    const found = raised.find(({ name }) => name === requirement.name);
    return found === undefined ? requirement : { ...requirement, min: found.amount };
  });
  for (const { name, amount } of raised)
    if (!amounts.some((each) => each.name === name)) amounts.push({ name, min: amount });
  return { ...requirements, amounts };
}

/** Returns how often amounts of a step were raised. */
export const raisesOf = (raised: readonly RaisedAmount[]): number =>
  raised.reduce((sum, { times }) => sum + times, 0);

/** An attempt that has failed, as far as raises depend on it. */
export interface FailedUse {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Highest memory of the attempt in MiB; undefined if it is unknown. */
  readonly maxRssMib: number | undefined;
}

/** A raise of an amount. `isNew` is false if another task has caused it while this attempt ran. */
export interface Raise {
  readonly amount: string;
  /** The request of the attempt, or for memory without a request, the memory that it used. */
  readonly from: number;
  readonly to: number;
  readonly isNew: boolean;
}

const MEMORY = 'amount.worker.memory';

/**
 * Returns the raise of an amount after a failure; null if the amount cannot be raised: it has no request and the use is
 * unknown, or it was raised `maxTimes`, or it is at its limit. `requirements` are those of the template.
 */
export function raiseOf(
  { amount, factor, maxAmount }: RaiseOf,
  maxTimes: number,
  requirements: StepRequirements,
  raised: readonly RaisedAmount[],
  failed: FailedUse,
): Raise | null {
  const before = raised.find(({ name }) => name === amount);
  // The attempt had the request before the raise.
  if (before !== undefined && failed.startedAt <= before.at)
    return { amount, from: before.amount, to: before.amount, isNew: false };
  if (before !== undefined && before.times >= maxTimes) return null;
  const declared = requirements.amounts.find(({ name }) => name === amount);
  const used = amount === MEMORY ? failed.maxRssMib : undefined;
  const from = before?.amount ?? (declared?.min === undefined || declared.min <= 0 ? used : declared.min);
  if (from === undefined || from <= 0) return null;
  const to = Math.min(Math.ceil(from * factor), maxAmount ?? Infinity, declared?.max ?? Infinity);
  return to <= from ? null : { amount, from, to, isNew: true };
}
