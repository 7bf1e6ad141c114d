import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { makeDirectory } from '../../../src/adapters/system/make-directory.ts';

test('creates a directory and its parents once', (t) => {
  const path = join(t.testdir(), 'a', 'b', 'c');
  makeDirectory(path, 0o700);
  makeDirectory(path, 0o700);
  t.ok(statSync(path).isDirectory());
  t.equal(statSync(join(path, '..')).mode & 0o777, 0o700);
  t.end();
});

test('reports a directory that cannot be created, also in /proc', (t) => {
  t.throws(() => makeDirectory('/proc/callsheet/data', 0o700), { code: /ENOENT|EPERM|EACCES/ });
  const folder = t.testdir({ file: '' });
  t.throws(() => makeDirectory(join(folder, 'file'), 0o700), { code: 'EEXIST' });
  t.throws(() => makeDirectory(join(folder, 'file', 'x'), 0o700), { code: 'ENOTDIR' });
  t.end();
});
