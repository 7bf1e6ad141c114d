import type { Command } from 'commander';
import { clientCommand, contextOf, optionsOf, type ClientOptions } from '../client/client-command.ts';
import { printResult } from '../output/output.ts';
import { formatField } from '../terminal/terminal.ts';

const WIDTH = 13;

/** Kind of a principal, as a credential. */
const CREDENTIALS: ReadonlyMap<string, string> = new Map([
  ['anonymous', 'none (authentication is off)'],
  ['api_key', 'API key'],
  ['session', 'session'],
]);

async function whoami(_options: object, command: Command): Promise<void> {
  const context = contextOf(optionsOf<ClientOptions>(command));
  const { client } = context;
  const principal = await client.call('get', '/auth/me');
  const fields = [
    ['Server', client.url],
    ['Name', principal.username],
    ['Display name', principal.display_name],
    ['Role', principal.roles.join(' ')],
    ['Credential', CREDENTIALS.get(principal.kind) ?? principal.kind],
    ['Permissions', principal.permissions.join('\n')],
  ] as const;
  printResult(context, principal, () =>
    fields.map(([name, value]) => formatField(name, value, WIDTH)).join(''),
  );
}

/** `callsheet whoami` */
export const whoamiCommand = (): Command =>
  clientCommand('whoami', 'Show the account that commands use, with its role and permissions.').action(
    whoami,
  );
