import fc from 'fast-check';
import { test } from 'tap';
import { joinPaths, pathFromParts } from '../../../../src/openjd/expr/paths/joined-path.ts';
import {
  givenPath,
  normalPath,
  parsePath,
  pathText,
  type FileStyle,
} from '../../../../src/openjd/expr/paths/parsed-path.ts';
import {
  countParts,
  nameOf,
  parentOf,
  partsOf,
  splitName,
  suffixesOf,
} from '../../../../src/openjd/expr/paths/path-components.ts';
import { isRelativeTo, isAbsolutePath, relativeTo } from '../../../../src/openjd/expr/paths/related-paths.ts';
import { withName } from '../../../../src/openjd/expr/paths/renamed-path.ts';

const STYLES = ['posix', 'windows'] as const;
/** Text with all special characters of paths that is not a URI. */
const TEXT = fc
  .array(
    fc.constantFrom('/', '\\', '.', '..', 'a', 'B', 'C:', 'x.tar.gz', 'é', ' ', '\u{1F600}', '?', '//'),
    {
      maxLength: 8,
    },
  )
  .map((pieces) => pieces.join(''))
  .filter((text) => !text.includes('://'));
const STYLE = fc.constantFrom<FileStyle>(...STYLES);

void test('paths are normalized', (t) => {
  const cases: readonly (readonly [FileStyle, string, string])[] = [
    ['posix', '', '.'],
    ['posix', '.', '.'],
    ['posix', './', '.'],
    ['posix', 'a/./b', 'a/b'],
    ['posix', './a//b/', 'a/b'],
    ['posix', 'a/../b', 'a/../b'],
    ['posix', '.../.a./..', '.../.a./..'],
    ['posix', '/', '/'],
    ['posix', '/./', '/'],
    ['posix', '//', '//'],
    ['posix', '//foo//bar', '//foo/bar'],
    ['posix', '///foo', '/foo'],
    ['posix', 'a\\b', 'a\\b'],
    ['posix', 'C:/x', 'C:/x'],
    ['windows', '', '.'],
    ['windows', 'a/./b\\', 'a\\b'],
    ['windows', '/a', '\\a'],
    ['windows', 'C:', 'C:'],
    ['windows', 'C:foo/bar', 'C:foo\\bar'],
    ['windows', 'C:\\\\foo', 'C:\\foo'],
    ['windows', 'C:/', 'C:\\'],
    ['windows', './c:d', '.\\c:d'],
    ['windows', 'a/c:d', 'a\\c:d'],
    ['windows', '//server/share', '\\\\server\\share\\'],
    ['windows', '//server/share/a/', '\\\\server\\share\\a'],
    ['windows', '\\\\server', '\\\\server'],
    ['windows', '//?/UNC/server/share', '\\\\?\\UNC\\server\\share\\'],
    ['windows', '//?/C:/a', '\\\\?\\C:\\a'],
    ['windows', '//./device', '\\\\.\\device'],
    ['windows', '\u{1F600}:x', '\u{1F600}:x'],
  ];
  for (const [style, text, expected] of cases) t.equal(normalPath(text, style), expected, `${style} ${text}`);
  t.end();
});

void test('a given path has the separators of its style', (t) => {
  t.equal(givenPath('a//b/', 'posix'), 'a//b/');
  t.equal(givenPath('C:/a//b/', 'windows'), 'C:\\a\\\\b\\');
  t.equal(givenPath('s3://b/c', 'windows'), 's3://b/c');
  t.end();
});

