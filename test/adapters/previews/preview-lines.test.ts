import fc from 'fast-check';
import { test } from 'tap';
import { linesOf, PreviewLines, reasonOf } from '../../../src/adapters/previews/preview-lines.ts';

const resultsOf = (lines: readonly string[]) => {
  const collected = new PreviewLines();
  for (const line of lines) collected.add(line);
  return collected.results;
};

void test('an image passes in lines that are not cut', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 48 * 1024, size: 'max' }), (bytes) => {
      const lines = linesOf(2, Buffer.from(bytes));
      const result = resultsOf(lines).get(2);
      return (
        lines.every((line) => line.length < 32_000) &&
        result?.kind === 'image' &&
        Buffer.from(result.data, 'base64').equals(bytes)
      );
    }),
    { numRuns: 30 },
  );
  t.end();
});

void test('other lines are ignored, and no process sends more than an image', (t) => {
  const part = 'A'.repeat(16 * 1024);
  const flood = [
    ...Array.from({ length: 100 }, () => JSON.stringify({ index: 0, part })),
    '{"index":0,"end":true}',
  ];
  const result = resultsOf(flood).get(0);
  t.equal(result?.kind === 'image' ? result.data.length : 0, 4 * part.length);
  t.equal(
    resultsOf(['', 'x', '[]', '7', 'null', '{"index":9,"missing":"x"}', '{"index":-1,"missing":"x"}']).size,
    0,
  );
  t.equal(resultsOf(['{"index":0,"end":true}']).size, 0);
  const twice = resultsOf(['{"index":0,"missing":"a"}', '{"index":0,"missing":"b"}']);
  t.strictSame(twice.get(0), { kind: 'missing', reason: 'a' });
  t.equal(reasonOf('a\nb\u0000 c'), 'a b c');
  t.equal(reasonOf('x'.repeat(1000)).length, 240);
  t.equal(reasonOf(' '), 'unknown');
  t.end();
});
