import type { Command } from 'commander';
import { dataCommand, dataDirectoryOf, ending } from './data-options.ts';
import { EXIT } from '../terminal/exit-codes.ts';

interface RestoreFlags {
  readonly config?: string;
  readonly dataDir?: string;
}

async function restore(file: string, flags: RestoreFlags): Promise<void> {
  const { restoreStores } = await import('../../daemons/maintenance/restore.ts');
  const dataDirectory = await dataDirectoryOf(flags);
  const { manifest } = await ending(restoreStores(dataDirectory, file), {
    RestoreTargetError: EXIT.conflict,
    DirectoryLockError: EXIT.conflict,
  });
  process.stdout.write(`${dataDirectory}: restored as of ${manifest.made_at}\n`);
}

/** `callsheet restore FILE` */
export const restoreCommand = (): Command =>
  dataCommand('restore', 'Restore a backup into an empty data.dir.')
    .argument('<file>', 'a file that callsheet backup has written')
    .action(restore);
