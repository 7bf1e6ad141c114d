import type { Command } from 'commander';
import { dataCommand, dataDirectoryOf, ending, sizeText } from './data-options.ts';

interface CompactFlags {
  readonly config?: string;
  readonly dataDir?: string;
}

async function compact(flags: CompactFlags): Promise<void> {
  const { compactStores } = await import('../../daemons/maintenance/compact.ts');
  const dataDirectory = await dataDirectoryOf(flags);
  for (const { kind, bytesBefore, bytesAfter } of await ending(compactStores(dataDirectory, 0)))
    process.stdout.write(`${kind}: ${sizeText(bytesBefore)} -> ${sizeText(bytesAfter)}\n`);
}

/** `callsheet compact` */
export const compactCommand = (): Command =>
  dataCommand(
    'compact',
    'Return the space of deleted jobs and logs in the store files to the disk. The server must be stopped.',
  ).action(compact);
