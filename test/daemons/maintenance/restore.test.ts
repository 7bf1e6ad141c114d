import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { lockDirectory, lockFile } from '../../../src/adapters/system/disk-lock.ts';
import { restoreStores } from '../../../daemons/maintenance/restore.ts';
import { assertRestoreComplete } from '../../../daemons/maintenance/data-directory.ts';
import { logWriterOptions, writerOptions } from '../../adapters/lmdb/store-kit.ts';
import { runCallsheet } from '../../cli/run-callsheet.ts';

/** Creates a backup of empty stores and an empty `data.dir`. */
async function parts(directory: string): Promise<{ readonly file: string; readonly data: string }> {
  const source = join(directory, 'source');
  await (await openStateWriter(writerOptions(join(source, 'state')))).close();
  await (await openLogWriter(logWriterOptions(join(source, 'logs')))).close();
  const file = join(directory, 'b.tar');
  const made = await runCallsheet(['backup', file, `--data-dir=${source}`]);
  if (made.code !== 0) throw new Error(made.err);
  const data = join(directory, 'data');
  mkdirSync(data);
  return { file, data };
}

/** Creates the files that a restore leaves when it is killed between its renames. */
async function cutRestore(data: string, file: string): Promise<void> {
  await restoreStores(data, file);
  mkdirSync(join(data, 'restore.partial'));
  writeFileSync(join(data, 'restore.partial/found-empty'), '');
}

test('a store that a service creates while a backup is read is kept', async (t) => {
  const { file, data } = await parts(t.testdir());
  const restoring = restoreStores(data, file);
  mkdirSync(join(data, 'state'));
  const held = lockDirectory(join(data, 'state'));
  writeFileSync(join(data, 'state/data.mdb'), 'live');
  writeFileSync(join(data, 'restored.json'), 'its');
  await t.rejects(restoring, {
    name: 'RestoreTargetError',
    message: `${join(data, 'state')} was created by another process during the restore; it is left unchanged`,
  });
  held.release();
  t.equal(readFileSync(join(data, 'state/data.mdb'), 'utf8'), 'live');
  t.strictSame(readdirSync(data).sort(), ['restore.lock', 'restored.json', 'state']);
});

test('a failed restore removes only the files that it has created', async (t) => {
  const { file, data } = await parts(t.testdir());
  const restoring = restoreStores(data, file);
  mkdirSync(join(data, 'logs'));
  writeFileSync(join(data, 'logs/data.mdb'), 'live');
  await t.rejects(restoring, { name: 'RestoreTargetError' });
  t.strictSame(readdirSync(data).sort(), ['logs', 'restore.lock']);
  t.equal(readFileSync(join(data, 'logs/data.mdb'), 'utf8'), 'live');
});

test('an interrupted restore is removed only when no process holds its stores', async (t) => {
  const { file, data } = await parts(t.testdir());
  await cutRestore(data, file);
  for (const kind of ['state', 'logs']) {
    const held = lockDirectory(join(data, kind));
    t.match(await runCallsheet(['restore', file, `--data-dir=${data}`]), {
      code: 5,
      err: `${join(data, kind)} is in use by another service (process ${process.pid})\n`,
    });
    held.release();
    t.ok(existsSync(join(data, 'state/data.mdb')) && existsSync(join(data, 'logs/data.mdb')));
    t.ok(existsSync(join(data, 'restore.partial')), 'no service starts on it');
  }
  t.match(await runCallsheet(['restore', file, `--data-dir=${data}`]), { code: 0, err: '' });
  t.strictSame(readdirSync(data).sort(), ['logs', 'restore.lock', 'restored.json', 'state']);
});

test('a restore that is killed before its check of the directory owns no files in it', async (t) => {
  const { file, data } = await parts(t.testdir());
  mkdirSync(join(data, 'restore.partial'));
  mkdirSync(join(data, 'state'));
  writeFileSync(join(data, 'state/data.mdb'), 'live');
  await t.rejects(restoreStores(data, file), {
    name: 'RestoreTargetError',
    message: /is not empty \(state\)/,
  });
  t.strictSame(readdirSync(data).sort(), ['restore.lock', 'state']);
  t.equal(readFileSync(join(data, 'state/data.mdb'), 'utf8'), 'live');
});

test('of two restores into one directory the second exits with 5 and the first continues', async (t) => {
  const { file, data } = await parts(t.testdir());
  const held = lockFile(data, 'restore.lock', 'exclusive', 'another restore');
  t.match(await runCallsheet(['restore', file, `--data-dir=${data}`]), {
    code: 5,
    err: `${data} is in use by another restore (process ${process.pid})\n`,
  });
  held.release();
  t.strictSame(readdirSync(data), ['restore.lock']);
});

test('a service checks again for an interrupted restore after it has opened its store', (t) => {
  const data = t.testdir({ 'restore.partial': {}, 'restored.json': '{}' });
  t.throws(() => assertRestoreComplete(data), {
    message: `a restore into ${data} was interrupted; run callsheet restore again`,
  });
  t.ok(existsSync(join(data, 'restored.json')));
  t.end();
});
