import fc from 'fast-check';
import { test } from 'tap';
import { mappingOf, pathMapOf, PathMaps } from '../../../src/core/delivery/path-map.ts';
import { pathMapper } from '../../../src/openjd/template/path-mapping.ts';

const storage = (roots: Readonly<Record<string, string>>) => ({
  roots: Object.entries(roots).map(([place, root]) => ({ place, root })),
});

const SHOWS = storage({
  default: '/mnt/shows',
  berlin: '/Volumes/shows',
  office: 'S:\\shows',
  cloud: 's3://shows/all',
});

void test('the path map of a compute location maps the roots of all other locations to its own', (t) => {
  t.strictSame(pathMapOf([SHOWS], 'berlin'), {
    computeLocation: 'berlin',
    locations: [
      {
        root: '/Volumes/shows',
        sources: [
          { format: 'POSIX', path: '/mnt/shows' },
          { format: 'WINDOWS', path: 'S:\\shows' },
          { format: 'URI', path: 's3://shows/all' },
        ],
      },
    ],
  });
  t.strictSame(
    mappingOf(pathMapOf([SHOWS], 'berlin')),
    {
      rules: [
        { sourceFormat: 'URI', source: 's3://shows/all', destination: '/Volumes/shows' },
        { sourceFormat: 'POSIX', source: '/mnt/shows', destination: '/Volumes/shows' },
        { sourceFormat: 'WINDOWS', source: 'S:\\shows', destination: '/Volumes/shows' },
      ],
      roots: ['/Volumes/shows'],
    },
    'longest source first',
  );
  for (const place of ['', 'Berlin', 'elsewhere']) {
    t.equal(pathMapOf([SHOWS], place).locations[0]?.root, '/mnt/shows', `${place}: the default`);
  }
  t.strictSame(
    pathMapOf([storage({ berlin: '/a' }), storage({})], 'office').locations,
    [],
    'no other root is mapped',
  );
  t.strictSame(
    pathMapOf([storage({ default: '/a', berlin: '/a' })], 'berlin').locations,
    [{ root: '/a', sources: [] }],
    'equal roots need no rule',
  );
  t.end();
});

void test('if two storage locations have the same source, the first one applies', (t) => {
  const map = pathMapOf([storage({ a: '/one', b: '/x' }), storage({ a: '/two', b: '/x' })], 'a');
  t.equal(pathMapper(mappingOf(map).rules, 'POSIX')('/x/f'), '/one/f');
  t.end();
});

void test('paths that are already correct are unchanged', (t) => {
  const locations = [storage({ default: '/mnt', here: '/storage' }), storage({ default: '/mnt/cache' })];
  const { rules } = mappingOf(pathMapOf(locations, 'here'));
  t.strictSame(rules, [
    { sourceFormat: 'POSIX', source: '/mnt/cache', destination: '/mnt/cache' },
    { sourceFormat: 'POSIX', source: '/mnt', destination: '/storage' },
  ]);
  const map = pathMapper(rules, 'POSIX');
  t.strictSame(['/mnt/a', '/mnt/cache/a', '/mnt/cached'].map(map), [
    '/storage/a',
    '/mnt/cache/a',
    '/storage/cached',
  ]);
  t.end();
});

const name = fc.stringMatching(/^[a-z]{1,4}$/);
const posix = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const windows = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `C:\\${parts.join('\\')}`);
const s3 = fc.array(name, { maxLength: 2 }).map((parts) => ['s3://bucket', ...parts].join('/'));
const places = fc.constantFrom('default', 'a', 'b', 'c');
const location = fc
  .uniqueArray(fc.record({ place: places, root: fc.oneof(posix, windows, s3) }), {
    selector: ({ place }) => place,
    maxLength: 4,
  })
  .map((roots) => ({ roots }));

void test('a path below a root of a storage location is found below the current root at any compute location', (t) => {
  fc.assert(
    fc.property(location, fc.constantFrom('a', 'b', 'elsewhere'), fc.nat(3), (one, place, index) => {
      const { rules } = mappingOf(pathMapOf([one], place));
      const from = one.roots[index % Math.max(1, one.roots.length)];
      const here = (
        one.roots.find((root) => root.place === place) ?? one.roots.find((root) => root.place === 'default')
      )?.root;
      if (from === undefined || here === undefined || from.root === here) return;
      // Of nested roots the longest one applies.
      const nested = one.roots.some(
        ({ root }) => root !== from.root && root.toLowerCase().startsWith(from.root.toLowerCase()),
      );
      const separator = from.root.startsWith('C:') ? '\\' : '/';
      if (nested) return;
      const mapped = pathMapper(rules, 'POSIX')(`${from.root}${separator}zzzzzz`);
      t.equal(mapped, `${here}/zzzzzz`.replace(/\\\//, '/'));
    }),
  );
  t.end();
});

void test('no rule of a path map changes the result of another rule', (t) => {
  fc.assert(
    fc.property(
      fc.array(location, { maxLength: 4 }),
      fc.constantFrom('a', 'b', 'elsewhere'),
      (all, place) => {
        const map = pathMapOf(all, place);
        const { rules, roots } = mappingOf(map);
        const lengths = rules.map(({ source }) => source.length);
        t.strictSame(
          lengths,
          lengths.toSorted((x, y) => y - x),
        );
        t.ok(rules.every(({ destination }) => roots.includes(destination)));
      },
    ),
  );
  t.end();
});

void test('the path map of each compute location is computed once', (t) => {
  const maps = new PathMaps();
  t.equal(maps.of('berlin'), null);
  maps.replace([SHOWS]);
  const first = maps.of('berlin');
  t.equal(first?.locations[0]?.root, '/Volumes/shows');
  t.equal(maps.of('berlin'), first, 'the same object');
  maps.replace([]);
  t.equal(maps.of('berlin'), null, 'until the storage locations change');
  t.end();
});
