import type { JobId } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import type { FarmMessage } from './messages.ts';
import { recordOutcome, removeDependencies, type FarmState, type UpstreamOutcome } from './state.ts';

type FarmContext = ServiceContext<'farm'>;

/** Records the end of a job. Unblocks or cancels the jobs that wait for it. */
export function onJobEnded(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'job.ended' }>,
  context: FarmContext,
): void {
  const { jobId: id, status } = message;
  removeActiveJob(state, id, status);
  if (status === 'completed') releaseDependents(state, id, context);
  else cancelDependents(state, id, context);
}

/**
 * Records the deletion of a job. Cancels the jobs that are blocked on it, even if it had completed and they wait for
 * another one (docs/contract/job-states.md#transitions).
 */
export function onJobDeleted(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'job.deleted' }>,
  context: FarmContext,
): void {
  removeActiveJob(state, message.jobId, 'deleted');
  cancelDependents(state, message.jobId, context);
}

/** Forwards a retention expiry, unless the job is active again or a blocked job depends on it. */
export function onJobExpire(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'job.expire' }>,
  context: FarmContext,
): void {
  const { jobId: id, endedAt } = message;
  if (state.activeJobs.has(id) || state.dependents.has(id)) return;
  context.send('job', id, { type: 'job.expire', endedAt });
}

function removeActiveJob(state: FarmState, id: JobId, end: UpstreamOutcome): void {
  removeDependencies(state, id);
  state.activeJobs.delete(id);
  recordOutcome(state, id, end);
}

function releaseDependents(state: FarmState, id: JobId, context: FarmContext): void {
  for (const dependent of [...(state.dependents.get(id) ?? [])]) {
    const waitsFor = state.activeJobs.get(dependent)?.waitsFor;
    if (waitsFor?.delete(id) !== true || waitsFor.size > 0) continue;
    removeDependencies(state, dependent);
    context.send('job', dependent, { type: 'upstreams.completed' });
  }
}

/** The canceled jobs send `job.ended` themselves. */
function cancelDependents(state: FarmState, id: JobId, context: FarmContext): void {
  for (const dependent of state.dependents.get(id) ?? []) {
    context.send('job', dependent, { type: 'upstream.failed' });
  }
}
