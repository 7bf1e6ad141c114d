import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { WorkerSummary } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import type { Rest } from '../../client/rest.ts';
import { workerComponent } from './worker-component.ts';

/** What is asked of a farm and its workers over time. */
export const farmQueries = {
  /** `stepMinutes` is what one point stands for. */
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
  waiting: (rest: Rest, farm: string) =>
    queryOptions({
      queryKey: ['stats', 'waiting', farm],
      queryFn: ({ signal }) => rest.call('get', '/stats/waiting', { query: { farm_id: farm }, signal }),
    }),
  /** Jobs with failures or held back, those that changed last first. */
  troubledJobs: (rest: Rest, farm: string) =>
    queryOptions({
      queryKey: ['jobs', 'troubled', farm],
      queryFn: async ({ signal }) => {
        const newest = { farm_id: farm, sort_by: 'updated_at', sort_dir: 'desc', limit: 100 } as const;
        // Asked for apart: where hundreds run, those that have ended would not be among the newest.
        const [ended, running] = await Promise.all([
          rest.call('get', '/jobs', { query: { ...newest, status: ['failed', 'paused'] }, signal }),
          rest.call('get', '/jobs', { query: { ...newest, status: ['running'] }, signal }),
        ]);
        return [...ended.items, ...running.items];
      },
    }),
  /** They change with the number of tasks that have failed. */
  jobFailures: (rest: Rest, id: string, failed: number) =>
    queryOptions({
      queryKey: ['jobs', 'one', id, 'failures', String(failed)],
      queryFn: ({ signal }) => rest.call('get', '/jobs/{id}/failures', { path: { id }, signal }),
      staleTime: 10_000,
    }),
  /** Of the workers that a filter lets through: one row, for the sums. */
  workerSummary: (rest: Rest, query: NonNullable<QueryOf<'get', '/workers'>>) =>
    queryOptions({
      queryKey: ['workers', 'summary', query],
      queryFn: async ({ signal }): Promise<WorkerSummary> => {
        const { summary } = await rest.call('get', '/workers', {
          query: { ...query, summary: true, limit: 1 },
          signal,
        });
        if (summary === undefined) throw new Error('The service is older than this page: load it anew.');
        return summary;
      },
      placeholderData: keepPreviousData,
    }),
  workerHistory: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['workers', 'one', id, 'history'],
      queryFn: ({ signal }) => rest.call('get', '/workers/{id}/history', { path: { id }, signal }),
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
