import type { Gate, TaskExplanation } from '../../client/resources.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { askAboutTask } from '../client/task-in-question.ts';
import { table, type Column } from '../terminal/table.ts';
import { coloredStatus, printable } from '../terminal/terminal.ts';
import { verb } from '../grammar/verb.ts';
import { shownColumns } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { skippedBy } from './task-text.ts';

const FAILURE_COLUMNS: readonly Column<TaskExplanation['failures'][number]>[] = [
  { title: 'FAILED ON', value: (failure) => failure.worker, shrinks: true },
  { title: 'TIMES', value: (failure) => String(failure.failures), align: 'right' },
  { title: 'LAST', value: (failure) => failure.last_at, isTime: true },
];

/** Names that the commands below contain. */
interface Subject {
  readonly taskId: string;
  readonly jobId: string;
}

/** Returns the command that helps with a gate; null if waiting is all there is to do. */
function commandForGate(gate: Gate, { jobId }: Subject): string | null {
  switch (gate.gate) {
    case 'job':
      return gate.status === 'completed' ? null : `jobs retry ${jobId}`;
    case 'upstream_job':
      return gate.job === undefined ? null : `jobs show ${gate.job.id}`;
    case 'upstream_step':
      return gate.progress.failed > 0
        ? `jobs retry ${jobId} --step ${word(gate.step.name)}`
        : `tasks list ${jobId} --step ${word(gate.step.name)}`;
    case 'paused_job':
      return gate.reason === 'job parked' ? `logs ${jobId} --failed` : `jobs resume ${jobId}`;
    case 'start_after':
      return `jobs set ${jobId} --start-after none`;
    case 'held_step':
      return `jobs release ${jobId} --step ${word(gate.step.name)}`;
    case 'canary':
      return `tasks list ${jobId} --step ${word(gate.step.name)}`;
    case 'paused_queue':
      return `queues resume ${gate.queue.id}`;
    case 'retry_after':
      return `logs ${jobId} --failed`;
    case 'farm_cap':
      return 'farms set FARM --max-concurrent-tasks N';
    case 'queue_cap':
      return `queues set ${gate.queue.id} --max-concurrent-tasks N`;
    case 'owner_cap':
      return capCommand('owner', gate.owner, gate.queue?.id);
    case 'project_cap':
      return capCommand('project', gate.project, gate.queue?.id);
    case 'job_cap':
      return `jobs set ${jobId} --max-concurrent-tasks N`;
    case 'step_cap':
      return `jobs set ${jobId} --step-cap ${word(`${gate.step.name}=N`)}`;
    case 'usage_pool':
      return gate.registered ? `pools show ${word(gate.pool)}` : `pools create ${word(gate.pool)} SLOTS`;
    case 'workers':
      return gate.nearest_miss === undefined ? 'workers list' : `workers show ${gate.nearest_miss.worker_id}`;
    case 'outage':
      return 'farms outages';
    case 'quarantine':
      return `workers show ${gate.doubted[0]?.worker_id ?? ''}`;
    case 'cores':
    case 'amounts':
      return 'workers list';
    case 'order':
      return `jobs set ${jobId} --priority N`;
    case 'scheduler':
      return null;
  }
}

/** Returns the command that raises a cap of an owner or project. The other caps have to be repeated. */
const capCommand = (by: 'owner' | 'project', name: string, queue: string | undefined): string =>
  `${queue === undefined ? 'farms set FARM' : `queues set ${queue}`} --${by}-caps ${word(`${name}=N`)}`;

/** Returns the command that helps: for what delays the task, for the running task, or for how it ended. */
function helpfulCommand(
  { task_id: taskId, job_id: jobId, status, gates }: TaskExplanation,
  skipped: string | undefined,
): string {
  const [command] = gates
    .map((gate) => commandForGate(gate, { taskId, jobId }))
    .filter((each) => each !== null);
  if (command !== undefined) return command;
  switch (status) {
    case 'running':
    case 'assigned':
      return `logs ${taskId} --follow`;
    case 'canceled':
      return `tasks retry ${taskId}`;
    case 'failed':
      return `logs ${taskId}`;
    case 'succeeded':
      return skipped === undefined ? `logs ${taskId}` : `tasks retry ${taskId}`;
    case 'pending':
    case 'ready':
      return `jobs show ${jobId}`;
  }
}

/** Quotes a name for a shell if it needs quotes. */
const word = (name: string): string =>
  /^[\w@%+=:,./-]+$/.test(name) ? name : `'${printable(name).replaceAll("'", `'\\''`)}'`;

/** Formats the summary, one line per gate and the command that helps. Omits a single gate whose sentence is the summary. */
function explanationText(
  { terminal, output }: ClientContext,
  explanation: TaskExplanation,
  skipped: string | undefined,
): string {
  const { name, status, summary, gates, failures, chunks, share } = explanation;
  const lines = gates.length === 1 && gates[0]?.sentence === summary ? [] : gates;
  const width = Math.max(0, ...lines.map((gate) => gate.gate.length));
  const gateLines = lines.map(
    ({ gate, sentence }) =>
      `  ${printable(gate.replaceAll('_', ' ').padEnd(width))}  ${printable(sentence)}\n`,
  );
  const failureTable =
    failures.length === 0
      ? ''
      : `\n${table(shownColumns(FAILURE_COLUMNS, failures, output, undefined), failures, terminal)}`;
  return [
    `${printable(name)}: ${coloredStatus(status, terminal)}\n${printable(summary)}\n`,
    skipped === undefined ? '' : `It was ${printable(skipped)}.\n`,
    ...(gateLines.length > 0 ? ['\n', ...gateLines] : []),
    // The gate of the order contains the sentence.
    share === undefined || gates.some(({ gate }) => gate === 'order')
      ? ''
      : `\n${printable(share.sentence)}\n`,
    chunks === undefined ? '' : `\nThe step has ${printable(chunks)}.\n`,
    failureTable,
    `\nNext: callsheet ${helpfulCommand(explanation, skipped)}\n`,
  ].join('');
}

/** `callsheet explain`, `callsheet tasks explain` */
export const explainVerb = verb<ClientOptions>({
  name: 'explain',
  about:
    'Explain the status of a task: why it waits, where it runs, or how it ended. Of a job or a step, the first task that waits is explained, or else the first that failed.',
  arguments: [
    {
      name: '<task>',
      help: 'the task, by id, or JOB, JOB/STEP or JOB/STEP/INDEX with the index in the step from 0',
    },
  ],
  run: async ([given = ''], options) => {
    const context = contextOf(options);
    const { client } = context;
    const explanation = await askAboutTask(client, given, (id) =>
      client.call('get', '/tasks/{id}/explain', { path: { id } }),
    );
    const { task_id: id, status } = explanation;
    const task =
      status === 'succeeded' && !context.isForPrograms
        ? await client.call('get', '/tasks/{id}', { path: { id } })
        : null;
    const skipped = task === null ? undefined : skippedBy(task);
    printResult(context, explanation, () => explanationText(context, explanation, skipped));
  },
});