void test('a path is split into components', (t) => {
  const cases: readonly (readonly [FileStyle, string, readonly string[], string, string, boolean])[] = [
    ['posix', '/mnt//a/scene.exr', ['/', 'mnt', 'a', 'scene.exr'], 'scene.exr', '/mnt/a', true],
    ['posix', '/', ['/'], '', '/', true],
    ['posix', '//mnt/file', ['//', 'mnt', 'file'], 'file', '//mnt', true],
    ['posix', '', [], '', '.', false],
    ['posix', 'a', ['a'], 'a', '.', false],
    ['posix', './a', ['a'], 'a', '.', false],
    ['posix', 'a/..', ['a', '..'], '..', 'a', false],
    ['windows', 'C:\\a/b', ['C:\\', 'a', 'b'], 'b', 'C:\\a', true],
    ['windows', 'C:a', ['C:', 'a'], 'a', 'C:', false],
    ['windows', 'C:\\', ['C:\\'], '', 'C:\\', true],
    ['windows', '\\a', ['\\', 'a'], 'a', '\\', false],
    ['windows', '\\\\s\\h', ['\\\\s\\h\\'], '', '\\\\s\\h\\', true],
    ['windows', '\\\\s\\h\\d', ['\\\\s\\h\\', 'd'], 'd', '\\\\s\\h\\', true],
    ['windows', '\\\\s', ['\\\\s'], '', '\\\\s', true],
    ['windows', 'a\\b', ['a', 'b'], 'b', 'a', false],
  ];
  for (const [style, text, parts, name, parent, absolute] of cases) {
    const path = parsePath(text, style);
    const found = [
      partsOf(path),
      countParts(path),
      nameOf(path),
      pathText(parentOf(path)),
      isAbsolutePath(path),
    ];
    t.same(found, [parts, parts.length, name, parent, absolute], `${style} ${text}`);
  }
  t.end();
});

void test('a name is split into stem and suffixes', (t) => {
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ['file.txt', 'file', '.txt', ['.txt']],
    ['file.tar.gz', 'file.tar', '.gz', ['.tar', '.gz']],
    ['Makefile', 'Makefile', '', []],
    ['.hidden', '.hidden', '', []],
    ['.hidden.tar.gz', '.hidden.tar', '.gz', ['.tar', '.gz']],
    ['foo.', 'foo.', '', []],
    ['a.b.', 'a.b.', '', []],
    ['..foo', '.', '.foo', []],
    ['a..b', 'a.', '.b', ['.', '.b']],
    ['..', '..', '', []],
    ['', '', '', []],
  ];
  for (const [name, stem, suffix, suffixes] of cases) {
    t.same([splitName(name), suffixesOf(name)], [{ stem, suffix }, suffixes], name);
  }
  t.end();
});

void test('a share whose name ends with a colon is not a drive', (t) => {
  t.equal(joinPaths('// /C:', 'x', 'windows'), '\\\\ \\C:\\x');
  t.end();
});

void test('path functions are consistent', (t) => {
  fc.assert(
    fc.property(TEXT, STYLE, (text, style) => {
      const normal = normalPath(text, style);
      return normalPath(normal, style) === normal;
    }),
  );
  fc.assert(
    fc.property(TEXT, STYLE, (text, style) => {
      const path = parsePath(text, style);
      // A component that looks like a drive is not one, which the parts alone do not show.
      const told = style === 'posix' || !/(?:^|\\)[^\\]:/u.test(path.tail ?? '');
      return !told || pathFromParts(partsOf(path), style) === pathText(path);
    }),
  );
  fc.assert(
    fc.property(TEXT, STYLE, fc.constantFrom('x', 'y.z', '.h', '..'), (text, style, child) => {
      const path = parsePath(text, style);
      // A share without its second part uses the child as that part.
      if (path.drive.startsWith('\\\\') && path.root === '') return true;
      const joined = parsePath(joinPaths(text, child, style), style);
      return (
        pathText(parentOf(joined)) === pathText(path) &&
        nameOf(joined) === child &&
        isRelativeTo(joined, path) &&
        pathText(relativeTo(joined, path, style)) === child
      );
    }),
  );
  fc.assert(
    fc.property(TEXT, STYLE, fc.constantFrom('x', 'y.z', ' '), (text, style, name) => {
      const path = parsePath(text, style);
      if (nameOf(path) === '') return true;
      const named = withName(path, name);
      return nameOf(named) === name && pathText(parentOf(named)) === pathText(parentOf(path));
    }),
  );
  t.end();
});
