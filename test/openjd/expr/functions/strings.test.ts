import fc from 'fast-check';
import { test } from 'tap';
import { evaluated, plain, shown, valueOf } from '../evaluated.ts';

/** Expressions and their results as text. */
const CASES: Readonly<Record<string, readonly (readonly [source: string, result: string])[]>> = {
  'letter case is mapped in full, as Python does': [
    ["upper('straße ŉ ﬁ')", 'STRASSE ʼN FI'],
    ["lower('ΟΔΟΣ İ')", 'οδος i̇'],
    ["capitalize('hELLO wORLD')", 'Hello world'],
    ["capitalize('ßa')", 'Ssa'],
    ["capitalize('ǆAB')", 'ǅab'],
    ["capitalize('')", ''],
    ["capitalize('ΣΑΣ')", 'Σας'],
    ['title("they\'re bill\'s 3rd")', "They'Re Bill'S 3Rd"],
    ["title('ΑΣΑΣ ᾳβ აბ ﬂa')", 'Ασας ᾼβ აბ Fla'],
    ["title('\\u1fb2a \\u1fb7b')", '\u1fba\u0345a \u0391\u0342\u0345b'],
  ],
  'characters are tested by their Unicode classes': [
    ["[x.isdigit() for x in ['٣', '²', '½', '']]", '[true, true, false, false]'],
    ["[x.isalpha() for x in ['ªé日', 'a1', '\\u0301']]", '[true, false, false]'],
    ["[x.isalnum() for x in ['½Ⅷ²a', 'a b', 'a_']]", '[true, false, false]'],
    ["[x.isspace() for x in ['\\t\\x1c\\x85\\u2003', '\\ufeff', '']]", '[true, false, false]'],
    ["[x.isupper() for x in ['A1', 'ⒶⅧ', 'ǅ', '1', 'Aa']]", '[true, true, false, false, false]'],
    ["[x.islower() for x in ['a1', 'ªⓐ', 'ǆ', 'ǅ', '']]", '[true, true, true, false, false]'],
    ["[x.isascii() for x in ['', '\\x7f', '\\x80']]", '[true, true, false]'],
  ],
  'ends are trimmed': [
    ["'\\x1f\\u3000 a b\\x85 '.strip()", 'a b'],
    ["'  a  '.lstrip() + '|'", 'a  |'],
    ["'|' + '  a  '.rstrip()", '|  a'],
    ["'🌍x🌍'.strip('🌍')", 'x'],
    ["'abcba'.lstrip('ab')", 'cba'],
    ["'abcba'.rstrip('ab')", 'abc'],
    ["'aaa'.strip('a')", ''],
    ["'a'.strip('')", 'a'],
    ["removeprefix('abab', 'ab')", 'ab'],
    ["removeprefix('abab', 'b')", 'abab'],
    ["removesuffix('abab', 'ab')", 'ab'],
    ["removesuffix('ab', '')", 'ab'],
  ],
  'positions count code points': [
    ["'🌍🌍a'.find('a')", '2'],
    ["'a🌍a🌍'.rfind('🌍')", '3'],
    ["'aaa'.rindex('aa')", '1'],
    ["'aaaa'.count('aa')", '2'],
    ["'🌍b'[1]", 'b'],
    ["'a🌍'[-1]", '🌍'],
    ["'a🌍b'[::-1]", 'b🌍a'],
    ["'a🌍bc'[1:3]", '🌍b'],
    ["'abc'[5:]", ''],
    ["'abc'[-9:9223372036854775807]", 'abc'],
    ["'abc'[::-9223372036854775808]", 'c'],
    ["len('🌍é')", '2'],
    ["ljust('🌍', 3) + '|'", '🌍  |'],
  ],
  'text is replaced and searched': [
    ["replace('aXbX', 'X', '$&$1')", 'a$&$1b$&$1'],
    ["replace('abab', 'ab', '')", ''],
    ["replace('a', 'b', 'c')", 'a'],
    ["'' in 'a'", 'true'],
    ["'b' not in 'abc'", 'false'],
    ["'abc'.startswith('')", 'true'],
    ["'abc'.endswith('bc')", 'true'],
  ],
  'text is split and joined': [
    ["' a\\x1cb\\u2028c '.split()", '["a", "b", "c"]'],
    ["''.split()", '[]'],
    ["''.split(',')", '[""]'],
    ["'a,b,c'.split(',', 0)", '["a,b,c"]'],
    ["'a,b,c'.rsplit(',', 1)", '["a,b", "c"]'],
    ["'aaaa'.split('aa')", '["", "", ""]'],
    ["'aaa'.rsplit('aa')", '["a", ""]'],
    ["['a', 'b'].join('')", 'ab'],
    ["['a'].join(', ')", 'a'],
    ["[].join(',')", ''],
    ["[path('/a'), path('b')].join(':')", '/a:b'],
    ["join(['a', path('b')], '-')", 'a-b'],
  ],
  'text is padded': [
    ["'|' + center('ab', 5) + '|'", '|  ab |'],
    ["'|' + center('abc', 6) + '|'", '| abc  |'],
    ["'|' + rjust('é', 3) + '|'", '|  é|'],
    ["zfill('', 2)", '00'],
    ["zfill('+', 3)", '+00'],
    ["zfill('--1', 5)", '-00-1'],
    ['zfill(-9223372036854775808, 22)', '-009223372036854775808'],
    ['zfill(2.50, 6)', '002.50'],
    ['zfill(-1.0 * 1e-7, 8)', '-001e-07'],
    ['zfill(5, 1)', '5'],
  ],
  operators: [
    ["'a' + 'b'", 'ab'],
    ["'f' + range_expr('1-6:2,9')", 'f1-5:2,9'],
    ["range_expr('7-8') + '!'", '7,8!'],
    ["'ab' * 0", ''],
    ["'ab' * -9223372036854775808", ''],
    ["'' * 9223372036854775807", ''],
  ],
  'invalid operations are rejected': [
    ["find('a', '')", 'error: find failed: empty substring'],
    ["rfind('a', '')", 'error: rfind failed: empty substring'],
    ["rindex('a', '')", 'error: rindex failed: empty substring'],
    ["index('abc', 'x')", "error: index failed: substring 'x' not found"],
    ["rindex('abc', 'x')", "error: rindex failed: substring 'x' not found"],
    ["index('a', 'x' * 101)", `error: index failed: substring '${'x'.repeat(100)}…' not found`],
    ["count('a', '')", 'error: count failed: empty substring'],
    ["replace('a', '', 'b')", 'error: replace failed: empty old string'],
    ["split('a', '')", 'error: split failed: empty separator'],
    ["rsplit('a', '', 1)", 'error: split failed: empty separator'],
    ["'abc'[3]", 'error: Index 3 out of bounds for string of length 3'],
    ["'🌍'[-2]", 'error: Index -2 out of bounds for string of length 1'],
    ["''[9223372036854775807]", 'error: Index 9223372036854775807 out of bounds for string of length 0'],
    ["'abc'[::0]", 'error: Slice step cannot be zero'],
    ["path('/a').upper()", 'error: upper() is not available for path. Available for: string'],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  test(name, (t) => {
    for (const [source, result] of cases) t.equal(shown(source), result, source);
    t.end();
  });
}

test('operations are counted by calls, elements and text', (t) => {
  const counts: readonly (readonly [source: string, operations: number])[] = [
    ["('a' * 257).upper()", 6],
    ["('abc' * 100).replace('a', 'x')", 6],
    ["'x' in ('a' * 500)", 7],
    ["'hello'.title()", 2],
    ["len('hello')", 1],
    ["'a,b'.split(',')", 4],
    ["['a', 'b'].join(',')", 4],
    ["'a'.ljust(1000)", 5],
    ["re_search('v042', r'v(\\d+)')", 4],
  ];
  for (const [source, operations] of counts) {
    const result = evaluated(source);
    t.equal(result.ok ? result.operations : result.detail, operations, source);
  }
  t.end();
});

test('results that are too large are not built', (t) => {
  const limits = { memory: 1_000_000, operations: 10_000_000 };
  for (const source of [
    "'x' * 9223372036854775807",
    "'xy' * 300000",
    "ljust('', 9223372036854775807)",
    "rjust('a', 600000)",
    "center('a', 600000)",
    'zfill(1, 600000)',
    "('a' * 1000).replace('a', 'b' * 1000)",
    "(',' * 100000).split(',')",
    "('a ' * 50000).split()",
    "[s for s in ['ab' * 1000] * 10].join('-' * 60000)",
    "repr_json('\\x01' * 100000)",
    "repr_py('\\x01' * 150000)",
    'repr_sh("\'" * 100000)',
    "re_sub('a' * 1000, 'a', 'b' * 1000)",
    "re_findall('a' * 100000, 'a')",
    "string(['\\x01' * 1000] * 200)",
  ]) {
    const result = evaluated(source, {}, { limits });
    t.match(
      result.ok ? 'a value' : result.detail,
      /^(Expression memory usage|A string of) .* (exceeded|exceeds) (the )?limit/,
      source,
    );
  }
  t.end();
});

const text = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', ',', 'é', '日', '🌍', '\t', '\u2028'),
  maxLength: 12,
  size: 'max',
});
const bound = fc.option(fc.integer({ min: -15, max: 15 }));

