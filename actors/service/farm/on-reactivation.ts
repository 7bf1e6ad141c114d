import type { JobId } from '../../../src/core/ids.ts';
import type { RetryPolicy } from '../../../src/core/lifecycle/retry-policy.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { RetriedUpstreams, UpstreamSeen } from '../job/messages.ts';
import type { ServiceContext } from '../service-system.ts';
import type { FarmMessage } from './messages.ts';
import { inheritedRetry } from './on-farm.ts';
import {
  addActiveJob,
  hasFailedAs,
  removeDependencies,
  upstreamStatus,
  type FarmState,
  type UpstreamOutcome,
} from './state.ts';

type FarmContext = ServiceContext<'farm'>;

/**
 * Approves the retry of a terminal job. The job becomes active again: blocked if an upstream job is not completed,
 * whether that is active or has ended (docs/contract/job-states.md#rules). Deleted upstream jobs no longer count.
 */
export const onReactivationRequested =
  (serverRetry: RetryPolicy) =>
  (
    state: FarmState,
    message: Extract<FarmMessage, { type: 'job.reactivation-requested' }>,
    context: FarmContext,
  ): void => {
    const { jobId: id, queueId, request, replyTo } = message;
    if (!state.queues.has(queueId)) {
      const detail = `queue ${queueId} of the job was deleted; move the job to another queue first`;
      context.reply(replyTo, refused('conflict', detail));
      return;
    }
    const statuses = statusesOf(state, message.dependsOn, request.upstreams);
    const ending = [...statuses].find(([, status]) => status === null);
    if (ending !== undefined) {
      context.reply(replyTo, refused('unavailable', `job ${ending[0]} is ending; retry the request`));
      return;
    }
    const isBroken = [...statuses.values()].some(
      (status) => status === 'deleted' || (status !== null && hasFailedAs(status)),
    );
    if (request.scope === 'restore' && isBroken) {
      context.reply(
        replyTo,
        done({ retried: 0, status: null, jobStatus: 'canceled', steps: [], leavesEnded: false }),
      );
      return;
    }
    const upstreams = upstreamsOf(statuses);
    activate(state, id, queueId, statuses, upstreams);
    const inherited = inheritedRetry(state, queueId, serverRetry);
    context.send('job', id, { type: 'job.reactivate', request, inherited, upstreams, replyTo });
  };

/**
 * Adds a job that is active again. The approval has added it already, unless the job has ended since: then its upstream
 * jobs may have ended too.
 */
export function onJobReactivated(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'job.reactivated' }>,
  context: FarmContext,
): void {
  const { jobId: id, queueId, upstreams, seen } = message;
  if (state.activeJobs.has(id)) return;
  if (!upstreams.isWaiting) {
    addActiveJob(state, id, queueId);
    return;
  }
  const statuses = statusesOf(state, upstreams.dependsOn, seen);
  const now = upstreamsOf(statuses);
  activate(state, id, queueId, statuses, now);
  const isDeleted = [...statuses.values()].includes('deleted');
  if (isDeleted || now.ended.some((upstream) => !upstreams.ended.includes(upstream)))
    context.send('job', id, { type: 'upstream.failed' });
  else if (!now.isWaiting) context.send('job', id, { type: 'upstreams.completed' });
}

type Statuses = ReadonlyMap<JobId, UpstreamOutcome | 'running' | null>;

function statusesOf(
  state: FarmState,
  dependsOn: readonly JobId[],
  upstreams: readonly UpstreamSeen[],
): Statuses {
  const seen = new Map(upstreams.map(({ jobId, status }) => [jobId, status]));
  return new Map(dependsOn.map((id) => [id, upstreamStatus(state, id, seen.get(id) ?? 'pending')]));
}

function upstreamsOf(statuses: Statuses): RetriedUpstreams {
  const left = [...statuses].filter(([, status]) => status !== 'deleted');
  return {
    dependsOn: left.map(([id]) => id),
    isWaiting: left.some(([, status]) => status !== 'completed'),
    ended: left.flatMap(([id, status]) =>
      status !== null && status !== 'deleted' && hasFailedAs(status) ? [id] : [],
    ),
  };
}

function activate(
  state: FarmState,
  id: JobId,
  queueId: Parameters<typeof addActiveJob>[2],
  statuses: Statuses,
  { dependsOn }: RetriedUpstreams,
): void {
  removeDependencies(state, id);
  const waitsFor = dependsOn.filter((upstream) => statuses.get(upstream) !== 'completed');
  addActiveJob(state, id, queueId, dependsOn, waitsFor);
}
