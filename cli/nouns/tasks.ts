import { Option } from 'commander';
import { parseTaskId } from '../../src/core/ids.ts';
import type { Step, Task } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import { TASK_ORDERS, TASK_STATUSES } from '../options/choices.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { confirm } from '../options/confirm.ts';
import { findJob, findTask, nameOf, workerNames } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import { retriedText } from '../jobs/retry.ts';
import { skippedText } from '../jobs/skip.ts';
import type { Column } from '../terminal/table.ts';
import { verb, type Noun, type Verb } from '../grammar/verb.ts';
import { pageOptions, serverOrder, type PageOptions, type SortOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { readPages } from '../output/pages.ts';
import { taskSubject } from '../output/subject.ts';
import { explainVerb } from './explain.ts';
import { logsVerb } from '../logs/logs.ts';
import { showTask } from './task-details.ts';
import { parametersOf, progressOf, skippedBy } from './task-text.ts';
import { confirmable, JOB_ARGUMENT, TASK_ARGUMENT, type ConfirmOptions } from '../grammar/verb-parts.ts';

interface ListOptions extends ClientOptions, PageOptions, SortOptions<(typeof TASK_ORDERS)[number]> {
  readonly status?: QueryOf<'get', '/jobs/{id}/tasks'>['status'];
  readonly step?: string;
}

const reasonOf = (task: Task): string =>
  skippedBy(task) ??
  ([task.failure_reason, task.error_line].filter((text) => text !== undefined).join(': ') ||
    (task.waiting_reason ?? task.unschedulable_reason ?? ''));

/** Returns the place of a task in its job, which commands take after the job: `Render/0`. */
function placeOf({ id }: Task, steps: readonly Step[]): string {
  const address = parseTaskId(id);
  const step = steps.find(({ order }) => order === address?.stepOrder);
  return address === null || step === undefined ? id : `${step.name}/${address.index}`;
}

const columnsOf = (
  tasks: readonly Task[],
  steps: readonly Step[],
  workers: ReadonlyMap<string, string>,
): readonly Column<Task>[] => [
  { title: 'ID', value: (task) => task.id, isWide: true },
  { title: 'TASK', value: (task) => placeOf(task, steps), shrinks: true },
  { title: 'STATUS', value: (task) => task.status, isStatus: true },
  { title: 'PARAMETERS', value: parametersOf, shrinks: true },
  // Most tasks report no progress.
  {
    title: 'PROGRESS',
    value: progressOf,
    shrinks: true,
    isWide: tasks.every((task) => progressOf(task) === ''),
  },
  { title: 'FAILURES', value: (task) => String(task.failed_attempts), align: 'right' },
  { title: 'REASON', value: reasonOf, shrinks: true },
  {
    title: 'WORKER',
    value: ({ assigned_worker_id: id }) => (id === undefined ? '' : (workers.get(id) ?? id)),
    shrinks: true,
    isWide: tasks.every((task) => task.assigned_worker_id === undefined),
  },
  { title: 'STARTED', value: (task) => task.started_at ?? '', isTime: true },
  { title: 'ENDED', value: (task) => task.ended_at ?? '', isTime: true },
  { title: 'UPDATED', value: (task) => task.updated_at, isTime: true, isWide: true },
];

async function list(given: string, options: ListOptions): Promise<void> {
  const context = contextOf(options);
  const { client, isForPrograms } = context;
  const path = { id: await findJob(client, given) };
  const filter = { status: options.status, step: options.step, ...serverOrder(options, TASK_ORDERS) };
  const pages = await readPages(
    (paging) => client.call('get', '/jobs/{id}/tasks', { path, query: { ...filter, ...paging } }),
    options,
  );
  const columns = isForPrograms ? [] : await columnsFor(client, path.id, pages.items);
  printListing(context, { what: 'task', columns, ...pages }, options);
}

/** Returns the columns with the names of the steps and of the workers. */
async function columnsFor(
  client: RestClient,
  id: string,
  tasks: readonly Task[],
): Promise<readonly Column<Task>[]> {
  const { items: steps } = await client.call('get', '/jobs/{id}/steps', { path: { id } });
  const ids = tasks.flatMap(({ assigned_worker_id: worker }) => worker ?? []);
  return columnsOf(tasks, steps, await workerNames(client, ids));
}

async function cancel(given: string, options: ClientOptions & ConfirmOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const id = await findTask(client, given);
  await confirm(terminal, options.yes === true, async () => {
    const task = await client.call('get', '/tasks/{id}', { path: { id } });
    return {
      verb: 'cancel',
      object: `task ${task.name} of job ${await nameOf(client, 'job', task.job_id)} (${task.status})`,
      consequences: ['Tasks that depend on its step are canceled too.'],
    };
  });
  const result = await client.call('post', '/tasks/{id}/cancel', { path: { id } });
  const subject = await taskSubject(context, id);
  printResult(context, result, () => `${subject} ${result.status}\n`);
}

interface RetryOptions extends ClientOptions {
  /** False with `--no-dependents`. */
  readonly dependents: boolean;
}

async function retry(given: string, options: RetryOptions): Promise<void> {
  const context = contextOf(options);
  const path = { id: await findTask(context.client, given) };
  const query = { with_dependents: options.dependents };
  const result = await context.client.call('post', '/tasks/{id}/retry', { path, query });
  const subject = await taskSubject(context, path.id);
  printResult(context, result, () => `${subject} ${result.status}, ${retriedText(result)}\n`);
}

interface SkipOptions extends ClientOptions {
  readonly reason?: string;
}

async function skip(given: string, options: SkipOptions): Promise<void> {
  const context = contextOf(options);
  const path = { id: await findTask(context.client, given) };
  const { reason = '' } = options;
  const result = await context.client.call('post', '/tasks/{id}/skip', { path, body: { reason } });
  const text = skippedText({ ...result, skipped: 1 });
  const subject = await taskSubject(context, path.id);
  printResult(context, result, () => `${subject} ${result.status}, ${text}\n`);
}

const VERBS: readonly [Verb, ...Verb[]] = [
  verb<ListOptions>({
    name: 'list',
    about: 'List the tasks of a job.',
    arguments: [JOB_ARGUMENT],
    options: (command) =>
      pageOptions(TASK_ORDERS)(
        command
          .addOption(new Option('--status <status>', 'only tasks of this status').choices(TASK_STATUSES))
          .option('--step <step>', 'only tasks of this step, by name or id'),
      ),
    run: ([job = ''], options) => list(job, options),
  }),
  verb<ClientOptions>({
    name: 'show',
    about: 'Show a task with its attempts.',
    arguments: [TASK_ARGUMENT],
    run: ([task = ''], options) => showTask(task, options),
  }),
  explainVerb,
  logsVerb,
  verb<ClientOptions & ConfirmOptions>({
    name: 'cancel',
    about: 'Cancel a task.',
    arguments: [TASK_ARGUMENT],
    options: confirmable,
    run: ([task = ''], options) => cancel(task, options),
  }),
  verb<RetryOptions>({
    name: 'retry',
    about: 'Retry a failed or canceled task.',
    arguments: [TASK_ARGUMENT],
    options: (command) =>
      command.option(
        '--no-dependents',
        'not the later steps and dependents that were canceled because of the task',
      ),
    run: ([task = ''], options) => retry(task, options),
  }),
  verb<SkipOptions>({
    name: 'skip',
    about: 'Mark a task as done without running it; "retry" undoes it.',
    arguments: [TASK_ARGUMENT],
    options: (command) => command.option('--reason <text>', 'why, shown with the task'),
    run: ([task = ''], options) => skip(task, options),
  }),
];

/** `callsheet tasks` */
export const tasks: Noun = {
  name: 'tasks',
  singular: 'task',
  about: 'List the tasks of a job, or show, explain, cancel, retry or skip one.',
  verbs: VERBS,
};