test('splitting and joining are inverse', (t) => {
  fc.assert(
    fc.property(
      text,
      text.filter((sep) => sep !== ''),
      fc.integer({ min: -1, max: 4 }),
      (s, sep, most) => {
        const symbols = { S: s, Sep: sep, N: most };
        t.equal(valueOf('S.split(Sep, N).join(Sep)', symbols), s);
        t.equal(valueOf('S.rsplit(Sep, N).join(Sep)', symbols), s);
        t.same(plain(valueOf('S.split(Sep)', symbols)), s.split(sep));
      },
    ),
  );
  t.end();
});

test('slices use code points like Python', (t) => {
  fc.assert(
    fc.property(
      text,
      bound,
      bound,
      fc.integer({ min: -4, max: 4 }).filter((step) => step !== 0),
      (s, start, stop, step) => {
        const points = Array.from(s);
        const at = (index: number): number => (index < 0 ? index + points.length : index);
        const taken: string[] = [];
        if (step > 0) {
          const end = Math.min(stop === null ? points.length : at(stop), points.length);
          for (let i = start === null ? 0 : Math.max(0, at(start)); i < end; i += step)
            taken.push(points[i] ?? '');
        } else {
          const end = Math.max(stop === null ? -1 : at(stop), -1);
          const first = start === null ? points.length - 1 : Math.min(at(start), points.length - 1);
          for (let i = first; i > end; i += step) taken.push(points[i] ?? '');
        }
        const source = `S[${start ?? ''}:${stop ?? ''}:${step}]`;
        t.equal(valueOf(source, { S: s }), taken.join(''), source);
      },
    ),
  );
  t.end();
});

test('long needles are found like short ones, in both directions', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 60 }), fc.integer({ min: 0, max: 30 }), (size, where) => {
      const needle = `${'ab'.repeat(size)}c`.repeat(20);
      const around = 'ab'.repeat(1000 + where);
      const symbols = { S: `${around}${needle}${needle}${around}`, Needle: needle };
      const first = around.length;
      t.same(plain(valueOf('[S.find(Needle), S.rfind(Needle), S.count(Needle)]', symbols)), [
        first,
        first + needle.length,
        2,
      ]);
      t.equal(valueOf("S.replace(Needle, '') == S[:F] * 2", { ...symbols, F: first }), true);
      t.same(plain(valueOf('S.rsplit(Needle, 1)', symbols)), [`${around}${needle}`, around]);
      t.equal(valueOf("(Needle + 'x') in S", symbols), false);
    }),
    { numRuns: 20 },
  );
  t.end();
});
