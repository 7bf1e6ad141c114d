import { collectAssignment } from './assignments.ts';
import { contextOf, type ClientContext, type ClientOptions } from './client-command.ts';
import { dryRunText } from './dry-run.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { integer } from './integer.ts';
import { isJobBundle, readJobBundle } from './job-bundle.ts';
import { outcome } from './outcome.ts';
import { readParameterFile } from './param-file.ts';
import { productRequest } from './product-submission.ts';
import { retryChanges, retryOptions, type RetryOptions } from './retry-options.ts';
import { previewSubmission, submitOnce, type SubmitRequest } from './submit-once.ts';
import { templateRequest } from './template-submission.ts';
import { printable } from './terminal.ts';
import { verb } from '../grammar/verb.ts';
import { printResult } from '../output/output.ts';

const collect = (given: string, earlier: readonly string[]): readonly string[] => [...earlier, given];

interface SubmitOptions extends ClientOptions, RetryOptions {
  readonly farm?: string;
  readonly queue?: string;
  readonly product?: string;
  readonly name?: string;
  readonly param: ReadonlyMap<string, string>;
  readonly paramFile?: string;
  readonly dependsOn: readonly string[];
  readonly priority?: number;
  readonly project?: string;
  readonly owner?: string;
  readonly paused?: boolean;
  readonly watch?: boolean;
  readonly wait?: boolean;
  readonly dryRun?: boolean;
  readonly allowMissingAssets?: boolean;
}

async function submit(template: string | undefined, options: SubmitOptions): Promise<void> {
  checkUsage(template, options);
  const context = contextOf(options);
  const { client, terminal } = context;
  const request = await requestOf(context, template, options);
  if (options.dryRun === true) {
    const preview = await previewSubmission(client, request);
    return printResult(context, preview, () => dryRunText(preview, terminal));
  }
  const job = await submitOnce(client, request, () =>
    terminal.err(`waiting for the server at ${client.url}\n`),
  );
  if (options.watch === true || options.wait === true) {
    terminal.err(`job ${job.id} ${printable(job.name)}\n`);
    await outcome(context, job.id, options.watch === true);
  } else printResult(context, job, () => `${job.id}\n`);
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
  context: ClientContext,
  given: string | undefined,
  options: SubmitOptions,
): Promise<SubmitRequest> {
  const { terminal } = context;
  const { farm, queue, dependsOn, product, paramFile } = options;
  const bundle =
    given !== undefined && isJobBundle(given)
      ? await readJobBundle(given, options.allowMissingAssets === true, terminal)
      : null;
  for (const note of bundle?.notes ?? []) terminal.err(`note: ${printable(note)}\n`);
  const fromFile = paramFile === undefined ? [] : await readParameterFile(paramFile, terminal);
  const parameters = new Map([...(bundle?.parameters ?? []), ...fromFile, ...options.param]);
  const place = { farm, queue, dependsOn };
  const retry = retryChanges(options);
  const settings = {
    priority: options.priority ?? bundle?.priority,
    ...retry,
    max_attempts: retry.max_attempts ?? bundle?.maxAttempts,
    project: options.project,
    owner: options.owner,
    paused: options.paused ?? bundle?.paused,
  };
  if (product !== undefined) {
    const submission = { ...place, product, parameters, options: { ...settings, name: options.name } };
    return productRequest(context, submission);
  }
  const template = bundle?.template ?? given ?? '-';
  return templateRequest(context, { ...place, template, parameters, options: settings });
}

/** `callsheet submit`, `callsheet jobs submit` */
export const submitVerb = verb<SubmitOptions>({
  name: 'submit',
  about:
    'Submit a job from a product, an OpenJD job template (YAML or JSON), or a job bundle. Prints the id of the job.',
  arguments: [
    { name: '[template]', help: 'file of the template, - for standard input, or the folder of a job bundle' },
  ],
  options: (command) =>
    retryOptions(
      command
        .option('--product <product>', 'product to submit, instead of a template')
        .option(
          '--farm <farm>',
          'farm, by id, by the beginning of its id, or by name; not needed if there is one',
        )
        .option('--queue <queue>', 'queue of the farm, likewise')
        .option(
          '-p, --param <name=value>',
          'value of a job parameter (may be repeated)',
          collectAssignment,
          new Map(),
        )
        .option('--param-file <file>', 'YAML or JSON file with values by name; -p takes precedence')
        .option('--name <name>', 'name of the job, with --product')
        .option(
          '--depends-on <job>',
          'a job of the farm that must complete first (may be repeated)',
          collect,
          [],
        )
        .option('--priority <n>', 'higher is scheduled sooner (default of the server: 50)', integer)
        .option('--project <name>', 'project that the job belongs to')
        .option('--owner <name>', 'owner of the job')
        .option('--paused', 'the job starts paused'),
    )
      .option('--watch', 'show the progress of each step and wait for the end')
      .option('--wait', 'wait for the end and exit by the outcome')
      .option('--allow-missing-assets', 'submit a job bundle although input files of it do not exist')
      .option(
        '--dry-run',
        'store nothing; print the job that would be created and how many workers could run it',
      ),
  run: ([template], options) => submit(template, options),
});
