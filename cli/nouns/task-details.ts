import { shownStatusOf } from '../../client/attempt-status.ts';
import type { Attempt, Task } from '../../client/resources.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { findTask, nameOf, namesOf } from '../client/lookup.ts';
import { table, type Column } from '../terminal/table.ts';
import { counted } from '../options/confirm.ts';
import { factLines } from '../output/facts.ts';
import { shownColumns } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { parametersOf, progressOf } from './task-text.ts';

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
  { title: 'STARTED', value: (attempt) => attempt.started_at, isTime: true },
  { title: 'ENDED', value: (attempt) => attempt.ended_at ?? '', isTime: true },
  {
    title: 'WORKER',
    value: ({ worker_id: id }) => (id === undefined ? '' : (workers.get(id) ?? id)),
    shrinks: true,
  },
  { title: 'MESSAGE', value: (attempt) => attempt.message ?? '', shrinks: true },
  { title: 'RULE', value: ({ retry_rule: rule }) => rule?.rule ?? '', shrinks: true, isWide: true },
];

/** `callsheet tasks show`: a task with its attempts. */
export async function showTask(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const path = { id: await findTask(client, given) };
  const task = await client.call('get', '/tasks/{id}', { path });
  const { items: attempts } = await client.call('get', '/tasks/{id}/attempts', { path });
  if (isForPrograms) return printResult(context, { ...task, attempts }, () => '');
  const ids = [task.assigned_worker_id, ...attempts.map((attempt) => attempt.worker_id)];
  const workers = await namesOf(
    client,
    'worker',
    ids.filter((id) => id !== undefined),
  );
  terminal.out(taskText(context, task, attempts, await nameOf(client, 'job', task.job_id), workers));
  terminal.err(`${counted(attempts.length, 'attempt')}\n`);
}

const skipText = ({ skipped }: Task): string | undefined =>
  skipped === undefined
    ? undefined
    : `by ${skipped.by}, ${skipped.at}${skipped.reason === '' ? '' : `: ${skipped.reason}`}`;

function taskText(
  { terminal, output }: ClientContext,
  task: Task,
  attempts: readonly Attempt[],
  job: string,
  workers: NameMap,
): string {
  const worker = task.assigned_worker_id;
  const facts = factLines(
    [
      ['status', task.status],
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
    ],
    terminal,
  );
  if (attempts.length === 0) return facts;
  const columns = shownColumns(attemptColumns(workers), attempts, output, undefined);
  const decisions = attempts.flatMap(({ attempt_number: number, retry_rule: rule, outage, preemption }) =>
    [rule, outage, preemption].flatMap((decision) =>
      decision === undefined ? [] : [`Attempt ${number}: ${decision.sentence}\n`],
    ),
  );
  const decided = decisions.length === 0 ? '' : `\n${decisions.join('')}`;
  return `${facts}\n${table(columns, attempts, terminal)}${decided}`;
}
