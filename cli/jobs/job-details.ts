import type { JobDetail, JobEnvironment, JobFailures, Step } from '../../client/resources.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { allFarms, allQueues, findJob, namesOf } from '../client/lookup.ts';
import { table, type Column } from '../terminal/table.ts';
import { factLines, type Fact } from '../output/facts.ts';
import { shownColumns } from '../output/listing.ts';
import { raisedText } from './raised-text.ts';
import { counted } from '../options/confirm.ts';
import { printResult } from '../output/output.ts';

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
  {
    title: 'REASON',
    value: (step) => step.waiting_reason ?? '',
    shrinks: true,
    isWide: steps.every((step) => step.waiting_reason === undefined),
  },
  { title: 'UPDATED', value: (step) => step.updated_at, isTime: true, isWide: true },
];

const productText = ({ product }: JobDetail): string =>
  product === undefined ? '' : `${product.name} ${product.version}`.trimEnd();

/** Names of the resources that a job refers to. */
interface Names {
  readonly farm: string;
  readonly queue: string;
  readonly upstream: ReadonlyMap<string, string>;
}

/** An environment around those of the template. */
type NamedEnvironment = Pick<JobEnvironment, 'name' | 'origin'>;

/** Names the environments around those of the template, in the order in which they are entered. */
const environmentsText = (environments: readonly NamedEnvironment[]): string =>
  environments
    .map(({ name, origin }) => `${name} (${origin === 'queue' ? 'of the queue' : 'of the submission'})`)
    .join(', ');

async function namesFor({ client }: ClientContext, job: JobDetail): Promise<Names> {
  const [farms, queues, upstream] = await Promise.all([
    allFarms(client),
    allQueues(client, job.farm_id),
    namesOf(client, 'job', job.depends_on ?? []),
  ]);
  return {
    farm: farms.find(({ id }) => id === job.farm_id)?.name ?? job.farm_id,
    queue: queues.find(({ id }) => id === job.queue_id)?.name ?? job.queue_id,
    upstream,
  };
}

/** Parts of a job that other requests return. */
interface Around {
  readonly environments: readonly NamedEnvironment[];
  /** Null without failed tasks. */
  readonly failures: JobFailures | null;
}

function jobText(
  { terminal, output }: ClientContext,
  job: JobDetail,
  { environments, failures }: Around,
  names: Names,
): string {
  const parameters = Object.entries(job.parameters ?? {});
  const facts: readonly Fact[] = [
    ['status', job.status],
    ['job', job.id],
    ['name', job.name],
    ['farm', names.farm],
    ['queue', names.queue],
    ['owner', job.owner],
    ['project', job.project],
    ['product', productText(job)],
    ['priority', String(job.priority)],
    ['created', job.created_at],
    ['updated', job.updated_at],
    ['starts', job.start_after],
    ['max tasks', job.max_concurrent_tasks?.toLocaleString('en')],
    ...Object.entries(job.step_max_concurrent_tasks ?? {}).map(([name, cap]): Fact => [
      'max tasks',
      `${name}: ${cap.toLocaleString('en')}`,
    ]),
    ['reason', job.waiting_reason],
    ['waits for', job.depends_on?.map((each) => names.upstream.get(each) ?? each).join(', ')],
    ['parked', job.park_reason],
    ['canceled', job.cancel_reason],
    ['failed', failureText(failures)],
    ['next', failures === null ? undefined : `callsheet logs ${job.id} --failed`],
    ['environments', environmentsText(environments)],
    ...job.steps.flatMap(({ name, chunks }): readonly Fact[] =>
      chunks === undefined ? [] : [['chunks', `${name}: ${chunks.sentence}`]],
    ),
    ...(job.retry_rules ?? []).map((rule): Fact => ['retry rule', `${rule.name}: ${rule.action}`]),
    ...job.steps.flatMap(({ name, raised_amounts: raised = [] }): readonly Fact[] =>
      raised.map((each): Fact => ['raised', `${name}: ${raisedText(each)}`]),
    ),
    ['parameters', countOf(parameters.length)],
    ...parameters.map(([name, value]): Fact => [`  ${name}`, value]),
  ];
  const columns = shownColumns(stepColumns(job.steps), job.steps, output, undefined);
  return `${factLines(facts, terminal)}\n${table(columns, job.steps, terminal)}`;
}

const countOf = (count: number): string => (count === 0 ? '' : String(count));

/** The most frequent cause of the failures, with the last error line of its first task. */
function failureText(failures: JobFailures | null): string | undefined {
  const [first] = failures?.groups ?? [];
  if (failures === null || first === undefined) return undefined;
  const { reason, error_line: errorLine, count } = first;
  const others = failures.groups.length - 1;
  const causes = others === 0 ? '' : `, and ${counted(others, 'other cause')}`;
  return `${[reason, errorLine].filter((text) => text).join(': ')} (${counted(count, 'task')}${causes})`;
}

/** `callsheet jobs show`: a job with its steps. */
export async function showJob(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const path = { id: await findJob(client, given) };
  const [job, around] = await Promise.all([
    client.call('get', '/jobs/{id}', { path }),
    client.call('get', '/jobs/{id}/environments', { path }),
  ]);
  const environments = around.map(({ name, origin }) => ({ name, origin }));
  if (isForPrograms) return printResult(context, { ...job, environments }, () => '');
  const failures =
    job.failure_summary.failed_count === 0 ? null : await client.call('get', '/jobs/{id}/failures', { path });
  terminal.out(jobText(context, job, { environments, failures }, await namesFor(context, job)));
  terminal.err(`${counted(job.steps.length, 'step')}, ${counted(job.task_counts.total, 'task')}\n`);
}
