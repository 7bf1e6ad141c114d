import { isUuid } from '../../src/core/ids.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import type { Farm, Job, Page, Queue, Step, Task, Worker } from '../../client/resources.ts';
import type { RestClient } from './rest-client.ts';
import { formatAge } from '../output/age.ts';

/**
 * Finds resources by id, by name, or by the unique beginning of an id. Ambiguous input is an error, and nothing is
 * changed.
 */

const PAGE_MAX = 1000;
/** Minimum length of the beginning of an id. A shorter one is probably a typing error. */
const PREFIX_MIN = 4;
/** Maximum number of pages of jobs that a search by name reads. Enough unless thousands of jobs contain its words. */
const SEARCH_PAGES_MAX = 20;
/** Maximum number of candidates that an error lists. */
const CANDIDATES_MAX = 10;

/** Maximum number of names that one command requests by id. */
const NAMES_MAX = 20;
/** Maximum number of workers whose names are requested one by one. */
const NAMED_EACH_MAX = 4;

interface Named {
  readonly id: string;
  readonly name: string;
  readonly status?: string;
  readonly created_at?: string;
}

/** Requests one page of a list. */
export type PageRequest<Item> = (paging: {
  readonly limit: number;
  readonly offset: number;
}) => Promise<Page<Item>>;

/** Returns all items of a paged list from an offset on. */
export async function allPages<Item>(page: PageRequest<Item>, offset = 0): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const { items: more, total } = await page({ limit: PAGE_MAX, offset: offset + items.length });
    items.push(...more);
    if (more.length === 0 || offset + items.length >= total) return items;
  }
}

/** Returns all items of a list whose pages name the cursor of the next one. */
export async function allAfter<Item>(
  page: (
    after: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly next?: string | undefined }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const { items: more, next } = await page(after);
    items.push(...more);
    after = next;
  } while (after !== undefined);
  return items;
}

export const allFarms = (client: RestClient): Promise<readonly Farm[]> => client.call('get', '/farms');

export const allQueues = (client: RestClient, farmId?: string): Promise<Queue[]> =>
  allPages((paging) => client.call('get', '/queues', { query: { farm_id: farmId, ...paging } }));

/** Returns the queues with their jobs and tasks. */
export const allQueuesWithLoad = (client: RestClient, farmId?: string): Promise<Queue[]> =>
  allPages((paging) =>
    client.call('get', '/queues', { query: { farm_id: farmId, summary: true, ...paging } }),
  );

export const allWorkers = (client: RestClient, farmId?: string): Promise<Worker[]> =>
  allPages((paging) => client.call('get', '/workers', { query: { farm_id: farmId, ...paging } }));

/** Requests that read one resource with a name. */
const READ_NAMED = {
  farm: (client: RestClient, id: string) => client.call('get', '/farms/{id}', { path: { id } }),
  job: (client: RestClient, id: string) => client.call('get', '/jobs/{id}', { path: { id } }),
  queue: (client: RestClient, id: string) => client.call('get', '/queues/{id}', { path: { id } }),
  worker: (client: RestClient, id: string) => client.call('get', '/workers/{id}', { path: { id } }),
};

/** Returns the name of a farm, job, queue or worker; its id if it was deleted. */
export async function nameOf(client: RestClient, kind: keyof typeof READ_NAMED, id: string): Promise<string> {
  try {
    const { name } = await READ_NAMED[kind](client, id);
    return name;
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.notFound) return id;
    throw error;
  }
}

/** Returns the names of jobs or workers by id, each requested once; without those above `NAMES_MAX`. */
export async function namesOf(
  client: RestClient,
  kind: 'job' | 'worker',
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(ids)].slice(0, NAMES_MAX);
  return new Map(await Promise.all(asked.map(async (id) => [id, await nameOf(client, kind, id)] as const)));
}

/** Returns the names of workers by id: of few by a request each, of many from the list of workers. */
export async function workerNames(
  client: RestClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (new Set(ids).size <= NAMED_EACH_MAX) return namesOf(client, 'worker', ids);
  return new Map((await allWorkers(client)).map(({ id, name }) => [id, name]));
}

export async function findFarm(client: RestClient, given: string): Promise<Farm> {
  return findIn(await allFarms(client), given, 'farm');
}

/** Returns the given farm, or undefined if none was given. */
export const findGivenFarm = async (
  client: RestClient,
  given: string | undefined,
): Promise<Farm | undefined> => (given === undefined ? undefined : findFarm(client, given));

/** Returns the given queue of a farm. */
export async function findQueue(client: RestClient, farm: Farm, given: string): Promise<Queue> {
  return findIn(await allQueues(client, farm.id), given, 'queue', ` in the farm ${farm.name}`);
}

/** Returns the given worker, in a farm if one is given. Names of workers are unique in a farm only. */
export async function findWorker(client: RestClient, given: string, farm?: Farm): Promise<Worker> {
  return findIn(await allWorkers(client, farm?.id), given, 'worker');
}

/**
 * Returns the item with the given id, name or beginning of an id. An id takes precedence over an equal name, and a name
 * over the beginning of an id. Throws if no item or several items match.
 */
export function findIn<Item extends Named>(
  items: readonly Item[],
  given: string,
  what: string,
  where = '',
): Item {
  const found = meant(items, given);
  const [item, another] = found;
  if (item === undefined) {
    throw new CommandError(EXIT.notFound, `there is no ${what} ${JSON.stringify(given)}${where}`);
  }
  if (another !== undefined) throw ambiguous(found, given, what);
  return item;
}

