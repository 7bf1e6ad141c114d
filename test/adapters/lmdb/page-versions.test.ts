import { test } from 'tap';
import {
  PageVersionReader,
  pageVersionMemory,
  PageVersionWriter,
} from '../../../src/adapters/lmdb/page-versions.ts';
import { keyBytes } from '../../../src/adapters/lmdb/key-bytes.ts';
import { jobId } from '../../../src/core/ids.ts';
import { PAGES_PER_BLOCK } from '../../../src/core/lists/step-tasks.ts';
import { keys } from '../../../src/core/records/tables.ts';

const JOB = jobId('01936ad0-0000-7000-8000-000000000001');

/** A writer and a reader of the same memory; the test sets the last readable transaction. */
function shareVersions() {
  const memory = pageVersionMemory();
  let lastReadable = 0;
  return {
    writer: new PageVersionWriter(memory),
    reader: new PageVersionReader(memory, { lastReadable: () => lastReadable }),
    makeReadable: (transaction: number) => (lastReadable = transaction),
  };
}

const pageKey = (number: number): Uint8Array => keyBytes(keys.taskPage(JOB, 0, number));

test('a version is the transaction that writes a page of the block, readable when the transaction is', async (t) => {
  const { writer, reader, makeReadable } = shareVersions();
  t.equal(reader.readableVersion(JOB, 0, 1), 0, 'no transaction has written the block');
  writer.set(pageKey(PAGES_PER_BLOCK), 7n);
  t.equal(reader.of(JOB, 0, 1), 7, 'the first page of the block sets it');
  t.equal(reader.of(JOB, 0, 0), 0, 'the block before has no new version');
  t.equal(reader.readableVersion(JOB, 0, 1), null, 'a snapshot may or may not show transaction 7');
  makeReadable(6);
  t.equal(reader.readableVersion(JOB, 0, 1), null);
  makeReadable(7);
  t.equal(reader.readableVersion(JOB, 0, 1), 7);
});

test('the removal of pages by prefix changes the version of every block', async (t) => {
  const { writer, reader, makeReadable } = shareVersions();
  writer.set(pageKey(0), 3n);
  makeReadable(3);
  writer.setAll(4n);
  t.strictSame([reader.of(JOB, 0, 0), reader.of(JOB, 5, 9)], [4, 4]);
  t.equal(reader.readableVersion(JOB, 0, 0), null);
  makeReadable(4);
  t.equal(reader.readableVersion(JOB, 0, 0), 4);
  writer.set(pageKey(0), 5n);
  makeReadable(5);
  t.strictSame([reader.of(JOB, 0, 0), reader.of(JOB, 5, 9)], [5, 4], 'a later page counts alone');
});
