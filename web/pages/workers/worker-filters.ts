import type { Worker, WorkerStatus } from '../../../client/resources.ts';
import type { QueryOf } from '../../../client/rest-calls.ts';
import { curlOf, shellWord } from '../../parts/shell-words.ts';
import { optionalText } from '../list/list-query.ts';

/** Sort keys of the list of workers. */
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

/** Filters of the list of workers. An empty text does not filter. */
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

/** Returns the query of the summary: all filters except the status. The server searches for a tag like for words. */
export const summaryQuery = (filters: WorkerFilters): NonNullable<QueryOf<'get', '/workers'>> => ({
  farm_id: optionalText(filters.farm),
  queue_id: optionalText(filters.queue),
  compute_location: optionalText(filters.location),
  search: optionalText(`${filters.search.trim()} ${filters.tag}`.trim()),
});

/** Returns the query of the list without offset and limit. */
export const listQuery = (view: WorkerListView): NonNullable<QueryOf<'get', '/workers'>> => ({
  ...summaryQuery(view),
  status: view.status === '' ? undefined : view.status,
  sort_by: view.sort,
  sort_dir: view.dir,
});

/** Returns the shell command that lists the same workers; null if the command has no option for one of the filters. */
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
  const used = options.filter(([, value]) => value !== '');
  return ['callsheet', 'workers', ...used.flatMap(([flag, value]) => [flag, shellWord(value)])].join(' ');
}

/** Returns the curl command that requests the same workers. */
export const listCurl = (view: WorkerListView, origin: string): string =>
  curlOf(`${origin}/api/v1/workers`, listQuery(view));

/** Formats the tags of a worker for display and search, sorted. */
export const tagTexts = ({ tags }: Pick<Worker, 'tags'>): readonly string[] =>
  Object.entries(tags)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .sort();

/** Returns all tags of the workers, sorted, without duplicates. */
export const offeredTags = (workers: readonly Pick<Worker, 'tags'>[]): readonly string[] =>
  [...new Set(workers.flatMap(tagTexts))].sort();
