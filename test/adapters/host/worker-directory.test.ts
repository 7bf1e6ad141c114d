import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { lockWorkerDirectory, prepareWorkerDirectory } from '../../../src/adapters/host/worker-directory.ts';

function scratch(t: Test): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-directory-')));
  t.teardown(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

test('a missing directory is created with access only for its owner, and links in its path are resolved', async (t) => {
  const root = scratch(t);
  mkdirSync(join(root, 'real'));
  symlinkSync(join(root, 'real'), join(root, 'link'));
  const path = await prepareWorkerDirectory(join(root, 'link', 'worker'));
  t.equal(path, join(root, 'real', 'worker'));
  t.equal(statSync(path).mode & 0o777, 0o700);
  t.equal(await prepareWorkerDirectory(path), path, 'again');
});

test('a directory that other users could have prepared is rejected', async (t) => {
  const root = scratch(t);
  const open = join(root, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  await t.rejects(prepareWorkerDirectory(open), /may be written to by others/);
  writeFileSync(join(root, 'file'), '');
  const named = (path: string): RegExp => new RegExp(`^worker\\.dir: ${path} cannot be made or read: `);
  for (const path of [join(root, 'file'), join(root, 'file', 'below')]) {
    await t.rejects(prepareWorkerDirectory(path), { name: 'WorkerDirectoryError', message: named(path) });
  }
});

test(
  'a directory or link that another user owns is rejected',
  { skip: process.getuid?.() !== 0 },
  async (t) => {
    const root = scratch(t);
    const nobody = 65534;
    mkdirSync(join(root, 'theirs'), { mode: 0o700 });
    chownSync(join(root, 'theirs'), nobody, nobody);
    await t.rejects(prepareWorkerDirectory(join(root, 'theirs')), /belongs to another user/);
    mkdirSync(join(root, 'own'), { mode: 0o700 });
    symlinkSync(join(root, 'own'), join(root, 'link'));
    t.equal(await prepareWorkerDirectory(join(root, 'link')), join(root, 'own'));
    lchownSync(join(root, 'link'), nobody, nobody);
    await t.rejects(prepareWorkerDirectory(join(root, 'link')), /belongs to another user/);
  },
);

test('only one daemon holds the directory, and a killed one releases it', async (t) => {
  const root = scratch(t);
  const lock = await lockWorkerDirectory(root);
  await t.rejects(
    lockWorkerDirectory(root),
    new RegExp(`in use by another worker \\(process ${process.pid}\\)`),
  );
  lock.release();

  const holder = spawn('flock', [join(root, 'lock'), 'bash', '-c', 'echo held; read -r'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  await t.rejects(lockWorkerDirectory(root), /in use by another worker/);
  const exited = once(holder, 'exit');
  holder.stdin.end();
  await exited;
  (await lockWorkerDirectory(root)).release();
});
