import { followLog } from '../logs/follow-log.ts';
import { retryWhileUnavailable } from '../client/retry-while-unavailable.ts';
import type { JobDetail, LogChunk } from '../../client/resources.ts';
import type { RestClient } from '../client/rest-client.ts';
import { printable, printableLines, type Terminal } from '../terminal/terminal.ts';
import { cutText } from '../terminal/text-width.ts';

/** Time limit for reading a log. The log of a task that is retried meanwhile would not end. */
const LOG_MS_MAX = 30_000;
/** Maximum number and length of the lines that are shown of a failed task's log. */
const LINES_MAX = 20;
const LINE_COLUMNS_MAX = 500;
/** Maximum number of characters that are kept of a line. */
const LINE_CHARACTERS_MAX = 4_000;

/** Control sequences, such as colors, that are removed from quoted lines. */
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Returns a line of a log as a terminal shows it: the text after its last carriage return, without colors. */
function readable(line: string): string {
  const text = line.replace(/\r+$/, '').replaceAll(ESCAPES, '');
  return cutText(
    printable(text.slice(text.lastIndexOf('\r') + 1).replaceAll('\t', '    ')),
    LINE_COLUMNS_MAX,
  );
}

/** Collects the last lines of the newest attempt in a log, standard output and standard error in their order. */
export class LogTail {
  #attempt: string | null = null;
  #lines: string[] = [];
  /** The unfinished line of each stream. */
  readonly #open = new Map<string, string>();

  push({ attempt_id: attempt, stream, data }: Pick<LogChunk, 'attempt_id' | 'stream' | 'data'>): void {
    if (attempt !== this.#attempt) {
      this.#lines = [];
      this.#open.clear();
      this.#attempt = attempt;
    }
    const lines = ((this.#open.get(stream) ?? '') + data).split('\n');
    const open = lines.pop() ?? '';
    this.#open.set(stream, open.slice(-LINE_CHARACTERS_MAX));
    this.#lines.push(...lines.slice(-LINES_MAX));
    this.#lines = this.#lines.slice(-LINES_MAX);
  }

  /** At most LINES_MAX lines. */
  lines(): readonly string[] {
    const open = [...this.#open.values()].filter((line) => line !== '');
    return [...this.#lines, ...open].slice(-LINES_MAX).map(readable);
  }
}

/** Returns the last lines of a task's log. Reads a tail, because output may arrive after the report of the failure. */
async function tailOf(client: RestClient, id: string, onOutage: () => void): Promise<readonly string[]> {
  const tail = new LogTail();
  await followLog(client, id, {
    write: (chunk) => tail.push(chunk),
    away: onOutage,
    endsAfterMs: LOG_MS_MAX,
  });
  return tail.lines();
}

/** Prints which task of a job failed first, its reason and its last lines. Prints nothing if no task has failed. */
export async function printFailure(client: RestClient, terminal: Terminal, job: JobDetail): Promise<void> {
  const failed = job.task_counts.failed;
  if (failed === 0) return;
  const onOutage = (): void => terminal.err(`waiting for the server at ${client.url}\n`);
  const { items } = await retryWhileUnavailable(
    () =>
      client.call('get', '/jobs/{id}/tasks', {
        path: { id: job.id },
        query: { status: 'failed', sort_by: 'updated_at', limit: 1 },
      }),
    onOutage,
  );
  const [task] = items;
  if (task === undefined) return;
  const lines = await tailOf(client, task.id, onOutage);
  const others = failed > 1 ? ` (and ${failed - 1} more)` : '';
  terminal.err(
    `\ntask ${task.id} ${printable(task.name)}${others}: ${printableLines(task.failure_reason ?? 'failed')}\n`,
  );
  if (lines.length === 0) terminal.err('  the task wrote no output\n');
  for (const line of lines) terminal.err(`  | ${line}\n`);
}
