import type { JobDetail } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { confirm, counted } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { holdStep, type HoldOptions } from './hold.ts';
import { allQueues, findIn, findJob } from '../client/lookup.ts';
import { orderOf, orderText } from './order.ts';
import { outcome } from './outcome.ts';
import { retriedText, retryJob, type JobRetryOptions } from './retry.ts';
import { capChanges, type CapOptions } from '../options/caps.ts';
import { retryRulesChange } from '../options/retry-rules.ts';
import { retryChanges, type RetryOptions } from '../options/retry-options.ts';
import { skippedText, skipTasks, type JobSkipOptions } from './skip.ts';
import { printResult } from '../output/output.ts';
import { jobSubject, subjectOf } from '../output/subject.ts';
import type { ConfirmOptions } from '../grammar/verb-parts.ts';

/** Options of a verb after which the command can wait for the end of the job. */
export interface WaitOptions extends ClientOptions {
  readonly wait?: boolean;
  readonly watch?: boolean;
}

/** Waits for the job if the options ask for it, else prints its status. */
async function finish(context: ClientContext, id: string, { wait, watch }: WaitOptions): Promise<void> {
  if (wait === true || watch === true) return outcome(context, id, watch === true);
  const job = await context.client.call('get', '/jobs/{id}', { path: { id } });
  printResult(context, job, () => `${subjectOf(context.terminal, job)} ${job.status}\n`);
}

export async function changeJob(
  given: string,
  action: 'pause' | 'resume',
  options: WaitOptions,
): Promise<void> {
  const context = contextOf(options);
  const id = await findJob(context.client, given);
  await context.client.call('patch', '/jobs/{id}', { path: { id }, body: { action } });
  await finish(context, id, options);
}

/** Returns the sentence about the running tasks of a job; none without running tasks. */
function runningText({ task_counts: counts }: Pick<JobDetail, 'task_counts'>): readonly string[] {
  const running = counts.assigned + counts.running;
  return running > 0
    ? [`${counted(running, 'running task')} of it ${running === 1 ? 'is' : 'are'} canceled.`]
    : [];
}

/** Asks before an action on a job that cannot be undone. `consequence` is a sentence about what follows. */
async function confirmOn(
  { client, terminal }: ClientContext,
  id: string,
  verb: 'cancel' | 'delete',
  { yes }: ConfirmOptions,
  consequence: (job: JobDetail) => string,
): Promise<void> {
  await confirm(terminal, yes === true, async () => {
    const job = await client.call('get', '/jobs/{id}', { path: { id } });
    const object = `job ${job.name} (${job.status})`;
    return { verb, object, consequences: [...runningText(job), consequence(job)] };
  });
}

export async function cancelJob(given: string, options: WaitOptions & ConfirmOptions): Promise<void> {
  const context = contextOf(options);
  const id = await findJob(context.client, given);
  await confirmOn(context, id, 'cancel', options, () => 'Jobs that depend on it are canceled too.');
  await context.client.call('post', '/jobs/{id}/cancel', { path: { id } });
  await finish(context, id, options);
}

export async function deleteJob(given: string, options: ClientOptions & ConfirmOptions): Promise<void> {
  const context = contextOf(options);
  const id = await findJob(context.client, given);
  await confirmOn(
    context,
    id,
    'delete',
    options,
    (job) => `Its ${counted(job.task_counts.total, 'task')} with their attempts and logs are deleted.`,
  );
  const subject = await jobSubject(context, id);
  await context.client.call('delete', '/jobs/{id}', { path: { id } });
  // The status in the job's events after a deletion.
  printResult(context, { id, status: 'removed' }, () => `${subject} removed\n`);
}

/** Holds or releases a step of a job. */
export async function changeStep(
  given: string,
  action: 'hold' | 'release',
  options: WaitOptions & HoldOptions,
): Promise<void> {
  const context = contextOf(options);
  const id = await findJob(context.client, given);
  await holdStep(context, id, action, options);
  await finish(context, id, options);
}

export interface JobSetOptions extends WaitOptions, RetryOptions, CapOptions {
  readonly priority?: number;
  readonly top?: boolean;
  readonly preview?: boolean;
  readonly startAfter?: string;
  readonly queue?: string;
  readonly retryRules?: string;
}

