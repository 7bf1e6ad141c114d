import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { WorkerSummary } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import type { Rest } from '../../client/rest.ts';
import { queries } from './queries.ts';
import { startOfSpan, type TimeSpan } from './time-span.ts';
import { keepWorkerNames } from './worker-names.ts';
import { workerComponent } from './worker-component.ts';

/** Maximum number of closed attempts in the timeline of a worker. */
export const WORKER_ATTEMPTS_MAX = 1_000;
/** Maximum number of workers in the timeline of a farm. */
export const FARM_TIMELINE_WORKERS = 50;

/** Length of the history from which the status of a farm and its numbers come. */
export const HOUR_MINUTES = 60;

/** Queries about a farm and its workers over time. */
export const farmQueries = {
  /**
   * Loads the parts of an overview with one request into the cache of their own queries. They are loaded separately if it
   * fails, and later.
   */
  overview: (rest: Rest, farm: string, minutes: number, stepMinutes: number) =>
    queryOptions({
      queryKey: ['stats', 'overview', farm],
      queryFn: async ({ signal, client }) => {
        const query = { farm_id: farm, minutes, step_minutes: stepMinutes };
        const parts = await rest.call('get', '/stats/overview', { query, signal });
        client.setQueryData(farmQueries.history(rest, farm, minutes, stepMinutes).queryKey, parts.history);
        client.setQueryData(farmQueries.history(rest, farm, HOUR_MINUTES, 1).queryKey, parts.hour);
        client.setQueryData(farmQueries.waiting(rest, farm).queryKey, parts.waiting);
        client.setQueryData(farmQueries.workerSummary(rest, { farm_id: farm }).queryKey, parts.workers);
        client.setQueryData(queries.jobSummary(rest, { farm_id: farm }).queryKey, parts.jobs);
        return null;
      },
      retry: false,
      staleTime: Infinity,
      gcTime: 0,
    }),
  /** `stepMinutes` is the interval of one data point. */
  history: (rest: Rest, farm: string, minutes: number, stepMinutes: number) =>
    queryOptions({
      queryKey: ['stats', 'history', farm, minutes, stepMinutes],
      queryFn: ({ signal }) =>
        rest.call('get', '/stats/history', {
          query: { farm_id: farm, minutes, step_minutes: stepMinutes },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  /** Pools and locations that are held because tasks of several jobs failed there. */
  outages: (rest: Rest, farm: string) =>
    queryOptions({
      queryKey: ['stats', 'outages', farm],
      queryFn: ({ signal }) => rest.call('get', '/farms/{id}/outages', { path: { id: farm }, signal }),
    }),
  waiting: (rest: Rest, farm: string) =>
    queryOptions({
      queryKey: ['stats', 'waiting', farm],
      queryFn: ({ signal }) => rest.call('get', '/stats/waiting', { query: { farm_id: farm }, signal }),
    }),
  /** Running jobs, and failed or paused ones, most recently changed first. */
  troubledJobs: (rest: Rest, farm: string) =>
    queryOptions({
      queryKey: ['jobs', 'troubled', farm],
      queryFn: async ({ signal }) => {
        const newest = { farm_id: farm, sort_by: 'updated_at', sort_dir: 'desc', limit: 100 } as const;
        // Two requests, because many running jobs would push the ended ones off the first page.
        const [ended, running] = await Promise.all([
          rest.call('get', '/jobs', { query: { ...newest, status: ['failed', 'paused'] }, signal }),
          rest.call('get', '/jobs', { query: { ...newest, status: ['running'] }, signal }),
        ]);
        return [...ended.items, ...running.items];
      },
    }),
  /** Cached per number of failed tasks, because the failures change with it. */
  jobFailures: (rest: Rest, id: string, failed: number) =>
    queryOptions({
      queryKey: ['jobs', 'one', id, 'failures', String(failed)],
      queryFn: async ({ signal, client }) => {
        const failures = await rest.call('get', '/jobs/{id}/failures', { path: { id }, signal });
        keepWorkerNames(client, failures.workers);
        return failures;
      },
      staleTime: 10_000,
    }),
  /** Sums over all workers that match the filter. Requests only one row. */
  workerSummary: (rest: Rest, query: NonNullable<QueryOf<'get', '/workers'>>) =>
    queryOptions({
      queryKey: ['workers', 'summary', query],
      queryFn: async ({ signal }): Promise<WorkerSummary> => {
        const { summary } = await rest.call('get', '/workers', {
          query: { ...query, summary: true, limit: 1 },
          signal,
        });
        if (summary === undefined)
          throw new Error('The server runs an older version than this page. Reload the page.');
        return summary;
      },
      placeholderData: keepPreviousData,
    }),
  workerAttempts: (rest: Rest, id: string, span: TimeSpan) =>
    queryOptions({
      queryKey: ['workers', 'one', id, 'attempts', span],
      queryFn: ({ signal }) =>
        rest.call('get', '/workers/{id}/attempts', {
          path: { id },
          query: { since: startOfSpan(span, Date.now()), limit: WORKER_ATTEMPTS_MAX },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  farmAttempts: (rest: Rest, farm: string, span: TimeSpan, offset: number) =>
    queryOptions({
      queryKey: ['workers', 'timeline', farm, span, offset],
      queryFn: ({ signal }) =>
        rest.call('get', '/farms/{id}/attempts', {
          path: { id: farm },
          query: {
            since: startOfSpan(span, Date.now()),
            offset,
            limit: FARM_TIMELINE_WORKERS,
            per_worker: 100,
          },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  workerLog: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['workers', 'one', id, 'log'],
      queryFn: async ({ signal }) =>
        (
          await rest.call('get', '/diagnostics/logs', {
            query: { component: workerComponent(id), limit: 12 },
            signal,
          })
        ).records,
    }),
};
