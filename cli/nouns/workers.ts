import { Option, type Command } from 'commander';
import type { Farm, Queue, Worker, WorkerDetail } from '../../client/resources.ts';
import { WORKER_ORDERS, WORKER_STATUSES } from '../options/choices.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { confirm } from '../options/confirm.ts';
import { futureTime } from '../options/expiry.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { allFarms, allQueues, findGivenFarm, findWorker } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import { table, type Column } from '../terminal/table.ts';
import { verb, type Noun, type Verb } from '../grammar/verb.ts';
import { formatAge, shortTime } from '../output/age.ts';
import { factsText } from '../output/facts.ts';
import { pageOptions, serverOrder, type PageOptions, type SortOptions } from '../output/list-options.ts';
import { printListing, shownColumns } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { readPages } from '../output/pages.ts';
import { subjectOf } from '../output/subject.ts';
import { parametersOf } from './task-text.ts';
import { confirmable, entryArgument, type ConfirmOptions } from '../grammar/verb-parts.ts';
import { queueOfGiven } from '../client/place-filters.ts';
import { attemptVerbs } from './worker-attempts.ts';
import { workerTokens } from './worker-tokens.ts';

interface FarmOptions extends ClientOptions {
  readonly farm?: string;
}

interface ListOptions extends FarmOptions, PageOptions, SortOptions<(typeof WORKER_ORDERS)[number]> {
  readonly queue?: string;
  readonly status?: Worker['status'];
  readonly location?: string;
  readonly search?: string;
}

const gib = (mib: number): string => (mib === 0 ? '' : `${Math.round(mib / 102.4) / 10} GiB`);

/**
 * Why the worker is disabled or in quarantine, the reason first, or that it is probably broken. `timeText` formats a time of
 * the service.
 */
function noteOf(
  { disabled, failing_jobs: jobs, quarantine }: Worker,
  timeText: (time: string) => string,
): string {
  if (disabled !== undefined) {
    const { by, at, reason, until } = disabled;
    const end = until === undefined ? '' : `, enabled again ${timeText(until)}`;
    return `${reason === '' ? '' : `${reason}: `}disabled by ${by} ${timeText(at)}${end}`;
  }
  if (quarantine !== undefined)
    return `${quarantine.reason}: ${quarantine.kind === 'quarantined' ? 'in quarantine' : 'suspected'} since ${timeText(quarantine.since)}`;
  return jobs === undefined ? '' : `tasks of ${jobs} jobs failed on it in the last hour`;
}

/** Formats a time of a note exactly. */
const exactTime = (time: string): string => `at ${shortTime(time)}`;

/** Formats a time of a note: `3h ago`, `in 5h`. */
function relativeTime(time: string): string {
  const age = formatAge(time, Date.now());
  return age.startsWith('in ') ? age : `${age} ago`;
}

const columnsOf = (
  workers: readonly Worker[],
  farms: readonly Farm[],
  queues: readonly Queue[],
  isExact: boolean,
): readonly Column<Worker>[] => {
  const note = (worker: Worker): string => noteOf(worker, isExact ? exactTime : relativeTime);
  const farmNames = new Map(farms.map(({ id, name }) => [id, name]));
  const queueNames = new Map(queues.map(({ id, name }) => [id, name]));
  return [
    { title: 'ID', value: (worker) => worker.id, isId: true },
    { title: 'NAME', value: (worker) => worker.name, shrinks: true },
    {
      title: 'FARM',
      value: (worker) => farmNames.get(worker.farm_id) ?? worker.farm_id,
      shrinks: true,
      isWide: farms.length < 2,
    },
    { title: 'HOST', value: (worker) => worker.hostname, shrinks: true, isWide: true },
    {
      title: 'STATUS',
      value: (worker) => (worker.draining === true ? 'draining' : worker.status),
      isStatus: true,
    },
    { title: 'TASKS', value: (worker) => String(worker.current_task_count), align: 'right' },
    { title: 'CORES', value: (worker) => `${worker.committed_cores}/${worker.cpu_count}`, align: 'right' },
    { title: 'MEMORY', value: (worker) => gib(worker.memory_mib), align: 'right', isWide: true },
    {
      title: 'BOOKED',
      value: ({ booked_amounts: amounts = [] }) =>
        amounts.map(({ name, booked, total }) => `${name} ${booked}/${total}`).join(', '),
      shrinks: true,
      isWide: workers.every(({ booked_amounts: amounts = [] }) => amounts.length === 0),
    },
    { title: 'BOOKED GPUS', value: ({ booked_gpus: gpus = [] }) => gpus.join(','), isWide: true },
    { title: 'GPUS', value: (worker) => String(worker.gpu_count), align: 'right', isWide: true },
    { title: 'FAILURES', value: (worker) => String(worker.failed_attempts), align: 'right' },
    { title: 'LOCATION', value: (worker) => worker.compute_location, shrinks: true },
    {
      title: 'QUEUES',
      value: (worker) => worker.queue_ids.map((id) => queueNames.get(id) ?? id).join(','),
      shrinks: true,
      isWide: true,
    },
    {
      title: 'TAGS',
      value: (worker) =>
        Object.entries(worker.tags)
          .map(([name, value]) => `${name}=${value}`)
          .join(','),
      shrinks: true,
      isWide: true,
    },
    { title: 'OS', value: (worker) => worker.os_version || worker.os, isWide: true },
    { title: 'VERSION', value: (worker) => worker.version, isWide: true },
    { title: 'NOTE', value: note, shrinks: true, isWide: workers.every((worker) => note(worker) === '') },
    { title: 'LAST HEARD', value: (worker) => worker.last_heartbeat_at, isTime: true },
    { title: 'REGISTERED', value: (worker) => worker.registered_at, isTime: true, isWide: true },
  ];
};

