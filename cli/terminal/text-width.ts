/** Width of text in terminal columns: most characters take one, East Asian and emoji two, marks none. */

/** Ranges of wide or fullwidth code points (Unicode 16, East_Asian_Width), without emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d37f],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | null = null;

/** Splits text into user-perceived characters, such as a letter with its marks or a flag. */
function graphemesOf(text: string): readonly string[] {
  if (ASCII.test(text)) return text.split('');
  // Its creation takes as long as several modules to load.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  const code = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Returns the columns of a text without control characters. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** Returns the beginning of the text that fits `columns`, with `mark` at its end if it was cut. */
export function cutText(text: string, columns: number, mark = '…'): string {
  if (textWidth(text) <= columns) return text;
  const room = columns - textWidth(mark);
  if (room < 0) return '';
  let width = 0;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    width += graphemeWidth(grapheme);
    if (width > room) break;
    kept += grapheme;
  }
  return kept + mark;
}

/** Pads the text with blanks to `columns`, after it or before it. */
export function padText(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return side === 'right' ? blanks + text : text + blanks;
}
