import type { JobDetail, JobEnvironment } from '../../../../client/resources.ts';
import { EMPTY_DRAFT, type Draft } from './draft.ts';

/**
 * Returns a draft that submits a job again: its template, the environment templates that were sent with it, parameters,
 * destination and own retry settings. The owner, the
 * start time and the upstream jobs are left out.
 */
export function draftOf(job: JobDetail, text: string, environments: readonly JobEnvironment[]): Draft {
  const retry = (name: keyof NonNullable<JobDetail['own_retry']>): string =>
    String(job.own_retry?.[name] ?? '');
  return {
    ...EMPTY_DRAFT,
    text,
    source: job.name,
    isTemplateOpen: false,
    values: job.parameters ?? {},
    // The new job gets the environments that its queue has then.
    environments: environments.flatMap(({ origin, template, format }) =>
      origin === 'submission' ? [{ template, format }] : [],
    ),
    farmId: job.farm_id,
    queueId: job.queue_id,
    project: job.project,
    priority: String(job.priority),
    maxAttempts: retry('max_attempts'),
    retryDelaySeconds: retry('retry_delay_seconds'),
    failureLimit: retry('failure_limit'),
    maxConcurrentTasks: job.max_concurrent_tasks === undefined ? '' : String(job.max_concurrent_tasks),
  };
}
