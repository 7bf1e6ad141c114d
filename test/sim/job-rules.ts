import type { FarmState } from '../../actors/service/farm/state.ts';
import type { JobMessage, RetryResult } from '../../actors/service/job/messages.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import { parseAttemptId } from '../../src/core/ids.ts';
import type { RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import { JOB_EDGES, TASK_EDGES } from './job-edges.ts';
import { judgeRules, verdictOf, type ExpectedRules, type Uses } from './retry-rule-oracle.ts';
import { isSame, taskAt, type JobSnapshot, type TaskSnapshot } from './job-snapshot.ts';
import { Violation } from './violation.ts';
import type { TurnOutputs } from './watch-turns.ts';

/** A turn of a job, with the other inputs of the rules. */
export interface JobTurnSeen {
  readonly message: JobMessage;
  readonly before: JobSnapshot;
  readonly after: JobSnapshot;
  readonly now: number;
  readonly said: TurnOutputs;
  readonly graceMs: number;
  readonly isClockSteady: boolean;
  /** Steps that fail on all workers after the turn, if canary tasks are on. */
  readonly failingEverywhere: ReadonlySet<number>;
  readonly expected: Expected;
}

/** Required result of a turn, computed before it. */
export interface Expected {
  /** Tasks with a reported failure, in order, and the required consequence. */
  readonly failures: readonly Failure[];
  /** For a message with reports: the tasks with a report of their open attempt. Null for other messages. */
  readonly reported: ReadonlySet<string> | null;
  readonly statusIfResumed: 'blocked' | 'running' | 'pending';
  readonly rules: ExpectedRules;
}

interface Failure {
  readonly stepOrder: number;
  readonly index: number;
  /** `rule` and `outage`: a retry rule, or an outage, makes the task ready again, without counting the failure. */
  readonly outcome: 'retry' | 'exhausted' | 'auto-park' | 'rule' | 'outage';
  readonly retryAfter: number | null;
}

const PARK_REASON = 'failure limit reached';
const RETRIES: readonly JobMessage['type'][] = ['job.retry', 'job.reactivate'];
const LIVE: readonly TaskSnapshot['status'][] = ['assigned', 'running'];
const STALE_REPORT = 'a report of a closed attempt changes nothing';

/**
 * Returns the effective retry settings of a job: the closest level with a value wins (docs/contract/retry.md#settings).
 */
export function settingsOf(
  job: JobState,
  farm: FarmState | undefined,
  server: RetryPolicy,
): (name: Exclude<keyof RetryPolicy, 'canaryTasks'>) => number {
  const levels = [job.record.retry, farm?.queues.get(job.record.queueId)?.retry, farm?.record.retry, server];
  return (name) => levels.find((level) => level?.[name] !== undefined)?.[name] ?? 0;
}

/** Computes the required result from the contract and the state before the turn. */
export function expectedOf(
  job: JobState,
  before: JobSnapshot,
  message: JobMessage,
  now: number,
  setting: (name: Exclude<keyof RetryPolicy, 'canaryTasks'>) => number,
  farm: FarmState | undefined,
): Expected {
  const resumed = job.openAttempts.size > 0 ? 'running' : 'pending';
  const statusIfResumed = before.waits ? 'blocked' : resumed;
  const unchanged = { uses: new Map(), raised: before.raised, shortages: [] };
  if (message.type !== 'tasks.reported' && message.type !== 'failure.weighed')
    return { failures: [], reported: null, statusIfResumed, rules: unchanged };
  const uses = new Map<string, Uses>();
  const raised = before.raised.map((ofStep) => [...ofStep]);
  const shortages: string[] = [];
  let counted = before.failedAttempts;
  const failures: Failure[] = [];
  const reported = new Set<string>();
  const isWeighed = message.type === 'failure.weighed';
  for (const report of isWeighed ? [message.report] : message.reports) {
    const { attempt_id: attemptId, status } = report;
    const attempt = parseAttemptId(attemptId);
    const step = attempt === null ? undefined : job.steps[attempt.stepOrder];
    if (attempt === null || step === undefined || attempt.index >= step.record.taskCount) continue;
    const { stepOrder, index } = attempt;
    if (job.openAttempts.of(step, index)?.id !== attemptId) continue;
    const known = before.steps[stepOrder]?.[index];
    const name = `${stepOrder}-${index}`;
    // A repeated report counts once.
    if (known === undefined || reported.has(name)) continue;
    reported.add(name);
    if (status !== 'failed') continue;
    const ofStep = raised[stepOrder] ?? [];
    const assignedAt = taskAt(step, index).own?.assignedAt ?? 0;
    const verdict = verdictOf(job, farm, step, report, known.uses, ofStep, assignedAt);
    if (verdict !== null && verdict.action !== 'fail_fast') {
      const { key, backoffMs, pool, raise } = verdict;
      uses.set(name, { ...known.uses, [key]: (known.uses[key] ?? 0) + 1 });
      if (raise !== null)
        raised[stepOrder] = [...ofStep.filter((each) => each.name !== raise.name), { ...raise, at: now }];
      if (pool !== '') shortages.push(pool);
      failures.push({
        stepOrder,
        index,
        outcome: 'rule',
        retryAfter: backoffMs === 0 ? null : now + backoffMs,
      });
      continue;
    }
    if (!isWeighed && verdict === null && job.inherited.findsOutages === true) continue;
    if (isWeighed && verdict === null && message.mark !== null) {
      failures.push({ stepOrder, index, outcome: 'outage', retryAfter: null });
      continue;
    }
    counted++;
    const limit = setting('failureLimit');
    const isParked = limit > 0 && counted >= limit;
    const isRetried = !isParked && verdict === null && known.failedAttempts + 1 < setting('maxAttempts');
    const other = isParked ? 'auto-park' : 'exhausted';
    failures.push({
      stepOrder,
      index,
      outcome: isRetried ? 'retry' : other,
      retryAfter: now + setting('retryDelaySeconds') * 1000,
    });
  }
  return { failures, reported, statusIfResumed, rules: { uses, raised, shortages } };
}

/**
 * Checks the changes of a job in a turn (docs/contract/job-states.md and docs/contract/task-states.md): edges of tasks
 * and job, attempt numbers, failure counts, retry_after, park_reason and metrics.
 */
export function judgeTurn(seen: JobTurnSeen, jobId: string): Violation | null {
  const { before, after, message, expected } = seen;
  const wrong = (name: string, detail: string): Violation =>
    new Violation(name, `${jobId}, ${message.type}: ${detail}`);
  if (expected.reported?.size === 0 && !isSame(before, after))
    return wrong(STALE_REPORT, JSON.stringify(message));
  if (message.type === 'failures.excused') {
    const fault = judgeExcused(before, after);
    return fault === null ? null : wrong(fault[0], fault[1]);
  }
  const edge = `${before.status} ${after.status}` as const;
  if (before.status !== after.status && !JOB_EDGES[message.type].includes(edge))
    return wrong('a job changes its status as in the contract', edge);
  for (const [stepOrder, tasks] of before.steps.entries()) {
    for (const [index, { values }] of tasks.entries())
      if (values !== null && after.steps[stepOrder]?.[index]?.values !== values)
        return wrong('a task that has a record keeps its values', `task ${stepOrder}-${index} had ${values}`);
  }
  for (const [stepOrder, tasks] of after.steps.entries()) {
    for (const [index, task] of tasks.entries()) {
      const was = before.steps[stepOrder]?.[index];
      if (was === undefined) continue;
      const isStale = expected.reported?.has(`${stepOrder}-${index}`) === false && LIVE.includes(was.status);
      if (isStale && was.status !== task.status) return wrong(STALE_REPORT, `task ${stepOrder}-${index}`);
      if (before.held[stepOrder] === true && was.status === 'ready' && task.status === 'assigned')
        return wrong('no task of a held step is leased', `task ${stepOrder}-${index}`);
      if (before.startAfter !== null && was.status === 'ready' && task.status === 'assigned')
        return wrong('no task is leased before the start time of its job', `task ${stepOrder}-${index}`);
      const fault = judgeTask(seen, was, task, failureOf(seen, stepOrder, index));
      if (fault !== null) return wrong(fault[0], `task ${stepOrder}-${index}: ${fault[1]}`);
    }
  }
  if (message.type === 'start.due' && before.startAfter !== null)
    if ((after.startAfter === null) !== before.startAfter <= seen.now)
      return wrong('a job starts when its start time has come', `${before.startAfter} at ${seen.now}`);
  const ofRules = judgeRules(before, after, expected.rules, seen.now);
  if (ofRules !== null) return wrong('retry rules decide about failures as documented', ofRules);
  const fault = judgeCounters(seen) ?? judgeStatus(seen) ?? judgeAnswer(seen) ?? judgeEvents(seen, jobId);
  return fault === null ? null : wrong(fault[0], fault[1]);
}

const countsAsFailure = ({ outcome }: Failure): boolean => outcome !== 'rule' && outcome !== 'outage';

/** Failures that turn out to belong to an outage: no count rises, and only tasks that have failed are ready again. */
function judgeExcused(before: JobSnapshot, after: JobSnapshot): Fault | null {
  if (after.failedAttempts > before.failedAttempts)
    return ['an excused failure does not count', `the job has ${after.failedAttempts}`];
  for (const [stepOrder, tasks] of after.steps.entries()) {
    for (const [index, is] of tasks.entries()) {
      const was = before.steps[stepOrder]?.[index];
      if (was === undefined) continue;
      const at = `task ${stepOrder}-${index}`;
      if (is.failedAttempts > was.failedAttempts || is.attemptNumber !== was.attemptNumber)
        return ['an excused failure does not count', `${at} has ${is.failedAttempts} failures`];
      const isAgain = was.status === 'failed' || was.status === 'canceled' || was.status === 'pending';
      if (was.status !== is.status && !(isAgain && (is.status === 'ready' || is.status === 'pending')))
        return ['an excused failure makes its task ready again', `${at}: ${was.status} ${is.status}`];
    }
  }
  return null;
}

/** Name of the rule, and the violation. */
type Fault = readonly [string, string];

const failureOf = (
  { expected: { failures } }: JobTurnSeen,
  stepOrder: number,
  index: number,
): Failure | undefined => failures.find((each) => each.stepOrder === stepOrder && each.index === index);

function judgeTask(
  { message, now, graceMs, isClockSteady }: JobTurnSeen,
  was: TaskSnapshot,
  is: TaskSnapshot,
  failure: Failure | undefined,
): Fault | null {
  const hasMoved = was.status !== is.status;
  const edge = `${was.status} ${is.status}` as const;
  if (hasMoved && !TASK_EDGES[message.type].includes(edge))
    return ['a task changes its status as in the contract', edge];
  const attempts = was.attemptNumber + (edge === 'ready assigned' ? 1 : 0);
  if (is.attemptNumber !== attempts)
    return ['each lease adds one attempt', `attempt ${is.attemptNumber}, not ${attempts}`];
  if (failure !== undefined) {
    const isAgain = failure.outcome === 'retry' || !countsAsFailure(failure);
    const expected = isAgain ? `ready at ${failure.retryAfter}` : 'failed';
    // Pending: a skip of a step before it was undone.
    const isHeldBack = isAgain && is.status === 'pending';
    const found = isHeldBack ? expected : is.status === 'ready' ? `ready at ${is.retryAfter}` : is.status;
    if (found !== expected)
      return ['a failure is retried, or its task is exhausted', `${found}, not ${expected}`];
  }
  const fault = judgeSkip(message, was, is);
  if (fault !== null) return fault;
  const isRetried =
    hasMoved &&
    RETRIES.includes(message.type) &&
    is.status !== 'succeeded' &&
    (was.isSkipped || was.status === 'failed' || was.status === 'canceled');
  const isFailure = failure !== undefined && countsAsFailure(failure);
  const failures = isRetried ? 0 : was.failedAttempts + (isFailure ? 1 : 0);
  if (is.failedAttempts !== failures)
    return ['failed_attempts counts genuine failures', `${is.failedAttempts}, not ${failures}`];
  const stays = hasMoved ? null : was.retryAfter;
  const retryAfter = failure !== undefined && is.status === 'ready' ? failure.retryAfter : stays;
  if (is.retryAfter !== retryAfter)
    return ['only an automatic retry sets retry_after', `${is.retryAfter}, not ${retryAfter}`];
  const isMarked = is.isUnschedulable && !was.isUnschedulable;
  if (
    isMarked &&
    (message.type !== 'step.unschedulable' ||
      (isClockSteady && now - Math.max(is.since, is.retryAfter ?? is.since) < graceMs))
  )
    return [
      'a task is unschedulable after the grace period',
      `${message.type}, ready for ${now - is.since} ms`,
    ];
  const mustHaveReason = is.status === 'failed' || (is.status === 'canceled' && is.attemptNumber > 0);
  const mayHaveReason = mustHaveReason || is.status === 'canceled' || is.isSkipped;
  if ((mustHaveReason && !is.hasText) || (is.hasText && !mayHaveReason))
    return ['exactly failed and canceled tasks have a failure_reason', `${is.status} ${is.hasText}`];
  return null;
}

/** Only a request skips tasks and undoes it: a skipped task has succeeded, and one that has run to its end stays so. */
function judgeSkip(message: JobMessage, was: TaskSnapshot, is: TaskSnapshot): Fault | null {
  const isRetry = message.type === 'job.retry' || message.type === 'job.reactivate';
  const isSkip = isRetry && message.request.skip !== undefined;
  const rule = 'a task is skipped, and retried after that, only by a request';
  if (is.isSkipped && is.status !== 'succeeded') return [rule, `${is.status} and skipped`];
  if (is.isSkipped !== was.isSkipped && (is.isSkipped ? !isSkip : !isRetry || isSkip))
    return [rule, `skipped before: ${was.isSkipped}`];
  const isNew = is.status === 'succeeded' && was.status !== 'succeeded';
  if (isRetry && isNew !== (is.isSkipped && !was.isSkipped)) return [rule, `${was.status} ${is.status}`];
  if (was.status === 'succeeded' && !was.isSkipped && is.status !== 'succeeded')
    return [rule, `a task that has succeeded is ${is.status}`];
  return null;
}

/** I9 and I10: the failure count of the job, and the metrics. */
function judgeCounters({ before, after, message, said, expected }: JobTurnSeen): Fault | null {
  const isReset = isResume(message, before) || isRestart(message, before, after, said);
  const genuine = expected.failures.filter(countsAsFailure).length;
  const failures = isReset ? 0 : before.failedAttempts + genuine;
  if (after.failedAttempts !== failures)
    return [
      'failed_attempts counts genuine failures',
      `the job has ${after.failedAttempts}, expected ${failures}`,
    ];
  const isParked = parks(expected, before) || parksByCanaries({ before, after, expected });
  const counted = (counter: string): number =>
    said.effects.filter((effect) => effect.kind === 'count' && effect.counter === counter).length;
  const retries = expected.failures.filter(
    (each) => each.outcome === 'retry' || !countsAsFailure(each),
  ).length;
  if (counted('task-retries') !== retries || counted('jobs-autoparked') !== (isParked ? 1 : 0))
    return ['the metrics count retries and parked jobs', JSON.stringify(said.effects)];
  const shortages = said.effects.flatMap((effect) =>
    effect.kind === 'forward' && effect.envelope.message.type === 'pool.shortage'
      ? [effect.envelope.message.pool]
      : [],
  );
  if (shortages.join() !== expected.rules.shortages.join())
    return [
      'a rule reports a shortage of its pool',
      `${shortages.join()}, not ${expected.rules.shortages.join()}`,
    ];
  return null;
}

/** Required result for the job: parked, resumed, or neither. */
function judgeStatus(seen: JobTurnSeen): Fault | null {
  const { before, after, message, said, expected, failingEverywhere } = seen;
  const isByCanaries = parksByCanaries(seen);
  const isParked = parks(expected, before) || isByCanaries;
  const parkReason = isByCanaries ? after.parkReason : PARK_REASON;
  const mustPark =
    before.status !== 'paused' &&
    expected.failures.some((each) => countsAsFailure(each) && failingEverywhere.has(each.stepOrder));
  if (mustPark !== isByCanaries && !parks(expected, before) && (isByCanaries || !isTerminal(after.status)))
    return ['a job is parked when a step of it fails everywhere', `${after.status} ${after.parkReason}`];
  if (
    isParked &&
    (after.parkReason !== parkReason || (after.status !== 'paused' && after.status !== 'failed'))
  )
    return ['a job is parked when its failures reach the limit', `${after.status} ${after.parkReason}`];
  if (!isParked && after.status === 'paused' && before.status !== 'paused' && !isPause(message))
    return ['a job is parked only when its failures reach the limit', before.status];
  const wasParked = before.status === 'paused' && before.parkReason !== '';
  const retried = isRestart(message, before, after, said);
  const goesOn = isResume(message, before) || (retried && wasParked);
  if (goesOn && after.status !== expected.statusIfResumed)
    return ['a resumed job continues in its state', `${after.status}, not ${expected.statusIfResumed}`];
  if (!goesOn && before.status === 'paused' && !isTerminal(after.status) && after.status !== 'paused')
    return ['a manual pause lasts until a client resumes the job', after.status];
  const isCleared =
    goesOn ||
    retried ||
    after.status === 'completed' ||
    message.type === 'job.cancel' ||
    message.type === 'upstream.failed';
  const kept = isCleared && after.status !== before.status ? '' : before.parkReason;
  const reason = isParked ? parkReason : kept;
  if (after.parkReason !== (retried ? '' : reason))
    return ['only a parked job has a park_reason', `"${after.parkReason}", not "${reason}"`];
  return null;
}

/** Every change of a task is published: its last event has the new status. Events of few tasks are never lost. */
function judgeEvents({ before, after, message, said }: JobTurnSeen, jobId: string): Fault | null {
  // A new job has no subscribers yet.
  if (message.type === 'job.create') return null;
  const published = new Map<string, string>();
  const isLost = said.effects.some(
    (effect) => effect.kind === 'event' && effect.event.subject === 'tasks-lost',
  );
  if (after.steps.some((tasks, order) => tasks.length !== before.steps[order]?.length))
    return isLost ? null : ['subscribers load the tasks again after their chunks have changed', jobId];
  if (isLost) return ['the events of few tasks are not lost', jobId];
  for (const effect of said.effects) {
    const events =
      effect.kind === 'task-events'
        ? effect.events()
        : effect.kind === 'event' && effect.event.subject === 'tasks'
          ? [effect.event.payload]
          : [];
    for (const { task_id: taskId, status } of events) published.set(taskId, status);
  }
  for (const [stepOrder, tasks] of after.steps.entries()) {
    for (const [index, { status }] of tasks.entries()) {
      if (before.steps[stepOrder]?.[index]?.status === status) continue;
      const taskId = `${jobId}-${stepOrder}-${index}`;
      if (published.get(taskId) !== status)
        return [
          'a change of a task is published',
          `${taskId} is ${status}, its last event says ${published.get(taskId) ?? 'nothing'}`,
        ];
    }
  }
  return null;
}

/** Reports whether the turn resets the failures of the job: by a retry, or by a skip with which an ended job continues. */
const isRestart = (
  message: JobMessage,
  before: JobSnapshot,
  after: JobSnapshot,
  said: TurnOutputs,
): boolean => {
  if (message.type !== 'job.retry' && message.type !== 'job.reactivate') return false;
  if (message.request.skip !== undefined) return isTerminal(before.status) && before.status !== after.status;
  return retriedOf(message, said) > 0;
};

/** A retry returns the number of retried tasks, and retries all failed and canceled tasks. */
function judgeAnswer({ before, after, message, said }: JobTurnSeen): Fault | null {
  if (message.type !== 'job.retry' && message.type !== 'job.reactivate') return null;
  const { target, scope, skip } = message.request;
  const retried = retriedOf(message, said);
  const moved = skip === undefined ? retriedTasks(before, after) : skippedTasks(before, after);
  if (moved !== retried) return ['a retry returns the number of retried tasks', `${retried}, not ${moved}`];
  if (scope === 'restore' && retried > 0 && before.status !== 'canceled')
    return ['only a canceled dependent is restored', before.status];
  if (target === 'job' && skip === undefined && retried > 0 && countIf(after, isRetriable) > 0)
    return [
      'a retry of a job retries all of its failed and canceled tasks',
      `${countIf(after, isRetriable)} are left`,
    ];
  return null;
}

/** Returns the number of tasks that a retry has moved. */
function retriedTasks(before: JobSnapshot, after: JobSnapshot): number {
  const isCounted = (task: TaskSnapshot): boolean => isRetriable(task) || task.isSkipped;
  return countIf(before, isCounted) - countIf(after, isCounted);
}

/** Returns the number of tasks that a skip has moved: the skipped ones, and those of later steps that it retries. */
function skippedTasks(before: JobSnapshot, after: JobSnapshot): number {
  const skipped = countIf(after, (task) => task.isSkipped) - countIf(before, (task) => task.isSkipped);
  let resumed = 0;
  for (const [order, tasks] of after.steps.entries())
    for (const [index, task] of tasks.entries()) {
      const was = before.steps[order]?.[index];
      if (was !== undefined && isRetriable(was) && !isRetriable(task) && !task.isSkipped) resumed++;
    }
  return skipped + resumed;
}

/** Reports whether failures of the turn park the job: only the first one that reaches the limit can. */
const parks = ({ failures }: Expected, before: JobSnapshot): boolean =>
  before.status !== 'paused' && failures.some(({ outcome }) => outcome === 'auto-park');
/** Reports whether a failure of the turn has parked the job because a step fails on all workers. */
const parksByCanaries = ({
  before,
  after,
  expected,
}: Pick<JobTurnSeen, 'before' | 'after' | 'expected'>): boolean =>
  before.status !== 'paused' &&
  after.parkReason !== before.parkReason &&
  after.parkReason.includes(' fails everywhere: ') &&
  expected.failures.some(countsAsFailure);
const isRetriable = ({ status }: TaskSnapshot): boolean => status === 'failed' || status === 'canceled';
const isTerminal = (status: JobSnapshot['status']): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';
const isPause = (message: JobMessage): boolean =>
  message.type === 'job.update' && message.update.action === 'pause';
const isResume = (message: JobMessage, before: JobSnapshot): boolean =>
  message.type === 'job.update' && message.update.action === 'resume' && before.status === 'paused';

function countIf(job: JobSnapshot, wanted: (task: TaskSnapshot) => boolean): number {
  let count = 0;
  for (const tasks of job.steps) for (const task of tasks) if (wanted(task)) count++;
  return count;
}

/** Returns the number of tasks that a turn retried, or 0 for any other turn. */
function retriedOf(message: JobMessage, said: TurnOutputs): number {
  if (message.type !== 'job.retry' && message.type !== 'job.reactivate') return 0;
  if (message.request.isDryRun) return 0;
  for (const answer of said.answers) {
    // Reply to a retry: actors/service/job/messages.ts.
    const outcome = answer as { readonly ok: boolean; readonly value?: RetryResult };
    if (outcome.ok) return outcome.value?.retried ?? 0;
  }
  return 0;
}
