import type { CommandCompletion, Value } from './command-completion.ts';

/** The parts that the scripts for bash and zsh have in common: both tell words apart by `case`. */

const NOTHING: Value = { choices: [], isFile: false };

/** How a shell takes the words that fit, and files. */
export interface Taking {
  readonly words: (words: readonly string[]) => string;
  readonly files: string;
}

const branch = (pattern: string, body: string): string => `      '${pattern}') ${body} ;;`;

function branches(pattern: string, { choices, isFile }: Value, taking: Taking): readonly string[] {
  if (isFile) return [branch(pattern, taking.files)];
  return choices.length > 0 ? [branch(pattern, taking.words(choices))] : [];
}

const flagsOf = ({ options }: CommandCompletion): readonly string[] =>
  options.flatMap(({ long, short }) => (short === null ? [long] : [short, long]));

/** `'<place> <command>'` of every command. */
export const commandPatterns = (places: readonly CommandCompletion[]): string =>
  places.flatMap(({ words, commands }) => commands.map(({ name }) => `'${words} ${name}'`)).join('|');

/** `'<place> <flag>'` of every option that a value follows. */
export const valuePatterns = (places: readonly CommandCompletion[]): string =>
  places
    .flatMap(({ words, options }) =>
      options
        .filter(({ value }) => value !== null)
        .flatMap(({ long, short }) => [long, ...(short === null ? [] : [short])])
        .map((flag) => `'${words} ${flag}'`),
    )
    .join('|');

/** What follows a flag. */
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

/** The flags of a place. */
const flagBranches = (places: readonly CommandCompletion[], taking: Taking): string =>
  places.map((place) => branch(place.words, taking.words(flagsOf(place)))).join('\n');

/** What can be the next argument of a place: `'<place> <index>'`. */
const argumentBranches = (places: readonly CommandCompletion[], taking: Taking): string =>
  places
    .flatMap(({ words, commands, arguments: values }) => {
      const first = values[0] ?? NOTHING;
      const names = commands.map(({ name }) => name);
      const all = [{ ...first, choices: [...names, ...first.choices] }, ...values.slice(1)];
      return all.flatMap((value, at) => branches(`${words} ${at}`, value, taking));
    })
    .join('\n');

/** Goes on from the word before the cursor: sets `place`, `expects` and `at`. */
export const step = (places: readonly CommandCompletion[]): string => `    case "$place $word" in
      ${valuePatterns(places)}) expects=$word ;;
      ${commandPatterns(places)}) place="$place $word" ;;
      *) if [[ $word != -?* ]]; then at=$((at + 1)); fi ;;
    esac`;

/** Takes what fits at the cursor. */
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
