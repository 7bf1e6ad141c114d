import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { auditCommand } from './audit.ts';
import { completionCommand } from './completion-command.ts';
import { backupCommand } from './backup.ts';
import { compactCommand } from './compact.ts';
import { busCommand } from '../bus/permissions-command.ts';
import { restoreCommand } from './restore.ts';
import { serverCommand, workerCommand } from './daemons.ts';
import { exitStatusHelp } from './exit-codes.ts';
import { explainCommand } from './explain.ts';
import { farmsCommand } from './farms.ts';
import { jobCommand } from './job.ts';
import { jobsCommand } from './jobs.ts';
import { keysCommand } from './keys.ts';
import { locationsCommand } from './locations.ts';
import { loginCommand } from './login.ts';
import { logoutCommand } from './logout.ts';
import { logsCommand } from './logs.ts';
import { doctorCommand } from '../doctor/doctor-command.ts';
import { openjdCommand } from '../openjd/openjd-command.ts';
import { poolsCommand } from './pools.ts';
import { presetsCommand } from '../products/presets-command.ts';
import { productsCommand } from '../products/products-command.ts';
import { queuesCommand } from './queues.ts';
import { storageCommand } from './storage.ts';
import { submitCommand } from './submit.ts';
import { taskCommand } from './task.ts';
import { tasksCommand } from './tasks.ts';
import { usersCommand } from './users.ts';
import { whoamiCommand } from './whoami.ts';
import { webhooksCommand } from './webhooks.ts';
import { workersCommand } from './workers.ts';

/** The command `callsheet`: two daemons, clients of the REST API, and template tools for this machine. */
const COMMANDS = [
  serverCommand,
  workerCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  busCommand,
  compactCommand,
  loginCommand,
  logoutCommand,
  whoamiCommand,
  submitCommand,
  productsCommand,
  presetsCommand,
  jobsCommand,
  jobCommand,
  tasksCommand,
  taskCommand,
  explainCommand,
  logsCommand,
  workersCommand,
  farmsCommand,
  queuesCommand,
  locationsCommand,
  storageCommand,
  poolsCommand,
  webhooksCommand,
  keysCommand,
  usersCommand,
  auditCommand,
  openjdCommand,
  completionCommand,
];

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '';
}

/** Makes usage errors of all subcommands exit with EXIT.usage. The default of commander is 1. */
function exitAsDocumented(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) exitAsDocumented(inner);
}

/** Creates the command without running it. */
export function callsheetProgram(): Command {
  const program = new Command('callsheet')
    .description('A job scheduler for render farms.')
    .version(version())
    .showHelpAfterError('(--help says more)')
    .addHelpText('after', exitStatusHelp());
  for (const command of COMMANDS) program.addCommand(command());
  exitAsDocumented(program);
  return program;
}
