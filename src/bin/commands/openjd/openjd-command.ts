import { once } from 'node:events';
import { Command } from 'commander';
import { collectAssignment } from '../assignments.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { inputLines } from './input-lines.ts';
import type { RunOptions } from './run.ts';

interface ListingOptions {
  readonly param: ReadonlyMap<string, string>;
  readonly jsonl?: boolean;
}

const withParameters = (command: Command): Command =>
  command.option(
    '-p, --param <name=value>',
    'value of a job parameter (may be repeated)',
    collectAssignment,
    new Map(),
  );

/** What reads templates is loaded only when it is asked for: the client commands need none of it. */
const OF_FILE = {
  check: async () => (await import('./check.ts')).checkCommandOf,
  expand: async () => (await import('./expand.ts')).expandCommandOf,
} as const;

/** `check` or `expand`: of one template, or of one in each line of standard input. */
function listingCommand(kind: keyof typeof OF_FILE, description: string): Command {
  return withParameters(new Command(kind).description(description))
    .argument('[template]', 'file of the template, or - for standard input')
    .option('--jsonl', 'answer each line of JSON on standard input with a line of JSON')
    .action(async (template: string | undefined, options: ListingOptions) => {
      if (options.jsonl === true) {
        if (template !== undefined || options.param.size > 0) {
          throw new CommandError(EXIT.usage, '--jsonl: templates and values come from standard input');
        }
        const { runOpenjdJsonl } = await import('./jsonl.ts');
        await runOpenjdJsonl(kind, inputLines(process.stdin.setEncoding('utf8')), writeLine);
      } else if (template === undefined) {
        throw new CommandError(EXIT.usage, 'which template? (a file, - for standard input, or --jsonl)');
      } else await (await OF_FILE[kind]())(template, options.param);
    });
}

/** Waits when the reader of the output is slow. */
async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** `callsheet openjd` */
export const openjdCommand = (): Command =>
  new Command('openjd')
    .description('Check, expand and run OpenJD job templates on this machine, without a service.')
    .addCommand(listingCommand('check', 'Validate a template. Exits 1 when it has errors.'))
    .addCommand(listingCommand('expand', 'List the tasks that a template makes.'))
    .addCommand(runCommand());

function runCommand(): Command {
  return withParameters(
    new Command('run').description(
      'Run a job on this machine as a worker would, one task after another. Exits 1 unless all tasks succeed.',
    ),
  )
    .argument('<template>', 'file of the template, or - for standard input')
    .option('--step <name>', 'run this step alone, without those that it depends on')
    .option(
      '--task <name=value>',
      'run the tasks with this value of a task parameter (may be repeated)',
      collectAssignment,
      new Map(),
    )
    .option(
      '--path-mapping-rules <rules>',
      'map paths by these rules: JSON (pathmapping-1.0), or a file of it',
    )
    .action(async (template: string, options: RunOptions) => {
      const { runCommandOf } = await import('./run.ts');
      await runCommandOf(template, options);
    });
}
