import type { EffectiveRetry, Farm, JobDetail, Queue } from '../../../../client/resources.ts';

export type RetrySetting = keyof EffectiveRetry;

/** Which level of the cascade server, farm, queue, job a setting comes from (docs/contract/retry.md#settings). */
export type RetrySource = 'this job' | 'its queue' | 'its farm' | 'the service';

type Settings = Readonly<Partial<Record<RetrySetting, number | null>>>;

/** Where the value in force comes from; null as long as the levels are not known. */
export function retrySourceOf(
  setting: RetrySetting,
  job: Pick<JobDetail, 'own_retry'>,
  queue: Pick<Queue, RetrySetting> | undefined,
  farm: Pick<Farm, RetrySetting> | undefined,
): RetrySource | null {
  if (isSet(job.own_retry, setting)) return 'this job';
  if (queue === undefined || farm === undefined) return null;
  if (isSet(queue, setting)) return 'its queue';
  return isSet(farm, setting) ? 'its farm' : 'the service';
}

function isSet(settings: Settings | undefined, setting: RetrySetting): boolean {
  const value = settings?.[setting];
  return value !== undefined && value !== null;
}
