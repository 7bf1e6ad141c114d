import { once } from 'node:events';
import { Command, Option } from 'commander';
import { collectAssignment } from '../options/assignments.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { inputLines } from './input-lines.ts';
import type { EvalOptions } from './eval.ts';
import type { RunOptions } from './run.ts';

const collected = (given: string, earlier: readonly string[]): readonly string[] => [...earlier, given];

interface ListingOptions {
  readonly param: ReadonlyMap<string, string>;
  readonly environment: readonly string[];
  readonly extensions?: string;
  readonly jsonl?: boolean;
}

const withTemplateOptions = (command: Command): Command =>
  command
    .option(
      '-p, --param <name=value>',
      'value of a job parameter (may be repeated)',
      collectAssignment,
      new Map(),
    )
    .option(
      '--environment <file>',
      "environment template, entered before the job's own environments (may be repeated)",
      collected,
      [],
    )
    .option(
      '--extensions <names>',
      'extensions that a template may declare, separated by commas (default: all known ones)',
    );

/** The code that reads templates is loaded on demand: the client commands do not need it. */
const OF_FILE = {
  check: async () => (await import('./check.ts')).checkCommandOf,
  expand: async () => (await import('./expand.ts')).expandCommandOf,
} as const;

/** Runs `check` or `expand` for one template, or for the template in each line of standard input. */
function listingCommand(kind: keyof typeof OF_FILE, description: string): Command {
  return withTemplateOptions(new Command(kind).description(description))
    .argument('[template]', 'file of the template, or - for standard input')
    .option('--jsonl', 'answer each line of JSON on standard input with a line of JSON')
    .action(async (template: string | undefined, options: ListingOptions) => {
      if (options.jsonl === true) {
        if (template !== undefined || options.param.size > 0 || options.environment.length > 0) {
          throw new CommandError(EXIT.usage, '--jsonl: templates and values come from standard input');
        }
        await answerLines(kind, options.extensions);
      } else if (template === undefined) {
        throw new CommandError(EXIT.usage, 'give a template: a file, - for standard input, or --jsonl');
      } else {
        const command = await OF_FILE[kind]();
        await command(template, options.param, options.environment, options.extensions);
      }
    });
}

async function answerLines(kind: 'check' | 'expand' | 'eval', extensions?: string): Promise<void> {
  const { runOpenjdJsonl } = await import('./jsonl.ts');
  await runOpenjdJsonl(kind, inputLines(process.stdin.setEncoding('utf8')), writeLine, extensions);
}

/** Writes text. Waits while the reader of the output is slow. */
async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** `callsheet openjd` */
export const openjdCommand = (): Command =>
  new Command('openjd')
    .description(
      'Check, expand and run OpenJD job templates, evaluate expressions, and print the schema of templates. Needs no server.',
    )
    .addCommand(listingCommand('check', 'Validate a template. Exits 1 if it has errors.'))
    .addCommand(listingCommand('expand', 'List the tasks that a template makes.'))
    .addCommand(runCommand())
    .addCommand(evalCommand())
    .addCommand(schemaCommand());

const schemaCommand = (): Command =>
  new Command('schema')
    .description('Print the JSON Schema of templates, for completion and checks in an editor.')
    .action(async () => {
      const { templateSchema } = await import('../../src/openjd/template/schema/template-schema.ts');
      await writeLine(JSON.stringify(templateSchema(), null, 2));
    });

function runCommand(): Command {
  return withTemplateOptions(
    new Command('run').description(
      'Run a job on this machine as a worker would, one task after another. Exits 1 unless all tasks succeed.',
    ),
  )
    .argument('<template>', 'file of the template, or - for standard input')
    .option('--step <name>', 'run only this step, without its dependencies')
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

function evalCommand(): Command {
  return new Command('eval')
    .description('Evaluate an expression of the extension EXPR. Exits 1 if the evaluation fails.')
    .argument('[expression]', 'the expression')
    .option(
      '-v, --value <name:type=value>',
      'a symbol of the expression; lists as JSON; name:unresolved[type] for an unknown value (may be repeated)',
      collected,
      [],
    )
    .option('--format', 'the argument is a format string with {{ }} around its expressions')
    .option('--target-type <type>', 'target type of the value')
    .addOption(
      new Option('--path-format <format>', 'how paths are written')
        .choices(['posix', 'windows'])
        .default('posix'),
    )
    .option(
      '--path-mapping-rules <rules>',
      'map paths by these rules: JSON (pathmapping-1.0), or a file of it',
    )
    .option('--json', 'print the value as JSON, with its type')
    .option('--jsonl', 'answer each line of JSON on standard input with a line of JSON')
    .action(async (expression: string | undefined, options: EvalOptions & { readonly jsonl?: boolean }) => {
      if (options.jsonl === true) {
        if (expression !== undefined || options.value.length > 0) {
          throw new CommandError(EXIT.usage, '--jsonl: expressions and values come from standard input');
        }
        await answerLines('eval');
      } else if (expression === undefined) {
        throw new CommandError(EXIT.usage, 'give an expression, or --jsonl');
      } else {
        const { evalCommandOf } = await import('./eval.ts');
        await evalCommandOf(expression, options);
      }
    });
}
