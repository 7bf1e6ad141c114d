import { existsSync, statSync } from 'node:fs';
import type { JobBundle } from '../bundles/read-bundle.ts';
import { contextOf, type ClientContext } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { productRequest } from './product-submission.ts';
import { capChanges, capsInQuery } from '../options/caps.ts';
import { retryChanges } from '../options/retry-options.ts';
import {
  givenEnvironments,
  givenParameters,
  sendSubmission,
  submissionOptions,
  type SubmissionOptions,
} from './submission.ts';
import type { SubmitRequest } from './submit-once.ts';
import { readTemplateFile } from './template-file.ts';
import { templateRequest } from './template-submission.ts';
import { printable, type Terminal } from '../terminal/terminal.ts';
import { verb } from '../grammar/verb.ts';

interface SubmitOptions extends SubmissionOptions {
  readonly product?: string;
  readonly name?: string;
  readonly allowMissingAssets?: boolean;
}

/** Reports whether the template argument is a job bundle. */
const isJobBundle = (path: string): boolean =>
  path !== '-' && existsSync(path) && statSync(path).isDirectory();

/** Reads a job bundle. `withValues` gives its values, which those of the command line precede. */
async function readBundle(
  folder: string,
  allowsMissing: boolean,
  terminal: Terminal,
): Promise<
  JobBundle & {
    readonly withValues: (given: ReadonlyMap<string, string>) => ReadonlyMap<string, string>;
  }
> {
  const { givenValues, readJobBundle } = await import('../bundles/read-bundle.ts');
  const bundle = await readJobBundle(folder, allowsMissing, terminal);
  const withValues = (given: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    new Map([...bundle.parameters, ...givenValues(bundle, given, process.cwd())]);
  return { ...bundle, withValues };
}

async function submit(template: string | undefined, options: SubmitOptions): Promise<void> {
  checkUsage(template, options);
  const context = contextOf(options);
  await sendSubmission(context, await requestOf(context, template, options), options);
}

/** Throws a usage error for arguments that do not fit each other. */
function checkUsage(
  template: string | undefined,
  { product, name, paramFile, environment }: SubmitOptions,
): void {
  if ((template === undefined) === (product === undefined))
    throw new CommandError(EXIT.usage, 'give either a template or --product');
  if (name !== undefined && product === undefined)
    throw new CommandError(EXIT.usage, '--name needs --product: a template has the name of its job');
  if ([template, paramFile, ...environment].filter((path) => path === '-').length > 1)
    throw new CommandError(
      EXIT.usage,
      'only one of the template, --param-file and --environment can be standard input',
    );
}

async function requestOf(
  context: ClientContext,
  given: string | undefined,
  options: SubmitOptions,
): Promise<SubmitRequest> {
  const { terminal } = context;
  const { farm, queue, dependsOn, product } = options;
  const bundle =
    given !== undefined && isJobBundle(given)
      ? await readBundle(given, options.allowMissingAssets === true, terminal)
      : null;
  for (const note of bundle?.notes ?? []) terminal.err(`note: ${printable(note)}\n`);
  const ownParameters = await givenParameters(context, options, []);
  const parameters = bundle === null ? ownParameters : bundle.withValues(ownParameters);
  const environments = await givenEnvironments(options);
  const place = { farm, queue, dependsOn };
  const retry = retryChanges(options);
  const settings = {
    priority: options.priority ?? bundle?.priority,
    ...retry,
    max_attempts: retry.max_attempts ?? bundle?.maxAttempts,
    failure_limit: retry.failure_limit ?? bundle?.failureLimit,
    project: options.project,
    owner: options.owner,
    paused: options.paused ?? bundle?.paused,
    start_after: options.startAfter,
  };
  const caps = capChanges(options);
  if (product !== undefined) {
    const submission = {
      ...place,
      product,
      parameters,
      options: { ...settings, ...caps, name: options.name, environments },
    };
    return productRequest(context, submission);
  }
  const file = await readTemplateFile(bundle?.template ?? given ?? '-');
  return templateRequest(context, {
    ...place,
    file,
    parameters,
    environments,
    options: { ...settings, ...capsInQuery(caps) },
  });
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
    submissionOptions(
      command.option('--product <product>', 'product to submit, instead of a template'),
      'not needed if there is one',
    )
      .option('--name <name>', 'name of the job, with --product')
      .option('--allow-missing-assets', 'submit a job bundle although input files of it do not exist'),
  run: ([template], options) => submit(template, options),
});
