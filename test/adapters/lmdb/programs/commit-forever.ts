import { writeSync } from 'node:fs';
import { createStoreClient } from '../../../../src/adapters/lmdb/store-client.ts';
import { openStateReader } from '../../../../src/adapters/lmdb/state-reader.ts';
import { encodeValue } from '../../../../src/adapters/lmdb/value-encoder.ts';
import { jobId } from '../../../../src/core/ids.ts';
import { jobNumber, jobPlan } from '../../../http/kit/records.ts';
import { newestSet, numberedSet } from '../numbered-sets.ts';
import { startStore, threadOptions } from '../store-kit.ts';

/**
 * Commits numbered sets in a loop. Prints the number of each durable set, and `r <number>` when it is readable.
 * Continues after the newest set in the store, with several sets pending. The second argument is the number of durable
 * sets after which it kills itself; `large` as the third adds rows of large jobs between them.
 */
const [directory = '', killAfter = 'Infinity', large = ''] = process.argv.slice(2);
const IN_FLIGHT = 8;
const STDOUT = 1;
const LARGE_TEXT = 500_000;

const thread = await startStore(threadOptions(directory));
const reader = await openStateReader(directory);
const client = createStoreClient(thread.attachShard(0));
let next = newestSet(reader) + 1;
let told = 0;

/** Waits while the pipe is full. */
const tell = (line: string): void => {
  for (;;) {
    try {
      writeSync(STDOUT, `${line}\n`);
      return;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('EAGAIN')) throw error;
    }
  }
};

const commitNext = (): void => {
  const n = next++;
  client.commit(numberedSet(n), {
    onDurable: () => {
      tell(String(n));
      if (++told === Number(killAfter)) process.kill(process.pid, 'SIGKILL');
      commitNext();
    },
    onReadable: () => tell(`r ${n}`),
  });
};
for (let i = 0; i < IN_FLIGHT; i++) commitNext();

for (let n = 1; large === 'large'; n++) {
  await thread.storeProvisionalJob(jobId(jobNumber(n)), {
    template: new Uint8Array(
      encodeValue('template', { version: 1, format: 'json', text: 'x'.repeat(LARGE_TEXT) }),
    ),
    plan: new Uint8Array(encodeValue('plan', jobPlan([]))),
  });
}
