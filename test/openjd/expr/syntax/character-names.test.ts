import { test } from 'tap';
import { characterNamed } from '../../../../src/openjd/expr/syntax/character-names.ts';

void test('characters are found by name', async (t) => {
  const named: readonly (readonly [string, string])[] = [
    ['LATIN CAPITAL LETTER A', 'A'],
    ['latin small letter a', 'a'],
    ['SPACE', ' '],
    ['GREEK SMALL LETTER ALPHA', 'α'],
    ['BULLET', '•'],
    ['GRINNING FACE', '😀'],
    ['TAG SPACE', '\u{e0020}'],
    ['VARIATION SELECTOR-256', '\u{e01ef}'],
    ['LINE FEED', '\n'],
    ['NULL', '\0'],
    ['ESC', '\x1b'],
    ['LATIN CAPITAL LETTER OI', 'Ƣ'],
    ['LATIN CAPITAL LETTER GHA', 'Ƣ'],
    ['CJK UNIFIED IDEOGRAPH-65E5', '日'],
    ['CJK UNIFIED IDEOGRAPH-20000', '\u{20000}'],
    ['CJK COMPATIBILITY IDEOGRAPH-F900', '\uf900'],
    ['TANGUT IDEOGRAPH-17000', '\u{17000}'],
    ['NUSHU CHARACTER-1B170', '\u{1b170}'],
    ['KHITAN SMALL SCRIPT CHARACTER-18B00', '\u{18b00}'],
    ['HANGUL SYLLABLE GA', '가'],
    ['HANGUL SYLLABLE HAN', '한'],
    ['HANGUL SYLLABLE GGWAELG', '꽭'],
    ['HANGUL SYLLABLE I', '이'],
    ['HANGUL SYLLABLE HIH', '힣'],
  ];
  for (const [name, character] of named) t.equal(characterNamed(name), character, name);
  const nobody = [
    '',
    ' SPACE',
    'LATIN CAPITAL LETTER',
    'HANGUL SYLLABLE ',
    'HANGUL SYLLABLE X',
    'HANGUL SYLLABLE GAGA',
    'CJK UNIFIED IDEOGRAPH-0041',
    'CJK UNIFIED IDEOGRAPH-065E5',
    'CJK UNIFIED IDEOGRAPH-',
    'constructor',
  ];
  for (const name of nobody) t.equal(characterNamed(name), null, name);
});
