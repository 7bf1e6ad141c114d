import { join } from 'node:path';
import { test } from 'tap';
import { KnownJobs } from '../../../daemons/threads/known-jobs.ts';
import { LogRemoval } from '../../../daemons/threads/log-removal.ts';
import { sweepLogs } from '../../../daemons/threads/log-sweep.ts';
import { encodeChangeSet, readChangeSet } from '../../../src/adapters/lmdb/change-set-codec.ts';
import { openLogReader } from '../../../src/adapters/lmdb/log-reader.ts';
import { openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import type { JobId } from '../../../src/core/ids.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { logWriterOptions, writerOptions } from '../../adapters/lmdb/store-kit.ts';
import { jobNumber, jobRecord } from '../../http/kit/records.ts';

const attemptOf = (jobId: JobId, index: number) => ({ jobId, stepOrder: 0, index, attemptNumber: 1 });

void test('a sweep removes the logs of jobs that do not exist, and no others', async (t) => {
  const directory = t.testdir();
  const state = await openStateWriter(writerOptions(join(directory, 'state')));
  const reader = await openStateReader(join(directory, 'state'));
  const writer = await openLogWriter(logWriterOptions(join(directory, 'logs')));
  const logs = await openLogReader(join(directory, 'logs'));
  t.teardown(async () => {
    await logs.close();
    await writer.close();
    await reader.close();
    await state.close();
  });
  const changes = [2, 4].map((number): Change =>
    put('job', keys.job(jobNumber(number)), jobRecord({ id: jobNumber(number) })),
  );
  state.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }))]);
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  let sequence = 0;
  for (const number of [1, 2, 3, 4, 5])
    for (const index of [0, 1, 2]) {
      const chunk = {
        attempt: attemptOf(jobNumber(number), index),
        mayOvertake: false,
        seqNum: 1,
        stream: 'stdout',
        data: 'x\n',
        at: '2026-11-21T10:00:00Z',
        receivedAt: 1,
        streamSequence: ++sequence,
      } as const;
      writer.append([chunk]);
    }
  t.same(writer.loggedJobs(null, 3), [1, 2, 3].map(jobNumber));
  t.same(writer.loggedJobs(jobNumber(3), 3), [4, 5].map(jobNumber));
  const jobs = new KnownJobs(reader);
  const removal = new LogRemoval(writer);
  t.equal(await sweepLogs({ writer, jobs, removal }), 3);
  t.same(writer.loggedJobs(null, 10), [2, 4].map(jobNumber));
  logs.refresh();
  t.equal(logs.page(attemptOf(jobNumber(4), 1), 0, 10).length, 1);
  t.equal(logs.page(attemptOf(jobNumber(5), 1), 0, 10).length, 0);
  t.equal(await sweepLogs({ writer, jobs, removal }), 0);
});
