/**
 * Terminal escape sequences in task output (ECMA-48, colors of xterm). Styles (SGR) and links (OSC 8) are rendered,
 * all others removed.
 */

/** Index into the palette of 256 colors, or a true color as `#rrggbb`. */
export type Color = number | `#${string}`;

export interface Style {
  readonly foreground: Color | null;
  readonly background: Color | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  readonly isInverse: boolean;
}

/** Text with one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
  /** Only http and https. */
  readonly href: string | null;
}

export const PLAIN: Style = {
  foreground: null,
  background: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isInverse: false,
};

const ESC = '\u001b';
/** A sequence that is cut off at the end of the text also matches. */
const SEQUENCE = new RegExp(
  [
    `${ESC}\\[(?<sgr>[0-9;:]*)m`,
    `${ESC}\\]8;[^;\u0007${ESC}]*;(?<href>[^\u0007${ESC}]*)(?:\u0007|${ESC}\\\\)`,
    `${ESC}\\[[0-?]*[ -/]*(?:[@-~]|$)`,
    `${ESC}[\\]PX^_][^\u0007${ESC}]*(?:\u0007|${ESC}\\\\|$)`,
    `${ESC}(?:[ -/]*[0-~]|$)`,
    '[\u0000-\u0008\u000b-\u001f\u007f]',
  ].join('|'),
  'g',
);
const SPECIAL = new RegExp('[\u0000-\u0008\u000b-\u001f\u007f]');

/** Reports whether a text contains control characters. */
export const isSpecial = (text: string): boolean => SPECIAL.test(text);

/** Returns the text without escape sequences and control characters. */
export const stripped = (text: string): string => (isSpecial(text) ? text.replace(SEQUENCE, '') : text);

/** Returns the style at the end of a text that starts with `style`. */
export function styleAfter(text: string, style: Style): Style {
  if (!text.includes(ESC)) return style;
  let after = style;
  for (const { groups } of text.matchAll(SEQUENCE))
    if (groups?.['sgr'] !== undefined) after = applied(groups['sgr'], after);
  return after;
}

/** Splits a text that starts with `style` into spans; omits empty ones. */
export function spansOf(text: string, style: Style): readonly Span[] {
  if (!isSpecial(text)) return text === '' ? [] : [{ text, style, href: null }];
  const spans: Span[] = [];
  let now = style;
  let href: string | null = null;
  let from = 0;
  const add = (to: number): void => {
    if (to === from) return;
    const last = spans.at(-1);
    const piece = text.slice(from, to);
    if (last?.style === now && last.href === href)
      spans[spans.length - 1] = { ...last, text: last.text + piece };
    else spans.push({ text: piece, style: now, href });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    const { sgr, href: address } = match.groups ?? {};
    if (sgr !== undefined) now = applied(sgr, now);
    if (address !== undefined) href = webAddress(address);
  }
  add(text.length);
  return spans;
}

/** Accepts only web addresses: a task controls the links in its log, and other users see them. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : null;
}

/** Applies the parameters of one SGR sequence in order. */
function applied(parameters: string, before: Style): Style {
  const style: { -readonly [Key in keyof Style]: Style[Key] } = { ...before };
  const codes = parameters.split(';');
  for (let at = 0; at < codes.length; at++) {
    const [head = '', ...subs] = (codes[at] ?? '').split(':');
    const code = head === '' ? 0 : Number(head);
    if (code === 38 || code === 48) {
      // `38;5;n` continues in the following parameters; `38:5:n` contains them.
      const given = subs.length > 0 ? { color: colorOf(subs, true), taken: 0 } : taken(codes.slice(at + 1));
      at += given.taken;
      if (given.color !== null) style[code === 38 ? 'foreground' : 'background'] = given.color;
    } else if (code === 0) Object.assign(style, PLAIN);
    else applyOne(code, subs[0], style);
  }
  return same(style, before) ? before : style;
}

function applyOne(
  code: number,
  sub: string | undefined,
  style: { -readonly [Key in keyof Style]: Style[Key] },
): void {
  if (code === 1) style.isBold = true;
  else if (code === 2) style.isDim = true;
  else if (code === 3) style.isItalic = true;
  else if (code === 4) style.isUnderlined = sub !== '0';
  else if (code === 7) style.isInverse = true;
  else if (code === 9) style.isStruck = true;
  else if (code === 21) style.isUnderlined = true;
  else if (code === 22) style.isBold = style.isDim = false;
  else if (code === 23) style.isItalic = false;
  else if (code === 24) style.isUnderlined = false;
  else if (code === 27) style.isInverse = false;
  else if (code === 29) style.isStruck = false;
  else if (code >= 30 && code <= 37) style.foreground = code - 30;
  else if (code === 39) style.foreground = null;
  else if (code >= 40 && code <= 47) style.background = code - 40;
  else if (code === 49) style.background = null;
  else if (code >= 90 && code <= 97) style.foreground = code - 82;
  else if (code >= 100 && code <= 107) style.background = code - 92;
}

function taken(following: readonly string[]): { color: Color | null; taken: number } {
  if (following[0] === '5') return { color: colorOf(following.slice(0, 2), false), taken: 2 };
  if (following[0] === '2') return { color: colorOf(following.slice(0, 4), false), taken: 4 };
  return { color: null, taken: following.length };
}

/** Parses `5 n` or `2 r g b`; with colons, a color space may come before the channels. */
function colorOf(parts: readonly string[], isColons: boolean): Color | null {
  const numbers = parts.slice(1).map(Number);
  if (numbers.some((number) => !(number >= 0 && number <= 255))) return null;
  if (parts[0] === '5') return numbers[0] ?? null;
  if (parts[0] !== '2') return null;
  const channels = isColons && numbers.length > 3 ? numbers.slice(1, 4) : numbers.slice(0, 3);
  if (channels.length < 3) return null;
  return hexOf(channels);
}

/** Formats channels from 0 to 255 as `#rrggbb`. */
const hexOf = (channels: readonly number[]): `#${string}` =>
  `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;

const same = (one: Style, other: Style): boolean =>
  one.foreground === other.foreground &&
  one.background === other.background &&
  one.isBold === other.isBold &&
  one.isDim === other.isDim &&
  one.isItalic === other.isItalic &&
  one.isUnderlined === other.isUnderlined &&
  one.isStruck === other.isStruck &&
  one.isInverse === other.isInverse;

/** Returns a text that identifies a style. */
export const styleKey = (style: Style): string => JSON.stringify(Object.values(style));

const STEPS = [0, 95, 135, 175, 215, 255];

/** Returns a palette color from index 16 as `#rrggbb`: the color cube and the grays of xterm. */
export function paletteColor(index: number): string {
  const channels =
    index >= 232
      ? [8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10]
      : [
          STEPS[Math.floor((index - 16) / 36)] ?? 0,
          STEPS[Math.floor((index - 16) / 6) % 6] ?? 0,
          STEPS[(index - 16) % 6] ?? 0,
        ];
  return hexOf(channels);
}
