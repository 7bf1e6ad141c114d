import type { JobId } from '../ids.ts';
import type { Holder, LeaseExplanation, ShareExplanation, TasksAhead } from '../lease/explanation.ts';
import { isBehind } from './capacity-gates.ts';
import type { TaskFacts, UpstreamJob } from './task-facts.ts';

/** Reports whether the reader of an explanation may see a job. */
export type IsVisible = (id: JobId) => boolean;

/**
 * Removes from a scheduler's reply what it says about jobs that the reader may not see: the holders of caps and pools,
 * and the numbers of tasks and jobs ahead (docs/contract/authentication.md#owner-scope). Limits and totals stay, because
 * they belong to the farm.
 */
export const visibleLease = (lease: LeaseExplanation, isVisible: IsVisible): LeaseExplanation => ({
  ...lease,
  farmCap: { ...lease.farmCap, holders: visibleHolders(lease.farmCap.holders, isVisible) },
  queueCap: { ...lease.queueCap, holders: visibleHolders(lease.queueCap.holders, isVisible) },
  ...(lease.groupCaps !== undefined && {
    groupCaps: lease.groupCaps.map((cap) => ({ ...cap, holders: visibleHolders(cap.holders, isVisible) })),
  }),
  // The holders of the caps of a job and its steps are that job's own.
  pools: lease.pools.map((pool) => ({ ...pool, holders: visibleHolders(pool.holders, isVisible) })),
  before: visibleBefore(lease.before),
  ...(lease.share !== undefined && { share: visibleShare(lease.share) }),
});

/** Keeps the holders of pools in other farms that the reader may see. */
export const visibleElsewhere = (
  elsewhere: TaskFacts['elsewhere'],
  isVisible: IsVisible,
): TaskFacts['elsewhere'] =>
  new Map([...elsewhere].map(([pool, holders]) => [pool, visibleHolders(holders, isVisible)]));

function visibleHolders<Each extends Holder>(
  holders: readonly Each[],
  isVisible: IsVisible,
): readonly Each[] {
  return holders.filter(({ jobId }) => isVisible(jobId));
}

/** Whether other tasks are ahead remains. Their number does only if all are of the task's own job. */
function visibleBefore(before: TasksAhead): TasksAhead {
  const isOwn = before.jobs === 0 && before.isLowerBound !== true;
  return isOwn || !isBehind(before) ? before : { tasks: 0, jobs: 0, isLowerBound: true, isWithheld: true };
}

/**
 * Removes other sharers. What an owner or a job has used remains, because the reader sees these jobs; what a project or
 * queue has used does not.
 */
function visibleShare(share: ShareExplanation): ShareExplanation {
  const isOwn = share.sharedBy === 'owner' || share.sharedBy === 'job';
  return { ...share, ...(!isOwn && { cores: null, ratio: null }), ahead: [] };
}

/** Replaces the upstream jobs that the reader may not see, and that are not completed, with one without id and record. */
export function visibleUpstreams(
  upstreams: readonly Extract<UpstreamJob, { isHidden?: false }>[],
  isVisible: IsVisible,
): readonly UpstreamJob[] {
  const visible = upstreams.filter(({ id }) => isVisible(id));
  const isWaited = upstreams.some(({ id, record }) => !isVisible(id) && record?.status !== 'completed');
  return isWaited ? [...visible, { isHidden: true }] : visible;
}
