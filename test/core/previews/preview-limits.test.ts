import fc from 'fast-check';
import { test } from 'tap';
import { PREVIEW_LIMITS, previewCandidates } from '../../../src/core/previews/preview-limits.ts';

void test('images are chosen by the extension of a path of this machine', (t) => {
  const paths = [
    '/a.EXR',
    's3://bucket/a.png',
    'C:\\a.png',
    '\\\\server\\a.png',
    '/a.abc',
    '/png',
    '/a.b/c.JPEG',
    '/a.',
  ];
  t.strictSame(previewCandidates(paths), [0, 6]);
  t.end();
});

void test('of many images, the first, the last and some between them', (t) => {
  fc.assert(
    fc.property(fc.nat(200), (count) => {
      const indices = previewCandidates(Array.from({ length: count }, (_, index) => `/frame.${index}.png`));
      if (count <= PREVIEW_LIMITS.perAttempt) return indices.length === count;
      const isAscending = indices.every((each, at) => at === 0 || each > (indices[at - 1] ?? Infinity));
      return (
        indices.length === PREVIEW_LIMITS.perAttempt &&
        indices[0] === 0 &&
        indices.at(-1) === count - 1 &&
        isAscending
      );
    }),
  );
  t.end();
});
