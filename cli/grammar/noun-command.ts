import { Command } from 'commander';
import { withClientOptions } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { argumentOf, type Noun, type Verb } from './verb.ts';

/** Creates the command of a noun with a command for each verb. The first verb runs if none is given. */
export function nounCommand(noun: Noun): Command {
  const command = new Command(noun.name);
  return withVerbs(noun.isLocal === true ? command : withClientOptions(command), noun, noun.name);
}

/** Creates a command for one verb without its noun, such as `callsheet submit`. */
export function shortForm(name: string, verb: Verb): Command {
  const command = verbCommand(withClientOptions(new Command(name)), verb);
  return command.action(() => verb.run(command));
}

/** Command of the verb that runs if none is given, by command of the noun. */
const standardVerbs = new WeakMap<Command, Command>();

/** Returns the command of the verb that runs if a noun is given without one; undefined for other commands. */
export const standardVerbOf = (noun: Command): Command | undefined => standardVerbs.get(noun);

function withVerbs(command: Command, noun: Noun, path: string): Command {
  command.description(noun.about).helpCommand(false);
  if (noun.singular !== undefined) command.alias(noun.singular);
  for (const [at, verb] of noun.verbs.entries()) {
    const inner = verbCommand(new Command(verb.name).configureHelp({ showGlobalOptions: true }), verb);
    for (const alias of verb.aliases ?? []) inner.alias(alias);
    if (at === 0) {
      inner.allowExcessArguments();
      standardVerbs.set(command, inner);
    }
    inner.action(() => {
      if (at === 0) assertNoExcess(noun, path, verb, inner.args);
      return verb.run(inner);
    });
    command.addCommand(inner, { isDefault: at === 0 });
  }
  for (const below of noun.nouns ?? [])
    command.addCommand(
      withVerbs(
        new Command(below.name).configureHelp({ showGlobalOptions: true }),
        below,
        `${path} ${below.name}`,
      ),
    );
  return command;
}

function verbCommand(command: Command, { about, arguments: known, options }: Verb): Command {
  command.description(about);
  for (const argument of known) command.addArgument(argumentOf(argument));
  return options(command);
}

/** The first verb gets every word that is not a verb: the error says which verbs there are. */
function assertNoExcess(noun: Noun, path: string, verb: Verb, given: readonly string[]): void {
  const [unknown] = given.slice(verb.arguments.length);
  if (unknown === undefined || verb.arguments.some(({ name }) => name.includes('...'))) return;
  const verbs = [...noun.verbs, ...(noun.nouns ?? [])].map(({ name }) => name).join(', ');
  const show = noun.verbs.some(({ name }) => name === 'show')
    ? `\nTo show one: callsheet ${path} show ${unknown}`
    : '';
  throw new CommandError(
    EXIT.usage,
    `unknown verb ${JSON.stringify(unknown)}: callsheet ${path} takes ${verbs}${show}`,
  );
}
