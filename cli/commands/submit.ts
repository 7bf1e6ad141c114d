import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { collectAssignment } from './assignments.ts';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import { CommandError, EXIT, ServiceUnavailable } from './exit-codes.ts';
import { integer } from './integer.ts';
import { findFarm, findJob, findQueue } from './lookup.ts';
import { outcome } from './outcome.ts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';
import { retryChanges, retryOptions, type RetryOptions } from './retry-options.ts';
import { dryRunText } from './dry-run.ts';
import type { DryRun, Job } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import type { RestClient } from './rest-client.ts';
import { readTemplateFile } from './template-file.ts';
import { printable } from './terminal.ts';

/** A job to submit. Farm, queue and jobs are as given on the command line. */
export interface Submission {
  /** Path of the template; `-` reads standard input. */
  readonly template: string;
  readonly farm: string;
  readonly queue: string;
  readonly dependsOn: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
  readonly options: Omit<
    QueryOf<'post', '/jobs'>,
    'farm_id' | 'queue_id' | 'depends_on' | 'parameters' | 'dry_run'
  >;
}

/**
 * Submits a job and returns it as stored. If the response is lost, repeats the request with the same `Idempotency-Key`,
 * so that only one job is created, and calls `onOutage`.
 */
export async function submitJob(
  client: RestClient,
  submission: Submission,
  onOutage: () => void,
): Promise<Job> {
  const request = await requestOf(client, submission);
  const headers = { 'Idempotency-Key': randomUUID() };
  let mayBeMade = false;
  const passes = (error: CommandError): boolean => {
    mayBeMade ||= error instanceof ServiceUnavailable && error.answerLost;
    // 409 means that the first request is still being processed.
    return mayBeMade && (error instanceof ServiceUnavailable || error.exitCode === EXIT.conflict);
  };
  const answer = await retryWhileUnavailable(
    () => client.call('post', '/jobs', { ...request, headers }),
    onOutage,
    passes,
  );
  if (!('id' in answer)) throw new CommandError(EXIT.failed, `the server at ${client.url} stored no job`);
  return answer;
}

/** Returns the preview of a submission: the service validates and resolves it, but stores nothing. */
async function tryJob(client: RestClient, submission: Submission): Promise<DryRun> {
  const request = await requestOf(client, submission);
  const query = { ...request.query, dry_run: true };
  const answer = await client.call('post', '/jobs', { ...request, query });
  if ('id' in answer)
    throw new CommandError(
      EXIT.failed,
      `the server at ${client.url} does not support --dry-run and created job ${answer.id}`,
    );
  return answer;
}

async function requestOf(client: RestClient, submission: Submission) {
  const { text, format } = await readTemplateFile(submission.template);
  const farm = await findFarm(client, submission.farm);
  const queue = await findQueue(client, farm, submission.queue);
  const upstream: string[] = [];
  for (const given of submission.dependsOn) upstream.push(await findJob(client, given, farm.id));
  const parameters = [...submission.parameters].map(([name, value]) => [`param.${name}`, value] as const);
  return {
    query: {
      farm_id: farm.id,
      queue_id: queue.id,
      depends_on: upstream,
      ...submission.options,
      parameters: Object.fromEntries(parameters),
    },
    document: { type: format === 'json' ? 'application/json' : 'application/x-yaml', text },
  } as const;
}

const collect = (given: string, earlier: readonly string[]): readonly string[] => [...earlier, given];

interface SubmitOptions extends ClientOptions, RetryOptions {
  readonly farm: string;
  readonly queue: string;
  readonly param: ReadonlyMap<string, string>;
  readonly dependsOn: readonly string[];
  readonly priority?: number;
  readonly project?: string;
  readonly owner?: string;
  readonly watch?: boolean;
  readonly wait?: boolean;
  readonly dryRun?: boolean;
}

async function submit(template: string, options: SubmitOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, json } = context;
  const submission: Submission = {
    template,
    farm: options.farm,
    queue: options.queue,
    dependsOn: options.dependsOn,
    parameters: options.param,
    options: {
      priority: options.priority,
      ...retryChanges(options),
      project: options.project,
      owner: options.owner,
    },
  };
  if (options.dryRun === true) {
    const preview = await tryJob(client, submission);
    if (json) printJson(terminal, preview);
    else terminal.out(dryRunText(preview, terminal));
    return;
  }
  const job = await submitJob(client, submission, () =>
    terminal.err(`waiting for the server at ${client.url}\n`),
  );
  if (options.watch === true || options.wait === true) {
    terminal.err(`job ${job.id} ${printable(job.name)}\n`);
    await outcome(context, job.id, options.watch === true);
  } else if (json) printJson(terminal, job);
  else terminal.out(`${job.id}\n`);
}

/** `callsheet submit` */
export function submitCommand(): Command {
  const command = clientCommand(
    'submit',
    'Submit an OpenJD job template (YAML or JSON). Prints the id of the job.',
  )
    .argument('<template>', 'file of the template, or - for standard input')
    .requiredOption('--farm <farm>', 'farm, by id, by the beginning of its id, or by name')
    .requiredOption('--queue <queue>', 'queue of the farm, likewise')
    .option(
      '-p, --param <name=value>',
      'value of a job parameter (may be repeated)',
      collectAssignment,
      new Map(),
    )
    .option('--depends-on <job>', 'a job of the farm that must complete first (may be repeated)', collect, [])
    .option('--priority <n>', 'higher is scheduled sooner (default of the server: 50)', integer)
    .option('--project <name>', 'project that the job belongs to')
    .option('--owner <name>', 'owner of the job');
  return retryOptions(command)
    .option('--watch', 'show the progress of each step and wait for the end')
    .option('--wait', 'wait for the end and exit by the outcome')
    .option(
      '--dry-run',
      'store nothing; print the job that would be created and how many workers could run it',
    )
    .action(submit);
}
