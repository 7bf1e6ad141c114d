import type { AttemptAddress } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import {
  isEmpty,
  NO_EVIDENCE,
  withFailure,
  withQuarantine,
  withSuccesses,
  withVerdict,
} from '../../../src/core/quarantine/evidence.ts';
import {
  doubtsOf,
  isConvictedAsWhole,
  isSameDoubts,
  nextSuspicionEnd,
  quarantineAsWhole,
} from '../../../src/core/quarantine/verdict.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerEvidenceRecord } from '../../../src/core/records/worker-evidence.ts';
import type { ServiceContext } from '../service-system.ts';
import type { WorkerMessage } from './messages.ts';
import type { WorkerState } from './state.ts';
import { publishWorker } from './worker-turn.ts';

/**
 * The evidence about a worker and what follows from it (docs/quarantine.md). Each decision is a function of the stored
 * evidence, the setting of the farm and the time, so that an actor that is loaded again decides like one in memory.
 */

type WorkerContext = ServiceContext<'worker'>;
type Of<Type extends WorkerMessage['type']> = Extract<WorkerMessage, { readonly type: Type }>;

/** Records a failure as evidence, if the farm puts workers in quarantine. */
export function recordFailure(
  state: WorkerState,
  { verdict, others, ...task }: Of<'attempt.failed'>,
  context: WorkerContext,
): void {
  if (verdict === null || state.quarantine?.isOn !== true) return;
  changeEvidence(state, withFailure(state.evidence, task, verdict, others, context.now), context);
}

/** Records that attempts of the worker have succeeded. */
export function recordSuccesses(
  state: WorkerState,
  succeeded: readonly AttemptAddress[],
  context: WorkerContext,
): void {
  if (succeeded.length > 0) changeEvidence(state, withSuccesses(state.evidence, succeeded), context);
}

/** Records what has become of a task that had failed on the worker. */
export function onFailureJudged(
  state: WorkerState,
  { verdict, others, ...task }: Of<'failure.judged'>,
  context: WorkerContext,
): void {
  if (state.quarantine?.isOn !== true) return;
  const { version } = state.quarantine;
  const next = withVerdict(state.evidence, task, verdict, others, context.now, version);
  changeEvidence(state, next, context);
}

/** Applies the setting of the farm. Without quarantine, all evidence is forgotten. */
export function onQuarantineSet(
  state: WorkerState,
  { setting }: Of<'quarantine.set'>,
  context: WorkerContext,
): void {
  state.quarantine = setting;
  if (!setting.isOn) changeEvidence(state, NO_EVIDENCE, context);
}

/** Puts the worker in quarantine as a whole: not more workers than one bad cause would affect have such evidence. */
export function onQuarantineGranted(state: WorkerState, _message: unknown, context: WorkerContext): void {
  const { evidence, quarantine: setting } = state;
  if (!asksForQuarantine(state) || setting === null) return;
  const quarantine = quarantineAsWhole(evidence, context.now, setting.version);
  changeEvidence(state, withQuarantine(evidence, quarantine), context);
}

/** Lifts the quarantines of the worker at the request of a user. All evidence is forgotten. */
export function onQuarantineLift(
  state: WorkerState,
  { by, replyTo }: Of<'quarantine.lift'>,
  context: WorkerContext,
): void {
  const { whole, steps } = doubtsOf(state.evidence, context.now);
  if (whole === null && steps.length === 0) {
    context.reply(replyTo, refused('conflict', 'the worker is neither in quarantine nor suspected'));
    return;
  }
  context.log('info', 'the quarantine of a worker was lifted', {
    worker_id: state.record.id,
    worker: state.record.name,
    by,
  });
  changeEvidence(state, NO_EVIDENCE, context);
  context.reply(replyTo, done(null));
}

/** Ends suspicions that nothing has confirmed. */
export function onSuspicionDue(state: WorkerState, _message: unknown, context: WorkerContext): void {
  sendDoubts(state, context);
  watchSuspicions(state, context);
}

/** Sets the timer for the end of the next suspicion. Replaces an earlier one. */
export function watchSuspicions({ evidence }: WorkerState, context: WorkerContext): void {
  const end = nextSuspicionEnd(evidence, context.now);
  if (end !== null) context.after('suspicion', Math.max(1, end - context.now), { type: 'suspicion.due' });
}

/** Notifies the lease actor of what the worker is kept from. */
export function sendDoubts(state: WorkerState, context: WorkerContext): void {
  const { id: workerId, farmId } = state.record;
  context.send('lease', farmId, {
    type: 'worker.doubted',
    workerId,
    doubts: doubtsOf(state.evidence, context.now),
    asksForQuarantine: asksForQuarantine(state),
  });
}

const asksForQuarantine = ({ evidence }: WorkerState): boolean =>
  evidence.quarantine === null && isConvictedAsWhole(evidence);

/** Stores evidence that has changed, and makes known what follows from it. */
function changeEvidence(state: WorkerState, next: WorkerEvidenceRecord, context: WorkerContext): void {
  const before = state.evidence;
  if (next === before) return;
  state.evidence = next;
  const key = keys.workerEvidence(state.record.id);
  context.change(isEmpty(next) ? remove('workerEvidence', key) : put('workerEvidence', key, next));
  const wereDoubts = doubtsOf(before, context.now);
  const doubts = doubtsOf(next, context.now);
  watchSuspicions(state, context);
  if (isSameDoubts(wereDoubts, doubts) && !asksForQuarantine(state)) return;
  sendDoubts(state, context);
  publishWorker(state.record, state.record.status, context);
  reportNew(state, before, context);
}

/** Logs new quarantines, and raises the event of one as a whole. */
function reportNew(
  { record, evidence }: WorkerState,
  before: WorkerEvidenceRecord,
  context: WorkerContext,
): void {
  const { id, name } = record;
  if (before.quarantine === null && evidence.quarantine !== null) {
    context.log('warn', 'a worker was put in quarantine', {
      worker_id: id,
      worker: name,
      reason: evidence.quarantine.reason,
    });
  }
  for (const { jobId, stepOrder, quarantine } of evidence.steps) {
    if (quarantine === undefined) continue;
    const known = before.steps.find((each) => each.jobId === jobId && each.stepOrder === stepOrder);
    if (known?.quarantine !== undefined) continue;
    context.log('warn', 'a worker was put in quarantine for a step', {
      worker_id: id,
      worker: name,
      job_id: jobId,
      step: String(stepOrder),
      reason: quarantine.reason,
    });
  }
}
