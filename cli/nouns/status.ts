import type { Farm, FarmWaiting, JobSummary, Queue, WorkerSummary } from '../../client/resources.ts';
import type { AnswerOf } from '../../client/rest-calls.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { counted } from '../options/confirm.ts';
import { CREATE_FARM, farmIfAny } from '../client/default-place.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { allQueues } from '../client/lookup.ts';
import { verb } from '../grammar/verb.ts';
import { factLines } from '../output/facts.ts';
import { printResult } from '../output/output.ts';
import { printable } from '../terminal/terminal.ts';
import { cutText } from '../terminal/text-width.ts';

const HISTORY_MINUTES = 60;
const FAILED_JOBS = 3;
const QUEUES = 5;
/** Columns of the names of the facts, with the gap: the longest is `last hour`. */
const NAME_WIDTH = 11;

/** State of a farm: for `-o json`, and for ten lines. */
interface FarmStatus {
  readonly server: { readonly url: string; readonly version: string };
  readonly farm: Pick<Farm, 'id' | 'name'>;
  readonly workers: WorkerSummary;
  readonly jobs: JobSummary;
  readonly tasks: { readonly running: number; readonly ready: number } | null;
  readonly last_hour: { readonly succeeded: number; readonly failed: number };
  readonly waiting: Pick<FarmWaiting, 'tasks' | 'groups'> | null;
  readonly failed_jobs: readonly {
    readonly id: string;
    readonly name: string;
    readonly failed_tasks: number;
  }[];
  readonly queues: readonly Pick<Queue, 'name' | 'paused'>[];
}

const NO_WORKERS: WorkerSummary = {
  online: 0,
  offline: 0,
  disabled: 0,
  draining: 0,
  cores_total: 0,
  cores_booked: 0,
};

async function statusOf({ client }: ClientContext, farm: Farm): Promise<FarmStatus> {
  const { id: farmId, name } = farm;
  const [version, workers, jobs, history, waiting, failed, queues] = await Promise.all([
    client.call('get', '/version'),
    client.call('get', '/workers', { query: { farm_id: farmId, summary: true, limit: 1 } }),
    client.call('get', '/jobs/summary', { query: { farm_id: farmId } }),
    client.call('get', '/stats/history', { query: { farm_id: farmId, minutes: HISTORY_MINUTES } }),
    waitingOf(client.call('get', '/stats/waiting', { query: { farm_id: farmId } })),
    client.call('get', '/jobs', {
      query: {
        farm_id: farmId,
        status: ['failed'],
        sort_by: 'updated_at',
        sort_dir: 'desc',
        limit: FAILED_JOBS,
      },
    }),
    allQueues(client, farmId),
  ]);
  return {
    server: { url: client.url, version: version.version },
    farm: { id: farmId, name },
    workers: workers.summary ?? NO_WORKERS,
    jobs,
    tasks: tasksOf(history),
    last_hour: { succeeded: sum(history.tasks_succeeded), failed: sum(history.tasks_failed) },
    waiting,
    failed_jobs: failed.items.map((job) => ({
      id: job.id,
      name: job.name,
      failed_tasks: job.task_counts.failed,
    })),
    queues: queues.map((queue) => ({ name: queue.name, paused: queue.paused })),
  };
}

/** Returns the reasons for waiting; null while the scheduler of the farm does not answer. */
async function waitingOf(request: Promise<FarmWaiting>): Promise<FarmStatus['waiting']> {
  try {
    const { tasks, groups } = await request;
    return { tasks, groups };
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.unavailable) return null;
    throw error;
  }
}

/** Returns the current tasks; null in the first seconds after a start of the service. */
const tasksOf = ({ now }: AnswerOf<'get', '/stats/history'>): FarmStatus['tasks'] =>
  now === undefined ? null : { running: now.tasks_running, ready: now.tasks_ready };

const sum = (values: readonly number[]): number =>
  Math.round(values.reduce((total, value) => total + value, 0));

