import { CommanderError } from 'commander';
import type { Daemon } from '../src/core/config/keys.ts';
import { errorText } from './terminal/error-text.ts';
import { CommandError, EXIT } from './terminal/exit-codes.ts';
import { runProgram } from './commands/program.ts';

async function main(args: readonly string[]): Promise<void> {
  try {
    await runProgram(args);
  } catch (error) {
    if (error instanceof CommandError) {
      console.error(errorText(error));
      process.exitCode = error.exitCode;
    } else if (error instanceof CommanderError) {
      // commander has already printed the message. It reports help and version as errors, too.
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    } else {
      throw error;
    }
  }
}

const DAEMONS: Readonly<Record<Daemon, true>> = { server: true, worker: true };

/** A closed output must not stop a daemon. */
const isDaemon = Object.hasOwn(DAEMONS, process.argv[2] ?? '');

// A closed reader (`callsheet jobs | head`) is not an error and does not change the exit status.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!isDaemon) process.exit();
});
// A message about this error could not be printed.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

await main(process.argv.slice(2));
