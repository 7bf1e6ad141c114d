import { Argument, type Command } from 'commander';
import {
  clientCommand,
  contextOf,
  printJson,
  type ClientContext,
  type ClientOptions,
} from './client-command.ts';
import { confirmDeletion, counted } from './confirm-deletion.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { futureTimeOrNone } from './expiry.ts';
import { integer } from './integer.ts';
import { allQueues, findIn, findJob, namesOf } from './lookup.ts';
import { holdStep } from './hold.ts';
import { orderOf, orderText } from './order.ts';
import { outcome } from './outcome.ts';
import { printOutputs, type OutputOptions } from './outputs.ts';
import { retriedText, retryJob, type JobRetryOptions } from './retry.ts';
import { skippedText, skipTasks, type JobSkipOptions } from './skip.ts';
import { retryChanges, retryOptions, type RetryOptions } from './retry-options.ts';
import type { JobDetail, Step } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { table, type Column } from './table.ts';
import { coloredStatus, formatField, type Terminal } from './terminal.ts';

const stepColumns = (steps: readonly Step[]): readonly Column<Step>[] => [
  { title: 'STEP', value: (step) => step.name, shrinks: true },
  { title: 'STATUS', value: (step) => step.status, isStatus: true },
  { title: 'TASKS', value: (step) => String(step.task_counts.total), align: 'right' },
  { title: 'SUCCEEDED', value: (step) => String(step.task_counts.succeeded), align: 'right' },
  {
    title: 'RUNNING',
    value: (step) => String(step.task_counts.running + step.task_counts.assigned),
    align: 'right',
  },
  { title: 'FAILED', value: (step) => String(step.task_counts.failed), align: 'right' },
  { title: 'AFTER', value: (step) => (step.depends_on ?? []).join(', '), shrinks: true },
  ...(steps.some((step) => step.waiting_reason !== undefined)
    ? [{ title: 'REASON', value: (step: Step) => step.waiting_reason ?? '', shrinks: true }]
    : []),
];

const productText = ({ product }: JobDetail): string =>
  product === undefined ? '' : `${product.name} ${product.version}`.trimEnd();

function printJob(terminal: Terminal, job: JobDetail, upstream: ReadonlyMap<string, string>): void {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['job', job.id],
    ['name', job.name],
    ['owner', job.owner],
    ['project', job.project],
    ['product', productText(job)],
    ['priority', String(job.priority)],
    ['created', job.created_at],
    ['updated', job.updated_at],
    ['starts', job.start_after],
    ['reason', job.waiting_reason],
    ['waits for', job.depends_on?.map((each) => upstream.get(each) ?? each).join(', ')],
    ['parked', job.park_reason],
    ['canceled', job.cancel_reason],
    ['failed', job.failure_summary.dominant_reason],
    ...Object.entries(job.parameters ?? {}).map(([name, value]): [string, string] => [`  ${name}`, value]),
  ];
  const given = facts.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => name.length)) + 2;
  terminal.out(`${'status'.padEnd(width)}${coloredStatus(job.status, terminal)}\n`);
  for (const [name, value = ''] of given) terminal.out(formatField(name, value, width));
  terminal.out(`\n${table(stepColumns(job.steps), job.steps, terminal)}`);
}

const ACTIONS = [
  'cancel',
  'delete',
  'hold',
  'outputs',
  'pause',
  'release',
  'resume',
  'retry',
  'set',
  'skip',
  'wait',
  'watch',
] as const;
type Action = (typeof ACTIONS)[number];

interface JobOptions extends ClientOptions, RetryOptions, JobRetryOptions, JobSkipOptions, OutputOptions {
  readonly priority?: number;
  readonly top?: boolean;
  readonly preview?: boolean;
  readonly startAfter?: string;
  readonly queue?: string;
  readonly wait?: boolean;
  readonly watch?: boolean;
  readonly yes?: boolean;
}

type Update = BodyOf<'patch', '/jobs/{id}'>;

/** Returns the settings that `set` changes. The queue must be in the job's farm. */
async function updateOf({ client }: ClientContext, id: string, options: JobOptions): Promise<Update> {
  const settings = {
    priority: options.top === true ? (await orderOf(client, id, 'top')).top_priority : options.priority,
    start_after: options.startAfter === 'none' ? null : options.startAfter,
    ...retryChanges(options),
  };
  if (options.queue === undefined) return settings;
  const { farm_id: farmId } = await client.call('get', '/jobs/{id}', { path: { id } });
  const queue = findIn(await allQueues(client, farmId), options.queue, 'queue', " in the job's farm");
  return { ...settings, queue_id: queue.id };
}

