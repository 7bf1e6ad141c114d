// Writes src/openjd/expr/syntax/character-name-table.ts from the Unicode Character Database:
//   cat UnicodeData.txt NameAliases.txt | node scripts/character-names.js
// To be run for a new version of Unicode; its licence is in NOTICE.
import { readFileSync, writeFileSync } from 'node:fs';

const TARGET = 'src/openjd/expr/syntax/character-name-table.ts';
/** Names that follow from the code point by a rule, which character-names.ts implements. */
const BY_RULE =
  /^(?:HANGUL SYLLABLE |(?:CJK UNIFIED IDEOGRAPH|CJK COMPATIBILITY IDEOGRAPH|TANGUT IDEOGRAPH|NUSHU CHARACTER|KHITAN SMALL SCRIPT CHARACTER)-)/;
const SHARED = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LINE = 1600;

const rows = readFileSync(0, 'utf8')
  .split('\n')
  .map((line) => line.replace(/#.*/, '').split(';'))
  .filter(([code, name]) => code !== '' && name !== undefined && !name.startsWith('<') && !BY_RULE.test(name))
  .map(([code, name]) => ({ code: Number.parseInt(code, 16), name }))
  .sort((a, b) => a.code - b.code || (a.name < b.name ? -1 : 1));

const lines = [''];
let before = { code: -1, name: '' };
for (const row of rows) {
  let shared = 0;
  while (shared < SHARED.length - 1 && shared < row.name.length && row.name[shared] === before.name[shared])
    shared += 1;
  const place = row.code === before.code + 1 ? '' : `=${row.code.toString(16).toUpperCase()};`;
  const written = `${place}${SHARED[shared]}${row.name.slice(shared)}`;
  if (lines.at(-1).length + written.length > LINE) lines.push('');
  lines[lines.length - 1] += `${written}|`;
  before = row;
}
writeFileSync(
  TARGET,
  `// Written by scripts/character-names.js.

/**
 * The names of Unicode's characters and their aliases, in the order of code points. Between bars: \`=HEX;\` unless the code point is the one after the
 * last, a digit of base 62 for how many characters the name shares with the last one, and the others.
 */
export const CHARACTER_NAMES = \`
${lines.join('\n')}
\`;
`,
);
