import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { asString, usePreference } from '../../state/use-preference.ts';
import type { Draft } from './model/draft.ts';

/** The draft with its farm and queue: those that were chosen, else those of the last submission, else the only ones. */
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
  const placed = useMemo(() => ({ ...draft, farmId, queueId }), [draft, farmId, queueId]);
  return {
    draft: placed,
    remember: () => {
      setLastFarm(farmId);
      setLastQueue(queueId);
    },
  };
}

/** The first that is wanted and there; else the only one there is. */
function pick(there: readonly string[], wanted: readonly string[]): string {
  const found = wanted.find((id) => there.includes(id));
  return found ?? (there.length === 1 ? (there[0] ?? '') : '');
}
