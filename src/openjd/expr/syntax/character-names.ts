import { CHARACTER_NAMES } from './character-name-table.ts';

/**
 * Returns the character that has a name or alias in Unicode (version 14), case-insensitively; null if there is none.
 */
export function characterNamed(name: string): string | null {
  const upper = name.toUpperCase();
  const code = byRule(upper) ?? listed().get(upper);
  return code === undefined ? null : String.fromCodePoint(code);
}

const ROW = /^(?:=(?<code>[0-9A-F]+);)?(?<shared>[0-9A-Za-z])(?<rest>.*)$/s;
const SHARED = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Built when the first character name is used: few expressions have one. */
let names: ReadonlyMap<string, number> | null = null;

function listed(): ReadonlyMap<string, number> {
  if (names !== null) return names;
  const made = new Map<string, number>();
  let before = '';
  let code = -1;
  for (const row of CHARACTER_NAMES.replaceAll('\n', '').split('|')) {
    const { code: written, shared = '', rest = '' } = ROW.exec(row)?.groups ?? {};
    if (shared === '') continue;
    code = written === undefined ? code + 1 : Number.parseInt(written, 16);
    before = before.slice(0, SHARED.indexOf(shared)) + rest;
    made.set(before, code);
  }
  names = made;
  return made;
}

/** Prefixes of names that end with their code point, with the ranges of code points. */
const NUMBERED: readonly (readonly [prefix: string, ranges: readonly (readonly [number, number])[]])[] = [
  [
    'CJK UNIFIED IDEOGRAPH-',
    [
      [0x3400, 0x4dbf],
      [0x4e00, 0x9fff],
      [0x20000, 0x2a6df],
      [0x2a700, 0x2b738],
      [0x2b740, 0x2b81d],
      [0x2b820, 0x2cea1],
      [0x2ceb0, 0x2ebe0],
      [0x30000, 0x3134a],
    ],
  ],
  [
    'CJK COMPATIBILITY IDEOGRAPH-',
    [
      [0xf900, 0xfa6d],
      [0xfa70, 0xfad9],
      [0x2f800, 0x2fa1d],
    ],
  ],
  [
    'TANGUT IDEOGRAPH-',
    [
      [0x17000, 0x187f7],
      [0x18d00, 0x18d08],
    ],
  ],
  ['NUSHU CHARACTER-', [[0x1b170, 0x1b2fb]]],
  ['KHITAN SMALL SCRIPT CHARACTER-', [[0x18b00, 0x18cd5]]],
];

const HANGUL = 'HANGUL SYLLABLE ';
const LEADS = [
  'G',
  'GG',
  'N',
  'D',
  'DD',
  'R',
  'M',
  'B',
  'BB',
  'S',
  'SS',
  '',
  'J',
  'JJ',
  'C',
  'K',
  'T',
  'P',
  'H',
];
const VOWELS = 'A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I'.split(' ');
const TAILS = ' G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H'.split(' ');
const SYLLABLE = /^(?<lead>[^AEIOUWY]*)(?<vowel>[AEIOUWY]+)(?<tail>[^AEIOUWY]*)$/;
const FIRST_SYLLABLE = 0xac00;

/** Returns the code point of a name that is derived by a rule (Unicode Standard, section 4.8). */
function byRule(name: string): number | undefined {
  if (name.startsWith(HANGUL)) return syllable(name.slice(HANGUL.length));
  const [prefix, ranges = []] = NUMBERED.find(([start]) => name.startsWith(start)) ?? [''];
  const digits = name.slice(prefix.length);
  if (ranges.length === 0 || !/^(?:[1-9A-F][0-9A-F]{4}|[0-9A-F]{4})$/.test(digits)) return undefined;
  const code = Number.parseInt(digits, 16);
  return ranges.some(([first, last]) => code >= first && code <= last) ? code : undefined;
}

function syllable(written: string): number | undefined {
  const { lead = '-', vowel = '-', tail = '-' } = SYLLABLE.exec(written)?.groups ?? {};
  const parts = [LEADS.indexOf(lead), VOWELS.indexOf(vowel), TAILS.indexOf(tail)] as const;
  if (parts.includes(-1)) return undefined;
  return FIRST_SYLLABLE + (parts[0] * VOWELS.length + parts[1]) * TAILS.length + parts[2];
}
