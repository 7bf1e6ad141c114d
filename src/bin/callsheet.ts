import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { backupCommand } from './commands/backup.ts';
import { compactCommand } from './commands/compact.ts';
import { serverCommand, workerCommand } from './commands/daemons.ts';
import { CommandError, EXIT } from './commands/exit-codes.ts';
import { explainCommand } from './commands/explain.ts';
import { farmsCommand } from './commands/farms.ts';
import { jobCommand } from './commands/job.ts';
import { jobsCommand } from './commands/jobs.ts';
import { locationsCommand } from './commands/locations.ts';
import { logsCommand } from './commands/logs.ts';
import { openjdCommand } from './commands/openjd/openjd-command.ts';
import { poolsCommand } from './commands/pools.ts';
import { queuesCommand } from './commands/queues.ts';
import { restoreCommand } from './commands/restore.ts';
import { storageCommand } from './commands/storage.ts';
import { submitCommand } from './commands/submit.ts';
import { tasksCommand } from './commands/tasks.ts';
import { workersCommand } from './commands/workers.ts';

/** The command `callsheet`: two daemons, clients of the REST API, and templates on this machine. */
const COMMANDS = [
  serverCommand,
  workerCommand,
  backupCommand,
  restoreCommand,
  compactCommand,
  submitCommand,
  jobsCommand,
  jobCommand,
  tasksCommand,
  explainCommand,
  logsCommand,
  workersCommand,
  farmsCommand,
  queuesCommand,
  locationsCommand,
  storageCommand,
  poolsCommand,
  openjdCommand,
];

function version(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '';
}

/** Wrong usage ends with EXIT.usage at every level of the command, not with commander's 1. */
function exitAsDocumented(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) exitAsDocumented(inner);
}

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('callsheet')
    .description('A job scheduler for render farms.')
    .version(version())
    .showHelpAfterError('(--help says more)');
  for (const command of COMMANDS) program.addCommand(command());
  exitAsDocumented(program);
  try {
    await program.parseAsync(argv);
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
