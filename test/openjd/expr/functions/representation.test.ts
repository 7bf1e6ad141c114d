import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { test } from 'tap';
import { listOfType, type Value } from '../../../../src/openjd/expr/values/value.ts';
import { listType, STRING } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { evaluated, shown } from '../evaluated.ts';

const CASES: Readonly<Record<string, readonly (readonly [source: string, result: string])[]>> = {
  'repr_py writes what Python writes': [
    ["repr_py('it\\'s')", `"it's"`],
    ["repr_py('it\\'s \"x\"')", `'it\\'s "x"'`],
    [
      "repr_py('a\\n\\t\\r\\\\\\x00\\x7f\\xa0\\xad\\u2028\\ue000🌍é')",
      "'a\\n\\t\\r\\\\\\x00\\x7f\\xa0\\xad\\u2028\\ue000🌍é'",
    ],
    ["repr_py('\\U000E0001')", "'\\U000e0001'"],
    ['repr_py([[true], [false]])', '[[True], [False]]'],
    ['repr_py(null)', 'None'],
    ['repr_py(-9223372036854775808)', '-9223372036854775808'],
    ['repr_py(3.500)', '3.5'],
    ['repr_py([1e16, 1e-7, 2.0])', '[1e+16, 1e-07, 2.0]'],
    ["repr_py(range_expr('1,2,3'))", "'1-3'"],
    ["repr_py(path('/a b'))", "'/a b'"],
    ['repr_py([])', '[]'],
  ],
  'repr_json writes ASCII': [
    [
      "repr_json('é🌍\\x1f\\x7f\\u2028\"\\\\/\\b')",
      '"\\u00e9\\ud83c\\udf0d\\u001f\\u007f\\u2028\\"\\\\/\\b"',
    ],
    ['repr_json([[1, 2], []])', '[[1, 2], []]'],
    ["repr_json([path('a'), path('b')])", '["a", "b"]'],
    ['repr_json(1.0)', '1.0'],
    ['repr_json(null)', 'null'],
    ["repr_json(range_expr('1-3'))", '"1-3"'],
  ],
  'repr_sh quotes what a shell would read': [
    ["repr_sh('')", "''"],
    ["repr_sh('a_B9@%+=:,./-')", 'a_B9@%+=:,./-'],
    ["repr_sh('é')", "'é'"],
    ['repr_sh("it\'s")', `'it'"'"'s'`],
    ["repr_sh(['echo', 'a b', ''])", "echo 'a b' ''"],
    ["repr_sh([path('/a b'), path('c')])", "'/a b' c"],
    ['repr_sh([])', ''],
    ["repr_sh('a\\x00')", 'error: Cannot shell-quote a string that contains a null byte'],
  ],
  'repr_cmd escapes for batch files': [
    ["repr_cmd('100%')", '"100%%"'],
    ["repr_cmd('a ^ b')", '"a ^^ b"'],
    ['repr_cmd(\'say "hi"\')', '"say ^"hi^""'],
    ["repr_cmd('a\\r\\nb')", 'ab'],
    ["repr_cmd('a\\tb')", '"a\tb"'],
    ["repr_cmd('a;b,c=d')", 'a;b,c=d'],
    ["repr_cmd('')", '""'],
    ["repr_cmd(['a', 'b c'])", 'a "b c"'],
    ["repr_cmd([path('/a b')])", '"/a b"'],
  ],
  'repr_pwsh writes literals': [
    ["repr_pwsh('it\\'s ’quoted‘')", "'it''s ’’quoted‘‘'"],
    ['repr_pwsh(1.50)', '1.50'],
    ['repr_pwsh([1.0, 2.0])', '@(1.0, 2.0)'],
    ['repr_pwsh([true, false])', '@($true, $false)'],
    ['repr_pwsh([])', '@()'],
    ["repr_pwsh([['a']])", "@(,@('a'))"],
    ['repr_pwsh([[1], [2, 3]])', '@(@(1), @(2, 3))'],
    ["repr_pwsh(path('/a'))", "'/a'"],
  ],
  'values as text': [
    ['string([1.50, 2.0 * 2])', '[1.50, 4.0]'],
    ["string(['é\\n\"', '\\x7f'])", '["é\\n\\"", "\x7f"]'],
    ["string([path('/a')])", '["/a"]'],
    ['string([[1], []])', '[[1], []]'],
    ['string(1e16 + 0.0)', '1e+16'],
    ['string(-0.0)', '0.0'],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  test(name, (t) => {
    for (const [source, result] of cases) t.equal(shown(source), result, source);
    t.end();
  });
}

test('each function accepts only the types that it can write', (t) => {
  for (const source of ['repr_sh([[1]])', 'repr_pwsh(null)', 'repr_cmd([[1]])']) {
    const given = evaluated(source);
    t.match(given.ok ? 'a value' : given.detail, /^No matching signature for /, source);
  }
  t.end();
});

const strings = fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { maxLength: 6 });
const listFrom = (items: readonly string[]): Value => listOfType(listType(STRING), items);

test('JSON round-trips in ASCII with all characters', (t) => {
  fc.assert(
    fc.property(strings, (items) => {
      const symbols = { L: listFrom(items) };
      const ascii = shown('repr_json(L)', symbols);
      t.same(JSON.parse(ascii), items);
      t.match(ascii, /^[\x20-\x7e]*$/);
      t.same(JSON.parse(shown('string(L)', symbols)), items);
    }),
  );
  t.end();
});

test('a shell parses quoted words back to the original', (t) => {
  const items = [
    '',
    'a b',
    "it's",
    '$HOME `id` $(id)',
    '"x"\\',
    'a\nb',
    '-n',
    '*',
    '~',
    'é🌍',
    '!',
    '#',
    ';&|<>',
    "''",
  ];
  const script = `printf '%s\\0' ${shown('repr_sh(L)', { L: listFrom(items) })}`;
  const read = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  t.same(read.split('\0').slice(0, -1), items);
  t.end();
});
