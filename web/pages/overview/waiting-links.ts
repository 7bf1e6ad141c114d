import type { WaitingGroup } from '../../../client/resources.ts';

export interface WaitingLink {
  readonly label: string;
  readonly href: string;
}

/** Where to do something about what tasks of a farm wait for; null when there is nothing to be done. */
export function waitingLink(
  group: Pick<WaitingGroup, 'reason' | 'queue_id' | 'pool'>,
  farm: string,
): WaitingLink | null {
  const inFarm = `farm=${encodeURIComponent(farm)}`;
  const edit = `?edit=${encodeURIComponent(group.queue_id ?? '')}`;
  switch (group.reason) {
    case 'paused_queue':
    case 'queue_cap':
      return { label: 'The queue', href: `/queues${group.queue_id === undefined ? '' : edit}` };
    case 'farm_cap':
      return { label: 'The farm', href: `/farms?edit=${encodeURIComponent(farm)}` };
    case 'usage_pool':
    case 'usage_pool_missing':
      return {
        label: group.reason === 'usage_pool' ? 'The pool' : 'Usage pools',
        href: `/usage-pools?search=${encodeURIComponent(group.pool ?? '')}`,
      };
    case 'workers':
    case 'cores':
      return { label: 'Workers', href: `/workers?${inFarm}` };
    case 'paused_job':
      return { label: 'Paused jobs', href: `/jobs?status=paused&${inFarm}` };
    case 'retry_after':
    case 'order':
      return null;
  }
}

/** What holds tasks, in some words. */
export const WAITING_WORDS: Readonly<Record<WaitingGroup['reason'], string>> = {
  paused_job: 'Job paused',
  paused_queue: 'Queue paused',
  usage_pool_missing: 'Pool missing',
  workers: 'No fitting worker',
  retry_after: 'Held after failure',
  farm_cap: 'Limit of the farm',
  queue_cap: 'Limit of the queue',
  usage_pool: 'Pool is full',
  cores: 'Waits for cores',
  order: 'Next in turn',
};
