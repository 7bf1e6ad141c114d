import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useService } from '../state/service.tsx';

/** Loads what is shown anew when the service is back after it was away: what failed meanwhile, and what may have changed. */
export function useRefreshOnReturn(): void {
  const { events } = useService();
  const client = useQueryClient();
  useEffect(() => {
    let wasAway = false;
    return events.onState(() => {
      const { kind } = events.state;
      if (kind === 'waiting' || kind === 'closed') wasAway = true;
      if (kind !== 'live' || !wasAway) return;
      wasAway = false;
      void client.invalidateQueries();
    });
  }, [events, client]);
}
