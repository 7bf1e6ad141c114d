import type { Command } from 'commander';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import { pageOptions, pageQuery, printPageEnd, type PageOptions } from './paging.ts';
import type { Page, Task } from './resources.ts';
import { table, type Column } from './table.ts';

interface TasksOptions extends ClientOptions, PageOptions {
  readonly status?: string;
}

const COLUMNS: readonly Column<Task>[] = [
  { title: 'ID', value: (task) => task.id },
  { title: 'NAME', value: (task) => task.name, shrinks: true },
  { title: 'STATUS', value: (task) => task.status, isStatus: true },
  {
    title: 'PARAMETERS',
    value: (task) =>
      Object.entries(task.parameters ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    shrinks: true,
  },
  { title: 'FAILURES', value: (task) => String(task.failed_attempts), align: 'right' },
  { title: 'REASON', value: (task) => task.failure_reason ?? task.unschedulable_reason ?? '', shrinks: true },
];

async function tasks(jobId: string, options: TasksOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const page = await client.get<Page<Task>>(`/jobs/${encodeURIComponent(jobId)}/tasks`, {
    status: options.status,
    ...pageQuery(options),
  });
  if (json) return printJson(terminal, page);
  terminal.out(table(COLUMNS, page.items, terminal));
  printPageEnd(terminal, page, options);
}

/** `callsheet tasks` */
export const tasksCommand = (): Command =>
  pageOptions(
    clientCommand('tasks', 'List the tasks of a job.')
      .argument('<job>', 'id of the job')
      .option('--status <status>', 'only tasks of this status'),
  ).action(tasks);
