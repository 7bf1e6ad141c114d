import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { DiagnosticRecord } from '../../../client/resources.ts';
import { useEvents } from '../../state/use-events.ts';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { useService } from '../../state/service.tsx';
import { mergeRecords, recordOf } from './records.ts';

const KEY = ['diagnostics'];

/** Returns the stored records and the records that follow them, live. */
export function useRecords() {
  const { rest } = useService();
  const client = useQueryClient();
  const { isOpen, began } = useFirstLoad(1);
  const query = useQuery({
    queryKey: KEY,
    enabled: isOpen,
    queryFn: async ({ signal }): Promise<readonly DiagnosticRecord[]> => {
      const { records } = await rest.call('get', '/diagnostics/logs', { query: { limit: 1000 }, signal });
      return mergeRecords(client.getQueryData<readonly DiagnosticRecord[]>(KEY) ?? [], records);
    },
    staleTime: Infinity,
  });
  useEvents(
    'diagnostics',
    (events) =>
      client.setQueryData<readonly DiagnosticRecord[]>(KEY, (known) =>
        known === undefined
          ? known
          : mergeRecords(
              known,
              events.map(({ payload }) => recordOf(payload)),
            ),
      ),
    (reason) => {
      if (reason === 'lost' || began()) void client.invalidateQueries({ queryKey: KEY });
    },
  );
  return query;
}
