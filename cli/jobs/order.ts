import type { JobOrder, PassedJob } from '../../client/resources.ts';
import { counted } from '../options/confirm.ts';
import type { RestClient } from '../client/rest-client.ts';
import { table, type Column } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Returns the place of a job in its queue with a priority; with `top`, that of the first job. */
export const orderOf = (client: RestClient, id: string, priority: number | 'top'): Promise<JobOrder> =>
  client.call('get', '/jobs/{id}/order', {
    path: { id },
    query: priority === 'top' ? {} : { with_priority: priority },
  });

const COLUMNS: readonly Column<PassedJob>[] = [
  { title: 'ID', value: (job) => job.id, isId: true },
  { title: 'NAME', value: (job) => job.name, shrinks: true },
  { title: 'OWNER', value: (job) => job.owner, shrinks: true },
  { title: 'PRIO', value: (job) => String(job.priority), align: 'right' },
  { title: 'READY', value: (job) => String(job.ready), align: 'right' },
];

/** Returns what a change of the priority does to the order of the queue. */
export function orderText(order: JobOrder, terminal: Terminal): string {
  const { priority, position, total, passed_total: count, passed } = order;
  const change = `priority ${priority.before} to ${priority.after}: place ${position.before} to ${position.after} of ${total} in its queue`;
  if (count === 0) return `${change}; it passes no job\n`;
  const jobs = counted(count, 'job');
  const effect = position.after < position.before ? `it overtakes ${jobs}` : `${jobs} overtake it`;
  return `${change}; ${effect}\n\n${table(COLUMNS, passed, terminal)}`;
}
