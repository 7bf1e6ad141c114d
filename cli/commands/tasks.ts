import { Option, type Command } from 'commander';
import { TASK_ORDERS, TASK_STATUSES } from './choices.ts';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import { findJob } from './lookup.ts';
import { pageOptions, printPageEnd, type PageOptions } from './paging.ts';
import type { Task } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import { table, type Column } from './table.ts';

type TasksQuery = QueryOf<'get', '/jobs/{id}/tasks'>;

interface TasksOptions extends ClientOptions, PageOptions {
  readonly status?: TasksQuery['status'];
  readonly sortBy?: TasksQuery['sort_by'];
  readonly sortDir?: TasksQuery['sort_dir'];
}

/** Formats the parameter values of a task in one line. */
export const parametersOf = ({ parameters = {} }: Task): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** Formats the progress and the status message that a task has reported; empty if it has reported none. */
export const progressOf = ({ progress, status_message: message = '' }: Task): string =>
  [...(progress === undefined ? [] : [`${Math.floor(progress)}%`]), message].join(' ').trim();

const reasonOf = (task: Task): string =>
  [task.failure_reason, task.error_line].filter((text) => text !== undefined).join(': ') ||
  (task.waiting_reason ?? task.unschedulable_reason ?? '');

const columnsOf = (tasks: readonly Task[]): readonly Column<Task>[] => [
  { title: 'ID', value: (task) => task.id },
  { title: 'NAME', value: (task) => task.name, shrinks: true },
  { title: 'STATUS', value: (task) => task.status, isStatus: true },
  { title: 'PARAMETERS', value: parametersOf, shrinks: true },
  // Most tasks report no progress.
  ...(tasks.some((task) => progressOf(task) !== '')
    ? [{ title: 'PROGRESS', value: progressOf, shrinks: true }]
    : []),
  { title: 'FAILURES', value: (task) => String(task.failed_attempts), align: 'right' },
  { title: 'REASON', value: reasonOf, shrinks: true },
];

async function tasks(given: string, options: TasksOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const page = await client.call('get', '/jobs/{id}/tasks', {
    path: { id: await findJob(client, given) },
    query: {
      status: options.status,
      sort_by: options.sortBy,
      sort_dir: options.sortDir,
      limit: options.limit,
      offset: options.offset,
    },
  });
  if (json) return printJson(terminal, page);
  terminal.out(table(columnsOf(page.items), page.items, terminal));
  printPageEnd(terminal, page, options);
}

/** `callsheet tasks` */
export const tasksCommand = (): Command =>
  pageOptions(
    clientCommand('tasks', 'List the tasks of a job.')
      .argument('<job>', 'the job, by id, by the beginning of its id, or by name')
      .addOption(new Option('--status <status>', 'only tasks of this status').choices(TASK_STATUSES)),
    TASK_ORDERS,
  ).action(tasks);
