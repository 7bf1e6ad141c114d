import type { Command } from 'commander';
import { collectAssignment } from '../options/assignments.ts';
import { capOptions, type CapOptions } from '../options/caps.ts';
import type { ClientContext, ClientOptions } from '../client/client-command.ts';
import { dryRunText } from './dry-run.ts';
import { futureTime } from '../options/expiry.ts';
import { integer } from '../options/integer.ts';
import { outcome } from '../jobs/outcome.ts';
import { retryOptions, type RetryOptions } from '../options/retry-options.ts';
import { previewSubmission, submitOnce, type SubmitRequest } from './submit-once.ts';
import { printable } from '../terminal/terminal.ts';
import { printResult } from '../output/output.ts';
import { readTemplateFile, type TemplateFile } from './template-file.ts';
import type { EnvironmentTemplate } from '../../client/resources.ts';

/** Options of the commands that create a job. */
export interface SubmissionOptions extends ClientOptions, RetryOptions, CapOptions {
  readonly farm?: string;
  readonly queue?: string;
  readonly param: ReadonlyMap<string, string>;
  readonly paramFile?: string;
  readonly environment: readonly string[];
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

const collect = (given: string, earlier: readonly string[]): readonly string[] => [...earlier, given];

/** Adds the options of the commands that create a job. `standard` says where it goes without `--queue`. */
export const submissionOptions = (command: Command, standard: string): Command =>
  retryOptions(
    capOptions(command)
      .option('--farm <farm>', `farm, by id, by the beginning of its id, or by name; ${standard}`)
      .option('--queue <queue>', 'queue of the farm, likewise')
      .option(
        '-p, --param <name=value>',
        'value of a job parameter (may be repeated)',
        collectAssignment,
        new Map(),
      )
      .option('--param-file <file>', 'YAML or JSON file with values by name; -p takes precedence')
      .option(
        '--environment <file>',
        "environment template, entered after those of the queue and before the job's own (may be repeated)",
        collect,
        [],
      )
      .option(
        '--depends-on <job>',
        'a job of the farm that must complete first (may be repeated)',
        collect,
        [],
      )
      .option('--priority <n>', 'higher is scheduled sooner (default of the server: 50)', integer)
      .option('--project <name>', 'project that the job belongs to')
      .option('--owner <name>', 'owner of the job')
      .option('--paused', 'the job starts paused')
      .option(
        '--start-after <time>',
        'no task starts before this time, such as 2026-11-22T20:00 or 6h',
        futureTime,
      ),
  )
    .option('--watch', 'show the progress of each step and wait for the end')
    .option('--wait', 'wait for the end and exit by the outcome')
    .option(
      '--dry-run',
      'store nothing; print the job that would be created and how many workers could run it',
    );

/** Returns the values of job parameters: those of `-p` precede those of the file, and these the `earlier` ones. */
export async function givenParameters(
  { terminal }: Pick<ClientContext, 'terminal'>,
  { param, paramFile }: Pick<SubmissionOptions, 'param' | 'paramFile'>,
  earlier: Iterable<readonly [string, string]>,
): Promise<ReadonlyMap<string, string>> {
  const fromFile =
    paramFile === undefined
      ? []
      : await (await import('./param-file.ts')).readParameterFile(paramFile, terminal);
  return new Map([...earlier, ...fromFile, ...param]);
}

/** Returns the environment templates in files; undefined without files. */
export async function givenEnvironments({
  environment,
}: Pick<SubmissionOptions, 'environment'>): Promise<readonly EnvironmentTemplate[] | undefined> {
  if (environment.length === 0) return undefined;
  const files: TemplateFile[] = [];
  for (const path of environment) files.push(await readTemplateFile(path));
  return files.map(({ text, format }) => ({ template: text, format }));
}

/** Sends the request: prints the preview of a dry run, else the id of the job, and waits for its end if asked to. */
export async function sendSubmission(
  context: ClientContext,
  request: SubmitRequest,
  { dryRun, watch, wait }: Pick<SubmissionOptions, 'dryRun' | 'watch' | 'wait'>,
): Promise<void> {
  const { client, terminal } = context;
  if (dryRun === true) {
    const preview = await previewSubmission(client, request);
    return printResult(context, preview, () => dryRunText(preview, terminal));
  }
  const job = await submitOnce(client, request, () =>
    terminal.err(`waiting for the server at ${client.url}\n`),
  );
  if (watch === true || wait === true) {
    terminal.err(`job ${job.id} ${printable(job.name)}\n`);
    await outcome(context, job.id, watch === true);
  } else printResult(context, job, () => `${job.id}\n`);
}
