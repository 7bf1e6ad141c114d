import fc from 'fast-check';
import { test } from 'tap';
import type { Block } from '../../../src/core/markdown/markdown-tree.ts';
import { parseMarkdown } from '../../../src/core/markdown/parse-markdown.ts';

/** Characters that may be markup, or blanks between lines and words. */
const MARKUP = /[\s`*_#~()[\]0-9.+-]/g;

const README = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '*',
        '**',
        '_',
        '`',
        '```',
        '~~~',
        '\n',
        '\n\n',
        '# ',
        '- ',
        '  - ',
        '2. ',
        '| ',
        '> ',
        '![',
        ' ',
      ),
      fc.constantFrom(
        '[a](https://x.example)',
        '[b](javascript:c)',
        '[',
        '](',
        ')',
        '<img>',
        '&amp;',
        '\\',
        '\u202e',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 60, size: 'max' },
  )
  .map((parts) => parts.join(''));

const inlinesOf = (block: Block) => {
  if (block.kind === 'code') return [];
  return block.kind === 'list' ? block.items.flat() : block.content;
};

const textOf = (block: Block): string =>
  block.kind === 'code'
    ? block.info + block.text
    : inlinesOf(block)
        .map((inline) => inline.text + (inline.kind === 'link' ? inline.href : ''))
        .join('');

void test('no text gets lost, and it keeps its order', async () => {
  fc.assert(
    fc.property(README, (readme) => {
      const blocks = parseMarkdown(readme);
      return blocks.map(textOf).join('').replaceAll(MARKUP, '') === readme.replaceAll(MARKUP, '');
    }),
    { numRuns: 2_000 },
  );
});

void test('links have an allowed scheme', async () => {
  const target = fc.tuple(
    fc.constantFrom('http://x', 'https:', 'mailto:', 'javascript:', 'JAVA\tscript:', 'data:', '//', ''),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(target, (parts) =>
      parseMarkdown(`[a](${parts.join('')})`)
        .flatMap(inlinesOf)
        .every(
          (inline) => inline.kind !== 'link' || /^(?:https?|mailto):$/.test(new URL(inline.href).protocol),
        ),
    ),
    { numRuns: 2_000 },
  );
});

void test('long runs of markup are parsed', async (t) => {
  for (const mark of ['*', '**a ', '_', '`', '`a``', '[', '[a](', '[a](https://x(', '- ', '> ', '***a'])
    t.equal(
      parseMarkdown(mark.repeat(200_000)).map(textOf).join('').replaceAll(MARKUP, ''),
      mark.repeat(200_000).replaceAll(MARKUP, ''),
      mark,
    );
});
