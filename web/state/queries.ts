import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { JobRetrySelection, Start } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import type { Rest } from '../../client/rest.ts';
import { readiness } from './service-health.ts';
import { keepWorkerNames } from './worker-names.ts';

/**
 * Requests of the pages, with their cache keys. A key starts with the kind of resource, so that an event can
 * invalidate all queries about it.
 */

/** Entries of a page of the audit log. */
const AUDIT_PAGE = 100;

/** Previews of a page of the contact sheet. */
const PREVIEW_PAGE = 48;

/** Catalogs rarely change; their pages invalidate them after a change. */
const CATALOG_MS = 30_000;

export const queries = {
  principal: (rest: Rest) =>
    queryOptions({
      queryKey: ['principal'],
      queryFn: ({ signal }) => rest.call('get', '/auth/me', { signal }),
      staleTime: 60_000,
    }),
  /** The ways to sign in. */
  providers: (rest: Rest) =>
    queryOptions({
      queryKey: ['providers'],
      queryFn: ({ signal }) => rest.call('get', '/auth/providers', { signal }),
      staleTime: 60_000,
    }),
  /** API keys of the user. */
  apiKeys: (rest: Rest) =>
    queryOptions({
      queryKey: ['api-keys'],
      queryFn: ({ signal }) => rest.call('get', '/api-keys', { signal }),
    }),
  /** The place of a job in its queue, now and with a priority. */
  jobOrder: (rest: Rest, id: string, priority: number) =>
    queryOptions({
      queryKey: ['jobs', 'order', id, priority],
      queryFn: ({ signal }) =>
        rest.call('get', '/jobs/{id}/order', { path: { id }, query: { with_priority: priority }, signal }),
      placeholderData: keepPreviousData,
    }),
  /** Tokens with which workers join. */
  workerTokens: (rest: Rest) =>
    queryOptions({
      queryKey: ['worker-tokens'],
      queryFn: ({ signal }) => rest.call('get', '/worker-tokens', { signal }),
    }),
  /** Webhooks with their state. */
  webhooks: (rest: Rest) =>
    queryOptions({
      queryKey: ['webhooks'],
      queryFn: ({ signal }) => rest.call('get', '/webhooks', { signal }),
      refetchInterval: 5_000,
    }),
  webhookDeliveries: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['webhooks', id, 'deliveries'],
      queryFn: ({ signal }) => rest.call('get', '/webhooks/{id}/deliveries', { path: { id }, signal }),
      refetchInterval: 2_000,
    }),
  /** The server reads their files again on SIGHUP. */
  webhookFormats: (rest: Rest) =>
    queryOptions({
      queryKey: ['webhook-formats'],
      queryFn: ({ signal }) => rest.call('get', '/webhook-formats', { signal }),
      staleTime: CATALOG_MS,
    }),
  /** All accounts. */
  users: (rest: Rest) =>
    queryOptions({
      queryKey: ['users'],
      queryFn: ({ signal }) => rest.call('get', '/users', { signal }),
    }),
  /** API keys of an account. */
  userApiKeys: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['users', id, 'api-keys'],
      queryFn: ({ signal }) => rest.call('get', '/users/{id}/api-keys', { path: { id }, signal }),
    }),
  /** Pages of the audit log, latest first. */
  audit: (rest: Rest, query: QueryOf<'get', '/audit'>) =>
    infiniteQueryOptions({
      queryKey: ['audit', query],
      queryFn: ({ signal, pageParam: before }) =>
        rest.call('get', '/audit', { query: { ...query, limit: AUDIT_PAGE, before }, signal }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => next,
    }),
  version: (rest: Rest) =>
    queryOptions({
      queryKey: ['version'],
      queryFn: ({ signal }) => rest.call('get', '/version', { signal }),
      staleTime: Infinity,
    }),
  /** They change only with a restart of the server. */
  settings: (rest: Rest) =>
    queryOptions({
      queryKey: ['settings'],
      queryFn: ({ signal }) => rest.call('get', '/settings', { signal }),
      staleTime: 60_000,
    }),
  /** Health of the server and the bus. */
  /** The nodes of the cluster; fails on a single node. */
  cluster: (rest: Rest) =>
    queryOptions({
      queryKey: ['cluster'],
      queryFn: ({ signal }) => rest.call('get', '/cluster', { signal }),
      refetchInterval: 2_000,
    }),
  readiness: (rest: Rest) =>
    queryOptions({
      queryKey: ['readiness'],
      queryFn: ({ signal }) => readiness(rest.base, signal),
      retry: false,
    }),
  /** Number of workers and jobs. */
  presence: (rest: Rest) =>
    queryOptions({
      queryKey: ['presence'],
      queryFn: async ({ signal }): Promise<Start['presence']> =>
        (await rest.call('get', '/start', { signal })).presence,
    }),
  stats: (rest: Rest) =>
    queryOptions({
      queryKey: ['stats'],
      queryFn: ({ signal }) => rest.call('get', '/stats', { signal }),
      refetchInterval: 5_000,
    }),

  farms: (rest: Rest) =>
    queryOptions({
      queryKey: ['farms'],
      queryFn: ({ signal }) => rest.call('get', '/farms', { signal }),
      staleTime: CATALOG_MS,
    }),
  /** All queues: a farm has a few dozen, and many pages show their names. */
  queues: (rest: Rest) =>
    queryOptions({
      queryKey: ['queues'],
      queryFn: async ({ signal }) =>
        (await rest.call('get', '/queues', { query: { limit: 1000 }, signal })).items,
      staleTime: CATALOG_MS,
    }),
  /** Environments of a queue in the order in which they are entered. */
  queueEnvironments: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['queues', 'environments', id],
      queryFn: ({ signal }) => rest.call('get', '/queues/{id}/environments', { path: { id }, signal }),
      staleTime: CATALOG_MS,
    }),
  /** All queues with their jobs and tasks. */
  queueSummaries: (rest: Rest) =>
    queryOptions({
      queryKey: ['queues', 'summary'],
      queryFn: async ({ signal }) =>
        (await rest.call('get', '/queues', { query: { limit: 1000, summary: true }, signal })).items,
    }),
  computeLocations: (rest: Rest) =>
    queryOptions({
      queryKey: ['compute-locations'],
      queryFn: ({ signal }) => rest.call('get', '/compute-locations', { signal }),
      staleTime: CATALOG_MS,
    }),
  storageLocations: (rest: Rest) =>
    queryOptions({
      queryKey: ['storage-locations'],
      queryFn: ({ signal }) => rest.call('get', '/storage-locations', { signal }),
      staleTime: CATALOG_MS,
    }),
  usagePools: (rest: Rest) =>
    queryOptions({
      queryKey: ['usage-pools'],
      queryFn: ({ signal }) => rest.call('get', '/usage-pools', { signal }),
      staleTime: 2_000,
    }),
  /** The tasks that hold and want slots of a usage pool. */
  usagePoolUse: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['usage-pools', id, 'use'],
      queryFn: ({ signal }) => rest.call('get', '/usage-pools/{id}/use', { path: { id }, signal }),
    }),

  jobSummary: (rest: Rest, query: QueryOf<'get', '/jobs/summary'>) =>
    queryOptions({
      queryKey: ['jobs', 'summary', query],
      queryFn: ({ signal }) => rest.call('get', '/jobs/summary', { query, signal }),
      placeholderData: keepPreviousData,
    }),
  job: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['jobs', 'one', id],
      queryFn: ({ signal }) => rest.call('get', '/jobs/{id}', { path: { id }, signal }),
    }),
  /** The tasks and jobs that a retry with dependents would change. */
  retryPreview: (rest: Rest, id: string, body: JobRetrySelection) =>
    queryOptions({
      queryKey: ['jobs', 'one', id, 'retry', body],
      queryFn: ({ signal }) =>
        rest.call('post', '/jobs/{id}/retry', {
          path: { id },
          query: { with_dependents: true, dry_run: true },
          body,
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  /** The jobs that are connected to a job by dependencies. */
  jobGraph: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['jobs', 'one', id, 'graph'],
      queryFn: ({ signal }) => rest.call('get', '/jobs/{id}/graph', { path: { id }, signal }),
    }),
  /** With the paths at a compute location; as given for an empty `place`. */
  jobOutputs: (rest: Rest, id: string, place: string) =>
    queryOptions({
      queryKey: ['jobs', 'one', id, 'outputs', place],
      queryFn: ({ signal }) =>
        rest.call('get', '/jobs/{id}/outputs', {
          path: { id },
          query: { limit: 1000, ...(place !== '' && { compute_location: place }) },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  /** The previews of outputs, with the images, in pages. Events do not invalidate it: a page is large. */
  jobPreviews: (rest: Rest, id: string) =>
    infiniteQueryOptions({
      queryKey: ['jobs', 'previews', id],
      queryFn: ({ pageParam: after, signal }) =>
        rest.call('get', '/jobs/{id}/previews', {
          path: { id },
          query: { limit: PREVIEW_PAGE, ...(after !== '' && { after }) },
          signal,
        }),
      initialPageParam: '',
      getNextPageParam: ({ next }) => next,
    }),
  /** Outputs change when an attempt ends, so `changedAt` (`updated_at` of the task) is part of the key. */
  taskOutputs: (rest: Rest, id: string, changedAt: string, place: string) =>
    queryOptions({
      queryKey: ['tasks', 'outputs', id, changedAt, place],
      queryFn: ({ signal }) =>
        rest.call('get', '/tasks/{id}/outputs', {
          path: { id },
          query: { limit: 1000, ...(place !== '' && { compute_location: place }) },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  /** Environment templates that a job was submitted with. */
  jobEnvironments: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['jobs', 'sent-environments', id],
      queryFn: ({ signal }) => rest.call('get', '/jobs/{id}/environments', { path: { id }, signal }),
      staleTime: Infinity,
    }),
  template: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['jobs', 'template', id],
      queryFn: ({ signal }) => rest.text('/jobs/{id}/template', { path: { id }, signal }),
      staleTime: Infinity,
    }),
  /** Grid of one step, by its name. */
  taskGrid: (rest: Rest, id: string, step: string) =>
    queryOptions({
      queryKey: ['jobs', 'one', id, 'grid', step],
      queryFn: ({ signal }) =>
        rest.call('get', '/jobs/{id}/task-grid', { path: { id }, query: { step }, signal }),
    }),
  jobFailures: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['jobs', 'one', id, 'failures'],
      queryFn: async ({ signal, client }) => {
        const failures = await rest.call('get', '/jobs/{id}/failures', { path: { id }, signal });
        keepWorkerNames(client, failures.workers);
        return failures;
      },
    }),

  /** With its details. */
  task: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['tasks', 'one', id],
      queryFn: async ({ signal, client }) => {
        const task = await rest.call('get', '/tasks/{id}', {
          path: { id },
          query: { details: true },
          signal,
        });
        keepWorkerNames(client, task.details?.workers ?? []);
        return task;
      },
    }),
  explanation: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['tasks', 'one', id, 'explain'],
      queryFn: ({ signal }) => rest.call('get', '/tasks/{id}/explain', { path: { id }, signal }),
    }),

  /** First 1,000 workers, for names and to tell whether there are any. */
  workers: (rest: Rest) =>
    queryOptions({
      queryKey: ['workers', 'first'],
      queryFn: ({ signal }) => rest.call('get', '/workers', { query: { limit: 1000 }, signal }),
      staleTime: 10_000,
    }),
  worker: (rest: Rest, id: string) =>
    queryOptions({
      queryKey: ['workers', 'one', id],
      queryFn: ({ signal }) =>
        rest.call('get', '/workers/{id}', { path: { id }, query: { history: true }, signal }),
    }),
};
