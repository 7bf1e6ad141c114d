import fc from 'fast-check';
import { test } from 'tap';
import { joinPaths, pathFromParts } from '../../../../src/openjd/expr/paths/joined-path.ts';
import { normalPath, parsePath, pathText, styleOf } from '../../../../src/openjd/expr/paths/parsed-path.ts';
import { countParts, nameOf, parentOf, partsOf } from '../../../../src/openjd/expr/paths/path-components.ts';
import { isAbsolutePath, isRelativeTo, relativeTo } from '../../../../src/openjd/expr/paths/related-paths.ts';

const STYLES = ['posix', 'windows'] as const;

void test('a URI is recognized in every style and keeps its spelling', (t) => {
  for (const style of STYLES) {
    for (const uri of [
      's3://b',
      's3://b/',
      's3://b/a//./../c\\d/',
      'my-scheme+2.0://x',
      'file:///a',
      'S3://',
    ]) {
      t.equal(styleOf(uri, style), 'uri', uri);
      t.equal(normalPath(uri, style), uri, uri);
      t.equal(isAbsolutePath(parsePath(uri, style)), true, uri);
    }
    for (const text of ['C:/a', '3s://b', '://b', 's3:/b', '/s3://b', '+s://b'])
      t.equal(styleOf(text, style), style, text);
  }
  t.end();
});

void test('a URI is split into components', (t) => {
  const cases: readonly (readonly [string, readonly string[], string, string])[] = [
    ['s3://b/dir/f.x', ['s3://b', 'dir', 'f.x'], 'f.x', 's3://b/dir'],
    ['s3://b/f', ['s3://b', 'f'], 'f', 's3://b'],
    ['s3://b', ['s3://b'], '', 's3://b'],
    ['s3://b/', ['s3://b', ''], '', 's3://b'],
    ['s3://b/a///c', ['s3://b', 'a', '', '', 'c'], 'c', 's3://b/a//'],
    ['s3://b/./..', ['s3://b', '.', '..'], '..', 's3://b/.'],
    ['file:///a/b', ['file://', 'a', 'b'], 'b', 'file:///a'],
  ];
  for (const [uri, parts, name, parent] of cases) {
    const path = parsePath(uri, 'windows');
    const found = [partsOf(path), countParts(path), nameOf(path), pathText(parentOf(path))];
    t.same(found, [parts, parts.length, name, parent], uri);
  }
  t.end();
});

void test('a child is joined to a URI', (t) => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['s3://b', 'a/c', 's3://b/a/c', 's3://b/a/c'],
    ['s3://b/', 'a', 's3://b/a', 's3://b/a'],
    ['s3://b/dir/', 'f', 's3://b/dir/f', 's3://b/dir/f'],
    ['s3://b/dir//', 'f', 's3://b/dir//f', 's3://b/dir//f'],
    ['s3://b', 'a//c', 's3://b/a//c', 's3://b/a//c'],
    ['s3://b', 'a\\c', 's3://b/a\\c', 's3://b/a/c'],
    ['s3://b/dir/', '', 's3://b/dir/', 's3://b/dir/'],
    ['s3://b', '.', 's3://b', 's3://b'],
    ['s3://b/x', '/foo', '/foo', 's3://b/foo'],
    ['s3://b/x', '\\foo', 's3://b/x/\\foo', 's3://b/foo'],
    ['s3://b/x', 'C:', 's3://b/x/C:', 'C:'],
    ['s3://b/x', 'gs://c', 'gs://c', 'gs://c'],
    ['/a/b', 's3://c', 's3://c', 's3://c'],
    ['file://', 'a', 'file:///a', 'file:///a'],
  ];
  for (const [path, child, posix, windows] of cases) {
    const found = STYLES.map((style) => joinPaths(path, child, style));
    t.same(found, [posix, windows], `${path} / ${child}`);
  }
  t.end();
});

void test('the parts of a URI round-trip', (t) => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['s3://b', 'dir', 'f'], 's3://b/dir/f'],
    [['s3://b', 'a', '', 'c'], 's3://b/a//c'],
    [['s3://b', ''], 's3://b/'],
    [['s3://b/dir/', 'f'], 's3://b/dir/f'],
    [['a', 's3://b', 'c'], 's3://b/c'],
    [['s3://b', '/c', 'd'], '/c/d'],
    [['s3://b', 'c', 'gs://d', 'e'], 'gs://d/e'],
  ];
  for (const [parts, expected] of cases) t.equal(pathFromParts(parts, 'posix'), expected, parts.join(' '));
  const component = fc.constantFrom('a', 'b.c', '', '.', '..', 'x\\y');
  fc.assert(
    fc.property(fc.array(component, { maxLength: 6 }), (components) => {
      const uri = ['s3://bucket', ...components].join('/');
      return pathFromParts(partsOf(parsePath(uri, 'posix')), 'posix') === uri;
    }),
  );
  t.end();
});

void test('URIs are relative to their prefixes', (t) => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    ['s3://b/key/file', 's3://b/key', 'file'],
    ['s3://b/key/file', 's3://b/key/', 'file'],
    ['s3://b/key/file', 's3://b', 'key/file'],
    ['s3://b/key/file', 's3://b/', 'key/file'],
    ['s3://b/key', 's3://b/key', '.'],
    ['s3://b', 's3://b', '.'],
    ['s3://b/a//c', 's3://b/a', 'c'],
    ['s3://b/keys', 's3://b/key', null],
    ['s3://b/Key', 's3://b/key', null],
    ['s3://b', 's3://b/key', null],
    ['s3://bc', 's3://b', null],
    ['s3://b/key', '/key', null],
    ['/key', 's3://b', null],
  ];
  for (const [uri, other, expected] of cases) {
    const [path, base] = [parsePath(uri, 'posix'), parsePath(other, 'posix')];
    t.equal(isRelativeTo(path, base), expected !== null, `${uri} to ${other}`);
    if (expected === null) {
      const message = `relative_to failed: '${uri}' is not relative to '${other}'`;
      t.throws(() => relativeTo(path, base, 'posix'), { name: 'ExprFailure', message });
    } else t.equal(pathText(relativeTo(path, base, 'posix')), expected, `${uri} to ${other}`);
  }
  t.equal(
    pathText(relativeTo(parsePath('s3://b/a/c:/d', 'windows'), parsePath('s3://b/a', 'windows'), 'windows')),
    '.\\c:\\d',
  );
  t.end();
});
