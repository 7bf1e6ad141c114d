import type { Command } from 'commander';
import type { AnswerOf } from '../../client/rest-calls.ts';
import { clientCommand, contextOf, optionsOf, type ClientOptions } from '../client/client-command.ts';
import { formatAge } from '../output/age.ts';
import { factLines } from '../output/facts.ts';
import { printResult } from '../output/output.ts';
import { table, type Column } from '../terminal/table.ts';

type Cluster = AnswerOf<'get', '/cluster'>;
type ClusterNode = Cluster['nodes'][number];

const lagText = ({ seen_at: seenAt, lag_ms: ms, lag_records: records }: ClusterNode): string =>
  seenAt === undefined ? '' : records === 0 ? '0 ms' : `${ms} ms (${records} records)`;

const columnsAt = (nowMs: number): readonly Column<ClusterNode>[] => [
  { title: 'NODE', value: (node) => node.name },
  { title: 'ROLE', value: (node) => node.role },
  {
    title: 'POSITION',
    value: (node) => (node.seen_at === undefined ? '' : String(node.position)),
    align: 'right',
  },
  { title: 'LAG', value: lagText, align: 'right' },
  { title: 'CURRENT', value: (node) => (node.is_current ? 'yes' : 'no') },
  { title: 'VERSION', value: (node) => node.version },
  { title: 'ADDRESS', value: (node) => node.http_addr },
  {
    title: 'SEEN',
    value: (node) => (node.seen_at === undefined ? 'never' : `${formatAge(node.seen_at, nowMs)} ago`),
  },
];

async function status(_options: object, command: Command): Promise<void> {
  const context = contextOf(optionsOf<ClientOptions>(command));
  const { client, terminal } = context;
  const cluster = await client.call('get', '/cluster');
  const { present, needed } = cluster.quorum;
  printResult(context, cluster, () =>
    [
      factLines(
        [
          ['cluster', cluster.name],
          ['owner', cluster.owner ?? 'none: no new decisions until a node takes over'],
          ['epoch', String(cluster.epoch)],
          ['log', cluster.log_id === '' ? 'not read yet' : cluster.log_id],
          ['log leader', cluster.log_leader ?? 'unknown'],
          ['quorum', `${present} of ${cluster.nodes.length} nodes present, ${needed} needed`],
          ['answered by', cluster.node],
        ],
        terminal,
      ),
      '\n',
      table(columnsAt(Date.now()), cluster.nodes, terminal),
    ].join(''),
  );
}

/** `callsheet cluster status` */
export const statusCommand = (): Command =>
  clientCommand(
    'status',
    'Show the nodes of a cluster with their roles and lags, as one of them sees it.',
  ).action(status);
