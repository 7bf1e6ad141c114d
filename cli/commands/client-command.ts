import { Command, Option } from 'commander';
import { RestClient } from './rest-client.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const URL_STANDARD = 'http://127.0.0.1:8080';

/** What every client command has at hand. */
export interface ClientContext {
  readonly client: RestClient;
  readonly terminal: Terminal;
  /** Print what the service answered instead of tables and sentences. */
  readonly json: boolean;
}

/** The options of every client command. */
export interface ClientOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly json?: boolean;
}

/** A command that talks to a service: with `--url`, `--api-key` and `--json`. */
export function clientCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <address>', 'address of the service (or SVC_URL)', process.env['SVC_URL'] || URL_STANDARD)
    .addOption(
      new Option(
        '--api-key <key>',
        'key to authenticate with; the variable keeps it out of process lists',
      ).env('SVC_API_KEY'),
    )
    .option('--json', 'print JSON instead of tables');
}

/** A command below a client command, whose `--url`, `--api-key` and `--json` it shares. */
export const innerCommand = (name: string, description: string): Command =>
  new Command(name).description(description).configureHelp({ showGlobalOptions: true });

export const contextOf = (options: ClientOptions): ClientContext => ({
  client: new RestClient(options.url, options.apiKey || null),
  terminal: processTerminal(),
  json: options.json === true,
});

/** Prints a value as JSON, indented. */
export const printJson = (terminal: Terminal, value: unknown): void =>
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);

/** A time of the service, without fractions of a second. */
export const shortTime = (time: string | undefined): string => (time ?? '').replace(/\.[0-9]+Z$/, 'Z');
