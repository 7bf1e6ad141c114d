import { stepIdOf, type StepId, type WorkerId } from '../../../src/core/ids.ts';
import type { LeaseReply, PathMapMessage, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { confirmProbes } from './outages.ts';
import { freeCores, park, serve, serveAll, serveRelisted, serveWorker } from './serve.ts';
import type { LeaseState } from './state.ts';
import type { LeasedStep, PendingLease } from './pending-leases.ts';

type Leases = Extract<LeaseReply, { type: 'leases' }>;

/** Adds the tasks that a job has taken to the pending lease. Completes the lease after the last of its jobs. */
export function onTasksTaken(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'tasks.taken' }>,
  context: ServiceContext<'lease'>,
): void {
  const pending = state.pending.get(message.leaseId);
  if (pending === undefined) throw new Error(`lease ${message.leaseId} is not pending`);
  const worker = state.workers.get(pending.request.workerId);
  let hasFreedCapacity = false;
  if (message.refused > 0) {
    const { jobId, stepOrder, refused } = message;
    const workers = Array.from({ length: refused }, () => pending.request.workerId);
    hasFreedCapacity = state.index.settle(jobId, stepOrder, refused, workers);
    if (worker !== undefined) {
      for (const holding of message.refusedHoldings ?? []) worker.amounts.remove(holding);
      freeCores(state, worker, message, message.refused * message.cores);
    }
  }
  if (message.assignments.length > 0) {
    for (const assignment of message.assignments) pending.assignments.push(assignment);
    const { jobId, stepOrder, step } = message;
    const isolation = state.isolation.get(message.queueId);
    const assignment = isolation === undefined ? step : { isolation, ...step };
    pending.steps.push({ jobId, stepOrder, assignment });
  }
  const answered = pending.outstanding.findIndex(
    (pick) => pick.jobId === message.jobId && pick.stepOrder === message.stepOrder,
  );
  if (answered < 0) throw new Error(`lease ${message.leaseId} did not select tasks of ${message.jobId}`);
  pending.outstanding.splice(answered, 1);
  confirmProbes(state, message, context);
  if (pending.outstanding.length === 0) endLease(state, message.leaseId, pending, context);
  // Refused tasks had reserved cores, amounts and capacity under the caps, which are free again.
  if (message.refused > 0 && worker !== undefined) serveWorker(state, worker, context);
  if (hasFreedCapacity) serveAll(state, context);
  else if (message.refused > 0) serveRelisted(state, context);
}

/** Returns null if the worker was removed meanwhile, or if no storage location applies. */
function pathMapFor(state: LeaseState, workerId: WorkerId): PathMapMessage | null {
  const place = state.workers.get(workerId)?.offer.computeLocation;
  const map = place === undefined ? null : state.pathMaps.of(place);
  return map === null ? null : { compute_location: map.computeLocation, locations: map.locations };
}

function endLease(
  state: LeaseState,
  leaseId: number,
  pending: PendingLease,
  context: ServiceContext<'lease'>,
): void {
  state.pending.end(leaseId);
  if (pending.assignments.length > 0) {
    const { assignments } = pending;
    const steps = withReadyLeft(state, pending.steps);
    const reply: Leases = { v: 1, type: 'leases', assignments, steps };
    const path_map = pathMapFor(state, pending.request.workerId);
    context.reply(pending.request.replyTo, path_map === null ? reply : { path_map, ...reply });
  } else if (!serve(state, pending.request, context)) {
    park(state, pending.request, context);
  }
}

/** Adds to each step the number of its tasks that are still ready. The worker keeps its session while there are any. */
function withReadyLeft(
  state: LeaseState,
  steps: readonly LeasedStep[],
): Readonly<Record<StepId, StepAssignment>> {
  const counted: Record<StepId, StepAssignment> = {};
  for (const { jobId, stepOrder, assignment } of steps) {
    const entry = state.index.entry(jobId, stepOrder);
    const ready_left = entry?.open === true ? entry.ready.size : 0;
    // New field first: after the copied fields it would give each object a hidden class of its own
    // (docs/performance.md).
    counted[stepIdOf(jobId, stepOrder)] = { ready_left, ...assignment };
  }
  return counted;
}
