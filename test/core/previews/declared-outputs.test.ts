import fc from 'fast-check';
import { test } from 'tap';
import { canFind, outputSearches, type TaskValues } from '../../../src/core/previews/declared-outputs.ts';
import type { ObjectType, ParameterValue, TaskParameterValue } from '../../../src/openjd/template/plan.ts';

const out = (value: string, objectType: ObjectType = 'FILE'): ParameterValue => ({
  type: 'PATH',
  value,
  dataFlow: 'OUT',
  objectType,
});
const searches = (job: TaskValues['job'], task: Record<string, TaskParameterValue> = {}) =>
  outputSearches({ job, task }, ({ path }) => path);
const FRAME = { Frame: { type: 'INT', value: '7' } } as const;
const pathsFor = (value: string, task: Record<string, TaskParameterValue>): readonly string[] =>
  searches({ Output: out(value) }, task).flatMap((search) => (search.kind === 'files' ? search.paths : []));

void test('frame numbers replace the last placeholder of a file name', (t) => {
  t.strictSame(pathsFor('/o/a.####.png', FRAME), ['/o/a.0007.png']);
  t.strictSame(pathsFor('/o/a.%04d.png', FRAME), ['/o/a.0007.png']);
  t.strictSame(pathsFor('/o/a.%d.png', FRAME), ['/o/a.7.png']);
  t.strictSame(pathsFor('/o#/a##_###.png', FRAME), ['/o#/a##_007.png']);
  t.strictSame(pathsFor('/o/a.#.png', { Frame: { type: 'INT', value: '-12' } }), ['/o/a.-12.png']);
  t.strictSame(
    pathsFor('/o/{{Task.Param.Name}}/{{ Task.Param.Frame }}.png', {
      Name: { type: 'STRING', value: 'b' },
      ...FRAME,
    }),
    ['/o/b/7.png'],
  );
  t.strictSame(pathsFor('/o/{{Task.Param.Other}}.png', FRAME), ['/o/{{Task.Param.Other}}.png']);
  t.strictSame(pathsFor('/o/still.png', FRAME), ['/o/still.png']);
  t.end();
});

void test('the frames are those of the chunk, the parameter that is named so, or the only integer', (t) => {
  const chunk = (value: string) => ({ Frame: { type: 'CHUNK[INT]', value } }) as const;
  t.strictSame(pathsFor('/o/#.png', chunk('1,5,9')), ['/o/1.png', '/o/5.png', '/o/9.png']);
  t.strictSame(pathsFor('/o/#.png', chunk('1-100')), ['/o/1.png', '/o/34.png', '/o/67.png', '/o/100.png']);
  t.equal(pathsFor('/o/#.png', chunk('1-4000000000')).at(-1), '/o/4000000000.png');
  const tiles = { TileX: { type: 'INT', value: '0' }, ...FRAME, TileY: { type: 'INT', value: '1' } } as const;
  t.strictSame(pathsFor('/o/#.png', tiles), ['/o/7.png']);
  t.strictSame(pathsFor('/o/#.png', { Index: { type: 'INT', value: '3' } }), ['/o/3.png']);
  const { TileX, TileY } = tiles;
  t.match(searches({ Output: out('/o/a#.png') }, { TileX, TileY }), [
    { kind: 'directory', directory: '/o', around: { before: 'a', after: '.png' }, frames: [] },
  ]);
  t.end();
});

void test('only OUT paths of this machine are searched', (t) => {
  const job: TaskValues['job'] = {
    In: { ...out('/o/in.png'), dataFlow: 'IN' },
    Both: { ...out('/o/both.png'), dataFlow: 'INOUT' },
    Text: { type: 'STRING', value: '/o/text.png' },
    Windows: out('C:\\o\\a.png'),
    Bucket: out('s3://bucket/a.png'),
    Scene: out('/o/scene.abc'),
    Staged: out('/o/staged.png'),
    Images: { type: 'LIST[PATH]', value: '["/o/1.png", "/o/2.png"]', dataFlow: 'OUT', objectType: 'FILE' },
    Directory: out('/o/all/', 'DIRECTORY'),
    Named: out('/o/named.####.exr', 'DIRECTORY'),
    Root: out('/', 'DIRECTORY'),
  };
  const found = outputSearches({ job, task: FRAME }, ({ name, path }) => (name === 'Staged' ? null : path));
  t.strictSame(found, [
    { kind: 'files', parameter: 'Images', paths: ['/o/1.png'] },
    { kind: 'files', parameter: 'Images', paths: ['/o/2.png'] },
    { kind: 'directory', parameter: 'Directory', directory: '/o/all', around: null, frames: [7] },
    { kind: 'files', parameter: 'Named', paths: ['/o/named.0007.exr'] },
    { kind: 'directory', parameter: 'Root', directory: '/', around: null, frames: [7] },
  ]);
  t.end();
});

void test('a search finds its own names only, whatever the process prints', (t) => {
  const [search] = searches({ Output: out('/o', 'DIRECTORY') });
  if (search === undefined) throw new Error('there is no search');
  t.ok(canFind(search, '/o/a.png'));
  for (const path of [
    '/o/../etc/a.png',
    '/other/a.png',
    '/o/b/a.png',
    '/o/secret',
    '/o',
    '/oo/a.png',
    'a.png',
  ])
    t.notOk(canFind(search, path), path);
  const [files] = searches({ Output: out('/o/a.png') });
  t.ok(files !== undefined && canFind(files, '/o/a.png') && !canFind(files, '/o/b.png'));
  t.end();
});

void test('any text as a path and any range give searches that can find what they name', (t) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40, size: 'max' }).map((rest) => `/o/${rest}`);
  const range = fc.tuple(fc.integer(), fc.nat(2000)).map(([first, more]) => `${first}-${first + more}`);
  fc.assert(
    fc.property(text, range, fc.boolean(), (value, frames, isFile) => {
      const task = { Frame: { type: 'CHUNK[INT]', value: frames } } as const;
      return searches({ Output: out(value, isFile ? 'FILE' : 'DIRECTORY') }, task).every((search) =>
        search.kind === 'files'
          ? search.paths.length <= 4 && search.paths.every((path) => canFind(search, path))
          : true,
      );
    }),
  );
  t.end();
});
