import { constants, setPriority } from 'node:os';
import type { Command } from 'commander';
import { versionFacts } from '../../daemons/process/version.ts';
import { dataCommand, dataDirectoryOf, ending, sizeText } from './data-options.ts';
import { EXIT } from '../terminal/exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface BackupFlags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly force: boolean;
}

async function backup(file: string, flags: BackupFlags): Promise<void> {
  const { backupStores } = await import('../../daemons/maintenance/backup.ts');
  const dataDirectory = await dataDirectoryOf(flags);
  // The service has priority when both need the same processor.
  setPriority(constants.priority.PRIORITY_LOW);
  const clearAtSignal = (clear: () => void): void => {
    for (const signal of SIGNALS)
      process.once(signal, () => {
        clear();
        process.exit(128 + constants.signals[signal]);
      });
  };
  const { bytes } = await ending(
    backupStores(
      { dataDirectory, file, force: flags.force, softwareVersion: versionFacts().version },
      clearAtSignal,
    ),
    { BackupExistsError: EXIT.conflict, DirectoryLockError: EXIT.conflict, NoServiceError: EXIT.unavailable },
  );
  process.stdout.write(`${file}: ${sizeText(bytes)}\n`);
}

/** `callsheet backup FILE` */
export const backupCommand = (): Command =>
  dataCommand('backup', 'Back up the store and the task logs of the server on this machine while it runs.')
    .argument('<file>', 'the backup; it appears when it is complete')
    .option('--force', 'replace an existing file', false)
    .action(backup);
