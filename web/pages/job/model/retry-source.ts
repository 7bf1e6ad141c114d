import type { EffectiveRetry, Farm, JobDetail, Queue } from '../../../../client/resources.ts';

export type RetrySetting = Exclude<keyof EffectiveRetry, 'canary_tasks'>;

/** The level of the cascade server, farm, queue, job that sets a value (docs/contract/retry.md#settings). */
export type RetrySource = 'this job' | 'the queue' | 'the farm' | 'the server';

type Settings = Readonly<Partial<Record<RetrySetting, number | null>>>;

/** Returns the level that sets the effective value; null until queue and farm are loaded. */
export function retrySourceOf(
  setting: RetrySetting,
  job: Pick<JobDetail, 'own_retry'>,
  queue: Pick<Queue, RetrySetting> | undefined,
  farm: Pick<Farm, RetrySetting> | undefined,
): RetrySource | null {
  if (isSet(job.own_retry, setting)) return 'this job';
  if (queue === undefined || farm === undefined) return null;
  if (isSet(queue, setting)) return 'the queue';
  return isSet(farm, setting) ? 'the farm' : 'the server';
}

function isSet(settings: Settings | undefined, setting: RetrySetting): boolean {
  const value = settings?.[setting];
  return value !== undefined && value !== null;
}
