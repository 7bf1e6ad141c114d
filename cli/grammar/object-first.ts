import type { Command, Option } from 'commander';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** Verb that `--wait` or `--watch` means if no verb is given. */
const WAITS: ReadonlyMap<string, string> = new Map([
  ['--wait', 'wait'],
  ['--watch', 'watch'],
]);

/**
 * Returns the arguments of a command line with the verb before its object: `job JOB cancel` becomes `job cancel JOB`, and
 * `job JOB` becomes `job show JOB`. Changes only lines whose noun is in the singular. Throws a usage error if the word
 * after the object is not a verb.
 */
export function verbFirst(program: Command, args: readonly string[]): readonly string[] {
  const [nounAt] = operandsOf(args, program.options);
  const noun = program.commands.find(
    (each) => nounAt !== undefined && each.aliases().includes(args[nounAt] ?? ''),
  );
  if (noun === undefined || nounAt === undefined) return args;
  const options = [program, noun, ...noun.commands].flatMap((command) => command.options);
  const [first, second] = operandsOf(args.slice(nounAt + 1), options).map((at) => at + nounAt + 1);
  const verbs = noun.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  if (first === undefined || verbs.includes(args[first] ?? '')) return args;
  if (second === undefined) {
    const flag = args.findIndex((word, at) => at > nounAt && WAITS.has(word));
    const shown = WAITS.get(args[flag] ?? '') ?? 'show';
    const kept = args.filter((_word, at) => at !== flag);
    const object = flag >= 0 && flag < first ? first - 1 : first;
    return [...kept.slice(0, object), shown, ...kept.slice(object)];
  }
  const verb = args[second] ?? '';
  if (!verbs.includes(verb))
    throw new CommandError(
      EXIT.usage,
      `unknown verb ${JSON.stringify(verb)}: callsheet ${noun.name()} takes ${verbs.join(', ')}`,
    );
  const others = args.filter((_word, at) => at !== second);
  return [...others.slice(0, first), verb, ...others.slice(first)];
}

/** Returns the positions of the words that are neither options nor their values. */
function operandsOf(words: readonly string[], options: readonly Option[]): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-') || word === '-') found.push(at);
    else if (options.some((option) => option.required && (option.short === word || option.long === word)))
      at++;
  }
  return found;
}
