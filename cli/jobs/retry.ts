import { printResult } from '../output/output.ts';
import { createInterface } from 'node:readline/promises';
import type { JobRetry } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import type { ClientContext } from '../client/client-command.ts';
import { counted } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { allWorkers, findIn } from '../client/lookup.ts';
import { printable } from '../terminal/terminal.ts';

type RetrySelection = BodyOf<'post', '/jobs/{id}/retry'>;

/** Options of `callsheet jobs retry`. */
export interface JobRetryOptions {
  readonly step?: string;
  readonly range?: string;
  readonly indexRange?: string;
  readonly worker?: string;
  readonly skipped?: boolean;
  /** False with `--no-dependents`. */
  readonly dependents: boolean;
  readonly dryRun?: boolean;
}

/**
 * Retries tasks of a job. Prints first what it retries. On a terminal, asks whether dependents that were canceled
 * because of the job are retried too; otherwise they are, unless `--no-dependents` is given. Returns null after a dry
 * run. Throws a CommandError with the exit status `conflict` if there is nothing to retry.
 */
export async function retryJob(
  context: ClientContext,
  id: string,
  options: JobRetryOptions,
): Promise<JobRetry | null> {
  const { client, terminal, isForPrograms } = context;
  const body = await selectionOf(context, id, options);
  const call = (query: { readonly with_dependents: boolean; readonly dry_run: boolean }): Promise<JobRetry> =>
    client.call('post', '/jobs/{id}/retry', { path: { id }, query, ...(body !== undefined && { body }) });
  const preview = await call({ with_dependents: options.dependents, dry_run: true });
  if (preview.retried === 0 && preview.dependents.length === 0) {
    const which = body === undefined ? 'the job' : 'the selection';
    throw new CommandError(
      EXIT.conflict,
      `nothing was retried: ${which} has no ${options.skipped === true ? 'skipped' : 'failed or canceled'} tasks`,
    );
  }
  if (!isForPrograms) terminal.err(previewText(preview));
  if (options.dryRun === true) {
    if (isForPrograms) printResult(context, preview, () => '');
    return null;
  }
  const isAsked =
    !isForPrograms && preview.dependents.length > 0 && process.stdin.isTTY && process.stderr.isTTY;
  const withDependents = isAsked ? await confirmDependents(preview.dependents.length) : options.dependents;
  return call({ with_dependents: withDependents, dry_run: false });
}

/** Formats what a retry changed: `5 tasks retried`, `5 tasks and 2 dependents retried`. */
export function retriedText({ retried, dependents }: Pick<JobRetry, 'retried' | 'dependents'>): string {
  const failed = dependents.filter(({ problem }) => problem !== undefined);
  const done = dependents.length - failed.length;
  const also = done === 0 ? '' : ` and ${counted(done, 'dependent')}`;
  const refused = failed.map(
    ({ name, problem }) => `\nnot retried: ${printable(name)}: ${printable(problem?.detail ?? '')}`,
  );
  return `${counted(retried, 'task')}${also} retried${refused.join('')}`;
}

/** Returns the tasks that `retry` selects; undefined for all. The worker must be in the job's farm. */
async function selectionOf(
  { client }: ClientContext,
  id: string,
  { step, range, indexRange, worker, skipped }: JobRetryOptions,
): Promise<RetrySelection | undefined> {
  const tasks = { step, range, index_range: indexRange, skipped };
  if (worker === undefined)
    return [step, range, indexRange, skipped].every((each) => each === undefined) ? undefined : tasks;
  const { farm_id: farmId } = await client.call('get', '/jobs/{id}', { path: { id } });
  const found = findIn(await allWorkers(client, farmId), worker, 'worker', " in the job's farm");
  return { ...tasks, worker_id: found.id };
}

/** One line for each step and one for the dependents. */
function previewText({ steps, dependents }: JobRetry): string {
  const lines = steps.map(
    ({ name, retried, tasks }) =>
      `${printable(name)}: ${counted(retried, 'task')}${tasks === undefined ? '' : ` (${printable(tasks)})`}`,
  );
  if (dependents.length > 0) {
    const names = dependents.map(({ name, retried }) => `${printable(name)} (${counted(retried, 'task')})`);
    lines.push(`dependents that were canceled because of this job: ${names.join(', ')}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** Asks on the terminal; an empty answer means yes. */
async function confirmDependents(count: number): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`Retry ${counted(count, 'dependent')} too? [Y/n] `);
    return !/^\s*n/i.test(answer);
  } finally {
    lines.close();
  }
}
