import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test, type Test } from 'tap';
import { findServerBinary } from '../../../src/adapters/nats/server-binary.ts';

/** A name that no package of a machine has. */
const NAME = 'nats-server-of-a-test';

/** Puts programs that print these lines on the PATH, one in each folder. */
function onPath(t: Test, lines: readonly string[]): readonly string[] {
  const root = t.testdir(
    Object.fromEntries(lines.map((line, at) => [String(at), { [NAME]: `#!/bin/sh\n${line}\n` }])),
  );
  const folders = lines.map((_, at) => join(root, String(at)));
  for (const folder of folders) chmodSync(join(folder, NAME), 0o755);
  const before = process.env['PATH'];
  process.env['PATH'] = [...folders, before].join(delimiter);
  t.teardown(() => {
    process.env['PATH'] = before;
  });
  return folders.map((folder) => join(folder, NAME));
}

const printing = (version: string): string => `echo "nats-server: v${version}"`;

test('the newest program of a name is used, the first one of equal versions', async (t) => {
  const paths = onPath(t, ['2.9.10', '2.15.1', '2.15.0', '2.10.29'].map(printing));
  t.match(await findServerBinary(NAME), { path: paths[1], version: '2.15.1', canSyncAlways: true });
  t.match(await findServerBinary(paths[0] ?? ''), { version: '2.9.10', canSyncAlways: false });
});

test('a program that cannot be started does not hide another one', async (t) => {
  const paths = onPath(t, ['exit 1', printing('2.9.10')]);
  t.match(await findServerBinary(NAME), { path: paths[1] });
});

test('without a program that works, the first error is reported', async (t) => {
  const paths = onPath(t, ['exit 1', 'echo nothing']);
  await t.rejects(findServerBinary(NAME), {
    name: 'ManagedServerError',
    message: new RegExp(`^${paths[0] ?? ''} --version failed`),
  });
  const [old] = onPath(t, [printing('2.8.4')]);
  await t.rejects(findServerBinary(old ?? ''), { message: /version 2\.9 or newer is needed/ });
});
