import { useQuery } from '@tanstack/react-query';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import { timeSpanField } from '../../state/time-span.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { useUrlState } from '../../state/use-url-state.ts';

const REFRESH_MS = 15_000;
const VIEW = { span: timeSpanField };

/** The open and the latest attempts of a worker, in the chosen time. All parts of the page share one request. */
export function useWorkerAttempts(id: string) {
  const { rest } = useService();
  const [{ span }, setView] = useUrlState(VIEW);
  const refetchInterval = useRefresh(REFRESH_MS);
  const query = useQuery({ ...farmQueries.workerAttempts(rest, id, span), refetchInterval });
  return { ...query, span, setSpan: (next: typeof span) => setView({ span: next }, { replace: true }) };
}
