import { jobId, type JobId, type QueueId } from '../../../src/core/ids.ts';
import type { JobStatus } from '../../../src/core/lifecycle/job-transitions.ts';
import type { RetryPolicy } from '../../../src/core/lifecycle/retry-policy.ts';
import { NO_TASKS } from '../../../src/core/lifecycle/task-counts.ts';
import { refused } from '../../../src/core/problems.ts';
import { setCaps } from '../../../src/core/records/job-caps.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import type { ServiceContext } from '../service-system.ts';
import type { FarmMessage, JobSubmission } from './messages.ts';
import { inheritedRetry } from './on-farm.ts';
import { addActiveJob, hasFailedAs, upstreamStatus, type FarmState } from './state.ts';

type FarmContext = ServiceContext<'farm'>;

/** Admits a validated job: checks its queue and upstreams. The job actor then writes it. */
export const onJobSubmit =
  (serverRetry: RetryPolicy) =>
  (state: FarmState, message: Extract<FarmMessage, { type: 'job.submit' }>, context: FarmContext): void => {
    const { submission, replyTo } = message;
    if (!state.queues.has(submission.queueId)) {
      context.reply(replyTo, refused('bad-request', noQueue(submission.queueId)));
      return;
    }
    const upstreams = new Map<JobId, JobStatus>();
    for (const upstream of submission.upstreams) {
      const status = upstreamStatus(state, upstream.jobId, upstream.status);
      if (status === null) {
        context.reply(replyTo, refused('unavailable', `job ${upstream.jobId} is ending; retry the request`));
        return;
      }
      if (status === 'deleted') {
        const detail = `depends_on: the farm has no job ${upstream.jobId}`;
        context.reply(replyTo, refused('bad-request', detail));
        return;
      }
      upstreams.set(upstream.jobId, status);
    }
    const record = newJob(state, submission, context);
    const waitsFor = [...upstreams].flatMap(([id, status]) => (status === 'completed' ? [] : [id]));
    addActiveJob(state, record.id, record.queueId, record.dependsOn, waitsFor);
    context.send('job', record.id, {
      type: 'job.create',
      record,
      plan: submission.plan,
      template: submission.template,
      templateFormat: submission.templateFormat,
      inherited: inheritedRetry(state, record.queueId, serverRetry),
      ...(submission.once !== undefined && { once: submission.once }),
      replyTo,
    });
    if (submission.upstreams.length === 0) return;
    if (waitsFor.length === 0) context.send('job', record.id, { type: 'upstreams.completed' });
    else if ([...upstreams.values()].some(hasFailedAs))
      context.send('job', record.id, { type: 'upstream.failed' });
  };

export const noQueue = (id: QueueId): string => `queue_id: the farm has no queue ${id}`;

/** Moves a job to another queue for a client. The farm adds the retry settings that the job inherits there. */
export const onJobRequeue =
  (serverRetry: RetryPolicy) =>
  (state: FarmState, message: Extract<FarmMessage, { type: 'job.requeue' }>, context: FarmContext): void => {
    const { jobId: id, queueId, update, ifMatch = null, replyTo } = message;
    if (!state.queues.has(queueId)) {
      context.reply(replyTo, refused('bad-request', noQueue(queueId)));
      return;
    }
    const active = state.activeJobs.get(id);
    if (active !== undefined) active.queueId = queueId;
    const queue = { queueId, inherited: inheritedRetry(state, queueId, serverRetry) };
    context.send('job', id, { type: 'job.update', update, queue, ifMatch, replyTo });
  };

/** Notes the queue of a job that was not moved. */
export function onJobQueueKept(
  state: FarmState,
  { jobId, queueId }: Extract<FarmMessage, { type: 'job.queue-kept' }>,
): void {
  const active = state.activeJobs.get(jobId);
  if (active !== undefined) active.queueId = queueId;
}

function newJob(state: FarmState, submission: JobSubmission, context: FarmContext): JobRecord {
  const { template, startAfter, retryRules = [], caps = {} } = submission;
  return {
    version: 1,
    id: 'provisionalJobId' in template ? template.provisionalJobId : jobId(context.newId()),
    farmId: state.record.id,
    queueId: submission.queueId,
    name: submission.plan.jobName,
    description: submission.description,
    owner: submission.owner,
    submitter: submission.submitter,
    priority: submission.priority,
    project: submission.project,
    ...initialStatus(submission),
    parkReason: '',
    cancelReason: '',
    templateFormat: submission.templateFormat,
    retry: submission.retry,
    ...(retryRules.length > 0 && { retryRules }),
    failedAttempts: 0,
    dependsOn: [...new Set(submission.upstreams.map((upstream) => upstream.jobId))],
    extensions: submission.extensions,
    taskCounts: NO_TASKS,
    createdAt: context.now,
    updatedAt: context.now,
    ...(startAfter !== undefined && startAfter > context.now && { startAfter }),
    ...setCaps(caps),
    ...(submission.product !== null && { product: submission.product }),
  };
}

function initialStatus({
  isPaused,
  upstreams,
}: JobSubmission): Pick<JobRecord, 'status' | 'waitsWhilePaused'> {
  const waits = upstreams.length > 0;
  if (isPaused) return { status: 'paused', waitsWhilePaused: waits };
  return { status: waits ? 'blocked' : 'pending' };
}
