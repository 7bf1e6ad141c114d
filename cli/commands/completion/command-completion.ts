import type { Argument, Command, Option } from 'commander';
import { flagName } from '../../../src/core/config/key-names.ts';
import { DAEMONS, type KeySet } from '../../../src/core/config/keys.ts';
import { standardVerbOf } from '../../grammar/noun-command.ts';

/** Lists of the server that a shell asks for when it completes a word. */
export type NameList = 'products' | 'presets';

/** Possible values of a word: a fixed set, a file, or names that the server has; otherwise any text. */
export interface Value {
  readonly choices: readonly string[];
  readonly isFile: boolean;
  readonly names: NameList | null;
}

/** Returns the command that prints the names of a list, one per line. Its errors are not shown. */
export const namesCommand = (list: NameList): string => `callsheet ${list} --names 2>/dev/null`;

export interface CompletedOption {
  /** `--name`. */
  readonly long: string;
  /** `-n`, or null. */
  readonly short: string | null;
  readonly description: string;
  /** The value that follows; null if the option takes none. */
  readonly value: Value | null;
}

/** Possible words after a command. */
export interface CommandCompletion {
  /** Words of the command, such as `callsheet pools set`. */
  readonly words: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** Other names of the commands, which are recognized but not offered. */
  readonly aliases: readonly string[];
  readonly options: readonly CompletedOption[];
  /** Arguments, in order. */
  readonly arguments: readonly Value[];
}

/** Names of arguments and option values that are files. */
const FILES: ReadonlySet<string> = new Set(['template', 'file', 'directory']);
/** Names of arguments and option values that are names of the server. */
const NAME_LISTS: ReadonlyMap<string, NameList> = new Map([
  ['product', 'products'],
  ['preset', 'presets'],
]);

/** `name` is that of the documentation; three dots mark a list of values. */
function valueOf({ argChoices }: Option | Argument, name: string): Value {
  const subject = name.replace(/\.\.\.$/, '');
  return {
    choices: argChoices ?? [],
    isFile: argChoices === undefined && FILES.has(subject),
    names: argChoices === undefined ? (NAME_LISTS.get(subject) ?? null) : null,
  };
}

function optionOf(option: Option): CompletedOption {
  const name = /[<[]([^>\]]*)[>\]]/.exec(option.flags)?.[1] ?? '';
  return {
    long: option.long ?? '',
    short: option.short ?? null,
    description: option.description,
    value: option.required || option.optional ? valueOf(option, name) : null,
  };
}

/** Returns the flags of a daemon: its configuration keys. Their values are not completed. */
function daemonOptions(name: string): readonly CompletedOption[] {
  if (name !== 'server' && name !== 'worker') return [];
  const keys: KeySet = DAEMONS[name];
  const flags = Object.entries(keys).map(([key, { description }]) => [flagName(key), description] as const);
  const all = [['--config', 'File of the configuration.'] as const, ...flags];
  const value: Value = { choices: [], isFile: true, names: null };
  return all.map(([long, description]) => ({ long, short: null, description, value }));
}

/**
 * Returns a completion for the program and each command below it, the program first. Options of a command apply to its
 * subcommands, too.
 */
export function completionsOf(program: Command): readonly CommandCompletion[] {
  return visit(program, program.name(), []);
}

function visit(
  command: Command,
  words: string,
  inherited: readonly CompletedOption[],
): readonly CommandCompletion[] {
  const help = command.createHelp();
  const standard = standardVerbOf(command);
  const own = [
    ...help.visibleOptions(command).map(optionOf),
    ...(standard === undefined ? [] : standard.options.filter(({ hidden }) => !hidden).map(optionOf)),
    ...daemonOptions(command.name()),
  ];
  const options = [...own, ...inherited.filter(({ long }) => !own.some((option) => option.long === long))];
  const commands = help.visibleCommands(command);
  const place: CommandCompletion = {
    words,
    commands: commands.map((inner) => ({ name: inner.name(), description: inner.description() })),
    aliases: commands.flatMap((inner) => inner.aliases()),
    options,
    arguments: command.registeredArguments.map((argument) => valueOf(argument, argument.name())),
  };
  // Options of the program itself apply only before the first command.
  const ofVerb = new Set(standard?.options.map(({ long }) => long));
  const handedOn = command.parent === null ? [] : options.filter(({ long }) => !ofVerb.has(long));
  const below = commands.flatMap((inner) =>
    [inner.name(), ...inner.aliases()].flatMap((name) => visit(inner, `${words} ${name}`, handedOn)),
  );
  return [place, ...below];
}
