import { Command, Option } from 'commander';
import { formatOption, outputOf, type Output, type OutputOptions } from '../output/output.ts';
import { RestClient } from './rest-client.ts';
import { keyOf, targetOf, type TargetOptions } from './target.ts';
import { processTerminal, type Terminal } from '../terminal/terminal.ts';

/** Context of a client command. */
export interface ClientContext {
  readonly client: RestClient;
  readonly terminal: Terminal;
  readonly output: Output;
  /** True if a program reads the output: the command prints nothing but the result to standard output. */
  readonly isForPrograms: boolean;
  /** Default farm and queue of the context in use, as given on the command line; null for none. */
  readonly farm: string | null;
  readonly queue: string | null;
}

/** Options of every client command. */
export interface ClientOptions extends TargetOptions, OutputOptions {}

/** Adds the options that select the server. */
const withServerOptions = (command: Command): Command =>
  command
    .option(
      '--url <address>',
      'address of the server, or of the nodes of a cluster, with commas (or SVC_URL)',
    )
    .option('--context <name>', 'context with the server, instead of the one in use');

/** Creates a command for one server, with the options `--url` and `--context`. */
export const serviceCommand = (name: string, description: string): Command =>
  withServerOptions(new Command(name).description(description));

/** Adds the options of a command that sends requests to a server: its address, the key and the format of the output. */
export const withClientOptions = (command: Command): Command =>
  formatOption(
    withServerOptions(command).addOption(
      new Option(
        '--api-key <key>',
        'key to authenticate with, instead of that of `callsheet login`; use the variable SVC_API_KEY to hide it from process lists',
      ),
    ),
  );

/** Creates a command that sends requests to a server. */
export const clientCommand = (name: string, description: string): Command =>
  withClientOptions(new Command(name).description(description));

/**
 * Returns the options of a command with those of the commands above it. One that is given twice has the value at the
 * command itself.
 */
export function optionsOf<Options extends object>(command: Command): Options {
  const above = command.parent === null ? {} : optionsOf<object>(command.parent);
  return Object.assign(above, command.opts<Options>());
}

/** Returns the context of a command. Throws a CommandError if the address or the stored key cannot be used. */
export function contextOf(options: ClientOptions): ClientContext {
  const output = outputOf(options);
  const terminal = processTerminal(output.format === 'wide');
  const target = targetOf(options);
  const client = new RestClient(target.url, keyOf(options, target, terminal));
  const isForPrograms = output.format !== 'table' && output.format !== 'wide';
  const { farm = null, queue = null } = target.context ?? {};
  return { client, terminal, output, isForPrograms, farm, queue };
}
