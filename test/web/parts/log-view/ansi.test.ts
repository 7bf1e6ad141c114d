import * as fc from 'fast-check';
import { test } from 'tap';
import { lookOf } from '../../../../web/parts/log-view/ansi-look.ts';
import { PLAIN, paletteColor, spansOf, stripped, styleAfter } from '../../../../web/parts/log-view/ansi.ts';

const ESC = '\u001b';
/** Returns the text and the properties that differ from the plain style. */
const styledText = (text: string) =>
  spansOf(text, PLAIN).map(({ text: words, style, href }) => [
    words,
    Object.fromEntries(
      Object.entries({ ...style, href }).filter(([, value]) => value !== null && value !== false),
    ),
  ]);

test('reads weights and colors of all three kinds', (t) => {
  t.strictSame(styledText(`${ESC}[1;31mred${ESC}[22m thin${ESC}[0m plain`), [
    ['red', { isBold: true, foreground: 1 }],
    [' thin', { foreground: 1 }],
    [' plain', {}],
  ]);
  t.strictSame(styledText(`${ESC}[38;5;208ma${ESC}[48;2;1;20;255mb${ESC}[39;49;4;7;9;2;3mc`), [
    ['a', { foreground: 208 }],
    ['b', { foreground: 208, background: '#0114ff' }],
    ['c', { isUnderlined: true, isInverse: true, isStruck: true, isDim: true, isItalic: true }],
  ]);
  t.strictSame(styledText(`${ESC}[38:5:9ma${ESC}[38:2::1:2:3mb${ESC}[38:2:4:5:6mc`), [
    ['a', { foreground: 9 }],
    ['b', { foreground: '#010203' }],
    ['c', { foreground: '#040506' }],
  ]);
  t.strictSame(styledText(`${ESC}[97;100mbright${ESC}[mplain`), [
    ['bright', { foreground: 15, background: 8 }],
    ['plain', {}],
  ]);
  t.strictSame(styledText(`${ESC}[38;5;999mnone${ESC}[38mnone`), [['nonenone', {}]]);
  t.end();
});

test('keeps web links and removes all other sequences', (t) => {
  const link = (href: string): string => `${ESC}]8;;${href}${ESC}\\here${ESC}]8;;\u0007 on`;
  t.strictSame(styledText(link('https://example.org/a')), [
    ['here', { href: 'https://example.org/a' }],
    [' on', {}],
  ]);
  t.strictSame(styledText(link('javascript:alert(1)')), [['here on', {}]]);
  t.equal(stripped(`${ESC}]0;title\u0007a${ESC}[2K${ESC}[10;3Hb${ESC}(Bc\u0007\u0008d\te`), 'abcd\te');
  t.equal(stripped(`cut ${ESC}[3`), 'cut ');
  t.end();
});

test('spans contain the stripped text, and a style survives a split between sequences', (t) => {
  const sequence = fc
    .constantFrom('31', '1', '0', '38;5;77', '48;2;1;2;3', '7', '')
    .map((sgr) => `${ESC}[${sgr}m`);
  const part = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), sequence);
  fc.assert(
    fc.property(fc.array(part), fc.array(part), (before, after) => {
      const [one, two] = [before.join(''), after.join('')];
      const joined = (text: string, style = PLAIN): string =>
        spansOf(text, style)
          .flatMap(({ text: words, style: each }) => [...words].map((word) => word + lookOf(each).className))
          .join('');
      return (
        stripped(one + two) ===
          spansOf(one + two, PLAIN)
            .map(({ text }) => text)
            .join('') && joined(one + two) === joined(one) + joined(two, styleAfter(one, PLAIN))
      );
    }),
  );
  t.end();
});

test('reads any text to its end', (t) => {
  const noise = fc.string({
    unit: fc.constantFrom(ESC, '[', ']', '8', ';', ':', 'm', 'K', '\\', '\u0007', 'x', '5'),
  });
  fc.assert(
    fc.property(noise, (text) => {
      const words = spansOf(text, PLAIN).map((span) => span.text);
      return words.join('') === stripped(text) && !words.includes('') && !stripped(text).includes(ESC);
    }),
  );
  t.end();
});

test('palette colors match xterm', (t) => {
  t.strictSame([16, 208, 231, 232, 255].map(paletteColor), [
    '#000000',
    '#ff8700',
    '#ffffff',
    '#080808',
    '#eeeeee',
  ]);
  t.strictSame(lookOf({ ...PLAIN, foreground: 2, background: '#010203', isInverse: true }), {
    className: 'ansi--back ansi--back-2 ansi--front ansi--on-ground',
    properties: { '--ansi-front': '#010203' },
  });
  t.end();
});
