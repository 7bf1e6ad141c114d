import type { JobSkip } from '../../client/resources.ts';
import type { ClientContext } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { counted } from '../options/confirm.ts';
import { printable } from '../terminal/terminal.ts';

/** Options of `callsheet jobs skip`. */
export interface JobSkipOptions {
  readonly step?: string;
  readonly range?: string;
  readonly indexRange?: string;
  readonly failed?: boolean;
  readonly reason?: string;
  readonly dryRun?: boolean;
}

/**
 * Skips tasks of a job, and prints what it skips. Throws a CommandError with the exit status `usage` without a selection,
 * and `conflict` if all selected tasks have succeeded.
 */
export async function skipTasks(
  { client, terminal, isForPrograms }: ClientContext,
  id: string,
  { step, range, indexRange, failed, reason = '', dryRun = false }: JobSkipOptions,
): Promise<JobSkip> {
  if ([step, range, indexRange, failed].every((given) => given === undefined))
    throw new CommandError(EXIT.usage, '"skip" needs --step, --range, --index-range or --failed');
  const body = { step, range, index_range: indexRange, failed, reason };
  const answer = await client.call('post', '/jobs/{id}/skip', {
    path: { id },
    query: { dry_run: dryRun },
    body,
  });
  if (answer.skipped === 0)
    throw new CommandError(EXIT.conflict, 'nothing was skipped: all selected tasks have succeeded already');
  if (!isForPrograms) terminal.err(stepLines(answer));
  return answer;
}

/** Formats what a skip changed: `5 tasks skipped, 40 later tasks and 2 dependents continue`. */
export function skippedText({
  skipped,
  retried,
  dependents,
}: Pick<JobSkip, 'skipped' | 'retried' | 'dependents'>): string {
  const refused = dependents.filter(({ problem }) => problem !== undefined);
  const done = dependents.length - refused.length;
  const continuing = [
    ...(retried > 0 ? [counted(retried, 'later task')] : []),
    ...(done > 0 ? [counted(done, 'dependent')] : []),
  ];
  const also =
    continuing.length === 0
      ? ''
      : `, ${continuing.join(' and ')} ${retried + done === 1 ? 'continues' : 'continue'}`;
  const failures = refused.map(
    ({ name, problem }) => `\nnot retried: ${printable(name)}: ${printable(problem?.detail ?? '')}`,
  );
  return `${counted(skipped, 'task')} skipped${also}${failures.join('')}`;
}

const stepLines = ({ steps }: JobSkip): string =>
  steps
    .map(({ name, skipped, tasks }) => {
      const which = tasks === undefined ? '' : ` (${printable(tasks)})`;
      return `${printable(name)}: ${counted(skipped, 'task')}${which}\n`;
    })
    .join('');
