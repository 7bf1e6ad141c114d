import type { WorkerId } from '../../../src/core/ids.ts';
import { ReadyTasks } from '../../../src/core/lease/ready-tasks.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage, ReadyStep } from './messages.ts';
import { serveAll, serveSignature } from './serve.ts';
import type { LeaseState } from './state.ts';
import type { Signature } from '../../../src/core/lease/step-entry.ts';
import { clearSignatures, recordReportedReason } from './unschedulable-sweep.ts';

/** A job says all that is ready of some of its steps. All of it is known before anything of it is handed out. */
export function onStepsOffered(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'steps.ready' }>,
  context: ServiceContext<'lease'>,
): void {
  const signatures = new Set<Signature>();
  let isMoved = false;
  for (const offer of message.offers) {
    const queueBefore = state.index.entry(offer.jobId, offer.stepOrder)?.queueId ?? offer.queueId;
    if (queueBefore !== offer.queueId) isMoved = true;
    signatures.add(noteOffer(state, offer, context));
  }
  // The live tasks of a step that has changed its queue have made room under the cap of the old one.
  if (isMoved) serveAll(state, context);
  else for (const signature of signatures) serveSignature(state, signature, context);
  // In the new queue there may be a worker for what nobody could run in the old one.
  if (isMoved) clearSignatures(state, signatures, context);
}

/** Puts what is offered of a step in place of what was known of it; the signature that has it now. */
function noteOffer(state: LeaseState, offer: ReadyStep, context: ServiceContext<'lease'>): Signature {
  const { ready, live } = withoutPicked(state, offer);
  const held = new Map(offer.held.map(({ index, until, avoided }) => [index, { until, avoided }]));
  const entry = state.index.offer({ ...offer, live }, ready, held);
  recordReportedReason(state, entry, offer.unschedulableReason);
  for (const { index, until } of offer.held) {
    holdTask(offer.jobId, offer.stepOrder, index, until, context);
  }
  return entry.signature;
}

/**
 * What is ready and live of an offer, with what was picked of the step and not yet answered by its job: the job answers
 * messages in order, so it made the offer before it saw those picks.
 */
function withoutPicked(
  state: LeaseState,
  offer: ReadyStep,
): { readonly ready: ReadyTasks; readonly live: number } {
  const ready = new ReadyTasks();
  for (const range of offer.ready) ready.add(range);
  for (const { index, avoided } of offer.failed) {
    if (ready.remove(index)) ready.add({ start: index, count: 1 }, avoided);
  }
  let { live } = offer;
  for (const [, { outstanding }] of state.pending) {
    for (const pick of outstanding) {
      if (pick.jobId !== offer.jobId || pick.stepOrder !== offer.stepOrder) continue;
      live += pick.count;
      for (const { start, count } of pick.ranges) {
        for (let index = start; index < start + count; index++) ready.remove(index);
      }
    }
  }
  return { ready, live };
}

/** Tasks of an offered step are ready (again), at once or from a time on. */
export function onTasksReady(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'tasks.ready' }>,
  context: ServiceContext<'lease'>,
): void {
  const { jobId, stepOrder, ranges, until, avoided } = message;
  if (until > context.now) {
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

/** A task's retry delay is over, whatever the clock was set to meanwhile: the job looks once more. */
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
  // It waits since its delay was over, however late this is heard.
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
