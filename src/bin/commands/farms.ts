import type { Command } from 'commander';
import { listing, type Catalog } from './catalog.ts';
import { clientCommand, contextOf, innerCommand, printJson, type ClientOptions } from './client-command.ts';
import type { Farm } from './resources.ts';
import type { RestClient } from './rest-client.ts';

const FARMS: Catalog<Farm> = {
  path: '/farms',
  what: 'farm',
  columns: [
    { title: 'ID', value: (farm) => farm.id },
    { title: 'NAME', value: (farm) => farm.name, shrinks: true },
    { title: 'DESCRIPTION', value: (farm) => farm.description, shrinks: true },
  ],
};

/** Creates a farm and gives what the service has stored. */
export const createFarm = (client: RestClient, name: string, description: string): Promise<Farm | null> =>
  client.postJson<Farm>('/farms', { name, description });

async function create(name: string, options: { description: string }, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const farm = await createFarm(client, name, options.description);
  if (json) printJson(terminal, farm);
  else terminal.out(`${farm?.id ?? ''}\n`);
}

/** `callsheet farms` */
export const farmsCommand = (): Command =>
  clientCommand('farms', 'List farms, or create one.')
    .action(listing(FARMS))
    .addCommand(
      innerCommand('create', 'Create a farm. Prints its id.')
        .argument('<name>', 'name of the farm')
        .option('--description <text>', 'what the farm is for', '')
        .action(create),
    );
