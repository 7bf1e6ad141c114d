import { Argument, type Command } from 'commander';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import type { JobDetail, Step } from './resources.ts';
import { table, type Column } from './table.ts';
import { coloredStatus, printable, type Terminal } from './terminal.ts';

const STEP_COLUMNS: readonly Column<Step>[] = [
  { title: 'STEP', value: (step) => step.name, shrinks: true },
  { title: 'STATUS', value: (step) => step.status, isStatus: true },
  { title: 'TASKS', value: (step) => String(step.task_counts.total), align: 'right' },
  { title: 'SUCCEEDED', value: (step) => String(step.task_counts.succeeded), align: 'right' },
  {
    title: 'RUNNING',
    value: (step) => String(step.task_counts.running + step.task_counts.assigned),
    align: 'right',
  },
  { title: 'FAILED', value: (step) => String(step.task_counts.failed), align: 'right' },
  { title: 'AFTER', value: (step) => (step.depends_on ?? []).join(', '), shrinks: true },
];

function printJob(terminal: Terminal, job: JobDetail): void {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['job', job.id],
    ['name', job.name],
    ['owner', job.owner],
    ['priority', String(job.priority)],
    ['created', job.created_at],
    ['updated', job.updated_at],
    ['waits for', job.depends_on?.join(', ')],
    ['parked', job.park_reason],
    ['failed', job.failure_summary?.dominant_reason],
    ...Object.entries(job.parameters ?? {}).map(([name, value]): [string, string] => [`  ${name}`, value]),
  ];
  const given = facts.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => name.length)) + 2;
  terminal.out(`${'status'.padEnd(width)}${coloredStatus(job.status, terminal)}\n`);
  for (const [name, value = ''] of given) terminal.out(`${name.padEnd(width)}${printable(value)}\n`);
  terminal.out(`\n${table(STEP_COLUMNS, job.steps, terminal)}`);
}

const ACTIONS = ['cancel', 'delete', 'pause', 'resume', 'retry'] as const;
type Action = (typeof ACTIONS)[number];

async function job(id: string, action: Action | undefined, options: ClientOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const path = `/jobs/${encodeURIComponent(id)}`;
  if (action === 'delete') {
    await client.delete(path);
    // What clients that follow the job's events are told of it.
    if (json) printJson(terminal, { id, status: 'removed' });
    else terminal.out(`${id} removed\n`);
    return;
  }
  if (action === 'cancel' || action === 'retry') await client.post(`${path}/${action}`, {});
  else if (action !== undefined) await client.patchJson(path, { action });
  const detail = await client.get<JobDetail>(path);
  if (json) printJson(terminal, detail);
  else if (action !== undefined) terminal.out(`${detail.id} ${detail.status}\n`);
  else printJob(terminal, detail);
}

/** `callsheet job` */
export const jobCommand = (): Command =>
  clientCommand('job', 'Show a job, cancel, pause, resume, retry or delete it.')
    .argument('<job>', 'id of the job')
    .addArgument(new Argument('[action]', 'what to do with it').choices(ACTIONS))
    .action(job);
