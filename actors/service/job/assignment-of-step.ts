import { withRaised } from '../../../src/core/retry-rules/raised-amounts.ts';
import { patternsOf, setsOfStep } from '../../../src/core/retry-rules/decide.ts';
import type { RetryRuleSet } from '../../../src/core/retry-rules/retry-rule.ts';
import { stepAssignmentOf } from '../../../src/core/wire/assignment-parts.ts';
import type { StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { JobState } from './state.ts';
import type { StepState } from './step-state.ts';

/** Returns the rule sets of a job in the order in which they are tried: its own, those of its queue and of pools. */
export function ruleSetsOf({ record: { retryRules }, inherited }: JobState): readonly RetryRuleSet[] {
  const { ruleSets = [] } = inherited;
  return retryRules === undefined || retryRules.length === 0
    ? ruleSets
    : [{ level: 'job', of: '', rules: retryRules }, ...ruleSets];
}

/** Returns the data that all tasks of a step share. The same object each time while the job is in memory. */
export function assignmentOf(state: JobState, step: StepState): StepAssignment {
  if (step.assignment !== null) return step.assignment;
  const requirements = withRaised(step.plan.requirements, step.record.raised);
  const patterns = patternsOf(setsOfStep(ruleSetsOf(state), requirements));
  const plan = { ...step.plan, requirements };
  step.assignment = stepAssignmentOf(state.plan, plan, state.record.extensions, patterns);
  return step.assignment;
}

/** Makes the next leases use the present retry rules. */
export function forgetPatterns(state: JobState): void {
  for (const step of state.steps) step.assignment = null;
}