/** Throws a usage error for options that do not fit the action. */
function checkUsage(action: Action | undefined, options: JobOptions): void {
  const { priority, top, preview, startAfter, queue, maxAttempts, retryDelaySeconds, failureLimit } = options;
  const given = [priority, top, preview, startAfter, queue, maxAttempts, retryDelaySeconds, failureLimit];
  const sets = given.some((value) => value !== undefined);
  if (action === 'set' && !sets) throw new CommandError(EXIT.usage, 'nothing to set; give an option');
  if (action !== 'set' && sets) throw new CommandError(EXIT.usage, 'these options need the action "set"');
  if (top === true && priority !== undefined)
    throw new CommandError(EXIT.usage, '--top and --priority exclude each other');
  if (preview === true && top !== true && priority === undefined)
    throw new CommandError(EXIT.usage, '--preview needs --priority or --top');
  const { step, range, indexRange, worker, dryRun, dependents } = options;
  const picks = [range, indexRange, dryRun].some((value) => value !== undefined);
  const takesStep = action === 'retry' || action === 'skip' || action === 'hold' || action === 'release';
  if ((action !== 'retry' && action !== 'skip' && picks) || (!takesStep && step !== undefined))
    throw new CommandError(EXIT.usage, 'these options need the action "retry" or "skip"');
  if (action !== 'retry' && (worker !== undefined || options.skipped !== undefined || !dependents))
    throw new CommandError(EXIT.usage, 'these options need the action "retry"');
  if (action !== 'skip' && options.failed !== undefined)
    throw new CommandError(EXIT.usage, '--failed needs the action "skip"');
  if (action !== 'skip' && action !== 'hold' && options.reason !== undefined)
    throw new CommandError(EXIT.usage, '--reason needs the action "skip" or "hold"');
  if (action !== 'outputs' && options.location !== undefined)
    throw new CommandError(EXIT.usage, '--location needs the action "outputs"');
  if (action === 'outputs' && (options.wait === true || options.watch === true))
    throw new CommandError(EXIT.usage, '--wait and --watch do not apply to "outputs"');
  if (action !== 'delete' && options.yes === true)
    throw new CommandError(EXIT.usage, '--yes needs the action "delete"');
  if (range !== undefined && indexRange !== undefined)
    throw new CommandError(EXIT.usage, '--range and --index-range exclude each other');
  if (dryRun === true && (options.wait === true || options.watch === true))
    throw new CommandError(EXIT.usage, '--wait and --watch do not apply to a dry run');
  if (action === 'delete' && (options.wait === true || options.watch === true))
    throw new CommandError(EXIT.usage, '--wait and --watch do not apply to "delete"');
}

/** Performs an action. */
async function act(
  context: ClientContext,
  id: string,
  action: Exclude<Action, 'outputs' | 'retry' | 'skip'>,
  options: JobOptions,
): Promise<void> {
  const { client } = context;
  switch (action) {
    case 'cancel':
      await client.call('post', '/jobs/{id}/cancel', { path: { id } });
      break;
    case 'pause':
    case 'resume':
      await client.call('patch', '/jobs/{id}', { path: { id }, body: { action } });
      break;
    case 'hold':
    case 'release':
      await holdStep(context, id, action, options);
      break;
    case 'set':
      await client.call('patch', '/jobs/{id}', { path: { id }, body: await updateOf(context, id, options) });
      break;
    case 'delete':
      await client.call('delete', '/jobs/{id}', { path: { id } });
      break;
    case 'wait':
    case 'watch':
      break;
  }
}

/** Asks for confirmation, with what is deleted. */
const confirmJobDeletion = (
  { client, terminal }: ClientContext,
  id: string,
  isConfirmed: boolean,
): Promise<void> =>
  confirmDeletion(terminal, isConfirmed, async () => {
    const { name, status, task_counts: counts } = await client.call('get', '/jobs/{id}', { path: { id } });
    const running = counts.assigned + counts.running;
    return {
      object: `job ${name} (${status})`,
      consequences: [
        ...(running > 0 ? [`${counted(running, 'running task')} of it are canceled.`] : []),
        `Its ${counted(counts.total, 'task')} with their attempts and logs are deleted.`,
      ],
    };
  });

