import { CommanderError } from 'commander';
import { CommandError, EXIT } from './commands/exit-codes.ts';
import { callsheetProgram } from './commands/program.ts';

async function main(argv: readonly string[]): Promise<void> {
  try {
    await callsheetProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommandError) {
      console.error(error.message);
      process.exitCode = error.exitCode;
    } else if (error instanceof CommanderError) {
      // commander has printed it already; help and version are no errors.
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    } else {
      throw error;
    }
  }
}

// A reader that has seen enough (`callsheet jobs | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

await main(process.argv);
