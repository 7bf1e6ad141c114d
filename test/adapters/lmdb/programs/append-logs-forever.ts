import { parentPort, workerData } from 'node:worker_threads';
import { LOG_DISK_LIMITS, openLogWriter } from '../../../../src/adapters/lmdb/log-writer.ts';
import { JOB } from '../fixed-rows.ts';
import { logWriterOptions } from '../store-kit.ts';

/** A thread that appends logs in a loop, so that it usually is inside a transaction. */
const CHUNKS = 50;
const { directory } = workerData as { directory: string };
const writer = await openLogWriter(logWriterOptions(directory, { disk: LOG_DISK_LIMITS }));
writer.streamFound({ createdAt: 'a', lastSequence: 0 });
const attempt = { jobId: JOB, stepOrder: 0, index: 0, attemptNumber: 1 };
let last = 0;

const append = (): void => {
  const chunks = Array.from({ length: CHUNKS }, () => {
    last++;
    const data = 'x'.repeat(2000);
    return {
      attempt,
      seqNum: last,
      stream: 'stdout',
      data,
      at: '',
      receivedAt: 1,
      streamSequence: last,
      mayOvertake: true,
    } as const;
  });
  writer.append(chunks);
  setImmediate(append);
};
append();
parentPort?.postMessage('appending');
