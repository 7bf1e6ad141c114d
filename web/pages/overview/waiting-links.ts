import type { WaitingGroup } from '../../../client/resources.ts';

export interface WaitingLink {
  readonly label: string;
  readonly href: string;
}

/** Returns the page where a user can remove the reason of a group; null if the tasks start by themselves. */
export function waitingLink(
  group: Pick<WaitingGroup, 'reason' | 'queue_id' | 'pool'>,
  farm: string,
): WaitingLink | null {
  const inFarm = `farm=${encodeURIComponent(farm)}`;
  const edit = `?edit=${encodeURIComponent(group.queue_id ?? '')}`;
  switch (group.reason) {
    case 'paused_queue':
    case 'queue_cap':
      return { label: 'Show queue', href: `/queues${group.queue_id === undefined ? '' : edit}` };
    case 'owner_cap':
    case 'project_cap':
      return group.queue_id === undefined
        ? { label: 'Show farm', href: `/farms?edit=${encodeURIComponent(farm)}` }
        : { label: 'Show queue', href: `/queues${edit}` };
    case 'farm_cap':
      return { label: 'Show farm', href: `/farms?edit=${encodeURIComponent(farm)}` };
    case 'usage_pool':
    case 'usage_pool_missing':
      return {
        label: group.reason === 'usage_pool' ? 'Show pool' : 'Show usage pools',
        href: `/usage-pools?search=${encodeURIComponent(group.pool ?? '')}`,
      };
    case 'workers':
    case 'cores':
    case 'amounts':
      return { label: 'Show workers', href: `/workers?${inFarm}` };
    case 'paused_job':
      return { label: 'Show paused jobs', href: `/jobs?status=paused&${inFarm}` };
    case 'job_cap':
    case 'step_cap':
      return { label: 'Show jobs', href: `/jobs?${inFarm}` };
    case 'retry_after':
    case 'order':
      return null;
  }
}

/** Short labels of the reasons. */
export const WAITING_LABELS: Readonly<Record<WaitingGroup['reason'], string>> = {
  paused_job: 'Job paused',
  paused_queue: 'Queue paused',
  usage_pool_missing: 'Missing pool',
  workers: 'No eligible worker',
  retry_after: 'Waiting for retry',
  farm_cap: 'Farm limit reached',
  queue_cap: 'Queue limit reached',
  owner_cap: 'Owner limit reached',
  project_cap: 'Project limit reached',
  job_cap: 'Job limit reached',
  step_cap: 'Step limit reached',
  usage_pool: 'Pool in use',
  cores: 'Waiting for cores',
  amounts: 'Waiting for amounts',
  order: 'Next in line',
};