/** Changes settings of a job. The queue must be in the job's farm. */
export async function setJob(job: string, options: JobSetOptions): Promise<void> {
  const { queue, startAfter, top, preview } = options;
  const retry = retryChanges(options);
  const caps = capChanges(options);
  const given: Readonly<Record<string, unknown>> = {
    priority: options.priority,
    top,
    startAfter,
    queue,
    retryRules: options.retryRules,
    ...retry,
    ...caps,
  };
  if (Object.values(given).every((value) => value === undefined))
    throw new CommandError(EXIT.usage, 'nothing to set; give an option');
  if (top === true && options.priority !== undefined)
    throw new CommandError(EXIT.usage, '--top and --priority exclude each other');
  if (preview === true && top !== true && options.priority === undefined)
    throw new CommandError(EXIT.usage, '--preview needs --priority or --top');
  const context = contextOf(options);
  const { client, terminal } = context;
  const id = await findJob(client, job);
  if (preview === true) {
    const order = await orderOf(client, id, options.priority ?? 'top');
    return printResult(context, order, () => orderText(order, terminal));
  }
  const priority = top === true ? (await orderOf(client, id, 'top')).top_priority : options.priority;
  const rules = await retryRulesChange(options.retryRules, terminal);
  const changes = {
    priority,
    start_after: startAfter === 'none' ? null : startAfter,
    ...retry,
    ...caps,
    ...(rules !== undefined && { retry_rules: rules }),
  };
  const body: BodyOf<'patch', '/jobs/{id}'> =
    queue === undefined ? changes : { ...changes, queue_id: await queueIdOf(context, id, queue) };
  await client.call('patch', '/jobs/{id}', { path: { id }, body });
  await finish(context, id, options);
}

async function queueIdOf({ client }: ClientContext, id: string, queue: string): Promise<string> {
  const { farm_id: farmId } = await client.call('get', '/jobs/{id}', { path: { id } });
  return findIn(await allQueues(client, farmId), queue, 'queue', " in the job's farm").id;
}

interface SelectionOptions extends WaitOptions {
  readonly range?: string;
  readonly indexRange?: string;
  readonly dryRun?: boolean;
}

/** Returns whether the command waits for the job. Throws a usage error if the options of a selection contradict each other. */
function checkSelection({ range, indexRange, dryRun, wait, watch }: SelectionOptions): boolean {
  const waits = wait === true || watch === true;
  if (range !== undefined && indexRange !== undefined)
    throw new CommandError(EXIT.usage, '--range and --index-range exclude each other');
  if (dryRun === true && waits)
    throw new CommandError(EXIT.usage, '--wait and --watch do not apply to a dry run');
  return waits;
}

export async function skipOfJob(given: string, options: WaitOptions & JobSkipOptions): Promise<void> {
  const waits = checkSelection(options);
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const id = await findJob(client, given);
  const skipped = await skipTasks(context, id, options);
  if (options.dryRun === true) {
    if (isForPrograms) printResult(context, skipped, () => '');
    return;
  }
  if (waits) {
    if (!isForPrograms) terminal.err(`${skippedText(skipped)}\n`);
    return outcome(context, id, options.watch === true);
  }
  const job = await client.call('get', '/jobs/{id}', { path: { id } });
  printResult(
    context,
    { ...job, skip: skipped },
    () => `${subjectOf(terminal, job)} ${job.status}, ${skippedText(skipped)}\n`,
  );
}

export async function retryJobs(given: string, options: WaitOptions & JobRetryOptions): Promise<void> {
  const waits = checkSelection(options);
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const id = await findJob(client, given);
  const retried = await retryJob(context, id, options);
  if (retried === null) return;
  if (waits) {
    if (!isForPrograms) terminal.err(`${retriedText(retried)}\n`);
    return outcome(context, id, options.watch === true);
  }
  const job = await client.call('get', '/jobs/{id}', { path: { id } });
  printResult(
    context,
    { ...job, retry: retried },
    () => `${subjectOf(terminal, job)} ${job.status}, ${retriedText(retried)}\n`,
  );
}
