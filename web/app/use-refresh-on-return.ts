import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useService } from '../state/service.tsx';

/** Reloads all queries when the connection returns. */
export function useRefreshOnReturn(): void {
  const { events } = useService();
  const client = useQueryClient();
  useEffect(() => {
    let wasDisconnected = false;
    return events.onState(() => {
      const { kind } = events.state;
      if (kind === 'waiting' || kind === 'closed') wasDisconnected = true;
      if (kind !== 'live' || !wasDisconnected) return;
      wasDisconnected = false;
      void client.invalidateQueries();
    });
  }, [events, client]);
}
