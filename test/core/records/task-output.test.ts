import fc from 'fast-check';
import { test } from 'tap';
import { OUTPUT_LIMITS, outputPathWrong, withOutput } from '../../../src/core/records/task-output.ts';

void test('accepts absolute paths, and names what is wrong with others', (t) => {
  for (const path of ['/mnt/a b/f.exr', 'C:\\out\\f.exr', 'd:/out', '\\\\nas\\shows\\f', 's3://bucket/key'])
    t.equal(outputPathWrong(path), null);
  for (const path of ['', 'f.exr', './f', 'C:f', 'http://host/f', 'javascript:alert(1)', 's3://'])
    t.match(outputPathWrong(path), /^must be an absolute path/);
  for (const path of ['/a\nb', '/a\u0000', '/a\u2028b', '/a\ud800'])
    t.match(outputPathWrong(path), /^must not hold/);
  t.equal(outputPathWrong(`/${'x'.repeat(OUTPUT_LIMITS.path - 1)}`), null);
  t.match(outputPathWrong(`/${'x'.repeat(OUTPUT_LIMITS.path)}`), /must not have more than 1024/);
  t.end();
});

void test('collected paths are distinct and within the limits', (t) => {
  const named = fc.array(fc.string({ maxLength: OUTPUT_LIMITS.path, size: 'max' }), {
    maxLength: 200,
    size: 'max',
  });
  fc.assert(
    fc.property(named, (paths) => {
      const kept = paths.reduce<readonly string[]>(withOutput, []);
      const length = kept.reduce((sum, path) => sum + path.length, 0);
      return (
        new Set(kept).size === kept.length &&
        kept.length <= OUTPUT_LIMITS.paths &&
        length <= OUTPUT_LIMITS.totalLength &&
        kept.every((path) => paths.includes(path))
      );
    }),
  );
  t.end();
});
