import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf, versionHeaders } from './if-match.ts';
import type { JobUpdate } from '../../actors/service/job/messages.ts';
import { queueId } from '../../src/core/ids.ts';
import { unknownSteps } from '../../src/core/records/job-caps.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import { JobViewer } from '../views/job-view.ts';
import { retryOverride } from '../views/retry-view.ts';
import { findJob, stepsOf } from './find-task.ts';
import { sentCaps } from './sent-caps.ts';
import { sentRetryRules } from './sent-retry-rules.ts';
import { invalid, type Call, type Handler } from './operation.ts';

/** docs/contract/rest.md#jobs. The farm owns the queues; the job owns everything else. */
export const updateJob: Handler<'updateJob'> = async ({ path, body, headers, principal }, ports) => {
  const job = findJob(ports.store, path.id, principal.ownerScope);
  if (!job.ok) return { kind: 'problem', problem: job.problem };
  const { id, farmId } = job.value;
  const rules = sentRetryRules(body, ports);
  if (!rules.ok) return { kind: 'problem', problem: rules.problem };
  const caps = sentCaps(body);
  const [unknown] = unknownSteps(caps ?? {}, stepsOf(ports.store, id));
  if (unknown !== undefined)
    return invalid('/step_max_concurrent_tasks', `the job has no step ${JSON.stringify(unknown)}`);
  const update = { ...updateOf(body), ...rules.value, ...(caps !== undefined && { caps }) };
  const queue = typeof body.queue_id === 'string' ? queueId(body.queue_id) : null;
  if (queue !== null && ports.store.get('queue', keys.queue(queue))?.farmId !== farmId) {
    return invalid('/queue_id', `the farm has no queue ${queue.slice(0, 100)}`);
  }
  const outcome = await ports.actors.ask<JobRecord>((replyTo) =>
    queue === null
      ? {
          actor: 'job',
          id,
          message: { type: 'job.update', update, queue: null, ...ifMatchOf({ headers }), replyTo },
        }
      : {
          actor: 'farm',
          id: farmId,
          message: {
            type: 'job.requeue',
            jobId: id,
            queueId: queue,
            update,
            ...ifMatchOf({ headers }),
            replyTo,
          },
        },
  );
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const view = new JobViewer(ports.store, ports.serverRetry).view(outcome.value);
  return {
    kind: 'json',
    status: 200,
    body: view,
    headers: versionHeaders(SETTINGS.job(outcome.value)),
  };
};

function updateOf({
  action,
  priority,
  start_after: startAfter,
  ...retry
}: Call<'updateJob'>['body']): JobUpdate {
  return {
    ...(typeof action === 'string' && { action }),
    ...(typeof priority === 'number' && { priority }),
    ...(startAfter !== undefined && { startAfter: startAfter === null ? null : Date.parse(startAfter) }),
    retry: retryOverride(retry),
  };
}
