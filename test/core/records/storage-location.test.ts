import { test } from 'tap';
import {
  STORAGE_LIMITS,
  storageRootKeyError,
  storageRootWrong,
  storageTypeOf,
} from '../../../src/core/records/storage-location.ts';

const PATH = 'must be an absolute path (/mnt/a, C:\\a or \\\\server\\share) or s3://bucket[/prefix]';
const BUCKET =
  'must name a bucket of 3 to 63 lower case letters, digits, dots and hyphens: s3://bucket[/prefix]';
const PREFIX = 'must not have a prefix with whitespace, "?", "#", backslashes or empty segments';
const CLIMBS = 'must not have "." or ".." in its path';

test('valid roots are accepted', (t) => {
  const roots = [
    '/',
    '/mnt/projects',
    '/mnt/with space/',
    '/mnt//twice',
    '/mnt/a..b/.hidden/...',
    '/mnt/back\\..\\slash',
    'C:\\',
    'c:/projects',
    'P:\\projects\\show one',
    '\\\\server\\share',
    '\\\\server\\share\\deep\\er',
    '//server/share',
    's3://bucket',
    's3://bucket/',
    's3://my.bucket-1/prefix/Deeper_1/ü%20x/',
    `s3://${'b'.repeat(63)}`,
    `/${'x'.repeat(STORAGE_LIMITS.rootLength - 1)}`,
  ];
  for (const root of roots) t.equal(storageRootWrong(root), null, root.slice(0, 40));
  t.end();
});

test('invalid roots have an error text', (t) => {
  const cases: [string, string][] = [
    ['', PATH],
    ['mnt/projects', PATH],
    ['./mnt', PATH],
    ['~/projects', PATH],
    [' /mnt', PATH],
    ['C:', PATH],
    ['C:projects', PATH],
    ['\\projects', PATH],
    ['\\\\server', PATH],
    ['\\\\server\\', PATH],
    ['gs://bucket', PATH],
    ['file:///mnt', PATH],
    ['/mnt/../etc', CLIMBS],
    ['/mnt/.', CLIMBS],
    ['C:\\a\\..\\b', CLIMBS],
    ['C:/a/..', CLIMBS],
    ['\\\\server\\share\\..', CLIMBS],
    ['/mnt/a\u0000b', 'must not hold control characters'],
    ['/mnt\n', 'must not hold control characters'],
    [`/${'x'.repeat(STORAGE_LIMITS.rootLength)}`, 'must not have more than 4096 characters'],
    ['s3:', 'must be s3://bucket[/prefix]'],
    ['s3:/bucket', 'must be s3://bucket[/prefix]'],
    ['s3:bucket', 'must be s3://bucket[/prefix]'],
    ['S3://bucket', 'must be s3://bucket[/prefix]'],
    ['s3://', BUCKET],
    ['s3:///prefix', BUCKET],
    ['s3://ab', BUCKET],
    [`s3://${'b'.repeat(64)}`, BUCKET],
    ['s3://Bucket', BUCKET],
    ['s3://my_bucket', BUCKET],
    ['s3://-bucket', BUCKET],
    ['s3://bucket.', BUCKET],
    ['s3://my..bucket', BUCKET],
    ['s3://192.168.0.1/a', BUCKET],
    ['s3://user@bucket/a', BUCKET],
    ['s3://bucket:9000/a', BUCKET],
    ['s3://bucket?x', BUCKET],
    ['s3://bucket/a b', PREFIX],
    ['s3://bucket/a?b', PREFIX],
    ['s3://bucket/a#b', PREFIX],
    ['s3://bucket/a\\b', PREFIX],
    ['s3://bucket//a', PREFIX],
    ['s3://bucket//', PREFIX],
  ];
  for (const [root, wrong] of cases)
    t.equal(storageRootWrong(root), wrong, JSON.stringify(root.slice(0, 40)));
  t.end();
});

test('locations are compute locations or the fallback', (t) => {
  for (const place of ['default', 'berlin', 'Zürich.2', '__proto__'])
    t.equal(storageRootKeyError(place), null);
  for (const place of ['', 'a b', 'a/b', 'x'.repeat(256)])
    t.type(storageRootKeyError(place), 'string', place);
  t.end();
});

test('the type is that of all roots', (t) => {
  const typeOf = (...roots: readonly string[]) =>
    storageTypeOf(roots.map((root, at) => ({ place: `p${at}`, root })));
  t.equal(typeOf(), 'filesystem');
  t.equal(typeOf('/mnt', 'C:\\a', '/mnt/s3://x'), 'filesystem');
  t.equal(typeOf('s3://bucket'), 's3');
  t.equal(typeOf('s3://bucket', 's3://other/a'), 's3');
  t.equal(typeOf('s3://bucket', '/mnt'), 'mixed');
  t.end();
});
