import type { JobDetail, Step } from '../../client/resources.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { allFarms, allQueues, findJob, namesOf } from '../client/lookup.ts';
import { table, type Column } from '../terminal/table.ts';
import { factLines, type Fact } from '../output/facts.ts';
import { shownColumns } from '../output/listing.ts';
import { raisedText } from './raised-text.ts';
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

function jobText({ terminal, output }: ClientContext, job: JobDetail, names: Names): string {
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
    ['reason', job.waiting_reason],
    ['waits for', job.depends_on?.map((each) => names.upstream.get(each) ?? each).join(', ')],
    ['parked', job.park_reason],
    ['canceled', job.cancel_reason],
    ['failed', job.failure_summary.dominant_reason],
    ...job.steps.flatMap(({ name, chunks }): readonly Fact[] =>
      chunks === undefined ? [] : [['chunks', `${name}: ${chunks.sentence}`]],
    ),
    ...(job.retry_rules ?? []).map((rule): Fact => ['retry rule', `${rule.name}: ${rule.action}`]),
    ...job.steps.flatMap(({ name, raised_amounts: raised = [] }): readonly Fact[] =>
      raised.map((each): Fact => ['raised', `${name}: ${raisedText(each)}`]),
    ),
    ...Object.entries(job.parameters ?? {}).map(([name, value]): Fact => [`  ${name}`, value]),
  ];
  const columns = shownColumns(stepColumns(job.steps), job.steps, output, undefined);
  return `${factLines(facts, terminal)}\n${table(columns, job.steps, terminal)}`;
}

/** `callsheet jobs show`: a job with its steps. */
export async function showJob(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const job = await client.call('get', '/jobs/{id}', { path: { id: await findJob(client, given) } });
  if (isForPrograms) return printResult(context, job, () => '');
  terminal.out(jobText(context, job, await namesFor(context, job)));
}
