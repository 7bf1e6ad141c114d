import { CommanderError } from 'commander';
import { DAEMONS } from '../src/core/config/keys.ts';
import { CommandError, EXIT } from './commands/exit-codes.ts';
import { callsheetProgram } from './commands/program.ts';
import { printableLines } from './commands/terminal.ts';

async function main(argv: readonly string[]): Promise<void> {
  try {
    await callsheetProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommandError) {
      console.error(printableLines(error.message));
      process.exitCode = error.exitCode;
    } else if (error instanceof CommanderError) {
      // commander has printed it already; help and version are no errors.
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    } else {
      throw error;
    }
  }
}

/** A daemon runs on whoever reads what it prints. */
const isDaemon = Object.hasOwn(DAEMONS, process.argv[2] ?? '');

// A reader that has seen enough (`callsheet jobs | head`) is no error, and changes no outcome that is known.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!isDaemon) process.exit();
});
// Nobody is left to tell.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

await main(process.argv);
