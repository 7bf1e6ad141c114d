import { Argument, type Command } from 'commander';
import { optionsOf } from '../client/client-command.ts';

/** Argument of a verb: its name as commander takes it, such as `<job>` or `[file...]`, and its help. */
export interface VerbArgument {
  readonly name: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Throws an InvalidArgumentError for a text that is not valid. */
  readonly check?: (given: string) => unknown;
}

/** One verb of a noun, for example `cancel` of `jobs`, as data. */
export interface Verb {
  readonly name: string;
  /** Earlier names of the verb that stay valid. */
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly arguments: readonly VerbArgument[];
  /** Adds the options of the verb. */
  readonly options: (command: Command) => Command;
  /** Runs the verb with the arguments and options that the command has parsed. */
  readonly run: (command: Command) => Promise<void>;
}

interface VerbSpec<Options extends object> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly arguments?: readonly VerbArgument[];
  readonly options?: (command: Command) => Command;
  /** `args` are the given arguments in order, those of a list one after the other. */
  readonly run: (args: readonly string[], options: Options) => Promise<void>;
}

/** Creates a verb. `Options` are its own options and those of every client command. */
export const verb = <Options extends object>({
  arguments: known = [],
  options = (command) => command,
  run,
  ...words
}: VerbSpec<Options>): Verb => ({
  ...words,
  arguments: known,
  options,
  run: (command) => run(command.args, optionsOf<Options>(command)),
});

/** A noun of the command line with its verbs. */
export interface Noun {
  readonly name: string;
  /** Singular that is accepted too, also with the object before the verb: `job JOB cancel`. */
  readonly singular?: string;
  readonly about: string;
  /** True if its verbs send no requests: they have no options that select a server. */
  readonly isLocal?: boolean;
  /** The first verb runs if no verb is given. */
  readonly verbs: readonly [Verb, ...Verb[]];
  /** Nouns below this one, for example `workers token`. */
  readonly nouns?: readonly Noun[];
}

/** Returns the argument of commander. */
export function argumentOf({ name, help, choices, check }: VerbArgument): Argument {
  const argument = new Argument(name, help);
  if (choices !== undefined) argument.choices(choices);
  if (check !== undefined) argument.argParser(check);
  return argument;
}
