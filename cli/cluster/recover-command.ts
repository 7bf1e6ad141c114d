import { Command } from 'commander';
import type { StoredMark } from '../../src/adapters/cluster/applied-mark.ts';
import { ending } from '../commands/data-options.ts';
import { confirm } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { processTerminal } from '../terminal/terminal.ts';
import { nodeConfigOf, withNodeOptions, type NodeOptions } from './node-access.ts';

interface RecoverOptions extends NodeOptions {
  readonly follow: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

const COST: readonly string[] = [
  'Decisions that only other nodes have stored are lost: results, submissions and changes after this position.',
  'Messages of workers in the streams of the bus that were not processed yet are lost. Their tasks run again.',
  'Tasks that this node does not know are stopped by their workers. The first start waits until they have done so.',
  'All nodes must be stopped now, with their nats-server. The others then take their state from this one:',
  'run `callsheet cluster recover --follow` on each of them before you start it.',
];
const FOLLOW_COST: readonly string[] = [
  'Its jobs, task logs and bus messages are moved into a folder of data.dir, and are used no more.',
  'At its next start it waits for the log that another node creates, and copies the state of that node.',
];

/** Statuses of errors that are not failures of the command itself. */
const STATUSES = { DirectoryLockError: EXIT.conflict, StoreOpenError: EXIT.notFound } as const;

const positionText = (mark: StoredMark | null): string =>
  mark === null
    ? 'the store of a single node, with all its decisions'
    : `position ${mark.mark.position} (epoch ${mark.mark.epoch}) of log ${mark.logId}`;

async function recover(options: RecoverOptions): Promise<void> {
  const { cluster, dataDirectory } = await nodeConfigOf(options);
  const { followOthers, recoverLog, storedPosition } = await import('../../daemons/maintenance/recover.ts');
  if (options.follow) {
    if (options.dryRun) throw new CommandError(EXIT.usage, '--dry-run shows a position: leave --follow out');
    await agreed(options.yes, 'discard', `the state of node ${cluster.node}`, FOLLOW_COST);
    const aside = await ending(followOthers(dataDirectory), STATUSES);
    process.stdout.write(
      `Node ${cluster.node} takes its state from the other nodes at its next start.${aside === null ? '' : ` Its former state is in ${aside}.`}\n`,
    );
    return;
  }
  const mark = await ending(storedPosition(dataDirectory), STATUSES);
  process.stdout.write(`Node ${cluster.node} has ${positionText(mark)}.\n`);
  process.stdout.write(
    'Compare the positions of all nodes (--dry-run prints them): recover from the one with the highest epoch, then the highest position.\n',
  );
  if (options.dryRun) return;
  await agreed(options.yes, 'recover', `cluster ${cluster.name} from node ${cluster.node}`, COST);
  const { logId } = await ending(recoverLog(dataDirectory), STATUSES);
  process.stdout.write(
    `The next start of node ${cluster.node} creates log ${logId} from its state. Run \`callsheet cluster recover --follow\` on the other nodes, then start all.\n`,
  );
}

/** Shows the cost and asks. Without a terminal, only `--yes` agrees. */
async function agreed(
  isAgreed: boolean,
  verb: string,
  object: string,
  consequences: readonly string[],
): Promise<void> {
  const terminal = processTerminal(false);
  if (terminal.ask === null && !isAgreed)
    throw new CommandError(
      EXIT.usage,
      [`--yes is needed to ${verb} ${object}:`, ...consequences.map((line) => `  ${line}`)].join('\n'),
    );
  await confirm(terminal, isAgreed, () => Promise.resolve({ verb, object, consequences }));
}

/** `callsheet cluster recover` */
export const recoverCommand = (): Command =>
  withNodeOptions(
    new Command('recover')
      .description(
        'Create a new log from the state of this node, whose service is stopped: after the loss of a majority, or for a single node that becomes part of a cluster.',
      )
      .option('--follow', 'discard the state of this node instead: it takes that of the other nodes', false)
      .option('--dry-run', 'print the position of this node, and change nothing', false)
      .option('-y, --yes', 'do not ask for confirmation', false),
  ).action(recover);
