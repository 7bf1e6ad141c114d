import type { JobStatus } from '../../../client/resources.ts';
import type { QueryOf } from '../../../client/rest-calls.ts';
import { curlOf, shellWord } from '../../parts/shell-words.ts';
import { optionalText } from '../list/list-query.ts';

/** Sort keys of the list of jobs. */
export const JOB_SORT_KEYS = ['created_at', 'updated_at', 'name', 'priority', 'status'] as const;
export type JobSortKey = (typeof JOB_SORT_KEYS)[number];

/** Filters of the list of jobs. An empty text does not filter. */
export interface JobFilters {
  /** Jobs with one of these statuses; empty: all jobs. */
  readonly status: readonly JobStatus[];
  readonly search: string;
  readonly farm: string;
  readonly queue: string;
  readonly owner: string;
  readonly project: string;
  /** Name of the product that the jobs were submitted from. */
  readonly product: string;
}

export interface JobListView extends JobFilters {
  readonly sort: JobSortKey;
  readonly dir: 'asc' | 'desc';
}

export const NO_FILTERS: JobFilters = {
  status: [],
  search: '',
  farm: '',
  queue: '',
  owner: '',
  project: '',
  product: '',
};

export const isFiltered = (filters: JobFilters): boolean =>
  filters.status.length > 0 ||
  [filters.search, filters.farm, filters.queue, filters.owner, filters.project, filters.product].some(
    (text) => text !== '',
  );

/** Returns the filters of the list except the status: those of its counts by status. */
export const filterQuery = (filters: JobFilters): NonNullable<QueryOf<'get', '/jobs'>> => ({
  search: optionalText(filters.search.trim()),
  farm_id: optionalText(filters.farm),
  queue_id: optionalText(filters.queue),
  owner: optionalText(filters.owner),
  project: optionalText(filters.project),
  product: optionalText(filters.product),
});

/** Returns the query of the list without offset and limit. */
export const listQuery = (view: JobListView): NonNullable<QueryOf<'get', '/jobs'>> => ({
  ...filterQuery(view),
  status: view.status.length === 0 ? undefined : view.status,
  sort_by: view.sort,
  sort_dir: view.dir,
});

/** Names of the farm and the queue, which a command takes by name. */
export interface FilterNames {
  readonly farm: string | undefined;
  readonly queue: string | undefined;
}

/** Returns the shell command that lists the same jobs. `url` is the address of the server. */
export function listCommand(view: JobListView, names: FilterNames, url: string): string {
  const words = ['callsheet', 'jobs'];
  const add = (flag: string, value: string): void => {
    if (value !== '') words.push(flag, shellWord(value));
  };
  if (view.status.length > 0) words.push('--status', ...view.status);
  add('--farm', names.farm ?? view.farm);
  add('--queue', names.queue ?? view.queue);
  add('--owner', view.owner);
  add('--project', view.project);
  add('--product', view.product);
  add('--search', view.search.trim());
  add('--sort-by', view.sort);
  add('--sort-dir', view.dir);
  add('--url', url);
  return words.join(' ');
}

/** Returns the curl command that requests the same jobs. */
export function listCurl(view: JobListView, origin: string): string {
  return curlOf(`${origin}/api/v1/jobs`, listQuery(view));
}
