import { test } from 'tap';
import { nameWithNumber } from '../../../../src/openjd/expr/paths/frame-number.ts';
import {
  parsePath,
  pathText,
  type FileStyle,
  type ParsedPath,
} from '../../../../src/openjd/expr/paths/parsed-path.ts';
import { withName, withStem, withSuffix } from '../../../../src/openjd/expr/paths/renamed-path.ts';

type Rename = (path: ParsedPath, text: string) => ParsedPath;

void test('paths get another name, stem or suffix', (t) => {
  const cases: readonly (readonly [Rename, FileStyle, string, string, string])[] = [
    [withName, 'posix', '/a/b.x', 'c', '/a/c'],
    [withName, 'posix', 'a', 'b\\c', 'b\\c'],
    [withName, 'posix', '/a', 'b', '/b'],
    [withName, 'windows', 'C:a', 'x', 'C:x'],
    [withName, 'windows', '\\\\s\\h\\a', 'x', '\\\\s\\h\\x'],
    [withName, 'windows', 'a', 'c:d', '.\\c:d'],
    [withName, 'windows', 's3://b/a/c', 'd\\e', 's3://b/a/d\\e'],
    [withStem, 'posix', '/a/b.tar.gz', 'c', '/a/c.gz'],
    [withStem, 'posix', 'foo.txt', '.', '..txt'],
    [withStem, 'posix', 's3://b/scene', 'final', 's3://b/final'],
    [withSuffix, 'posix', '/a/b.tar.gz', '.png', '/a/b.tar.png'],
    [withSuffix, 'posix', 'a', '.tar.gz', 'a.tar.gz'],
    [withSuffix, 'posix', 'a.x', '', 'a'],
    [withSuffix, 'posix', 'foo.', '', 'foo.'],
    [withSuffix, 'posix', 'a', '. ', 'a. '],
    [withSuffix, 'posix', '.hidden', '.x', '.hidden.x'],
  ];
  for (const [rename, style, path, text, expected] of cases) {
    t.equal(pathText(rename(parsePath(path, style), text)), expected, `${rename.name} ${path} ${text}`);
  }
  t.end();
});

void test('invalid names are rejected', (t) => {
  const cases: readonly (readonly [Rename, FileStyle, string, string, string])[] = [
    [withName, 'posix', '/', 'x', "with_name: '/' has an empty name"],
    [withName, 'posix', '', 'x', "with_name: '.' has an empty name"],
    [withName, 'posix', 's3://b/', 'x', "with_name: 's3://b/' has an empty name"],
    [withName, 'posix', '/a', '', "with_name: Invalid name ''"],
    [withName, 'posix', '/a', '.', "with_name: Invalid name '.'"],
    [withName, 'posix', '/', 'b/c', "with_name: Invalid name 'b/c'"],
    [withName, 'windows', 'a', 'b\\c', "with_name: Invalid name 'b\\c'"],
    [withName, 'windows', 'a', 'b/c', "with_name: Invalid name 'b/c'"],
    [withStem, 'windows', 'C:\\', 'x', "with_stem: 'C:\\' has an empty name"],
    [withStem, 'posix', 'foo', '', "with_stem: Invalid name ''"],
    [withStem, 'posix', 'foo.txt', '', "with_stem: 'foo.txt' has a non-empty suffix"],
    [withStem, 'posix', 'foo.txt', 'a/b', "with_stem: Invalid name 'a/b.txt'"],
    [withSuffix, 'posix', '/', '.x', "with_suffix: '/' has an empty name"],
    [withSuffix, 'posix', 'a', '.', "with_suffix: Invalid suffix '.'"],
    [withSuffix, 'posix', 'a', 'x', "with_suffix: Invalid suffix 'x'"],
    [withSuffix, 'posix', 'a', '.x/y', "with_suffix: Invalid name 'a.x/y'"],
    [withSuffix, 'posix', '..foo', '', "with_suffix: Invalid name '.'"],
  ];
  for (const [rename, style, path, text, message] of cases) {
    t.throws(() => rename(parsePath(path, style), text), { name: 'ExprFailure', message });
  }
  t.end();
});

void test('frame numbers in file names are replaced', (t) => {
  const cases: readonly (readonly [string, number | bigint, string])[] = [
    ['file_003.exr', 72, 'file_072.exr'],
    ['file_003.exr', 10000, 'file_10000.exr'],
    ['file_003.exr', -1, 'file_-01.exr'],
    ['file_003.exr', -1000, 'file_-1000.exr'],
    ['file_1.exr', -1, 'file_-1.exr'],
    ['file_%d.exr', 72, 'file_72.exr'],
    ['file_%d.exr', -7, 'file_-7.exr'],
    ['file_%04d.exr', 72, 'file_0072.exr'],
    ['file_%04d.exr', -72, 'file_-072.exr'],
    ['file_%4d.exr', 72, 'file_  72.exr'],
    ['file_%032d.exr', 1, `file_${'1'.padStart(32, '0')}.exr`],
    ['file_####.exr', 72, 'file_0072.exr'],
    ['file_#.exr', 72, 'file_72.exr'],
    ['file.####.exr', 42, 'file.0042.exr'],
    ['file.v2.003.exr', 72, 'file.v2.072.exr'],
    ['shot01_####.exr', 72, 'shot01_0072.exr'],
    ['##_shot_####.exr', 72, '##_shot_0072.exr'],
    ['f_%d_abc_###.exr', 42, 'f_%d_abc_042.exr'],
    ['file_%04d_001.exr', 72, 'file_%04d_072.exr'],
    ['####_left.exr', 7, '0007_left.exr'],
    ['render.exr', 72, 'render_0072.exr'],
    ['render.exr', -1, 'render_-001.exr'],
    ['render', 123456, 'render_123456'],
    ['file.001', 72, 'file_0072.001'],
    ['.0001', 5, '.0005'],
    [`f${'0'.repeat(40)}`, 5, `f${'5'.padStart(40, '0')}`],
    ['f_#', 2n ** 62n, 'f_4611686018427387904'],
    ['f_####################', -(2n ** 63n), 'f_-9223372036854775808'],
  ];
  for (const [name, number, expected] of cases) t.equal(nameWithNumber(name, number), expected, name);
  const wide = (name: string, width: string): void => {
    const message = `with_number: padding width ${width} exceeds maximum of 32`;
    t.throws(() => nameWithNumber(name, 1), { name: 'ExprFailure', message });
  };
  wide('f_%033d.exr', '33');
  wide('f_%099999999999999999999999d', '99999999999999999999999');
  wide(`f_${'#'.repeat(33)}.exr`, '33');
  t.end();
});
