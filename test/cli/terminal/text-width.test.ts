import fc from 'fast-check';
import { test } from 'tap';
import { cutText, padText, textWidth } from '../../../cli/terminal/text-width.ts';

test('the width of text', async (t) => {
  for (const [text, width] of [
    ['', 0],
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['東京', 4],
    ['한국어', 6],
    ['한', 2],
    ['ｶﾅ', 2],
    ['ＡＢ', 4],
    ['🎬', 2],
    ['👩‍🚀', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['a\u200bb', 2],
    ['№ 5…', 4],
  ] as const) {
    t.equal(textWidth(text), width, JSON.stringify(text));
  }
});

test('truncated text is a prefix that fits, and padded text has the requested width', async (t) => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'Z', '東', 'ｶ', '🎬', 'e\u0301', '🇩🇪', ' ') });
  fc.assert(
    fc.property(texts, fc.nat(20), fc.constantFrom('', '…'), (text, columns, mark) => {
      const cut = cutText(text, columns, mark);
      const kept = cut === text || mark === '' ? cut : cut.slice(0, -mark.length);
      if (textWidth(cut) > columns || !text.startsWith(kept)) return false;
      // The prefix is as long as possible: at most one column stays free before a wide character.
      return cut === text || columns === 0 || textWidth(cut) >= columns - 1;
    }),
  );
  fc.assert(
    fc.property(texts, fc.nat(40), fc.constantFrom('left', 'right'), (text, columns, side) => {
      const padded = padText(text, columns, side);
      const isWhole = side === 'left' ? padded.startsWith(text) : padded.endsWith(text);
      return isWhole && textWidth(padded) === Math.max(columns, textWidth(text));
    }),
  );
  t.pass('for all texts');
});
