import { Command, Option } from 'commander';
import { RestClient } from './rest-client.ts';
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

/** Creates a command that sends requests to a service, with the options `--url`, `--api-key` and `--json`. */
export function clientCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <address>', 'address of the server (or SVC_URL)', process.env['SVC_URL'] || URL_STANDARD)
    .addOption(
      new Option(
        '--api-key <key>',
        'key to authenticate with; use the variable to hide it from process lists',
      ).env('SVC_API_KEY'),
    )
    .option('--json', 'print JSON instead of tables');
}

/** Creates a subcommand of a client command. It shares `--url`, `--api-key` and `--json`. */
export const innerCommand = (name: string, description: string): Command =>
  new Command(name).description(description).configureHelp({ showGlobalOptions: true });

export const contextOf = (options: ClientOptions): ClientContext => ({
  client: new RestClient(options.url, options.apiKey || null),
  terminal: processTerminal(),
  json: options.json === true,
});

/** Prints a value as indented JSON. */
export const printJson = (terminal: Terminal, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);

/** Removes the fractions of a second from a time of the service. */
export const shortTime = (time: string | undefined): string => (time ?? '').replace(/\.[0-9]+Z$/, 'Z');
