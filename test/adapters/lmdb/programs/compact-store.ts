import { compactStore } from '../../../../src/adapters/lmdb/compaction.ts';

/** Compacts the state store in a directory repeatedly; tests kill it at any moment. */
const [directory = ''] = process.argv.slice(2);
for (;;) {
  await compactStore(directory, 'state', 0);
  process.stdout.write('compacted\n');
}
