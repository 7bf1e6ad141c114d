import type { WorkerId } from '../../../src/core/ids.ts';
import { ReadyTasks } from '../../../src/core/lease/ready-tasks.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage, ReadyStep } from './messages.ts';
import { serveAll, serveRelisted, serveSignature } from './serve.ts';
import type { LeaseState } from './state.ts';
import type { Signature } from '../../../src/core/lease/step-entry.ts';
import { clearSignatures, recordReportedReason } from './unschedulable-sweep.ts';
import { restoreMark } from './waiting-steps.ts';

/** Records all ready tasks of some steps of a job. Records all of them before it assigns any. */
export function onStepsReady(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'steps.ready' }>,
  context: ServiceContext<'lease'>,
): void {
  const signatures = new Set<Signature>();
  let isMoved = false;
  for (const offer of message.offers) {
    const queueBefore = state.index.entry(offer.jobId, offer.stepOrder)?.queueId ?? offer.queueId;
    if (queueBefore !== offer.queueId) isMoved = true;
    signatures.add(recordReadyStep(state, offer, context));
  }
  // Live tasks of a step that changed its queue no longer count against the cap of the old queue.
  if (isMoved) serveAll(state, context);
  else for (const signature of signatures) serveSignature(state, signature, context);
  // A cap of the job was raised or removed.
  serveRelisted(state, context);
  // The new queue may have a worker for tasks that no worker of the old one could run.
  if (isMoved) clearSignatures(state, signatures, context);
}

/** Replaces the data of a step. Returns the step's current signature. */
function recordReadyStep(state: LeaseState, offer: ReadyStep, context: ServiceContext<'lease'>): Signature {
  const { ready, live, liveOn } = withoutSelected(state, offer);
  const held = new Map(offer.held.map(({ index, until, avoided }) => [index, { until, avoided }]));
  const entry = state.index.offer({ ...offer, live, liveOn }, ready, held);
  restoreMark(state, entry);
  recordReportedReason(state, entry, offer.unschedulableReason);
  for (const { index, until } of offer.held) {
    holdTask(offer.jobId, offer.stepOrder, index, until, context);
  }
  return entry.signature;
}

/**
 * Returns the ready and live tasks of an offer, adjusted for tasks that were selected but not confirmed by the job. A
 * job handles messages in order, so it made the offer before it received these selections.
 */
function withoutSelected(
  state: LeaseState,
  offer: ReadyStep,
): { readonly ready: ReadyTasks; readonly live: number; readonly liveOn: readonly WorkerId[] } {
  const ready = new ReadyTasks();
  for (const range of offer.ready) ready.add(range, range.since);
  for (const { index, since, avoided } of offer.failed) {
    if (ready.remove(index)) ready.add({ start: index, count: 1 }, since, avoided);
  }
  let { live } = offer;
  const liveOn = [...(offer.liveOn ?? [])];
  const hasPools = offer.requirements.pools.length > 0;
  for (const [, { request, outstanding }] of state.pending) {
    for (const pick of outstanding) {
      if (pick.jobId !== offer.jobId || pick.stepOrder !== offer.stepOrder) continue;
      live += pick.count;
      if (hasPools) for (let each = 0; each < pick.count; each++) liveOn.push(request.workerId);
      for (const { start, count } of pick.ranges) {
        for (let index = start; index < start + count; index++) ready.remove(index);
      }
    }
  }
  return { ready, live, liveOn };
}

/** Records ready tasks of an offered step, now or after a delay. */
export function onTasksReady(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'tasks.ready' }>,
  context: ServiceContext<'lease'>,
): void {
  const { jobId, stepOrder, ranges, until, avoided } = message;
  if (until !== null && until > context.now) {
    for (const range of ranges) {
      for (let index = range.start; index < range.start + range.count; index++) {
        state.index.hold(jobId, stepOrder, index, { until, avoided });
        holdTask(jobId, stepOrder, index, until, context);
      }
    }
    return;
  }
  const signature = state.index.addReady(jobId, stepOrder, ranges, context.now, avoided);
  if (signature !== null) serveSignature(state, signature, context);
}

/**
 * Replaces the workers that a ready task avoids. A task that was selected meanwhile is left alone: its job takes it, or
 * reports it again.
 */
export function onTaskExcused(
  state: LeaseState,
  { jobId, stepOrder, index, readyAt, avoided }: Extract<LeaseMessage, { type: 'task.excused' }>,
  context: ServiceContext<'lease'>,
): void {
  const entry = state.index.entry(jobId, stepOrder);
  if (entry === undefined) return;
  if (entry.held.has(index)) {
    state.index.hold(jobId, stepOrder, index, { until: readyAt, avoided });
    return;
  }
  if (!entry.ready.has(index)) return;
  state.index.removeTask(jobId, stepOrder, index);
  const signature = state.index.addReady(jobId, stepOrder, [{ start: index, count: 1 }], readyAt, avoided);
  if (signature !== null) serveSignature(state, signature, context);
}

/**
 * Makes a task ready after its retry delay, even if the clock was set back meanwhile. The job checks it when the task
 * is taken.
 */
export function onTaskDue(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'task.due' }>,
  context: ServiceContext<'lease'>,
): void {
  const { jobId, stepOrder, index } = message;
  const entry = state.index.entry(jobId, stepOrder);
  const held = entry?.held.get(index);
  if (entry === undefined || held === undefined) return;
  entry.held.delete(index);
  const avoided: readonly WorkerId[] = held.avoided;
  const ranges = [{ start: index, count: 1 }];
  // The task has waited since the end of its delay, however late the timer runs.
  const readyAt = Math.min(held.until, context.now);
  const signature = state.index.addReady(jobId, stepOrder, ranges, readyAt, avoided);
  if (signature !== null) serveSignature(state, signature, context);
}

function holdTask(
  jobId: Extract<LeaseMessage, { type: 'task.due' }>['jobId'],
  stepOrder: number,
  index: number,
  until: number,
  context: ServiceContext<'lease'>,
): void {
  context.after(`held ${jobId} ${stepOrder} ${index}`, Math.max(0, until - context.now), {
    type: 'task.due',
    jobId,
    stepOrder,
    index,
  });
}
