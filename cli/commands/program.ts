import { Command } from 'commander';
import { exitStatusHelp } from '../terminal/exit-codes.ts';
import { programVersion } from './program-version.ts';
import { withClientOptions } from '../client/client-command.ts';
import { verbFirst } from '../grammar/object-first.ts';
import { COMPLETION, TOP_COMMANDS, type TopCommand } from './top-commands.ts';

/** Returns the commands that a command line can mean: only one if it begins with its name, none for the version. */
function commandsFor(first: string | undefined): readonly TopCommand[] {
  if (first === '--version') return [];
  const meant = TOP_COMMANDS.find(({ names }) => names.some((name) => name === first));
  return meant === undefined || meant === COMPLETION ? TOP_COMMANDS : [meant];
}

/** Makes usage errors of all subcommands exit with EXIT.usage, and name the help. The default of commander is 1. */
function exitAsDocumented(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help says more)');
  for (const inner of command.commands) exitAsDocumented(inner);
}

/** Creates the command without running it. `first` is the first word of the command line, if it is known. */
export async function callsheetProgram(first?: string): Promise<Command> {
  const program = withClientOptions(new Command('callsheet'))
    .description('A job scheduler for render farms: callsheet NOUN VERB, for example callsheet jobs list.')
    // The options above apply before the noun; nouns have them too.
    .enablePositionalOptions()
    .version(programVersion())
    .addHelpText('after', exitStatusHelp());
  for (const { create } of commandsFor(first)) program.addCommand(await create());
  exitAsDocumented(program);
  return program;
}

/** Runs a command line, given without the program. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = await callsheetProgram(args[0]);
  await program.parseAsync(verbFirst(program, args), { from: 'user' });
}
