import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { ending } from '../commands/data-options.ts';

interface SecretFlags {
  readonly from?: string;
}

async function secret({ from }: SecretFlags): Promise<void> {
  const { newClusterSecret } = await import('../../src/adapters/nats/authority/cluster-secret.ts');
  const folder = from === undefined ? null : join(resolve(from), 'bus');
  process.stdout.write(await ending(newClusterSecret(folder, Date.now())));
  process.stderr.write(
    'Copy the same file to all nodes, let only the account of the service read it (chmod 600), and name it in cluster.secret_file.\n',
  );
}

/** `callsheet cluster secret` */
export const secretCommand = (): Command =>
  new Command('secret')
    .description('Print a new secret for a cluster: callsheet cluster secret > FILE.')
    .option(
      '--from <directory>',
      'data.dir of a single node that becomes part of the cluster: its workers keep their credentials',
    )
    .action(secret);