const number = (value: number): string => value.toLocaleString('en');

/** Formats the parts that are not zero, such as `3 running, 5 pending`. */
function partsText(parts: readonly (readonly [number, string])[]): string {
  const texts = parts.filter(([count]) => count > 0).map(([count, what]) => `${number(count)} ${what}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}

/** Formats the state of a farm in ten lines. */
function statusText(status: FarmStatus, context: ClientContext): string {
  const {
    server,
    farm,
    workers,
    jobs,
    tasks,
    last_hour: hour,
    waiting,
    failed_jobs: failed,
    queues,
  } = status;
  const reason = waiting?.groups[0];
  const facts = [
    ['server', `${server.url}, version ${server.version}`],
    ['farm', farm.name],
    [
      'workers',
      partsText([
        [workers.online, 'online'],
        [workers.offline, 'offline'],
        [workers.disabled, 'disabled'],
        [workers.draining, 'draining'],
      ]),
    ],
    [
      'cores',
      `${number(workers.cores_booked)} of ${number(Math.max(workers.cores_booked, workers.cores_total))} in use`,
    ],
    ['queues', queuesText(queues)],
    [
      'jobs',
      partsText([
        [jobs.running, 'running'],
        [jobs.pending, 'pending'],
        [jobs.blocked, 'blocked'],
        [jobs.paused, 'paused'],
        [jobs.failed, 'failed'],
        [jobs.canceled, 'canceled'],
        [jobs.completed, 'completed'],
      ]),
    ],
    [
      'tasks',
      tasks === null ? 'unknown yet' : `${number(tasks.running)} running, ${number(tasks.ready)} ready`,
    ],
    [
      'waiting',
      waiting === null
        ? 'unknown: the scheduler does not answer'
        : reason === undefined
          ? 'none'
          : `${counted(waiting.tasks, 'task')}${reason.tasks < waiting.tasks ? `; ${number(reason.tasks)} of them` : ''}: ${reason.sentence}`,
    ],
    ['last hour', `${number(hour.succeeded)} succeeded, ${number(hour.failed)} failed`],
    [
      'failed',
      failed.length === 0
        ? 'none'
        : failed.map(({ name, failed_tasks: count }) => `${name} (${counted(count, 'task')})`).join(', '),
    ],
  ] as const;
  // A value that does not fit is cut: ten facts are ten lines.
  const { columns } = context.terminal;
  const width = columns === null ? Number.POSITIVE_INFINITY : columns - NAME_WIDTH;
  return factLines(
    facts.map(([name, value]) => [name, cutText(printable(value.replaceAll('\n', ' ')), width, '…')]),
    context.terminal,
  );
}

function queuesText(queues: FarmStatus['queues']): string {
  const shown = queues.slice(0, QUEUES).map(({ name, paused }) => (paused ? `${name} (paused)` : name));
  const more = queues.length - shown.length;
  return queues.length === 0 ? 'none' : `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A server without farms is not an error: the output says what to do next. */
async function printFirstStart(context: ClientContext): Promise<void> {
  const { client, terminal } = context;
  const { version } = await client.call('get', '/version');
  const server = { url: client.url, version };
  printResult(context, { server, farm: null }, () =>
    factLines(
      [
        ['server', `${server.url}, version ${version}`],
        ['farm', `none: create one with ${CREATE_FARM}`],
      ],
      terminal,
    ),
  );
}

/** `callsheet status` */
export const statusVerb = verb<ClientOptions & { readonly farm?: string }>({
  name: 'status',
  about: 'Show the state of a farm in ten lines.',
  options: (command) => command.option('--farm <farm>', 'the farm; not needed if there is one, or a default'),
  run: async (_args, options) => {
    const context = contextOf(options);
    const farm = await farmIfAny(context, options.farm);
    if (farm === null) return printFirstStart(context);
    const status = await statusOf(context, farm);
    printResult(context, status, () => statusText(status, context));
  },
});
