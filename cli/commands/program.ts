import { Command } from 'commander';
import { busCommand } from '../bus/permissions-command.ts';
import { backupCommand } from './backup.ts';
import { compactCommand } from './compact.ts';
import { completionCommand } from './completion-command.ts';
import { serverCommand, workerCommand } from './daemons.ts';
import { exitStatusHelp } from '../terminal/exit-codes.ts';
import { loginCommand } from './login.ts';
import { logoutCommand } from './logout.ts';
import { programVersion } from './program-version.ts';
import { restoreCommand } from './restore.ts';
import { whoamiCommand } from './whoami.ts';
import { withClientOptions } from '../client/client-command.ts';
import { doctorCommand } from '../doctor/doctor-command.ts';
import { NOUNS, VERBS_WITHOUT_NOUN } from '../nouns/all.ts';
import { openjdCommand } from '../openjd/openjd-command.ts';
import { nounCommand, shortForm } from '../grammar/noun-command.ts';
import { verbFirst } from '../grammar/object-first.ts';

/** Commands about this machine and the account. */
const BEFORE = [
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
];

const AFTER = [openjdCommand, completionCommand];

/** Makes usage errors of all subcommands exit with EXIT.usage. The default of commander is 1. */
function exitAsDocumented(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) exitAsDocumented(inner);
}

/** Creates the command without running it. */
export function callsheetProgram(): Command {
  const program = withClientOptions(new Command('callsheet'))
    .description('A job scheduler for render farms: callsheet NOUN VERB, for example callsheet jobs list.')
    // The options above apply before the noun; nouns have them too.
    .enablePositionalOptions()
    .version(programVersion())
    .showHelpAfterError('(--help says more)')
    .addHelpText('after', exitStatusHelp());
  for (const command of BEFORE) program.addCommand(command());
  for (const verb of VERBS_WITHOUT_NOUN) program.addCommand(shortForm(verb.name, verb));
  for (const noun of NOUNS) program.addCommand(nounCommand(noun));
  for (const command of AFTER) program.addCommand(command());
  exitAsDocumented(program);
  return program;
}

/** Runs a command line, given without the program. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = callsheetProgram();
  await program.parseAsync(verbFirst(program, args), { from: 'user' });
}
