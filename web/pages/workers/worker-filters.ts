import type { Worker, WorkerStatus } from '../../../client/resources.ts';
import type { QueryOf } from '../../../client/rest-calls.ts';
import { curlOf, shellWord } from '../../parts/shell-words.ts';

/** What the list of workers can be sorted by. */
export const WORKER_SORT_KEYS = [
  'name',
  'hostname',
  'status',
  'compute_location',
  'registered_at',
  'last_heartbeat_at',
] as const;
export type WorkerSortKey = (typeof WORKER_SORT_KEYS)[number];

export const WORKER_STATUSES: readonly WorkerStatus[] = ['online', 'offline', 'disabled'];

/** Which workers are listed; empty texts ask for nothing. */
export interface WorkerFilters {
  readonly status: WorkerStatus | '';
  readonly search: string;
  readonly farm: string;
  readonly queue: string;
  readonly location: string;
  /** `key=value`. */
  readonly tag: string;
}

export interface WorkerListView extends WorkerFilters {
  readonly sort: WorkerSortKey;
  readonly dir: 'asc' | 'desc';
}

export const NO_FILTERS: WorkerFilters = {
  status: '',
  search: '',
  farm: '',
  queue: '',
  location: '',
  tag: '',
};

export const isFiltered = (filters: WorkerFilters): boolean =>
  [filters.status, filters.search, filters.farm, filters.queue, filters.location, filters.tag].some(
    (text) => text !== '',
  );

const given = (text: string): string | undefined => (text === '' ? undefined : text);

/** What the sums are asked with: all but the status. A tag is searched for like the words. */
export const summaryQuery = (filters: WorkerFilters): NonNullable<QueryOf<'get', '/workers'>> => ({
  farm_id: given(filters.farm),
  queue_id: given(filters.queue),
  compute_location: given(filters.location),
  search: given(`${filters.search.trim()} ${filters.tag}`.trim()),
});

/** What the list is asked with, without its window. */
export const listQuery = (view: WorkerListView): NonNullable<QueryOf<'get', '/workers'>> => ({
  ...summaryQuery(view),
  status: view.status === '' ? undefined : view.status,
  sort_by: view.sort,
  sort_dir: view.dir,
});

/** The command that lists the same workers of the service in a shell; null when it has no words for what is asked. */
export function listCommand(view: WorkerListView, url: string): string | null {
  if (view.search.trim() !== '' || view.tag !== '' || view.queue !== '') return null;
  const options = [
    ['--farm', view.farm],
    ['--status', view.status],
    ['--location', view.location],
    ['--sort-by', view.sort],
    ['--sort-dir', view.dir],
    ['--url', url],
  ] as const;
  const given = options.filter(([, value]) => value !== '');
  return ['callsheet', 'workers', ...given.flatMap(([flag, value]) => [flag, shellWord(value)])].join(' ');
}

/** The request that lists the same workers, for curl. */
export const listCurl = (view: WorkerListView, origin: string): string =>
  curlOf(`${origin}/api/v1/workers`, listQuery(view));

/** The tags of a worker as they are shown and searched for, in order. */
export const tagTexts = ({ tags }: Pick<Worker, 'tags'>): readonly string[] =>
  Object.entries(tags)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .sort();

/** The tags that workers have, each once. */
export const offeredTags = (workers: readonly Pick<Worker, 'tags'>[]): readonly string[] =>
  [...new Set(workers.flatMap(tagTexts))].sort();
