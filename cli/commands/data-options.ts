import { resolve } from 'node:path';
import { Command } from 'commander';
import { CommandError, EXIT, type ExitCode } from '../terminal/exit-codes.ts';

/** Options of commands that read or write the data of a service on this machine. */
interface DataOptions {
  readonly config?: string;
  readonly dataDir?: string;
}

/** Creates a command on `data.dir`. It finds the directory as `callsheet server` does. */
export const dataCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .option('--config <file>', 'configuration file of the server')
    .option('--data-dir <directory>', 'data.dir of the server (SVC_DATA_DIR)');

/** Returns the absolute path of `data.dir`. Loads the configuration reader here, because clients do not need it. */
export async function dataDirectoryOf({ config, dataDir }: DataOptions): Promise<string> {
  const { serverConfigOf } = await import('./daemon-config.ts');
  const flags = [
    ...(config === undefined ? [] : [`--config=${config}`]),
    ...(dataDir === undefined ? [] : [`--data-dir=${dataDir}`]),
  ];
  return resolve(serverConfigOf(flags).data.dir);
}

/**
 * Runs such a command. An error with one of these names exits with its status, any other error with 1; both print one
 * line.
 */
export async function ending<T>(
  work: Promise<T>,
  statuses: Readonly<Record<string, ExitCode>> = {},
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof CommandError) throw error;
    throw new CommandError(statuses[error.name] ?? EXIT.failed, error.message);
  }
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a size, such as `1.5 GB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
