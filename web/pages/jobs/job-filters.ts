import type { JobStatus } from '../../../client/resources.ts';
import type { QueryOf } from '../../../client/rest-calls.ts';
import { curlOf, shellWord } from '../../parts/shell-words.ts';

/** What the list of jobs can be sorted by. */
export const JOB_SORT_KEYS = ['created_at', 'updated_at', 'name', 'priority', 'status'] as const;
export type JobSortKey = (typeof JOB_SORT_KEYS)[number];

/** Which jobs are listed; empty texts ask for nothing. */
export interface JobFilters {
  /** Any of them; none: all. */
  readonly status: readonly JobStatus[];
  readonly search: string;
  readonly farm: string;
  readonly queue: string;
  readonly owner: string;
  readonly project: string;
}

export interface JobListView extends JobFilters {
  readonly sort: JobSortKey;
  readonly dir: 'asc' | 'desc';
}

export const NO_FILTERS: JobFilters = { status: [], search: '', farm: '', queue: '', owner: '', project: '' };

export const isFiltered = (filters: JobFilters): boolean =>
  filters.status.length > 0 ||
  [filters.search, filters.farm, filters.queue, filters.owner, filters.project].some((text) => text !== '');

const given = (text: string): string | undefined => (text === '' ? undefined : text);

/** What the counts by status are asked with: all but the status. */
export const summaryQuery = (filters: JobFilters): NonNullable<QueryOf<'get', '/jobs/summary'>> => ({
  search: given(filters.search.trim()),
  farm_id: given(filters.farm),
  queue_id: given(filters.queue),
  owner: given(filters.owner),
  project: given(filters.project),
});

/** What the list is asked with, without its window. */
export const listQuery = (view: JobListView): NonNullable<QueryOf<'get', '/jobs'>> => ({
  ...summaryQuery(view),
  status: view.status.length === 0 ? undefined : view.status,
  sort_by: view.sort,
  sort_dir: view.dir,
});

/** Names of what a command takes by its name. */
export interface FilterNames {
  readonly farm: string | undefined;
  readonly queue: string | undefined;
}

/** The command that lists the same jobs of the service in a shell. */
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
  add('--search', view.search.trim());
  add('--sort-by', view.sort);
  add('--sort-dir', view.dir);
  add('--url', url);
  return words.join(' ');
}

/** The request that lists the same jobs, for curl. */
export function listCurl(view: JobListView, origin: string): string {
  return curlOf(`${origin}/api/v1/jobs`, listQuery(view));
}
