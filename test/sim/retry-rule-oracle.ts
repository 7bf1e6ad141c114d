import type { FarmState } from '../../actors/service/farm/state.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { AppliedRule } from '../../src/core/retry-rules/applied-rule.ts';
import type { RetryRule } from '../../src/core/retry-rules/retry-rule.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { JobSnapshot, RaisedSnapshot } from './job-snapshot.ts';

/** Retry rules, implemented a second time from docs/retry-rules.md, without the code of the actors. */

type Report = Extract<JobMessage, { type: 'tasks.reported' }>['reports'][number];

/** Uses of rules by their key. */
export type Uses = Readonly<Record<string, number>>;

export interface RuleVerdict {
  readonly key: string;
  readonly action: RetryRule['action'];
  readonly backoffMs: number;
  /** Pool that is held back; empty for none. */
  readonly pool: string;
  /** New request; null without a raise. */
  readonly raise: RaisedSnapshot | null;
}

interface KeyedRule {
  readonly key: string;
  readonly rule: RetryRule;
  /** The pool of the rule; empty for other levels. */
  readonly ofPool: string;
}

/** Returns the rules for a step in the order of docs/retry-rules.md#order. */
function rulesFor(job: JobState, farm: FarmState | undefined, step: StepState): readonly KeyedRule[] {
  const own = (job.record.retryRules ?? []).map((rule) => ({ key: `job/${rule.name}`, rule, ofPool: '' }));
  const queue = farm?.queues.get(job.record.queueId)?.retryRules ?? [];
  const ofQueue = queue.map((rule) => ({ key: `queue/${rule.name}`, rule, ofPool: '' }));
  const ofPools = (farm?.poolRules ?? []).flatMap(({ of, rules }) => {
    const pool = of.toLowerCase();
    const isNamed = step.plan.requirements.pools.some((name) => name === pool);
    return isNamed ? rules.map((rule) => ({ key: `pool ${pool}/${rule.name}`, rule, ofPool: pool })) : [];
  });
  return [...own, ...ofQueue, ...ofPools];
}

/** Returns the first rule that applies to a failure; null if none does. `assignedAt` is that of the failed attempt. */
export function verdictOf(
  job: JobState,
  farm: FarmState | undefined,
  step: StepState,
  report: Report,
  uses: Uses,
  raised: readonly RaisedSnapshot[],
  assignedAt: number,
): RuleVerdict | null {
  for (const { key, rule, ofPool } of rulesFor(job, farm, step)) {
    if (!rule.exitCodes.some((code) => code === report.exit_code)) continue;
    if ((uses[key] ?? 0) >= rule.maxTimes) continue;
    const raise = raiseFor(rule, step.plan.requirements, raised, assignedAt);
    if (raise === 'impossible') continue;
    const pool = rule.action !== 'requeue' ? '' : rule.pool === '' ? ofPool : rule.pool;
    return { key, action: rule.action, backoffMs: rule.backoffSeconds * 1000, pool, raise };
  }
  return null;
}

function raiseFor(
  { raise, maxTimes }: RetryRule,
  { amounts }: StepRequirements,
  raised: readonly RaisedSnapshot[],
  assignedAt: number,
): RaisedSnapshot | null | 'impossible' {
  if (raise === null) return null;
  const declared = amounts.find(({ name }) => name === raise.amount);
  const known = raised.find(({ name }) => name === raise.amount);
  if (known !== undefined && assignedAt <= known.at) return null;
  const times = (known?.times ?? 0) + 1;
  const from = known?.amount ?? declared?.min ?? 0;
  const wanted = Math.ceil(from * raise.factor);
  const amount = Math.min(wanted, raise.maxAmount ?? wanted, declared?.max ?? wanted);
  if (from === 0 || times > maxTimes || amount <= from) return 'impossible';
  return { name: raise.amount, amount, times, at: -1 };
}

/** Returns the requirements of a step with its raised amounts. */
export function needsOf({ plan, record }: StepState): StepRequirements {
  const amounts = plan.requirements.amounts.map((each) => {
    const known = record.raised.find(({ name }) => name === each.name);
    return known === undefined ? each : { ...each, min: known.amount };
  });
  for (const { name, amount } of record.raised)
    if (amounts.every((each) => each.name !== name)) amounts.push({ name, min: amount });
  return { ...plan.requirements, amounts };
}

/** Reports whether an attempt with this rule counts as a failure of its task and job. */
export const isCounted = (rule: AppliedRule | undefined): boolean =>
  rule === undefined || rule.action === 'fail_fast';

/** Returns the key of the rule that an attempt names. */
export const keyOfApplied = ({ level, of, rule }: AppliedRule): string =>
  level === 'pool' ? `pool ${of.toLowerCase()}/${rule}` : `${level}/${rule}`;

/** Required uses of rules and raised amounts after a turn. */
export interface ExpectedRules {
  /** By step and index, of the tasks to which a rule has applied in the turn. */
  readonly uses: ReadonlyMap<string, Uses>;
  /** By step. `at` is that of the turn if it is -1. */
  readonly raised: readonly (readonly RaisedSnapshot[])[];
  /** Pools of which a shortage must be reported, in order. */
  readonly shortages: readonly string[];
}

/** Returns what is wrong with the uses of rules and the raised amounts after a turn, or null. */
export function judgeRules(
  before: JobSnapshot,
  after: JobSnapshot,
  expected: ExpectedRules,
  now: number,
): string | null {
  for (const [stepOrder, tasks] of after.steps.entries()) {
    const wanted = (expected.raised[stepOrder] ?? []).map((each) =>
      each.at === -1 ? { ...each, at: now } : each,
    );
    const found = after.raised[stepOrder] ?? [];
    if (JSON.stringify(wanted) !== JSON.stringify(found))
      return `step ${stepOrder} has raised ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`;
    for (const [index, { status, uses }] of tasks.entries()) {
      const hasEnded = status === 'succeeded' || status === 'failed' || status === 'canceled';
      const kept = expected.uses.get(`${stepOrder}-${index}`) ?? before.steps[stepOrder]?.[index]?.uses ?? {};
      const right = JSON.stringify(hasEnded ? {} : kept);
      if (JSON.stringify(uses) !== right)
        return `task ${stepOrder}-${index} has uses ${JSON.stringify(uses)}, not ${right}`;
    }
  }
  return null;
}
