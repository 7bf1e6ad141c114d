import type { Command } from 'commander';
import { collectAssignment } from './assignments.ts';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { integer } from './integer.ts';
import { findFarm, findQueue } from './lookup.ts';
import type { Job } from './resources.ts';
import type { Query, RestClient } from './rest-client.ts';
import { readTemplateFile } from './template-file.ts';
import { printable } from './terminal.ts';
import { exitCodeOfJob, watchJob } from './watch.ts';

/** A job to submit. Farm and queue by id or name. */
export interface Submission {
  /** Path of the template; `-` reads standard input. */
  readonly template: string;
  readonly farm: string;
  readonly queue: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly options: Query;
}

/** Submits a job and gives it as the service has stored it. */
export async function submitJob(client: RestClient, submission: Submission): Promise<Job> {
  const { text, format } = readTemplateFile(submission.template);
  const type = format === 'json' ? 'application/json' : 'application/x-yaml';
  const farm = await findFarm(client, submission.farm);
  const queue = await findQueue(client, farm, submission.queue);
  const parameters = [...submission.parameters].map(([name, value]): [string, string] => [
    `param.${name}`,
    value,
  ]);
  const query = {
    farm_id: farm.id,
    queue_id: queue.id,
    ...submission.options,
    ...Object.fromEntries(parameters),
  };
  const job = await client.post<Job>('/jobs', query, { type, text });
  if (job === null) throw new CommandError(EXIT.failed, 'the service accepted the job but did not say which');
  return job;
}

const collect = (given: string, earlier: readonly string[]): readonly string[] => [...earlier, given];

interface SubmitOptions extends ClientOptions {
  readonly farm: string;
  readonly queue: string;
  readonly param: ReadonlyMap<string, string>;
  readonly dependsOn: readonly string[];
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly retryDelaySeconds?: number;
  readonly failureLimit?: number;
  readonly project?: string;
  readonly owner?: string;
  readonly watch?: boolean;
}

async function submit(template: string, options: SubmitOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const job = await submitJob(client, {
    template,
    farm: options.farm,
    queue: options.queue,
    parameters: options.param,
    options: {
      depends_on: options.dependsOn,
      priority: options.priority,
      max_attempts: options.maxAttempts,
      retry_delay_seconds: options.retryDelaySeconds,
      failure_limit: options.failureLimit,
      project: options.project,
      owner: options.owner,
    },
  });
  if (options.watch !== true) {
    if (json) printJson(terminal, job);
    else terminal.out(`${job.id}\n`);
    return;
  }
  terminal.err(`job ${job.id} ${printable(job.name)}\n`);
  const ended = await watchJob(client, terminal, job.id);
  if (json) printJson(terminal, ended);
  else terminal.out(`${ended.id} ${ended.status}\n`);
  process.exitCode = exitCodeOfJob(ended);
}

/** `callsheet submit` */
export function submitCommand(): Command {
  return clientCommand('submit', 'Submit an OpenJD job template (YAML or JSON). Prints the id of the job.')
    .argument('<template>', 'file of the template, or - for standard input')
    .requiredOption('--farm <farm>', 'farm, by id or name')
    .requiredOption('--queue <queue>', 'queue of the farm, by id or name')
    .option(
      '-p, --param <name=value>',
      'value of a job parameter (may be repeated)',
      collectAssignment,
      new Map(),
    )
    .option('--depends-on <job>', 'id of a job that must complete first (may be repeated)', collect, [])
    .option('--priority <n>', 'higher is scheduled sooner (default of the service: 50)', integer)
    .option('--max-attempts <n>', 'genuine failures after which a task has failed', integer)
    .option('--retry-delay-seconds <n>', 'seconds before a failed task may start again', integer)
    .option('--failure-limit <n>', 'failures after which the job is parked; 0 is no limit', integer)
    .option('--project <name>', 'project that the job belongs to')
    .option('--owner <name>', 'owner of the job')
    .option('--watch', 'show the progress and wait for the end; exits 1 unless the job completes')
    .action(submit);
}
