import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

test('a lock that a child process of a killed holder still has is taken when it is released', async (t) => {
  const killed = spawnSync('true').pid;
  const directory = t.testdir({ 'writer.lock': `${killed}\n` });
  const path = join(directory, 'writer.lock');
  const waiter = `-> FLOCK .*:${statSync(path).ino} `;
  const holds = `echo held; until grep -q -e "${waiter}" /proc/locks; do :; done`;
  const child = spawn('flock', [path, 'bash', '-c', holds], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const lock = lockDirectory(directory);
  t.equal(readFileSync(path, 'utf8'), `${process.pid}\n`);
  lock.release();
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
