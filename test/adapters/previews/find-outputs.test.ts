import { link, mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'tap';
import { findOutputs } from '../../../src/adapters/previews/find-outputs.ts';
import type { OutputSearch } from '../../../src/core/previews/declared-outputs.ts';

const LONG_AGO = 0;
const LATER_MS = 60_000;
const inDirectory = (directory: string, more: object = {}): OutputSearch => ({
  kind: 'directory',
  parameter: 'Output',
  directory,
  around: null,
  frames: [],
  ...more,
});

void test('finds images of a directory, in the order of their names', async (t) => {
  const directory = t.testdir({
    'b10.png': '',
    'b9.png': '',
    'a.abc': '',
    'c.EXR': '',
    below: { 'd.png': '' },
  });
  await symlink(join(directory, 'b9.png'), join(directory, 'link.png'));
  await mkdir(join(directory, 'folder.png'));
  const names = async (search: OutputSearch): Promise<readonly string[]> =>
    (await findOutputs([search], LONG_AGO)).map(({ path }) => path.slice(directory.length + 1));
  t.strictSame(await names(inDirectory(directory)), ['c.EXR', 'b9.png', 'b10.png']);
  t.strictSame(await names(inDirectory(directory, { frames: [10, 11] })), ['b10.png']);
  t.strictSame(await names(inDirectory(directory, { frames: [5] })), ['c.EXR', 'b9.png', 'b10.png']);
  t.strictSame(await names(inDirectory(directory, { around: { before: 'b', after: '.png' } })), [
    'b9.png',
    'b10.png',
  ]);
  t.strictSame(await names(inDirectory(join(directory, 'none'))), []);
  t.strictSame(await names(inDirectory(join(directory, 'b9.png'))), []);
});

void test('only files that changed since the start of the task are found', async (t) => {
  const directory = t.testdir({ 'a.png': '', 'b.png': '' });
  const search = inDirectory(directory);
  t.strictSame(await findOutputs([search], Date.now() + LATER_MS), []);
  await utimes(join(directory, 'a.png'), 1, 1);
  await rename(join(directory, 'a.png'), join(directory, 'renamed.png'));
  await link(join(directory, 'b.png'), join(directory, 'linked.png'));
  t.equal((await findOutputs([search], Date.now())).length, 3, 'an old date of a new file does not matter');
});

void test('of many files, four are chosen, each once', async (t) => {
  const directory = t.testdir();
  for (let frame = 1; frame <= 10; frame++) await writeFile(join(directory, `a${frame}.png`), '');
  const paths = [join(directory, 'a1.png'), join(directory, 'none.png')];
  const found = await findOutputs(
    [{ kind: 'files', parameter: 'First', paths }, inDirectory(directory)],
    LONG_AGO,
  );
  t.strictSame(
    found.map(({ search, path }) => [search, path.slice(directory.length + 1)]),
    [
      [0, 'a1.png'],
      [1, 'a4.png'],
      [1, 'a7.png'],
      [1, 'a10.png'],
    ],
  );
});
