import { Command, Option } from 'commander';
import { isOpenConnection } from '../credentials/service-address.ts';
import { storedCredential } from '../credentials/stored-credentials.ts';
import { checkUrl, RestClient, type CommandKey } from './rest-client.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const URL_STANDARD = 'http://127.0.0.1:8080';

/** Context of a client command. */
export interface ClientContext {
  readonly client: RestClient;
  readonly terminal: Terminal;
  /** Print the response instead of tables and sentences. */
  readonly json: boolean;
}

/** Options of every client command. */
export interface ClientOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly json?: boolean;
}

/** Creates a command for one service, with the option `--url`. */
export const serviceCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .option('--url <address>', 'address of the server (or SVC_URL)', process.env['SVC_URL'] || URL_STANDARD);

/** Creates a command that sends requests to a service, with the options `--url`, `--api-key` and `--json`. */
export function clientCommand(name: string, description: string): Command {
  return serviceCommand(name, description)
    .addOption(
      new Option(
        '--api-key <key>',
        'key to authenticate with, instead of that of `callsheet login`; use the variable to hide it from process lists',
      ).env('SVC_API_KEY'),
    )
    .option('--json', 'print JSON instead of tables');
}

/** Creates a subcommand of a client command. It shares `--url`, `--api-key` and `--json`. */
export const innerCommand = (name: string, description: string): Command =>
  new Command(name).description(description).configureHelp({ showGlobalOptions: true });

/** Returns the context of a command. Throws a CommandError if the address or the stored key cannot be used. */
export function contextOf(options: ClientOptions): ClientContext {
  const terminal = processTerminal();
  const client = new RestClient(options.url, keyOf(options, terminal));
  return { client, terminal, json: options.json === true };
}

/** Returns the given key, else the one that is stored for exactly this service, else null. */
function keyOf({ url, apiKey = '' }: ClientOptions, terminal: Terminal): CommandKey | null {
  checkUrl(url);
  if (apiKey !== '') {
    warnIfOpen(url, terminal);
    return { key: apiKey, source: 'given' };
  }
  const stored = storedCredential(url);
  return stored === null ? null : { key: stored.key, source: 'stored' };
}

/** Warns before a secret is sent over a connection that others can read. */
export function warnIfOpen(url: string, terminal: Terminal): void {
  if (!isOpenConnection(url)) return;
  const { host } = new URL(url);
  terminal.err(`warning: the connection to ${host} is not encrypted: use https to protect your key\n`);
}

/** Prints a value as indented JSON. */
export const printJson = (terminal: Terminal, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);

/** Removes the fractions of a second from a time of the service. */
export const shortTime = (time: string | undefined): string => (time ?? '').replace(/\.[0-9]+Z$/, 'Z');
