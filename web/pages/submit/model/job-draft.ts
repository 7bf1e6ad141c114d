import type { Farm, JobDetail, Queue } from '../../../../client/resources.ts';
import { EMPTY_DRAFT, type Draft } from './draft.ts';

type Inherited = Pick<Farm, 'max_attempts' | 'retry_delay_seconds' | 'failure_limit'>;

/**
 * Returns a draft that submits a job again: its template, parameters and destination, and its retry policy where it
 * differs from the current one of its queue or farm. The owner and the upstream jobs are left out.
 */
export function draftOf(
  job: JobDetail,
  text: string,
  { farm, queue }: { readonly farm: Farm | undefined; readonly queue: Queue | undefined },
): Draft {
  const retry = (name: keyof Inherited): string => {
    const value = job.effective_retry[name];
    return value === (queue?.[name] ?? farm?.[name]) ? '' : String(value);
  };
  return {
    ...EMPTY_DRAFT,
    text,
    source: job.name,
    isTemplateOpen: false,
    values: job.parameters ?? {},
    farmId: job.farm_id,
    queueId: job.queue_id,
    project: job.project,
    priority: String(job.priority),
    maxAttempts: retry('max_attempts'),
    retryDelaySeconds: retry('retry_delay_seconds'),
    failureLimit: retry('failure_limit'),
  };
}
