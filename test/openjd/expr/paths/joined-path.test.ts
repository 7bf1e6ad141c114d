import { test } from 'tap';
import { joinPaths, pathFromParts } from '../../../../src/openjd/expr/paths/joined-path.ts';
import { parsePath, pathText, type FileStyle } from '../../../../src/openjd/expr/paths/parsed-path.ts';
import { isRelativeTo, relativeTo } from '../../../../src/openjd/expr/paths/related-paths.ts';

void test('a child is joined to a path', (t) => {
  const cases: readonly (readonly [FileStyle, string, string, string])[] = [
    ['posix', '/a/b', 'c', '/a/b/c'],
    ['posix', '/a/b/', './c/', '/a/b/c'],
    ['posix', '/a/b', '', '/a/b'],
    ['posix', '', 'c', 'c'],
    ['posix', '.', 'c', 'c'],
    ['posix', '/', 'c', '/c'],
    ['posix', '//', 'c', '//c'],
    ['posix', '/a/b', '/new', '/new'],
    ['posix', '/a', '..', '/a/..'],
    ['posix', '/a/dir\\name', 'file', '/a/dir\\name/file'],
    ['windows', 'C:\\a\\', 'b/c', 'C:\\a\\b\\c'],
    ['windows', 'C:\\a', '/b', 'C:\\b'],
    ['windows', 'C:\\a', 'D:b', 'D:b'],
    ['windows', 'C:\\a', 'c:b', 'c:\\a\\b'],
    ['windows', 'C:\\a', 'C:', 'C:\\a'],
    ['windows', 'C:', 'a', 'C:a'],
    ['windows', 'C:\\a', '\\\\server\\share', '\\\\server\\share\\'],
    ['windows', '\\\\server\\share\\deep', '/foo', '\\\\server\\share\\foo'],
    ['windows', '//server/share', 'x', '\\\\server\\share\\x'],
    ['windows', '\\\\server', 'share', '\\\\server\\share\\'],
    ['windows', 'a\\b', '/foo', '\\foo'],
  ];
  for (const [style, path, child, expected] of cases) {
    t.equal(joinPaths(path, child, style), expected, `${style} ${path} / ${child}`);
  }
  t.end();
});

void test('a path is created from parts', (t) => {
  const cases: readonly (readonly [FileStyle, readonly string[], string])[] = [
    ['posix', [], '.'],
    ['posix', ['', ''], '.'],
    ['posix', ['', 'a'], 'a'],
    ['posix', ['/', '', 'a'], '/a'],
    ['posix', ['a/', '', 'b'], 'a/b'],
    ['posix', ['a', 'b', '/c', 'd', '/e'], '/e'],
    ['posix', ['..', 'a'], '../a'],
    ['windows', [], '.'],
    ['windows', ['.', 'a'], 'a'],
    ['windows', ['C:\\a', 'D:\\b'], 'D:\\b'],
    ['windows', ['C:\\a', '/b', 'c'], 'C:\\b\\c'],
    ['windows', ['C:', 'a', 'b'], 'C:a\\b'],
    ['windows', ['\\\\server\\share\\a', '\\b'], '\\\\server\\share\\b'],
  ];
  for (const [style, parts, expected] of cases)
    t.equal(pathFromParts(parts, style), expected, parts.join(' '));
  t.end();
});

void test('a path is made relative to another one', (t) => {
  const cases: readonly (readonly [FileStyle, string, string, string | null])[] = [
    ['posix', '/a/b/c', '/a', 'b/c'],
    ['posix', '/a/b', '/a/b/', '.'],
    ['posix', 'a/b', '.', 'a/b'],
    ['posix', '/a', '.', null],
    ['posix', '/A/B', '/a', null],
    ['posix', '/a/bc', '/a/b', null],
    ['posix', '//a', '/', null],
    ['posix', '/a', '/a/b', null],
    ['windows', 'C:\\Users\\Bob', 'c:/users', 'Bob'],
    ['windows', 'C:\\日本\\out', 'C:\\日本', 'out'],
    ['windows', 'C:\\İ\\out', 'C:\\İ', 'out'],
    ['windows', 'C:\\a', 'C:', null],
    ['windows', 'C:\\a', 'D:\\', null],
    ['windows', '//Server/share/dir', '\\\\server\\SHARE', 'dir'],
    ['windows', '//server/share/dir', '//other/share', null],
    ['windows', 'a\\c:d', 'A', '.\\c:d'],
  ];
  for (const [style, text, other, expected] of cases) {
    const [path, base] = [parsePath(text, style), parsePath(other, style)];
    t.equal(isRelativeTo(path, base), expected !== null, `${text} to ${other}`);
    if (expected === null) {
      const message = `relative_to failed: '${pathText(path)}' is not relative to '${pathText(base)}'`;
      t.throws(() => relativeTo(path, base, style), { name: 'ExprFailure', message });
    } else t.equal(pathText(relativeTo(path, base, style)), expected, `${text} to ${other}`);
  }
  t.end();
});
