import { InvalidArgumentError } from 'commander';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { followLog } from './follow-log.ts';
import { logTasks, type LogTask } from './log-target.ts';
import { LogWriter, type LogSelection } from './log-writer.ts';
import { printable } from '../terminal/terminal.ts';
import { verb } from '../grammar/verb.ts';

const PAGE_MAX = 1000;

interface LogsOptions extends ClientOptions {
  readonly follow?: boolean;
  readonly raw?: boolean;
  readonly failed?: boolean;
  readonly attempt?: number;
  readonly tail?: number;
}

function fromOne(given: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(given)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(given);
}

async function logs(given: string, options: LogsOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, output } = context;
  if (output.format === 'name' || output.format === 'template')
    throw new CommandError(EXIT.usage, `-o ${output.format} does not apply to logs: use -o json for chunks`);
  if (options.follow === true && options.tail !== undefined)
    throw new CommandError(EXIT.usage, '--follow and --tail exclude each other');
  const tasks = await logTasks(client, given, options.failed === true);
  const [task, another] = tasks;
  if (task === undefined) {
    terminal.err(options.failed === true ? 'no task has failed\n' : 'there are no tasks\n');
    return;
  }
  if (options.follow === true && another !== undefined)
    throw new CommandError(
      EXIT.usage,
      `--follow needs one task, and ${given} has ${tasks.length}: give JOB/STEP/INDEX, see callsheet tasks ${given.split('/')[0] ?? given}`,
    );
  const selection = {
    isRaw: options.raw === true,
    attempt: options.attempt ?? null,
    tail: options.tail ?? null,
  };
  if (options.follow === true) return follow(context, task, selection);
  if (another === undefined && selection.attempt !== null)
    await assertAttempt(context, task, selection.attempt);
  for (const [at, each] of tasks.entries()) {
    if (another !== undefined && !context.isForPrograms)
      terminal.out(`${at === 0 ? '' : '\n'}==> ${printable(each.title)} <==\n`);
    await printLog(context, each, selection);
  }
}

/** Throws a CommandError if the task has no such attempt. */
async function assertAttempt({ client }: ClientContext, { id }: LogTask, attempt: number): Promise<void> {
  const { items } = await client.call('get', '/tasks/{id}/attempts', { path: { id } });
  const numbers = items.map((each) => each.attempt_number);
  if (numbers.includes(attempt)) return;
  const known =
    numbers.length === 0 ? 'it has none yet' : `it has ${numbers.toSorted((a, b) => a - b).join(', ')}`;
  throw new CommandError(EXIT.notFound, `the task has no attempt ${attempt}: ${known}`);
}

async function follow(context: ClientContext, { id }: LogTask, selection: LogSelection): Promise<void> {
  const { client, terminal } = context;
  const writer = new LogWriter(context, selection);
  await followLog(client, id, {
    write: (chunk) => writer.write(chunk),
    away: () => terminal.err(`waiting for the server at ${client.url}\n`),
    endsAfterMs: null,
  });
  writer.end();
}

async function printLog(context: ClientContext, { id }: LogTask, selection: LogSelection): Promise<void> {
  const writer = new LogWriter(context, selection);
  for (;;) {
    const page = await context.client.call('get', '/tasks/{id}/logs', {
      path: { id },
      query: { limit: PAGE_MAX, after_bus_seq: writer.seen },
    });
    for (const chunk of page.items) writer.write(chunk);
    if (page.items.length === 0) break;
  }
  writer.end();
}

/** `callsheet logs`, `callsheet jobs logs`, `callsheet tasks logs` */
export const logsVerb = verb<LogsOptions>({
  name: 'logs',
  about:
    'Print the output of a task, or of the tasks of a job or a step. -o json prints a line for each chunk.',
  arguments: [{ name: '<job>', help: 'JOB, JOB/STEP, JOB/STEP/INDEX, or the id of a task' }],
  options: (command) =>
    command
      .option('--attempt <n>', 'only this attempt of each task', fromOne)
      .option('--tail <n>', 'only the last lines of each task', fromOne)
      .option('--failed', 'only tasks that have failed')
      .option('--follow', 'continue until the task has ended')
      .option('--raw', 'also pass control characters and escape sequences other than colors to a terminal'),
  run: ([given = ''], options) => logs(given, options),
});
