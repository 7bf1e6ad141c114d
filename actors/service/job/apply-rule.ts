import { taskIdOf, type WorkerId } from '../../../src/core/ids.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { ruleOwnerText, ruleSentence, type AppliedRule } from '../../../src/core/retry-rules/applied-rule.ts';
import { decideRule, setsOfStep, type RuleDecision } from '../../../src/core/retry-rules/decide.ts';
import type { Raise } from '../../../src/core/retry-rules/raised-amounts.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { RegexEngine } from '../../../src/openjd/expr/regex/regex-engine.ts';
import { CATALOG_ID } from '../catalog/messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { ruleSetsOf } from './assignment-of-step.ts';
import { countFailure } from './count-failure.ts';
import { failedOnKey, recordFailedOn } from './failed-on.ts';
import type { ClosedAttempt, JobTurn } from './job-turn.ts';
import { makeReady } from './reclaim.ts';
import type { JobState } from './state.ts';
import type { StepState } from './step-state.ts';

const SECOND_MS = 1000;

/** Returns the retry rule that applies to a reported failure, or null. `task` is its state before the failure. */
export function decisionFor(
  state: JobState,
  step: StepState,
  index: number,
  report: AttemptReport,
  task: TaskState,
  regex: RegexEngine,
): RuleDecision | null {
  const sets = ruleSetsOf(state);
  if (sets.length === 0) return null;
  const { requirements } = step.plan;
  const situation = {
    sets: setsOfStep(sets, requirements),
    uses: state.ruleUses.get(failedOnKey(step.record.order, index))?.uses ?? {},
    requirements,
    raised: step.record.raised,
  };
  const failure = {
    exitCode: report.exit_code,
    message: report.message ?? '',
    excerpt: report.failure_excerpt ?? '',
    logMatches: report.log_matches ?? [],
    startedAt: task.assignedAt ?? 0,
    maxRssMib: report.max_rss_mib,
  };
  return decideRule(situation, failure, regex);
}

/** The failed attempt that a rule decides about. */
interface DecidedAttempt {
  readonly workerId: WorkerId;
  readonly closed: ClosedAttempt;
}

/**
 * Makes a task ready again by a rule that uses up no attempt (docs/retry-rules.md#actions): neither the task nor the job
 * counts the failure.
 */
export function retryByRule(
  state: JobState,
  step: StepState,
  index: number,
  { key, applied, raise }: RuleDecision,
  { workerId, closed }: DecidedAttempt,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  const isAvoided = applied.action === 'avoid_worker';
  if (isAvoided) {
    countFailure(state, step, index, false, context);
    recordFailedOn(state, step, index, workerId);
  }
  turn.closeAttempt(step, index, { ...closed, rule: applied });
  noteUse(state, step, index, key, isAvoided ? workerId : null, turn, context);
  const { backoffSeconds } = applied;
  const retryAfter = backoffSeconds > 0 ? context.now + backoffSeconds * SECOND_MS : null;
  turn.move(step, index, 'auto-retry', { assignedAt: null, retryAfter, workerOrdinal: null });
  if (raise?.isNew === true) raiseAmount(step, raise, applied, turn, context);
  // The offer of the whole step has the task: before it, the task must not start with the lower request.
  else makeReady(state, step, index, retryAfter, context);
  holdPool(applied, context);
  context.log('info', 'a retry rule decided about a failed attempt', {
    task_id: taskIdOf(turn.addressOf(step, index)),
    worker_id: workerId,
    rule: applied.rule,
    policy: applied.policy,
    decision: ruleSentence(applied),
  });
  context.effect({ kind: 'count', counter: 'task-retries', queueId: state.record.queueId });
}

/** Counts a use of a rule by a task, in the row that a later load of the job reads. */
function noteUse(
  state: JobState,
  step: StepState,
  index: number,
  key: string,
  avoided: WorkerId | null,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  const name = failedOnKey(step.record.order, index);
  const before = state.ruleUses.get(name);
  const workers = new Set(before?.avoided);
  if (avoided !== null) workers.add(avoided);
  const record = {
    version: 1,
    uses: { ...before?.uses, [key]: (before?.uses[key] ?? 0) + 1 },
    ...(workers.size > 0 && { avoided: [...workers] }),
    ...(before?.preemptions !== undefined && { preemptions: before.preemptions }),
    ...(before?.excused !== undefined && { excused: before.excused }),
  } as const;
  state.ruleUses.set(name, record);
  context.change(put('taskRules', keys.taskRules(turn.addressOf(step, index)), record));
}

/** Raises an amount of a step. All its tasks that start from now on request it. */
function raiseAmount(
  step: StepState,
  raise: Raise,
  { rule, level, of, policy }: AppliedRule,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  const { record, plan } = step;
  const before = record.raised.find(({ name }) => name === raise.amount);
  const declared = plan.requirements.amounts.find(({ name }) => name === raise.amount)?.min ?? null;
  const raised = {
    name: raise.amount,
    declared,
    amount: raise.to,
    times: (before?.times ?? 0) + 1,
    at: context.now,
    rule,
    level,
    of,
    policy,
  };
  record.raised = [...record.raised.filter(({ name }) => name !== raise.amount), raised];
  step.assignment = null;
  turn.touch(step);
  turn.offer(step);
}

/** Holds back the pool of a shortage, for all farms. */
function holdPool(applied: AppliedRule, context: ServiceContext<'job'>): void {
  const { pool, rule, because, backoffSeconds, policy } = applied;
  if (pool === undefined) return;
  const reason = `retry rule ${rule} of ${ruleOwnerText(applied)} applied (${because})`;
  const shortage = { at: context.now, backoffSeconds, reason, policy };
  context.effect({
    kind: 'forward',
    envelope: { actor: 'catalog', id: CATALOG_ID, message: { type: 'pool.shortage', pool, shortage } },
  });
}
