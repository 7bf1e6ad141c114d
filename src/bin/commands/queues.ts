import type { Command } from 'commander';
import { clientCommand, contextOf, innerCommand, printJson, type ClientOptions } from './client-command.ts';
import { integer } from './integer.ts';
import { allFarms, allQueues, findFarm } from './lookup.ts';
import type { Queue } from './resources.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';

/** Creates a queue in a farm and gives what the service has stored. */
export const createQueue = (
  client: RestClient,
  farmId: string,
  name: string,
  settings: { readonly description: string; readonly priority: number },
): Promise<Queue | null> => client.postJson<Queue>('/queues', { farm_id: farmId, name, ...settings });

async function list(options: ClientOptions & { readonly farm?: string }): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const farm = options.farm === undefined ? undefined : await findFarm(client, options.farm);
  const queues = await allQueues(client, farm?.id);
  if (json) return printJson(terminal, queues);
  const names = new Map((await allFarms(client)).map(({ id, name }) => [id, name]));
  const columns: readonly Column<Queue>[] = [
    { title: 'ID', value: (queue) => queue.id },
    { title: 'FARM', value: (queue) => names.get(queue.farm_id) ?? queue.farm_id, shrinks: true },
    { title: 'NAME', value: (queue) => queue.name, shrinks: true },
    { title: 'PRIO', value: (queue) => String(queue.priority), align: 'right' },
    { title: 'STATUS', value: (queue) => (queue.paused ? 'paused' : 'open'), isStatus: true },
  ];
  terminal.out(table(columns, queues, terminal));
}

interface CreateOptions {
  readonly description: string;
  readonly priority: number;
}

async function create(
  farmGiven: string,
  name: string,
  options: CreateOptions,
  command: Command,
): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const farm = await findFarm(client, farmGiven);
  const { description, priority } = options;
  const queue = await createQueue(client, farm.id, name, { description, priority });
  if (json) printJson(terminal, queue);
  else terminal.out(`${queue?.id ?? ''}\n`);
}

/** `callsheet queues` */
export const queuesCommand = (): Command =>
  clientCommand('queues', 'List queues, or create one.')
    .option('--farm <farm>', 'only queues of this farm, by id or name')
    .action(list)
    .addCommand(
      innerCommand('create', 'Create a queue. Prints its id.')
        .argument('<farm>', 'farm of the queue, by id or name')
        .argument('<name>', 'name of the queue')
        .option('--description <text>', 'what the queue is for', '')
        .option('--priority <n>', 'priority of the queue', integer, 0)
        .action(create),
    );
