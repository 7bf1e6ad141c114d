import { test } from 'tap';
import { lockDirectory } from '../../../src/adapters/system/disk-lock.ts';

test('a directory is locked for one opener until it is released', async (t) => {
  const directory = t.testdir();
  const lock = lockDirectory(directory);
  t.throws(() => lockDirectory(directory), {
    name: 'DirectoryLockError',
    message: `${directory} is in use by another service (process ${process.pid})`,
  });
  lock.release();
  lockDirectory(directory).release();
});

test('the holder of the lock counts, not the file: a leftover of a dead process does not block', async (t) => {
  const directory = t.testdir({ 'writer.lock': '1\n' });
  lockDirectory(directory).release();
});

test('a missing directory is an error', async (t) => {
  t.throws(() => lockDirectory('/nowhere/at/all'), { code: 'ENOENT' });
});

test('a missing flock command is reported', async (t) => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  t.teardown(() => (process.env['PATH'] = path));
  const directory = t.testdir();
  t.throws(() => lockDirectory(directory), {
    name: 'DirectoryLockError',
    message: `cannot lock ${directory}: the flock command of util-linux is needed: spawnSync flock ENOENT`,
  });
});
