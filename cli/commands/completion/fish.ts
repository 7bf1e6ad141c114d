import {
  namesCommand,
  type CompletedOption,
  type CommandCompletion,
  type Value,
} from './command-completion.ts';
import { commandPatterns, valuePatterns } from './shell-cases.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const spaced = (patterns: string): string => patterns.replaceAll("'|'", "' '");

/** Returns the arguments of fish's `complete` for the value of an option. */
function valueFlags({ choices, isFile, names }: Value): string {
  if (isFile) return ' -r -F';
  if (names !== null) return ` -x -a ${quoted(`(${namesCommand(names)})`)}`;
  return choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -x';
}

function optionLine(words: string, { long, short, description, value }: CompletedOption): string {
  const names = `${short === null ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
  const follows = value === null ? '' : valueFlags(value);
  return `complete -c callsheet -n ${quoted(`__callsheet_in "${words}"`)}${names}${follows} -d ${quoted(description)}`;
}

function argumentLines({ words, commands, arguments: values }: CommandCompletion): readonly string[] {
  const at = (index: number): string =>
    `complete -c callsheet -n ${quoted(`__callsheet_at "${words}" ${index}`)}`;
  return [
    ...commands.map(({ name, description }) => `${at(0)} -a ${name} -d ${quoted(description)}`),
    ...values.flatMap(({ choices, isFile, names }, index) => {
      if (isFile) return [`${at(index)} -F`];
      if (names !== null) return [`${at(index)} -a ${quoted(`(${namesCommand(names)})`)}`];
      return choices.length > 0 ? [`${at(index)} -a ${quoted(choices.join(' '))}`] : [];
    }),
  ];
}

/** Returns the completion script for fish 3 or newer. */
export const fishCompletion = (
  places: readonly CommandCompletion[],
): string => `# Completion of callsheet for fish.
function __callsheet_place
    set -l place callsheet
    set -l expects ''
    set -l at 0
    set -l given (commandline -opc)
    set -e given[1]
    for word in $given
        if test -n "$expects"
            set expects ''
            continue
        end
        switch "$place $word"
            case ${spaced(valuePatterns(places))}
                set expects $word
            case ${spaced(commandPatterns(places))}
                set place "$place $word"
            case '* -'
                set at (math $at + 1)
            case '* -*'
            case '*'
                set at (math $at + 1)
        end
    end
    echo $place
    echo $at
end
function __callsheet_in
    set -l now (__callsheet_place)
    test "$now[1]" = "$argv[1]"
end
function __callsheet_at
    set -l now (__callsheet_place)
    test "$now[1]" = "$argv[1]"; and test "$now[2]" = "$argv[2]"
end
complete -c callsheet -f
${places.flatMap((place) => [...argumentLines(place), ...place.options.map((option) => optionLine(place.words, option))]).join('\n')}
`;
