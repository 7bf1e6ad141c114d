import { test } from 'tap';
import { pathMapper, type PathFormat } from '../../../src/openjd/template/path-mapping.ts';

void test('a rule maps whole components and keeps the rest', (t) => {
  const cases: readonly (readonly [PathFormat, string, string, 'POSIX' | 'WINDOWS', string, string])[] = [
    ['POSIX', '/mnt/share', '/data', 'POSIX', '/mnt/share', '/data'],
    ['POSIX', '/mnt/share/', '/data', 'POSIX', '/mnt/share', '/data'],
    ['POSIX', '/mnt/share', '/data', 'POSIX', '/mnt/share/a/b', '/data/a/b'],
    ['POSIX', '/mnt/share', '/data', 'POSIX', '/mnt/share/a/', '/data/a/'],
    ['POSIX', '/mnt/share', '/data', 'POSIX', '/mnt/shared/x', '/mnt/shared/x'],
    ['POSIX', '/mnt/share', '/data', 'POSIX', '/MNT/share/x', '/MNT/share/x'],
    ['POSIX', '/mnt/share', '/data', 'POSIX', 'mnt/share/x', 'mnt/share/x'],
    ['POSIX', '/mnt/share', 'D:\\data', 'WINDOWS', '/mnt/share/a/', 'D:\\data\\a\\'],
    ['POSIX', '/mnt', '/', 'POSIX', '/mnt/a', '/a'],
    ['WINDOWS', 'C:\\Data', '/data', 'POSIX', 'c:/data/Sub\\f', '/data/Sub/f'],
    ['WINDOWS', '\\\\server\\share\\assets', 'Z:\\a', 'WINDOWS', '\\\\SERVER\\share\\assets\\f', 'Z:\\a\\f'],
    ['WINDOWS', '\\projects', 'D:\\work', 'WINDOWS', 'projects\\f', 'projects\\f'],
    ['WINDOWS', 'C:\\old', '/new', 'POSIX', 'C:old', 'C:old'],
    ['URI', 's3://bucket/pre', '/local', 'POSIX', 'S3://Bucket/pre/f', '/local/f'],
    ['URI', 's3://bucket/pre', '/local', 'POSIX', 's3://bucket/Pre/f', 's3://bucket/Pre/f'],
    ['URI', 's3://bucket', 's3://other/out', 'WINDOWS', 's3://bucket/a/b', 's3://other/out/a/b'],
    ['POSIX', '/mnt', '/', 'POSIX', '/mnt', '/'],
    ['POSIX', '/mnt', '/data/', 'POSIX', '/mnt', '/data'],
    ['POSIX', '/mnt', '/data//', 'POSIX', '/mnt/', '/data/'],
    ['POSIX', '/mnt', '/data', 'POSIX', '/mnt//a/./b', '/data/a/b'],
    ['POSIX', '/mnt', '/data', 'POSIX', '//mnt/a', '//mnt/a'],
    ['POSIX', '//mnt', '/data', 'POSIX', '//mnt/a', '/data/a'],
    ['POSIX', '/mnt', 'Z:\\', 'WINDOWS', '/mnt', 'Z:\\'],
    ['POSIX', '/mnt', 'Z:', 'WINDOWS', '/mnt', 'Z:'],
    ['POSIX', '/mnt', 'Z:\\', 'WINDOWS', '/mnt/a', 'Z:\\a'],
    ['WINDOWS', 'Z:\\shared', '/mnt/shared', 'WINDOWS', 'z:/Shared', '\\mnt\\shared'],
    ['WINDOWS', 'Z:\\shared', '/mnt/shared/', 'WINDOWS', 'Z:\\shared\\a', '\\mnt\\shared\\a'],
    ['WINDOWS', 'C:\\', '/c', 'POSIX', 'C:\\', '/c/'],
    ['URI', 's3://bucket/pre', '/local', 'POSIX', 's3://bucket/pre', '/local'],
    ['URI', 's3://bucket/pre/', '/local', 'POSIX', 's3://bucket/pre/a', '/local/a'],
    ['URI', 's3://bucket', '/local', 'POSIX', 's3://bucket/', '/local/'],
    ['URI', 's3://bucket/pre', '/local', 'POSIX', 's3://bucket/pre//a/./b', '/local//a/./b'],
    ['URI', 's3://bucket/a/b', '/local', 'POSIX', 's3://bucket/a//b/c', 's3://bucket/a//b/c'],
    ['URI', 's3://bucket/pre', '/local', 'POSIX', 's3://bucket/prefix', 's3://bucket/prefix'],
    ['URI', 's3://bucket/pre', '/local', 'POSIX', '/bucket/pre/a', '/bucket/pre/a'],
    ['URI', 's3://bucket', 's3://other/', 'POSIX', 's3://bucket/a', 's3://other/a'],
    ['URI', 's3://bucket', 's3://', 'POSIX', 's3://bucket/a', 's3:///a'],
  ];
  for (const [sourceFormat, source, destination, host, path, expected] of cases) {
    t.equal(pathMapper([{ sourceFormat, source, destination }], host)(path), expected, `${source}: ${path}`);
  }
  t.end();
});

void test('the longest source is used, and the first of equally long ones', (t) => {
  const rule = (source: string, destination: string) => ({
    sourceFormat: 'POSIX' as const,
    source,
    destination,
  });
  const map = pathMapper([rule('/a', '/1'), rule('/a/b', '/2'), rule('/a/b', '/3')], 'POSIX');
  t.same(['/a/x', '/a/b/x', '/c'].map(map), ['/1/x', '/2/x', '/c']);
  t.equal(pathMapper([], 'POSIX')('/a'), '/a');
  t.end();
});
