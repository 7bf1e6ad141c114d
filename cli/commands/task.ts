import { Argument, type Command } from 'commander';
import { clientCommand, contextOf, printJson, shortTime, type ClientOptions } from './client-command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findTask, nameOf, namesOf } from './lookup.ts';
import { shownStatusOf } from '../../client/attempt-status.ts';
import { retriedText } from './retry.ts';
import { skippedText } from './skip.ts';
import type { Attempt, Task } from '../../client/resources.ts';
import { table, type Column } from './table.ts';
import { parametersOf, progressOf } from './tasks.ts';
import { coloredStatus, formatField, type Terminal } from './terminal.ts';

/** Names by id. An item without a name is shown by its id. */
type NameMap = ReadonlyMap<string, string>;

const attemptColumns = (workers: NameMap): readonly Column<Attempt>[] => [
  { title: 'ATTEMPT', value: (attempt) => String(attempt.attempt_number), align: 'right' },
  { title: 'STATUS', value: shownStatusOf, isStatus: true },
  { title: 'EXIT', value: (attempt) => String(attempt.exit_code ?? ''), align: 'right' },
  {
    title: 'MEMORY',
    value: ({ max_rss_mib: used }) => (used === undefined ? '' : `${used} MiB`),
    align: 'right',
  },
  {
    title: 'CPU',
    value: ({ cpu_seconds: used }) => (used === undefined ? '' : `${used.toFixed(1)} s`),
    align: 'right',
  },
  { title: 'STARTED', value: (attempt) => shortTime(attempt.started_at) },
  { title: 'ENDED', value: (attempt) => shortTime(attempt.ended_at) },
  {
    title: 'WORKER',
    value: ({ worker_id: id }) => (id === undefined ? '' : (workers.get(id) ?? id)),
    shrinks: true,
  },
  { title: 'MESSAGE', value: (attempt) => attempt.message ?? '', shrinks: true },
];

function printTask(
  terminal: Terminal,
  task: Task,
  attempts: readonly Attempt[],
  job: string,
  workers: NameMap,
): void {
  const worker = task.assigned_worker_id;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['task', task.id],
    ['name', task.name],
    ['job', job === task.job_id ? job : `${job} (${task.job_id})`],
    ['parameters', parametersOf(task)],
    ['worker', worker === undefined ? undefined : (workers.get(worker) ?? worker)],
    ['updated', task.updated_at],
    ['retry after', task.retry_after],
    ['progress', progressOf(task)],
    ['waits', task.waiting_reason ?? task.unschedulable_reason],
    ['reason', task.failure_reason],
    ['error', task.error_line],
    ['skipped', skipText(task)],
  ];
  const given = facts.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => name.length)) + 2;
  terminal.out(`${'status'.padEnd(width)}${coloredStatus(task.status, terminal)}\n`);
  for (const [name, value = ''] of given) terminal.out(formatField(name, value, width));
  if (attempts.length > 0) terminal.out(`\n${table(attemptColumns(workers), attempts, terminal)}`);
}

const skipText = ({ skipped }: Task): string | undefined =>
  skipped === undefined
    ? undefined
    : `by ${skipped.by}, ${skipped.at}${skipped.reason === '' ? '' : `: ${skipped.reason}`}`;

const ACTIONS = ['cancel', 'retry', 'skip'] as const;
type Action = (typeof ACTIONS)[number];

interface TaskOptions extends ClientOptions {
  readonly reason?: string;
  /** False with `--no-dependents`. */
  readonly dependents: boolean;
}

async function task(given: string, action: Action | undefined, options: TaskOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  if (action !== 'retry' && !options.dependents)
    throw new CommandError(EXIT.usage, '--no-dependents needs the action "retry"');
  if (action !== 'skip' && options.reason !== undefined)
    throw new CommandError(EXIT.usage, '--reason needs the action "skip"');
  const id = await findTask(client, given);
  if (action === 'skip') {
    const { reason = '' } = options;
    const standing = await client.call('post', '/tasks/{id}/skip', { path: { id }, body: { reason } });
    if (json) printJson(terminal, standing);
    else
      terminal.out(`${standing.task_id} ${standing.status}, ${skippedText({ ...standing, skipped: 1 })}\n`);
    return;
  }
  if (action === 'cancel') {
    const standing = await client.call('post', '/tasks/{id}/cancel', { path: { id } });
    if (json) printJson(terminal, standing);
    else terminal.out(`${standing.task_id} ${standing.status}\n`);
    return;
  }
  if (action === 'retry') {
    const query = { with_dependents: options.dependents };
    const standing = await client.call('post', '/tasks/{id}/retry', { path: { id }, query });
    if (json) printJson(terminal, standing);
    else terminal.out(`${standing.task_id} ${standing.status}, ${retriedText(standing)}\n`);
    return;
  }
  const found = await client.call('get', '/tasks/{id}', { path: { id } });
  const { items: attempts } = await client.call('get', '/tasks/{id}/attempts', { path: { id } });
  if (json) return printJson(terminal, { ...found, attempts });
  const workers = [found.assigned_worker_id, ...attempts.map((attempt) => attempt.worker_id)];
  printTask(
    terminal,
    found,
    attempts,
    await nameOf(client, 'job', found.job_id),
    await namesOf(
      client,
      'worker',
      workers.filter((worker) => worker !== undefined),
    ),
  );
}

/** Help text of an argument that selects a task. */
export const TASK_ARGUMENT_HELP = 'the task, by id, or JOB/STEP/INDEX with the index in the step from 0';

/** `callsheet task` */
export const taskCommand = (): Command =>
  clientCommand('task', 'Show a task with its attempts, cancel, retry or skip it.')
    .argument('<task>', TASK_ARGUMENT_HELP)
    .addArgument(new Argument('[action]', 'the action; without one, show it').choices(ACTIONS))
    .option(
      '--no-dependents',
      'retry: not the later steps and dependents that were canceled because of the task',
    )
    .option('--reason <text>', 'skip: why, shown with the task')
    .action(task);
