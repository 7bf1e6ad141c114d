import { test } from 'tap';
import { parseMarkdown } from '../../../src/core/markdown/parse-markdown.ts';

const text = (value: string): object => ({ kind: 'text', text: value });
const paragraph = (...content: object[]): object => ({ kind: 'paragraph', content });

void test('blocks of the subset', async (t) => {
  t.strictSame(parseMarkdown('# One\r\ntwo\nthree\n\n###### Six\n'), [
    { kind: 'heading', level: 2, content: [text('One')] },
    paragraph(text('two three')),
    { kind: 'heading', level: 6, content: [text('Six')] },
  ]);
  t.strictSame(parseMarkdown('##### Five\n- a\n- b\n  more\n\n- c\n3. d\n4) e'), [
    { kind: 'heading', level: 6, content: [text('Five')] },
    { kind: 'list', start: null, items: [[text('a')], [text('b more')], [text('c')]] },
    { kind: 'list', start: 3, items: [[text('d')], [text('e')]] },
  ]);
  t.strictSame(parseMarkdown('```sh\n  a *b*\n\n````\nafter\n~~~\nopen <b>'), [
    { kind: 'code', info: 'sh', text: '  a *b*\n' },
    paragraph(text('after')),
    { kind: 'code', info: '', text: 'open <b>' },
  ]);
  t.strictSame(parseMarkdown(' \n\n\t\n'), []);
});

void test('inlines of the subset', async (t) => {
  t.strictSame(parseMarkdown('a **b** *c* __d__ _e_ `f*g*` ``h`i`` [j](https://x.example/a_(b)?c#d)'), [
    paragraph(
      text('a '),
      { kind: 'strong', text: 'b' },
      text(' '),
      { kind: 'emphasis', text: 'c' },
      text(' '),
      { kind: 'strong', text: 'd' },
      text(' '),
      { kind: 'emphasis', text: 'e' },
      text(' '),
      { kind: 'code', text: 'f*g*' },
      text(' '),
      { kind: 'code', text: 'h`i' },
      text(' '),
      { kind: 'link', text: 'j', href: 'https://x.example/a_(b)?c#d' },
    ),
  ]);
  for (const href of ['http://x', 'HTTPS://x.example', 'mailto:td@x.example'])
    t.strictSame(parseMarkdown(`[a](${href})`), [paragraph({ kind: 'link', text: 'a', href })]);
  t.strictSame(parseMarkdown('**a `**` b**'), [paragraph({ kind: 'strong', text: 'a `**` b' })]);
});

void test('everything else is text', async (t) => {
  const literal = [
    '![a](https://x.example/a_b_c.png)',
    '<b onclick="alert(1)">a</b>',
    '[a](javascript:alert(1))',
    '[a](//x.example)',
    '[a](https:x)',
    '[a](https://x.example "title")',
    '[a](https://x.example/\u202e)',
    '[a][b]',
    '[a]: https://x.example',
    '[](https://x.example)',
    '<https://x.example>',
    '&lt;b&gt; &#106; \\*a\\*',
    '***a***',
    'shot_010_comp.*.exr and *.jpg',
    '2 * 3 * 4',
    '#tag',
    '-a',
    '> quote',
    '---',
    '**',
    '` `` ```',
    '[',
    '1234567890. a',
  ];
  for (const line of literal) t.strictSame(parseMarkdown(line), [paragraph(text(line))], line);
  t.strictSame(parseMarkdown('| a | b |\n|---|---|\n| 1 | 2 |'), [
    paragraph(text('| a | b |\n|---|---|\n| 1 | 2 |')),
  ]);
  t.strictSame(parseMarkdown('- a\n  - b\n    1. c'), [
    { kind: 'list', start: null, items: [[text('a\n- b\n1. c')]] },
  ]);
  t.strictSame(parseMarkdown('- # a'), [{ kind: 'list', start: null, items: [[text('# a')]] }]);
  t.strictSame(parseMarkdown('**a [b](https://x.example)**'), [
    paragraph({ kind: 'strong', text: 'a [b](https://x.example)' }),
  ]);
  t.strictSame(parseMarkdown('in the year\n2026. End'), [paragraph(text('in the year 2026. End'))]);
});
