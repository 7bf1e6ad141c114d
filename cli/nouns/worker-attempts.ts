import type { Command } from 'commander';
import type { WorkerAttempt, WorkerWithAttempts } from '../../client/resources.ts';
import { workerAttempts } from '../../client/worker-attempts.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { farmOf } from '../client/default-place.ts';
import { findGivenFarm, findWorker } from '../client/lookup.ts';
import { entryArgument } from '../grammar/verb-parts.ts';
import { verb, type Verb } from '../grammar/verb.ts';
import { pastTime } from '../options/expiry.ts';
import { integer } from '../options/integer.ts';
import { columnsOption } from '../output/list-options.ts';
import { printListing, type ListOptions } from '../output/listing.ts';
import type { Column } from '../terminal/table.ts';

const LIMIT = 50;
const PAGE_MAX = 1000;
const PER_WORKER = 200;
const STANDARD_SINCE = '1h';
/** Cells of the strip that shows when a worker was busy. */
const CELLS = 40;
/** Maximum number of workers in one page of the server. */
const WORKERS_PAGE = 100;

interface TimeOptions {
  readonly since?: string;
  readonly until?: string;
}

interface AttemptOptions extends ClientOptions, ListOptions, TimeOptions {
  readonly farm?: string;
  readonly limit: number;
  readonly all?: boolean;
}

interface TimelineOptions extends ClientOptions, ListOptions, TimeOptions {
  readonly farm?: string;
}

const timeOptions = (command: Command): Command =>
  columnsOption(command)
    .option(
      '--since <time>',
      'only attempts that are open or ended from this time on, such as 2026-11-22T10:00:00Z, or 2h or 7d before now',
      pastTime,
    )
    .option('--until <time>', 'only attempts that started before this time', pastTime);

/** Returns the length of an attempt in milliseconds. `now` is the end of an open one. */
const lengthOf = ({ started_at: start, ended_at: end }: WorkerAttempt, now: number): number =>
  Math.max(0, (end === undefined ? now : Date.parse(end)) - Date.parse(start));

/** Formats a length as `45s`, `12m 05s` or `3h 20m`. */
function lengthText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${two(seconds % 60)}s`
    : `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** A reclaimed attempt does not count as a failure, so it is shown as canceled. */
const statusOf = ({ status, reclaimed }: WorkerAttempt): string => (reclaimed === true ? 'canceled' : status);

const attemptColumns = (now: number): readonly Column<WorkerAttempt>[] => [
  { title: 'JOB', value: (attempt) => attempt.job_name, shrinks: true },
  { title: 'TASK', value: (attempt) => attempt.task_name, shrinks: true },
  { title: 'ATTEMPT', value: (attempt) => String(attempt.attempt_number), align: 'right' },
  { title: 'STATUS', value: statusOf, isStatus: true },
  { title: 'EXIT', value: (attempt) => String(attempt.exit_code ?? ''), align: 'right' },
  { title: 'STARTED', value: (attempt) => attempt.started_at, isTime: true },
  { title: 'ENDED', value: (attempt) => attempt.ended_at ?? '', isTime: true },
  { title: 'DURATION', value: (attempt) => lengthText(lengthOf(attempt, now)), align: 'right' },
  { title: 'MESSAGE', value: (attempt) => attempt.message ?? '', shrinks: true },
  { title: 'TASK ID', value: (attempt) => attempt.task_id, isWide: true },
];

async function attempts(given: string, options: AttemptOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const { id } = await findWorker(client, given, await findGivenFarm(client, options.farm));
  const limit = options.all === true ? Number.POSITIVE_INFINITY : options.limit;
  const { since, until } = options;
  const found: WorkerAttempt[] = [];
  const hasMore = await client.run(async (rest) => {
    for await (const attempt of workerAttempts(rest, id, { since, until }, Math.min(limit + 1, PAGE_MAX))) {
      if (found.length === limit) return true;
      found.push(attempt);
    }
    return false;
  });
  const columns = attemptColumns(Date.now());
  printListing(context, { what: 'attempt', columns, items: found, reply: { items: found } }, options);
  if (hasMore && !context.isForPrograms)
    terminal.err('There are earlier attempts: give --limit, --since or --all.\n');
}

/** Returns one character for each part of the time: `#` busy, `!` with a failure, `.` idle. */
function strip({ attempts: all }: WorkerWithAttempts, from: number, to: number): string {
  const cell = Math.max(1, to - from) / CELLS;
  const cells = Array.from({ length: CELLS }, () => '.');
  for (const attempt of all) {
    const start = Date.parse(attempt.started_at);
    const end = start + lengthOf(attempt, to);
    const first = Math.max(0, Math.floor((start - from) / cell));
    const last = Math.min(CELLS - 1, Math.floor((end - from) / cell));
    for (let at = first; at <= last; at++) if (cells[at] !== '!') cells[at] = '#';
    if (statusOf(attempt) === 'failed' && last >= first) cells[last] = '!';
  }
  return cells.join('');
}

const timelineColumns = (from: number, to: number): readonly Column<WorkerWithAttempts>[] => [
  { title: 'ID', value: (worker) => worker.worker_id, isId: true },
  { title: 'NAME', value: (worker) => worker.worker_name, shrinks: true },
  { title: 'STATUS', value: (worker) => worker.status, isStatus: true },
  {
    title: 'ATTEMPTS',
    value: ({ attempts: all, has_more: hasMore }) => `${all.length}${hasMore ? '+' : ''}`,
    align: 'right',
  },
  {
    title: 'FAILED',
    value: ({ attempts: all }) => String(all.filter((each) => statusOf(each) === 'failed').length),
    align: 'right',
  },
  { title: 'TIMELINE', value: (worker) => strip(worker, from, to) },
];

async function timeline(options: TimelineOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const farm = await farmOf(context, options.farm);
  const { since = pastTime(STANDARD_SINCE), until } = options;
  const items: WorkerWithAttempts[] = [];
  for (let total = 1; items.length < total;) {
    const page = await client.call('get', '/farms/{id}/attempts', {
      path: { id: farm.id },
      query: { since, until, limit: WORKERS_PAGE, offset: items.length, per_worker: PER_WORKER },
    });
    items.push(...page.items);
    total = page.items.length === 0 ? items.length : page.total;
  }
  const to = until === undefined ? Date.now() : Date.parse(until);
  const columns = timelineColumns(Date.parse(since), to);
  printListing(context, { what: 'worker', columns, items, reply: { items, total: items.length } }, options);
  if (!context.isForPrograms && items.some(({ has_more: hasMore }) => hasMore))
    terminal.err(
      `Of workers with + only the latest ${PER_WORKER} attempts are shown: "callsheet workers attempts WORKER" lists all.\n`,
    );
}

/** Verbs of `callsheet workers` that show what workers ran. */
export const attemptVerbs: readonly Verb[] = [
  verb<AttemptOptions>({
    name: 'attempts',
    about: 'List what a worker ran and runs, in all jobs: open attempts first, then the latest end first.',
    arguments: [entryArgument('worker')],
    options: (command) =>
      timeOptions(command.option('--farm <farm>', 'farm of the worker'))
        .option('--limit <n>', 'number of attempts', integer, LIMIT)
        .option('--all', 'all attempts'),
    run: ([worker = ''], options) => attempts(worker, options),
  }),
  verb<TimelineOptions>({
    name: 'timeline',
    about:
      'Show when each worker of a farm was busy: # busy, ! with a failure, . idle. By default the last hour.',
    options: (command) => timeOptions(command.option('--farm <farm>', 'farm, if there are several')),
    run: (_args, options) => timeline(options),
  }),
];
