import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { asString, usePreference } from '../../state/use-preference.ts';
import type { Draft } from './model/draft.ts';

/** Completes the farm and queue of a draft: the chosen ones, else those of the last submission, else the only ones. */
export function useDestination(draft: Draft): { readonly draft: Draft; readonly remember: () => void } {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const [lastFarm, setLastFarm] = usePreference('submit.farm', '', asString);
  const [lastQueue, setLastQueue] = usePreference('submit.queue', '', asString);
  const farmId = pick(
    farms.map(({ id }) => id),
    [draft.farmId, lastFarm],
  );
  const queueId = pick(
    queues.filter((queue) => queue.farm_id === farmId).map(({ id }) => id),
    [draft.queueId, lastQueue],
  );
  const completed = useMemo(() => ({ ...draft, farmId, queueId }), [draft, farmId, queueId]);
  return {
    draft: completed,
    remember: () => {
      setLastFarm(farmId);
      setLastQueue(queueId);
    },
  };
}

/** Returns the first wanted id that exists, else the only id; empty for none. */
function pick(ids: readonly string[], wanted: readonly string[]): string {
  const found = wanted.find((id) => ids.includes(id));
  return found ?? (ids.length === 1 ? (ids[0] ?? '') : '');
}
