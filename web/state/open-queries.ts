import { QueryClient, type FetchQueryOptions, type QueryKey } from '@tanstack/react-query';
import { ProblemError } from '../../client/problem.ts';
import type { Start } from '../../client/resources.ts';
import type { Rest } from '../../client/rest.ts';
import { queries } from './queries.ts';

const RETRIES_MAX = 2;

/** Retries requests that got no answer or a server error; the server's refusals are final. */
const isWorthRetrying = (failures: number, error: unknown): boolean =>
  failures < RETRIES_MAX && !(error instanceof ProblemError && error.status < 500);

/**
 * Returns the cache of a page, and loads into it what every page needs, with one request (`GET /start`). Components that
 * need a part meanwhile wait for that response. Parts that it lacks, and all later loads, have requests of their own.
 */
export function openQueries(rest: Rest): QueryClient {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 2_000 } },
  });
  const start: Promise<Partial<Start>> = rest.call('get', '/start').catch(
    // The requests for the parts show why.
    () => ({}),
  );
  function load<Data, Key extends QueryKey>(
    options: FetchQueryOptions<Data, Error, Data, Key>,
    partOf: (answer: Partial<Start>) => Data | undefined,
  ): void {
    const { queryFn } = options;
    if (typeof queryFn !== 'function') throw new Error('a part of the start has no request of its own');
    void client.prefetchQuery({
      ...options,
      queryFn: async (context) => partOf(await start) ?? queryFn(context),
    });
  }
  load(queries.principal(rest), ({ principal }) => principal);
  load(queries.settings(rest), ({ settings }) => settings);
  load(queries.readiness(rest), ({ readiness }) => readiness);
  load(queries.farms(rest), ({ farms }) => farms);
  load(queries.queues(rest), ({ queues }) => queues);
  load(queries.computeLocations(rest), ({ compute_locations: locations }) => locations);
  load(queries.presence(rest), ({ presence }) => presence);
  return client;
}