/** Returns the columns with the names of farms and queues; none for programs. */
async function columnsFor(
  { client, isForPrograms, output }: ClientContext,
  workers: readonly Worker[],
): Promise<readonly Column<Worker>[]> {
  if (isForPrograms) return [];
  return columnsOf(workers, await allFarms(client), await allQueues(client), output.format === 'wide');
}

async function list(options: ListOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const { farm, queue } = await queueOfGiven(context, options);
  const order = serverOrder(options, WORKER_ORDERS);
  const query = {
    farm_id: farm?.id,
    queue_id: queue?.id,
    status: options.status,
    compute_location: options.location,
    search: options.search,
    ...order,
  };
  const pages = await readPages(
    (paging) => client.call('get', '/workers', { query: { ...query, ...paging } }),
    options,
  );
  printListing(
    context,
    { what: 'worker', columns: await columnsFor(context, pages.items), ...pages },
    options,
  );
  if (!isForPrograms && pages.items.some(({ status }) => status === 'offline'))
    terminal.err(await offlineNote(client));
}

/** States when the tasks of an offline worker run again; empty if the server does not say. */
async function offlineNote(client: RestClient): Promise<string> {
  try {
    const { scheduler } = await client.call('get', '/settings');
    const seconds = scheduler.reclaim_after_seconds;
    return `The tasks of an offline worker run again ${seconds} s after its last contact (scheduler.reclaim_after).\n`;
  } catch (error) {
    // A server of an earlier version does not have the route.
    if (error instanceof CommandError && error.exitCode === EXIT.notFound) return '';
    throw error;
  }
}

const TASK_COLUMNS: readonly Column<WorkerDetail['current_tasks'][number]>[] = [
  { title: 'TASK', value: (task) => task.name, shrinks: true },
  { title: 'STATUS', value: (task) => task.status, isStatus: true },
  { title: 'PARAMETERS', value: parametersOf, shrinks: true },
  { title: 'STARTED', value: (task) => task.started_at ?? '', isTime: true },
  { title: 'ID', value: (task) => task.id, isWide: true },
];

const FAILURE_COLUMNS: readonly Column<WorkerDetail['failures'][number]>[] = [
  { title: 'FAILED STEP', value: (failure) => `${failure.job_name}/${failure.step_name}`, shrinks: true },
  { title: 'TIMES', value: (failure) => String(failure.failures), align: 'right' },
  { title: 'LAST', value: (failure) => failure.last_at, isTime: true },
];

const EVIDENCE_COLUMNS: readonly Column<NonNullable<WorkerDetail['evidence']>[number]>[] = [
  { title: 'EVIDENCE IN STEP', value: (step) => `${step.job_name}/${step.step_name}`, shrinks: true },
  { title: 'FAILED ONLY HERE', value: (step) => String(step.failed_only_here), align: 'right' },
  { title: 'EVERYWHERE', value: (step) => String(step.failed_everywhere), align: 'right' },
  { title: 'OPEN', value: (step) => String(step.failed_open), align: 'right' },
  { title: 'SUCCEEDED', value: (step) => String(step.succeeded), align: 'right' },
  {
    title: 'OTHERS FAILED',
    value: (step) => `${step.others_failed}/${step.others_failed + step.others_succeeded}`,
    align: 'right',
  },
  { title: 'ODDS', value: (step) => String(step.odds), align: 'right', isWide: true },
  {
    title: 'QUARANTINE',
    value: ({ quarantine }) => (quarantine === undefined ? '' : `${quarantine.kind}: ${quarantine.reason}`),
    shrinks: true,
  },
];

async function show(given: string, options: FarmOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, output } = context;
  const { id } = await findWorker(client, given, await findGivenFarm(client, options.farm));
  const worker = await client.call('get', '/workers/{id}', { path: { id } });
  const columns = await columnsFor(context, [worker]);
  const { evidence = [] } = worker;
  printResult(context, worker, () => {
    const tables = [
      worker.current_tasks.length === 0
        ? ''
        : table(
            shownColumns(TASK_COLUMNS, worker.current_tasks, output, undefined),
            worker.current_tasks,
            terminal,
          ),
      worker.failures.length === 0
        ? ''
        : table(shownColumns(FAILURE_COLUMNS, worker.failures, output, undefined), worker.failures, terminal),
      evidence.length === 0
        ? ''
        : table(shownColumns(EVIDENCE_COLUMNS, evidence, output, undefined), evidence, terminal),
    ];
    return [factsText(columns, worker, terminal), ...tables].filter((text) => text !== '').join('\n');
  });
}

