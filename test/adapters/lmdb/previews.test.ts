import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { openLogReader } from '../../../src/adapters/lmdb/log-reader.ts';
import { LOG_DISK_LIMITS, openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { jobId, type JobId } from '../../../src/core/ids.ts';
import type { IncomingPreview } from '../../../src/core/ports/log-store.ts';

const JOB = jobId('01890a5d-ac96-774b-bcce-b302099a8057');
const OTHER = jobId('01890a5d-ac96-774b-bcce-b302099a8058');

const previewOf = (job: JobId, index: number, attemptNumber: number, number: number): IncomingPreview => ({
  attempt: { jobId: job, stepOrder: 0, index, attemptNumber },
  number,
  path: `/out/${index}.${number}.png`,
  receivedAt: 1,
  content: { kind: 'image', width: 1, height: 1, data: new Uint8Array(1000).fill(attemptNumber) },
});
const PAGE = { after: null, limit: 100, enough: Infinity };

void test('previews are kept in the order of the tasks, replaced by later attempts, and removed with the logs', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-preview-store-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const writer = await openLogWriter({
    directory,
    softwareVersion: '1',
    disk: LOG_DISK_LIMITS,
    maxBytesPerTask: 0,
    endProcess: () => {
      throw new Error('the writer has failed');
    },
    warn: (text) => t.fail(text),
  });
  const reader = await openLogReader(directory);
  const shown = (job: JobId) => {
    reader.refresh();
    return reader
      .jobPreviews(job, PAGE)
      .items.map(({ task, number, record }) => [task.index, number, record.attemptNumber]);
  };
  t.equal(reader.newestPreview(JOB), null);
  writer.keepPreviews([
    previewOf(JOB, 10, 1, 0),
    previewOf(JOB, 2, 1, 1),
    previewOf(JOB, 2, 1, 0),
    previewOf(OTHER, 0, 1, 0),
  ]);
  t.strictSame(shown(JOB), [
    [2, 0, 1],
    [2, 1, 1],
    [10, 0, 1],
  ]);
  const first = reader.jobPreviews(JOB, { ...PAGE, limit: 2 });
  t.match([first.isMore, first.items.length], [true, 2]);
  const [, last = null] = first.items;
  t.strictSame(
    reader.jobPreviews(JOB, { ...PAGE, after: last }).items.map(({ task }) => task.index),
    [10],
  );
  t.equal(
    reader.jobPreviews(JOB, { ...PAGE, enough: 1500 }).items.length,
    2,
    'a page is closed by its bytes',
  );

  writer.keepPreviews([previewOf(JOB, 2, 3, 0), previewOf(JOB, 2, 2, 1)]);
  t.strictSame(
    shown(JOB),
    [
      [2, 0, 3],
      [10, 0, 1],
    ],
    'a late preview of an earlier attempt is dropped',
  );
  t.match(reader.newestPreview(JOB), { task: { index: 2 }, number: 0, record: { attemptNumber: 3 } });
  const [kept] = reader.previews({ jobId: JOB, stepOrder: 0, index: 2 });
  const content = kept?.record.content;
  t.equal(content?.kind === 'image' ? content.data.length : 0, 1000);

  t.equal(writer.removeJob(JOB), 'done');
  t.strictSame(shown(JOB), []);
  t.equal(reader.newestPreview(JOB), null);
  t.strictSame(shown(OTHER), [[0, 0, 1]]);
  await reader.close();
  await writer.close();
});
