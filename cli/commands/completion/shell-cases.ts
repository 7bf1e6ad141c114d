import type { CommandCompletion, NameList, Value } from './command-completion.ts';

/** The common parts of the scripts for bash and zsh. Both compare words with `case`. */

const NOTHING: Value = { choices: [], isFile: false, names: null };

/** Statements of a shell that offer words or files. */
export interface Taking {
  readonly words: (words: readonly string[]) => string;
  readonly files: string;
  readonly names: (list: NameList) => string;
}

const branch = (pattern: string, body: string): string => `      '${pattern}') ${body} ;;`;

function branches(pattern: string, { choices, isFile, names }: Value, taking: Taking): readonly string[] {
  if (isFile) return [branch(pattern, taking.files)];
  if (names !== null) return [branch(pattern, taking.names(names))];
  return choices.length > 0 ? [branch(pattern, taking.words(choices))] : [];
}

const flagsOf = ({ options }: CommandCompletion): readonly string[] =>
  options.flatMap(({ long, short }) => (short === null ? [long] : [short, long]));

/** Returns the patterns `'<place> <command>'` of all commands. */
export const commandPatterns = (places: readonly CommandCompletion[]): string =>
  places
    .flatMap(({ words, commands, aliases }) =>
      [...commands.map(({ name }) => name), ...aliases].map((name) => `'${words} ${name}'`),
    )
    .join('|');

/** Returns the patterns `'<place> <flag>'` of all options with a value. */
export const valuePatterns = (places: readonly CommandCompletion[]): string =>
  places
    .flatMap(({ words, options }) =>
      options
        .filter(({ value }) => value !== null)
        .flatMap(({ long, short }) => [long, ...(short === null ? [] : [short])])
        .map((flag) => `'${words} ${flag}'`),
    )
    .join('|');

/** Returns the branches for the value of a flag. */
const valueBranches = (places: readonly CommandCompletion[], taking: Taking): string =>
  places
    .flatMap(({ words, options }) =>
      options.flatMap(({ long, short, value }) =>
        [long, ...(short === null ? [] : [short])].flatMap((flag) =>
          branches(`${words} ${flag}`, value ?? NOTHING, taking),
        ),
      ),
    )
    .join('\n');

/** Returns the branches for the flags of a place. */
const flagBranches = (places: readonly CommandCompletion[], taking: Taking): string =>
  places.map((place) => branch(place.words, taking.words(flagsOf(place)))).join('\n');

/** Returns the branches for the next argument of a place, by `'<place> <index>'`. */
const argumentBranches = (places: readonly CommandCompletion[], taking: Taking): string =>
  places
    .flatMap(({ words, commands, arguments: values }) => {
      const first = values[0] ?? NOTHING;
      const names = commands.map(({ name }) => name);
      const all = [{ ...first, choices: [...names, ...first.choices] }, ...values.slice(1)];
      return all.flatMap((value, at) => branches(`${words} ${at}`, value, taking));
    })
    .join('\n');

/** Returns the statement that processes one word before the cursor: it sets `place`, `expects` and `at`. */
export const step = (places: readonly CommandCompletion[]): string => `    case "$place $word" in
      ${valuePatterns(places)}) expects=$word ;;
      ${commandPatterns(places)}) place="$place $word" ;;
      *) if [[ $word != -?* ]]; then at=$((at + 1)); fi ;;
    esac`;

/** Returns the statement that offers completions at the cursor. */
export const offer = (
  places: readonly CommandCompletion[],
  taking: Taking,
): string => `  if [[ -n $expects ]]; then
    case "$place $expects" in
${valueBranches(places, taking)}
    esac
  elif [[ $cur == -* ]]; then
    case "$place" in
${flagBranches(places, taking)}
    esac
  else
    case "$place $at" in
${argumentBranches(places, taking)}
    esac
  fi`;
