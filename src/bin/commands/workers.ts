import type { Command } from 'commander';
import { clientCommand, contextOf, innerCommand, printJson, type ClientOptions } from './client-command.ts';
import { findFarm, findWorker } from './lookup.ts';
import { pageOptions, pageQuery, printPageEnd, type PageOptions } from './paging.ts';
import type { Page, Worker, WorkerStanding } from './resources.ts';
import { table, type Column } from './table.ts';

interface WorkersOptions extends ClientOptions, PageOptions {
  readonly farm?: string;
  readonly status?: string;
}

const COLUMNS: readonly Column<Worker>[] = [
  { title: 'ID', value: (worker) => worker.id },
  { title: 'NAME', value: (worker) => worker.name, shrinks: true },
  { title: 'HOST', value: (worker) => worker.hostname, shrinks: true },
  { title: 'STATUS', value: (worker) => worker.status, isStatus: true },
  {
    title: 'CORES',
    value: (worker) => `${worker.committed_cores ?? 0}/${worker.cpu_count ?? '?'}`,
    align: 'right',
  },
  { title: 'FAILURES', value: (worker) => String(worker.failed_attempts ?? 0), align: 'right' },
  { title: 'LOCATION', value: (worker) => worker.compute_location ?? '', shrinks: true },
  { title: 'LAST HEARD', value: (worker) => (worker.last_heartbeat_at ?? '').replace(/\.[0-9]+Z$/, 'Z') },
];

async function workers(options: WorkersOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const farm = options.farm === undefined ? undefined : await findFarm(client, options.farm);
  const page = await client.get<Page<Worker>>('/workers', {
    farm_id: farm?.id,
    status: options.status,
    ...pageQuery(options),
  });
  if (json) return printJson(terminal, page);
  terminal.out(table(COLUMNS, page.items, terminal));
  printPageEnd(terminal, page, options);
}

const ACTIONS = {
  disable: 'Give a worker no more tasks. What it runs it brings to its end.',
  enable: 'Give a disabled worker tasks again.',
  delete: 'Delete a worker that is offline, or disabled and silent.',
} as const;
type Action = keyof typeof ACTIONS;

/** A command that does something with one worker and prints what has become of it. */
const actionCommand = (action: Action): Command =>
  innerCommand(action, ACTIONS[action])
    .argument('<worker>', 'the worker, by id or name')
    .action(async (given: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<WorkersOptions>();
      const { client, terminal, json } = contextOf(options);
      const farm = options.farm === undefined ? undefined : await findFarm(client, options.farm);
      const worker = await findWorker(client, given, farm);
      const path = `/workers/${encodeURIComponent(worker.id)}`;
      let standing: { readonly id: string; readonly status: string } | null;
      if (action === 'delete') {
        await client.delete(path);
        standing = { id: worker.id, status: 'removed' };
      } else {
        standing = await client.post<WorkerStanding>(`${path}/${action}`, {});
      }
      if (json) printJson(terminal, standing);
      else terminal.out(`${worker.id} ${standing?.status ?? ''}\n`);
    });

/** `callsheet workers` */
export const workersCommand = (): Command =>
  pageOptions(
    clientCommand(
      'workers',
      'List workers (CORES are reserved ones of all), or disable, enable or delete one.',
    )
      .option('--farm <farm>', 'only workers of this farm, by id or name')
      .option('--status <status>', 'only workers of this status: online, offline, disabled'),
  )
    .action(workers)
    .addCommand(actionCommand('disable'))
    .addCommand(actionCommand('enable'))
    .addCommand(actionCommand('delete'));
