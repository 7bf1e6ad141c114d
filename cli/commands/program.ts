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

/** A command at the top level: its names, and how it is created. */
interface TopCommand {
  readonly names: readonly string[];
  readonly create: () => Command;
}

const named = (name: string, create: () => Command): TopCommand => ({ names: [name], create });

/** Prints a script about all commands. */
const COMPLETION = named('completion', completionCommand);

/** All commands, in the order of the help: first those about this machine and the account. */
const COMMANDS: readonly TopCommand[] = [
  named('server', serverCommand),
  named('worker', workerCommand),
  named('doctor', doctorCommand),
  named('backup', backupCommand),
  named('restore', restoreCommand),
  named('bus', busCommand),
  named('compact', compactCommand),
  named('login', loginCommand),
  named('logout', logoutCommand),
  named('whoami', whoamiCommand),
  ...VERBS_WITHOUT_NOUN.map((verb) => named(verb.name, () => shortForm(verb.name, verb))),
  ...NOUNS.map((noun) => ({
    names: noun.singular === undefined ? [noun.name] : [noun.name, noun.singular],
    create: () => nounCommand(noun),
  })),
  named('openjd', openjdCommand),
  COMPLETION,
];

/** Returns the commands that a command line can mean: only one if it begins with its name, which saves time. */
function commandsFor(first: string | undefined): readonly TopCommand[] {
  const meant = COMMANDS.find(({ names }) => names.some((name) => name === first));
  return meant === undefined || meant === COMPLETION ? COMMANDS : [meant];
}

/** Makes usage errors of all subcommands exit with EXIT.usage, and name the help. The default of commander is 1. */
function exitAsDocumented(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help says more)');
  for (const inner of command.commands) exitAsDocumented(inner);
}

/** Creates the command without running it. `first` is the first word of the command line, if it is known. */
export function callsheetProgram(first?: string): Command {
  const program = withClientOptions(new Command('callsheet'))
    .description('A job scheduler for render farms: callsheet NOUN VERB, for example callsheet jobs list.')
    // The options above apply before the noun; nouns have them too.
    .enablePositionalOptions()
    .version(programVersion())
    .addHelpText('after', exitStatusHelp());
  for (const { create } of commandsFor(first)) program.addCommand(create());
  exitAsDocumented(program);
  return program;
}

/** Runs a command line, given without the program. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = callsheetProgram(args[0]);
  await program.parseAsync(verbFirst(program, args), { from: 'user' });
}
