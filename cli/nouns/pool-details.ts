import type { UsagePool, UsagePoolUse } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { findIn } from '../client/lookup.ts';
import { counted } from '../options/confirm.ts';
import { factsText } from '../output/facts.ts';
import { shownColumns } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { table, type Column } from '../terminal/table.ts';
import type { Catalog } from './catalog.ts';

const HOLDER_COLUMNS: readonly Column<UsagePoolUse['holders'][number]>[] = [
  { title: 'HELD BY', value: (holder) => `${holder.job_name}/${holder.task_name}`, shrinks: true },
  { title: 'STATUS', value: (holder) => holder.status, isStatus: true },
  { title: 'WORKER', value: (holder) => holder.worker_name, shrinks: true },
  { title: 'SINCE', value: (holder) => holder.since, isTime: true },
  { title: 'ID', value: (holder) => holder.task_id, isWide: true },
];

const WAITER_COLUMNS: readonly Column<UsagePoolUse['waiting'][number]>[] = [
  { title: 'WAITING STEP', value: (waiter) => `${waiter.job_name}/${waiter.step_name}`, shrinks: true },
  { title: 'TASKS', value: (waiter) => String(waiter.tasks), align: 'right' },
  { title: 'JOB ID', value: (waiter) => waiter.job_id, isWide: true },
];

/** `callsheet pools show`: a usage pool with the tasks that hold its slots and the steps that wait for them. */
export async function showPool(
  { list, columns }: Catalog<UsagePool, BodyOf<'put', '/usage-pools/{id}'>>,
  given: string,
  options: ClientOptions,
): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const { id } = findIn(await list(client, options), given, 'usage pool');
  const use = await client.call('get', '/usage-pools/{id}/use', { path: { id } });
  const facts = isForPrograms ? [] : await columns(client, true);
  const { pool, ...rest } = use;
  printResult(context, { ...pool, ...rest }, () => useText(context, facts, use));
  if (isForPrograms) return;
  const { holders, waiting_tasks: waiting } = use;
  terminal.err(`${counted(holders.length, 'holder')}, ${counted(waiting, 'waiting task')}\n`);
}

function useText(
  { terminal, output }: ClientContext,
  columns: readonly Column<UsagePool>[],
  { pool, holders, waiting, is_partial: isPartial }: UsagePoolUse,
): string {
  const shown = <Row>(all: readonly Column<Row>[], rows: readonly Row[]): string =>
    rows.length === 0 ? '' : table(shownColumns(all, rows, output, undefined), rows, terminal);
  return [
    factsText(columns, pool, terminal),
    shown(HOLDER_COLUMNS, holders),
    shown(WAITER_COLUMNS, waiting),
    isPartial ? 'There are more, or the scheduler of a farm did not answer in time.\n' : '',
  ]
    .filter((text) => text !== '')
    .join('\n');
}