/** Consequences of the verbs that cannot be undone, one sentence each. */
const CONSEQUENCES = {
  delete: ['Its failure counts are deleted.', 'It registers as a new worker when it is started again.'],
  revoke: [
    'It loses its connection at once, and its tasks are assigned again later.',
    'It needs a new token to join again.',
  ],
} as const;

/** Options of `callsheet workers disable`. */
interface DisableOptions {
  readonly now?: boolean;
  readonly reason?: string;
  readonly until?: string;
}

/** Sends the request of a verb and returns the result. */
const REQUESTS = {
  disable: (client: RestClient, id: string, { now = false, reason = '', until }: DisableOptions) =>
    client.call('post', '/workers/{id}/disable', {
      path: { id },
      body: { mode: now ? 'now' : 'after-tasks', reason, until },
    }),
  enable: (client: RestClient, id: string) => client.call('post', '/workers/{id}/enable', { path: { id } }),
  'lift-quarantine': (client: RestClient, id: string) =>
    client.call('post', '/workers/{id}/lift-quarantine', { path: { id } }),
  delete: async (client: RestClient, id: string) => {
    await client.call('delete', '/workers/{id}', { path: { id } });
    // The status in the events of workers after a deletion.
    return { id, status: 'removed' };
  },
  revoke: async (client: RestClient, id: string) => ({
    ...(await client.call('post', '/workers/{id}/credential/revoke', { path: { id } })),
    status: 'revoked',
  }),
} as const;

type Action = keyof typeof REQUESTS;

async function act(
  action: Action,
  given: string,
  options: FarmOptions & ConfirmOptions & DisableOptions,
): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const worker = await findWorker(client, given, await findGivenFarm(client, options.farm));
  if (action === 'delete' || action === 'revoke')
    await confirm(terminal, options.yes === true, () =>
      Promise.resolve({
        verb: action,
        object: `${action === 'revoke' ? 'the credential of ' : ''}worker ${worker.name}`,
        consequences: [`The worker is ${worker.status}.`, ...CONSEQUENCES[action]],
      }),
    );
  const result = await REQUESTS[action](client, worker.id, options);
  printResult(context, result, () => `${subjectOf(terminal, worker)} ${result.status}\n`);
}

const ofFarm = (command: Command): Command => command.option('--farm <farm>', 'farm of the worker');

/** Returns a verb that changes one worker. */
const changing = (name: Action, about: string, options: (command: Command) => Command = ofFarm): Verb =>
  verb<FarmOptions & ConfirmOptions & DisableOptions>({
    name,
    about,
    arguments: [entryArgument('worker')],
    options,
    run: ([worker = ''], given) => act(name, worker, given),
  });

/** `callsheet workers` */
export const workers: Noun = {
  name: 'workers',
  about: 'List workers (CORES: reserved of all), or disable, enable, delete or revoke one.',
  verbs: [
    verb<ListOptions>({
      name: 'list',
      about: 'List workers. CORES shows reserved cores of all.',
      options: (command) =>
        pageOptions(WORKER_ORDERS)(
          command
            .option('--farm <farm>', 'only workers of this farm')
            .option('--queue <queue>', 'only workers that serve this queue of the farm')
            .addOption(
              new Option('--status <status>', 'only workers of this status').choices(WORKER_STATUSES),
            )
            .option('--location <name>', 'only workers at this compute location')
            .option('--search <words>', 'words to search for in name, host, id and tags'),
        ),
      run: (_args, options) => list(options),
    }),
    verb<FarmOptions>({
      name: 'show',
      about: 'Show a worker with its tasks and failures.',
      arguments: [entryArgument('worker')],
      options: ofFarm,
      run: ([worker = ''], options) => show(worker, options),
    }),
    ...attemptVerbs,
    changing(
      'disable',
      'Disable a worker: it takes no new tasks. It finishes its current ones; with --now they stop and run elsewhere.',
      (command) =>
        ofFarm(command)
          .option('--now', 'stop its current tasks; they run elsewhere, and that counts as no attempt')
          .option('--reason <text>', 'why, shown with the worker')
          .option('--until <time>', 'when it is enabled again, such as 2026-11-22T20:00 or 6h', futureTime),
    ),
    changing('enable', 'Enable a worker, so that it takes tasks again.'),
    changing(
      'lift-quarantine',
      'Lift the quarantine of a worker, as a whole and for steps. Its evidence is forgotten.',
    ),
    changing('delete', 'Delete a worker that is offline, or disabled and silent.', (command) =>
      confirmable(ofFarm(command)),
    ),
    changing('revoke', 'Revoke the credential of a worker. It is disconnected at once.', (command) =>
      confirmable(ofFarm(command)),
    ),
  ],
  nouns: [workerTokens],
};
