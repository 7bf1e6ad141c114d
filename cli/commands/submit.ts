import type { Command } from 'commander';
import { collectAssignment } from './assignments.ts';
import {
  clientCommand,
  contextOf,
  printJson,
  type ClientContext,
  type ClientOptions,
} from './client-command.ts';
import { dryRunText } from './dry-run.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { futureTime } from './expiry.ts';
import { integer } from './integer.ts';
import { outcome } from './outcome.ts';
import { readParameterFile } from './param-file.ts';
import { productRequest } from './product-submission.ts';
import { retryChanges, retryOptions, type RetryOptions } from './retry-options.ts';
import { previewSubmission, submitOnce, type SubmitRequest } from './submit-once.ts';
import { templateRequest } from './template-submission.ts';
import { printable } from './terminal.ts';

const collect = (given: string, earlier: readonly string[]): readonly string[] => [...earlier, given];

interface SubmitOptions extends ClientOptions, RetryOptions {
  readonly farm: string;
  readonly queue: string;
  readonly product?: string;
  readonly name?: string;
  readonly param: ReadonlyMap<string, string>;
  readonly paramFile?: string;
  readonly dependsOn: readonly string[];
  readonly priority?: number;
  readonly project?: string;
  readonly owner?: string;
  readonly paused?: boolean;
  readonly startAfter?: string;
  readonly watch?: boolean;
  readonly wait?: boolean;
  readonly dryRun?: boolean;
}

async function submit(template: string | undefined, options: SubmitOptions): Promise<void> {
  checkUsage(template, options);
  const context = contextOf(options);
  const { client, terminal, json } = context;
  const request = await requestOf(context, template, options);
  if (options.dryRun === true) {
    const preview = await previewSubmission(client, request);
    if (json) printJson(terminal, preview);
    else terminal.out(dryRunText(preview, terminal));
    return;
  }
  const job = await submitOnce(client, request, () =>
    terminal.err(`waiting for the server at ${client.url}\n`),
  );
  if (options.watch === true || options.wait === true) {
    terminal.err(`job ${job.id} ${printable(job.name)}\n`);
    await outcome(context, job.id, options.watch === true);
  } else if (json) printJson(terminal, job);
  else terminal.out(`${job.id}\n`);
}

/** Throws a usage error for arguments that do not fit each other. */
function checkUsage(template: string | undefined, { product, name, paramFile }: SubmitOptions): void {
  if ((template === undefined) === (product === undefined))
    throw new CommandError(EXIT.usage, 'give either a template or --product');
  if (name !== undefined && product === undefined)
    throw new CommandError(EXIT.usage, '--name needs --product: a template has the name of its job');
  if (template === '-' && paramFile === '-')
    throw new CommandError(EXIT.usage, 'only one of the template and --param-file can be standard input');
}

async function requestOf(
  { client, terminal }: ClientContext,
  template: string | undefined,
  options: SubmitOptions,
): Promise<SubmitRequest> {
  const { farm, queue, dependsOn, product, paramFile } = options;
  const fromFile = paramFile === undefined ? [] : await readParameterFile(paramFile, terminal);
  const parameters = new Map([...fromFile, ...options.param]);
  const place = { farm, queue, dependsOn };
  const settings = {
    priority: options.priority,
    ...retryChanges(options),
    project: options.project,
    owner: options.owner,
    paused: options.paused,
    start_after: options.startAfter,
  };
  if (product !== undefined) {
    const submission = { ...place, product, parameters, options: { ...settings, name: options.name } };
    return productRequest(client, submission, terminal);
  }
  return templateRequest(client, { ...place, template: template ?? '-', parameters, options: settings });
}

/** `callsheet submit` */
export function submitCommand(): Command {
  const command = clientCommand(
    'submit',
    'Submit a job from a product, or from an OpenJD job template (YAML or JSON). Prints the id of the job.',
  )
    .argument('[template]', 'file of the template, or - for standard input')
    .option('--product <product>', 'product to submit, instead of a template')
    .requiredOption('--farm <farm>', 'farm, by id, by the beginning of its id, or by name')
    .requiredOption('--queue <queue>', 'queue of the farm, likewise')
    .option(
      '-p, --param <name=value>',
      'value of a job parameter (may be repeated)',
      collectAssignment,
      new Map(),
    )
    .option('--param-file <file>', 'YAML or JSON file with values by name; -p takes precedence')
    .option('--name <name>', 'name of the job, with --product')
    .option('--depends-on <job>', 'a job of the farm that must complete first (may be repeated)', collect, [])
    .option('--priority <n>', 'higher is scheduled sooner (default of the server: 50)', integer)
    .option('--project <name>', 'project that the job belongs to')
    .option('--owner <name>', 'owner of the job')
    .option('--paused', 'the job starts paused')
    .option(
      '--start-after <time>',
      'no task starts before this time, such as 2026-11-22T20:00 or 6h',
      futureTime,
    );
  return retryOptions(command)
    .option('--watch', 'show the progress of each step and wait for the end')
    .option('--wait', 'wait for the end and exit by the outcome')
    .option(
      '--dry-run',
      'store nothing; print the job that would be created and how many workers could run it',
    )
    .action(submit);
}
