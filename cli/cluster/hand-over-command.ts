import { Command } from 'commander';
import { requestHandOver } from '../../src/adapters/nats/hand-over.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { nodeConfigOf, withStreams, withNodeOptions, type NodeOptions } from './node-access.ts';

async function handOver(to: string | undefined, options: NodeOptions): Promise<void> {
  const node = await nodeConfigOf(options);
  const { name, peers } = node.cluster;
  if (to !== undefined && !peers.some((peer) => peer.name === to))
    throw new CommandError(
      EXIT.notFound,
      `node ${to} is not in cluster.peers (${peers.map((peer) => peer.name).join(', ')})`,
    );
  await withStreams(node, async (streams) => {
    const { is_accepted: isAccepted, text } = await answerOf(
      requestHandOver(streams, name, to ?? null),
      name,
    );
    if (!isAccepted) throw new CommandError(EXIT.conflict, text);
    process.stdout.write(`${text}\n`);
  });
}

async function answerOf<T>(request: Promise<T>, cluster: string): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      EXIT.unavailable,
      `no owner of cluster ${cluster} answers (${reason}): callsheet cluster status shows the nodes`,
    );
  }
}

/** `callsheet cluster hand-over` */
export const handOverCommand = (): Command =>
  withNodeOptions(
    new Command('hand-over')
      .description(
        'Let another node own the farms, for example before the owner is upgraded. Runs on a node.',
      )
      .argument('[node]', 'the next owner; otherwise one that is current'),
  ).action(handOver);
