import type { Command } from 'commander';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import { findFarm } from './lookup.ts';
import { pageOptions, pageQuery, printPageEnd, type PageOptions } from './paging.ts';
import type { Page, Worker } from './resources.ts';
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

/** `callsheet workers` */
export const workersCommand = (): Command =>
  pageOptions(
    clientCommand('workers', 'List workers. CORES are reserved ones of all.')
      .option('--farm <farm>', 'only workers of this farm, by id or name')
      .option('--status <status>', 'only workers of this status: online, offline, disabled'),
  ).action(workers);
