import fc from 'fast-check';
import { test } from 'tap';
import { evaluated, plain, shown, valueOf } from '../evaluated.ts';

const CASES: Readonly<Record<string, readonly (readonly [source: string, result: string])[]>> = {
  'matches and their groups': [
    ["re_match('v042_final', r'v(\\d+)')", '["v042", "042"]'],
    ["re_match('asset_v042', r'v(\\d+)')", 'null'],
    ["re_search('diffuse.1023.tx', r'\\.(10\\d{2})\\.')[1]", '1023'],
    ["re_search('ab', r'(x)?b')", '["b", ""]'],
    ["re_search('aXb', r'(?P<first>[A-Z])(?:b)')", '["Xb", "X"]'],
    ["re_match('abc', '.*?')", '[""]'],
    ["re_search('x', 'y') == null", 'true'],
  ],
  'all matches': [
    ["re_findall('v1.2 v3.4', r'v(\\d)\\.(\\d)')", '[["1", "2"], ["3", "4"]]'],
    ["re_findall('aab', 'a*')", '["aa", ""]'],
    ["re_findall('🌍🌍', '')", 'error: Empty regex pattern is not allowed'],
    ["re_findall('🌍a🌍', 'x?')", '["", "", "", ""]'],
    ["re_findall('b', '(a)|b')", '[""]'],
    ["re_findall('none', '(x)(y)')", '[]'],
  ],
  'replacing and splitting': [
    ["re_sub('a1b22', r'\\d+', '<>')", 'a<>b<>'],
    ["re_sub('abc', 'x*', '-')", '-a-b-c-'],
    ["re_sub('a', 'a', '$name ${HOME} $F4 \\\\n')", '$name ${HOME} $F4 \\n'],
    ["re_sub('a', 'a', r'\\1')", 'error: Group references in replacement strings are not supported'],
    ["re_sub('a', 'b', '${12}')", 'error: Group references in replacement strings are not supported'],
    ["re_sub('a', 'b', r'\\g<name>')", 'error: Group references in replacement strings are not supported'],
    ["re_split('a1b22c', r'\\d+')", '["a", "b", "c"]'],
    ["re_split('a1b', r'(\\d)')", '["a", "b"]'],
    ["re_split('a1b2c', r'\\d', 1)", '["a", "b2c"]'],
    ["re_split('a1b2c', r'\\d', 0)", '["a", "b", "c"]'],
    ["re_split('a1b2c', r'\\d', -1)", '["a1b2c"]'],
    ["re_split('ab', 'x*')", '["", "a", "b", ""]'],
  ],
  'character classes follow Unicode': [
    ["re_findall('é1_٣²🌍', r'\\w')", '["é", "1", "_", "٣", "²"]'],
    ["re_findall('1٣²', r'\\d')", '["1", "٣"]'],
    ["re_findall('a\\u2003\\x1cb', r'\\S')", '["a", "b"]'],
    ["re_findall('éa-1_', r'[^\\W\\d_]')", '["é", "a"]'],
    ["re_findall('é-_', r'[\\W_]')", '["-", "_"]'],
    ["re_findall('café été', r'\\b\\w')", '["c", "é"]'],
    ["re_search('ça va', r'\\bva\\b')", '["va"]'],
    ["re_match('été', r'\\bété\\b')", '["été"]'],
    ["re_search('xété', r'\\bété')", 'null'],
    ["re_findall('éa', r'\\B.')", '["a"]'],
    ["re_sub('𝐀b c', r'\\b', '|')", '|𝐀b| |c|'],
    ["re_match('x é', r'^\\bx')", '["x"]'],
    ["re_search('a é', r'^\\bé')", 'null'],
    ["re_search('É', '(?i)é')", '["É"]'],
  ],
  'syntax of both languages': [
    ["re_match('A', r'\\x41\\u0041?\\U00000041?')", '["A"]'],
    ["re_match('a]', '[]a]+')", '["a]"]'],
    ["re_match('-a', '[-a]+')", '["-a"]'],
    ["re_match('a-', '[a-]+')", '["a-"]'],
    ["re_match('?', '[(?=]')", '["?"]'],
    ["re_match('a\\nb', '(?s)a.b')", '["a\\nb"]'],
    ["re_search('a\\nb', '(?m)^b$')", '["b"]'],
    ["re_search('a\\n', 'a$')", 'null'],
    ["re_match('Ab', '(?i:a)b')", '["Ab"]'],
    ["re_match('aaa', 'a{2,}')", '["aaa"]'],
    ["re_match('aaa', 'a{1}')", '["a"]'],
    ["re_match('}', '}')", '["}"]'],
    ["re_match('\\t', r'\\t')", '["\\t"]'],
    ["re_match('a b#', r'a\\ b\\#')", '["a b#"]'],
    ["re_escape('file[1].txt a-b~#&')", 'file\\[1\\]\\.txt a\\-b\\~\\#\\&'],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  test(name, (t) => {
    for (const [source, result] of cases) t.equal(shown(source), result, source);
    t.end();
  });
}

test('features that Python and Rust do not share are rejected by name', (t) => {
  const features: readonly (readonly [pattern: string, feature: string])[] = [
    ['a(?=b)', 'lookahead'],
    ['a(?!b)', 'negative lookahead'],
    ['(?<=a)b', 'lookbehind'],
    ['(?<!a)b', 'negative lookbehind'],
    ['(a)\\1', 'backreferences'],
    ['(?P<n>a)(?P=n)', 'named backreferences'],
    ['(a)\\k<n>', 'named backreferences'],
    ['(a)?(?(1)b|c)', 'conditional patterns'],
    ['a\\Z', 'end-of-string anchor \\Z'],
    ['a\\z', 'end-of-string anchor \\z'],
    ['\\x{41}', 'Unicode brace escape \\x{...}'],
    ['\\u{0041}', 'Unicode brace escape \\u{...}'],
    ['[\\U{41}]', 'Unicode brace escape \\U{...}'],
    ['\\pL', 'Unicode property class \\p'],
    ['[[:alpha:]]', 'POSIX character classes'],
    ['[a[b]]', 'an unescaped [ in a character class'],
    ['[a&&b]', 'set operator && in a character class'],
    ['(?>a)', 'atomic groups'],
    ['(?#a)', 'comments'],
    ['a++', 'possessive quantifiers'],
    ['(?x)a', 'inline flags (?x)'],
    ['a(?i)b', 'flags for the rest of the pattern anywhere but at its start'],
    ['(?<n>a)', 'named group (?<name>...), write (?P<name>...)'],
  ];
  for (const [pattern, feature] of features) {
    const given = evaluated('re_search(S, P)', { S: 'a', P: pattern });
    t.equal(given.ok ? 'a value' : given.detail, `Unsupported regex feature: ${feature}`, pattern);
  }
  const invalid = [
    'a(',
    'a)',
    '(',
    '*a',
    'a**',
    'a{2}{3}',
    '^*',
    '\\b+',
    'a{',
    'a{,2}',
    'a{3,2}',
    'a{1001}',
    '(a{40}){40}',
    '[a',
    '[]',
    '[z-a]',
    '[a-\\d]',
    '[\\d-z]',
    '[\\b]',
    '\\',
    '\\q',
    '\\<',
    '\\x4',
    '\\ud800',
    '\\U00110000',
    '(?P<1>a)',
    '(?P<a>x)(?P<a>y)',
    '(?',
    '(?-)',
    '(?i-)',
  ];
  for (const pattern of invalid) {
    const given = evaluated('re_search(S, P)', { S: 'a', P: pattern });
    t.match(
      given.ok ? 'a value' : given.detail,
      /^Invalid regex pattern: |^Unsupported regex feature: /,
      pattern,
    );
  }
  t.end();
});

test('patterns that are too large are rejected immediately', (t) => {
  for (const pattern of [
    '(a{1000}){1000}',
    '(?:ab){1000}'.repeat(20),
    '\\w{500}',
    '[\\W]'.repeat(1000),
    '(a)'.repeat(500),
    'a'.repeat(200_000),
    '('.repeat(300) + ')'.repeat(300),
  ]) {
    const given = evaluated('re_search(S, P)', { S: 'a', P: pattern });
    t.match(
      given.ok ? 'a value' : given.detail,
      /^(Compiled regex exceeds size limit of 1048576 bytes|Invalid regex pattern: (repetition of more than 1000 times|groups are nested more than 250 deep))$/,
      pattern.slice(0, 20),
    );
  }
  t.end();
});

test('regex work on long texts is counted as operations', (t) => {
  const limits = { memory: 1_000_000, operations: 100_000 };
  for (const [source, symbols] of [
    ["re_search(S, '(?:x+x+)+y')", { S: 'x'.repeat(200_000) }],
    ["re_findall(S, 'x.*y|x')", { S: 'x'.repeat(5000) }],
    ["re_search(S, '((x|y|z)*(x|y)*){50}q')", { S: 'x'.repeat(2000) }],
    ["[re_search('a', 'a{500}' + string(i)) for i in range(1000)]", {}],
  ] as const) {
    const given = evaluated(source, symbols, { limits });
    t.match(
      given.ok ? 'a value' : given.detail,
      /^Expression operation count \(\d+\) exceeded limit \(100000\)$/,
      source,
    );
  }
  const counts = [1, 2].map(() => {
    const given = evaluated("re_findall(S, r'(\\w+) (\\d*)')", { S: 'render 1 '.repeat(200) });
    return given.ok ? given.operations : given.detail;
  });
  t.equal(counts[0], counts[1], 'the count is the same with and without a compiled pattern');
  t.ok(Number(counts[0]) > 400);
  t.end();
});

test('an escaped text matches only itself', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }), (s) => {
      t.same(plain(valueOf('re_match(S, re_escape(S))', { S: s })), [s]);
      t.same(plain(valueOf("re_split('<' + S + '>', re_escape(S))", { S: s })), `<${s}>`.split(s));
    }),
  );
  t.end();
});