function meant<Item extends Named>(items: readonly Item[], given: string): readonly Item[] {
  const withId = items.filter(({ id }) => id === given);
  if (withId.length > 0) return withId;
  const withName = items.filter(({ name }) => name === given);
  if (withName.length > 0) return withName;
  return items.filter(({ id }) => hasPrefix(id, given));
}

const hasPrefix = (id: string, given: string): boolean =>
  given.length >= PREFIX_MIN && id.startsWith(given.toLowerCase());

/** What tells apart items with one name: `  failed, created 3h ago`; empty if neither is known. */
function detailsOf({ status, created_at: created }: Named): string {
  const details = [
    ...(status === undefined ? [] : [status]),
    ...(created === undefined ? [] : [`created ${formatAge(created, Date.now())} ago`]),
  ];
  return details.length === 0 ? '' : `  ${details.join(', ')}`;
}

function ambiguous(found: readonly Named[], given: string, what: string): CommandError {
  const shown = found.slice(0, CANDIDATES_MAX).map((item) => `  ${item.id}  ${item.name}${detailsOf(item)}`);
  if (found.length > CANDIDATES_MAX) shown.push('  ...');
  return new CommandError(
    EXIT.usage,
    [`${JSON.stringify(given)} matches several ${what}s; use one of these ids:`, ...shown].join('\n'),
  );
}

/**
 * Returns the id of the given job, in a farm if one is given. Does not check that a complete id exists: the request
 * that uses it does.
 */
export async function findJob(client: RestClient, given: string, farmId?: string): Promise<string> {
  const id = given.toLowerCase();
  if (isUuid(id)) return id;
  return findIn(await jobsLike(client, given, farmId), given, 'job').id;
}

/**
 * Returns jobs with this name, or with an id that begins with the text. Reads the newest first: jobs that arrive
 * between two pages then repeat items, but hide none.
 */
async function jobsLike(client: RestClient, given: string, farmId: string | undefined): Promise<Job[]> {
  const found = new Map<string, Job>();
  if (given.trim() === '') return [];
  for (let page = 0; page < SEARCH_PAGES_MAX; page++) {
    const { items, total } = await client.call('get', '/jobs', {
      query: {
        search: given,
        farm_id: farmId,
        sort_by: 'created_at',
        sort_dir: 'desc',
        limit: PAGE_MAX,
        offset: page * PAGE_MAX,
      },
    });
    for (const job of items) if (meant([job], given).length > 0) found.set(job.id, job);
    if (items.length === 0 || (page + 1) * PAGE_MAX >= total) return [...found.values()];
  }
  throw new CommandError(EXIT.usage, `too many jobs match ${JSON.stringify(given)}; give an id`);
}

/**
 * `JOB/STEP` or `JOB/STEP/INDEX`. Job names may contain slashes; a step whose name contains one needs the id of the
 * task.
 */
const IN_JOB = /^(?<job>.+?)\/(?<step>[^/]+?)(?:\/(?<index>[0-9]{1,10}))?$/s;

/** Returns the parts of `JOB/STEP` or `JOB/STEP/INDEX`; null for another text. */
export function inJob(
  given: string,
): { readonly job: string; readonly step: string; readonly index: string | undefined } | null {
  const { job, step, index } = IN_JOB.exec(given)?.groups ?? {};
  return job === undefined || step === undefined ? null : { job, step, index };
}

/**
 * Returns the id of the given task: an id, or job, step and index in the step. The index starts at 0 and may be omitted
 * if there is only one task.
 */
export async function findTask(client: RestClient, given: string): Promise<string> {
  const place = inJob(given);
  if (place === null) return given;
  const { job, step, index } = place;
  const { id, steps } = await client.call('get', '/jobs/{id}', { path: { id: await findJob(client, job) } });
  const at = steps.findIndex(({ name }) => name === step);
  const found = steps[at];
  if (found === undefined) {
    throw noStep(step, steps);
  }
  const tasks = found.task_counts.total;
  if (index === undefined && tasks !== 1) {
    throw new CommandError(
      EXIT.usage,
      `the step ${step} has ${tasks} tasks: give ${given}/0 to ${given}/${tasks - 1}`,
    );
  }
  const task =
    Number(index ?? 0) < tasks
      ? await taskAt(client, id, tasksIn(steps.slice(0, at)) + Number(index ?? 0))
      : undefined;
  if (task !== undefined) return task.id;
  throw new CommandError(EXIT.notFound, `the step ${step} has no task ${index}: it has ${tasks}, from 0`);
}

/** Returns the error for a step that the job does not have, with those that it has. */
export const noStep = (given: string, steps: readonly Pick<Step, 'name'>[]): CommandError =>
  new CommandError(
    EXIT.notFound,
    `the job has no step ${JSON.stringify(given)}: its steps are ${steps.map(({ name }) => name).join(', ')}`,
  );

const tasksIn = (steps: readonly Step[]): number =>
  steps.reduce((sum, { task_counts: counts }) => sum + counts.total, 0);

/** Returns the task at a position of a job. Tasks are created in the order of the steps. */
async function taskAt(client: RestClient, id: string, offset: number): Promise<Task | undefined> {
  const { items } = await client.call('get', '/jobs/{id}/tasks', {
    path: { id },
    query: { sort_by: 'created_at', limit: 1, offset },
  });
  return items[0];
}