async function job(given: string, action: Action | undefined, options: JobOptions): Promise<void> {
  checkUsage(action, options);
  const context = contextOf(options);
  const { client, terminal, json } = context;
  const id = await findJob(client, given);
  if (action === 'outputs') return printOutputs(context, id, options);
  if (options.preview === true) {
    const order = await orderOf(client, id, options.priority ?? 'top');
    if (json) printJson(terminal, order);
    else terminal.out(orderText(order, terminal));
    return;
  }
  if (action === 'delete') await confirmJobDeletion(context, id, options.yes === true);
  const retried = action === 'retry' ? await retryJob(context, id, options) : undefined;
  if (retried === null) return;
  const skipped = action === 'skip' ? await skipTasks(context, id, options) : undefined;
  if (skipped !== undefined && options.dryRun === true) {
    if (json) printJson(terminal, skipped);
    return;
  }
  if (action !== undefined && action !== 'retry' && action !== 'skip')
    await act(context, id, action, options);
  if (action === 'delete') {
    // The status in the job's events after a deletion.
    if (json) printJson(terminal, { id, status: 'removed' });
    else terminal.out(`${id} removed\n`);
    return;
  }
  const watches = action === 'watch' || options.watch === true;
  if (watches || action === 'wait' || options.wait === true) {
    if (retried !== undefined && !json) terminal.err(`${retriedText(retried)}\n`);
    if (skipped !== undefined && !json) terminal.err(`${skippedText(skipped)}\n`);
    return outcome(context, id, watches);
  }
  const detail = await client.call('get', '/jobs/{id}', { path: { id } });
  if (json)
    printJson(terminal, {
      ...detail,
      ...(retried !== undefined && { retry: retried }),
      ...(skipped !== undefined && { skip: skipped }),
    });
  else if (skipped !== undefined) terminal.out(`${detail.id} ${detail.status}, ${skippedText(skipped)}\n`);
  else if (retried !== undefined) terminal.out(`${detail.id} ${detail.status}, ${retriedText(retried)}\n`);
  else if (action !== undefined) terminal.out(`${detail.id} ${detail.status}\n`);
  else printJob(terminal, detail, await namesOf(client, 'job', detail.depends_on ?? []));
}

/** `callsheet job` */
export const jobCommand = (): Command =>
  retryOptions(
    clientCommand(
      'job',
      'Show a job or its outputs, wait for it, cancel, pause, resume, retry or delete it, skip tasks or hold steps of it, or change its settings.',
    )
      .argument('<job>', 'the job, by id, by the beginning of its id, or by name')
      .addArgument(new Argument('[action]', 'the action; without one, show it').choices(ACTIONS))
      .option('--wait', 'wait for the end and exit by the outcome')
      .option('--yes', 'delete: do not ask for confirmation')
      .option('--watch', 'show the progress of each step and wait for the end')
      .option('--step <step>', 'retry, skip: only tasks of this step, by name or id; hold, release: the step')
      .option(
        '--range <values>',
        'retry, skip: only tasks with these values of a task parameter, such as Frame=1003-1007, or 1003-1007,1010 if the step has one integer parameter',
      )
      .option(
        '--index-range <range>',
        'retry, skip: only tasks at these positions in the step, such as 0-9,14',
      )
      .option('--location <name>', 'outputs: show the paths at this compute location')
      .option('--failed', 'skip: only failed tasks')
      .option('--reason <text>', 'skip, hold: why, shown with the tasks or the step')
      .option('--skipped', 'retry: only tasks that were skipped, to undo the skip')
      .option('--worker <worker>', 'retry: only failed tasks whose last attempt ran on this worker')
      .option('--no-dependents', 'retry: not the dependents that were canceled because of the job')
      .option('--dry-run', 'retry, skip: only show which tasks')
      .option('--priority <n>', 'set: higher is scheduled sooner', integer)
      .option('--top', 'set: the lowest priority that puts the job first in its queue')
      .option('--preview', 'set: change nothing; show which jobs of the queue it would pass')
      .option(
        '--start-after <time>',
        'set: no task starts before this time, such as 2026-11-22T20:00 or 6h, or none',
        futureTimeOrNone,
      )
      .option('--queue <queue>', "set: another queue of the job's farm"),
  ).action(job);
