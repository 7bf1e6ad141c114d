import { writeSync } from 'node:fs';
import { encodeChangeSet, readChangeSet } from '../../../../src/adapters/lmdb/change-set-codec.ts';
import { openStateReader } from '../../../../src/adapters/lmdb/state-reader.ts';
import { newestSet, numberedSet } from '../numbered-sets.ts';
import { openDirectStore, writerOptions } from '../store-kit.ts';

/** Writes this many numbered sets to the journal without applying them, prints their numbers, and kills itself. */
const [directory = '', count = '0'] = process.argv.slice(2);
const STDOUT = 1;

const writer = await openDirectStore(writerOptions(directory));
const reader = await openStateReader(directory);
const first = newestSet(reader) + 1;
for (let n = first; n < first + Number(count); n++) {
  if (!writer.append([readChangeSet(encodeChangeSet(numberedSet(n)))]))
    throw new Error('the journal is full');
  writeSync(STDOUT, `${n}\n`);
}
process.kill(process.pid, 'SIGKILL');
