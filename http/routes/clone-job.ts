import type { RetryOverride } from '../../src/core/lifecycle/retry-policy.ts';
import { keys } from '../../src/core/records/tables.ts';
import { createJob, previewOfJob, type JobRequest } from './create-job.ts';
import { findJob } from './find-task.ts';
import { bodyFingerprint, submitIdempotently } from './idempotent-submit.ts';
import { invalid, type Call, type Handler, type ProblemReply } from './operation.ts';
import type { Ports } from '../ports.ts';

/** Submits the template of a job again (docs/rest.md#cloning-a-job). */
export const cloneJob = (): Handler<'cloneJob'> => {
  const submitted = submitIdempotently<'cloneJob'>(
    (call, ports, once) => {
      const request = requestOf(call, ports);
      return 'kind' in request ? Promise.resolve(request) : createJob(request, ports, once);
    },
    ({ path, body }) => bodyFingerprint('clone', path.id, body),
  );
  return (call, ports) => {
    if (call.query.dry_run !== true) return submitted(call, ports);
    const request = requestOf(call, ports);
    return 'kind' in request ? request : previewOfJob(request, ports);
  };
};

/**
 * Returns the request for the new job: the job's template, values, queue, project, priority and own retry settings, unless
 * the body has others. Owner, upstream jobs, a pause and a start time come from the body alone.
 */
function requestOf(
  { path, body, principal, client }: Call<'cloneJob'>,
  { store }: Pick<Ports, 'store'>,
): JobRequest | ProblemReply {
  const found = findJob(store, path.id, principal.ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const job = found.value;
  const { farm_id: farm = job.farmId } = body;
  // Another farm has other queues.
  if (farm !== job.farmId && body.queue_id === undefined)
    return invalid('/queue_id', 'needed with another farm_id than that of the job');
  const template = store.get('template', keys.template(job.id));
  if (template === undefined) throw new Error(`the job ${job.id} has no template`);
  const former = store.get('plan', keys.plan(job.id))?.parameters ?? {};
  const values = Object.entries(former).map(([name, { value }]) => [name, value] as const);
  return {
    principal,
    client,
    pointer: '',
    farmId: farm,
    queueId: body.queue_id ?? job.queueId,
    owner: body.owner,
    project: body.project ?? job.project,
    priority: body.priority ?? job.priority,
    retry: {
      ...retrySetting('maxAttempts', body.max_attempts, job.retry),
      ...retrySetting('retryDelaySeconds', body.retry_delay_seconds, job.retry),
      ...retrySetting('failureLimit', body.failure_limit, job.retry),
    },
    dependsOn: body.depends_on ?? [],
    isPaused: body.paused ?? false,
    startAfter: body.start_after ?? undefined,
    jobName: body.name ?? '',
    text: template.text,
    format: template.format,
    values: { ...Object.fromEntries(values), ...body.parameters },
    product: job.product ?? null,
  };
}

/** Returns one setting: the given one, that of the job if it is missing, and none for null. */
function retrySetting(
  name: keyof RetryOverride,
  given: number | null | undefined,
  former: RetryOverride,
): RetryOverride {
  const value = given === undefined ? former[name] : given;
  return typeof value === 'number' ? { [name]: value } : {};
}
