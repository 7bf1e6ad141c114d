import type { Command } from 'commander';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import { formatField } from './terminal.ts';

const WIDTH = 13;

/** Kind of a principal, as a credential. */
const CREDENTIALS: ReadonlyMap<string, string> = new Map([
  ['anonymous', 'none (authentication is off)'],
  ['api_key', 'API key'],
  ['session', 'session'],
]);

async function whoami(options: ClientOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const principal = await client.call('get', '/auth/me');
  if (json) {
    printJson(terminal, principal);
    return;
  }
  const fields = [
    ['Server', client.url],
    ['Name', principal.username],
    ['Display name', principal.display_name],
    ['Role', principal.roles.join(' ')],
    ['Credential', CREDENTIALS.get(principal.kind) ?? principal.kind],
    ['Permissions', principal.permissions.join('\n')],
  ] as const;
  for (const [name, value] of fields) terminal.out(formatField(name, value, WIDTH));
}

/** `callsheet whoami` */
export const whoamiCommand = (): Command =>
  clientCommand('whoami', 'Show the account that commands use, with its role and permissions.').action(
    whoami,
  );
