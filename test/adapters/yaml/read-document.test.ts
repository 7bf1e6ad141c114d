import { test } from 'tap';
import { readDocument, type DocumentFormat } from '../../../src/adapters/yaml/read-document.ts';
import type { DocumentNode } from '../../../src/openjd/primitives/document.ts';
import { DOCUMENT_LIMITS } from '../../../src/openjd/primitives/document-limits.ts';
import { pointerOf, rootOf, type Located } from '../../../src/openjd/template/located.ts';

/** Converts a tree to plain values. Numbers keep their text, to distinguish them from strings. */
function plain(node: DocumentNode): unknown {
  switch (node.kind) {
    case 'mapping':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
    case 'sequence':
      return node.items.map(plain);
    case 'string':
    case 'boolean':
      return node.value;
    case 'integer':
    case 'float':
      return { [node.kind]: node.text };
    case 'null':
      return null;
  }
}

function read(text: string, format: DocumentFormat = 'yaml'): DocumentNode {
  const result = readDocument(text, format);
  if (!result.ok) throw new Error(result.errors.map((error) => error.detail).join('; '));
  return result.document;
}

/** Formats each error as `line:column detail`. */
function refusal(text: string, format: DocumentFormat = 'yaml'): string[] {
  const result = readDocument(text, format);
  return result.ok ? [] : result.errors.map((error) => `${error.line}:${error.column} ${error.detail}`);
}

void test('YAML is parsed with the core schema of YAML 1.2', (t) => {
  const text = [
    'plain: yes',
    'octal: 0o17',
    'hex: 0xFF',
    'zeros: 007',
    'signed: +5',
    'float: 1.50',
    'exponent: 1e3',
    'infinite: -.inf',
    'true: "true"',
    'empty:',
    'tilde: ~',
    'flag: True',
    "quoted: '12'",
    'block: |',
    '  a',
    '   b',
    'folded: >-',
    '  a',
    '  b',
  ].join('\n');
  t.same(refusal(text), ['9:1 a key must be text; put it in quotes']);
  t.same(plain(read(text.replace('true: "true"', '"true": "true"'))), {
    plain: 'yes',
    octal: { integer: '15' },
    hex: { integer: '255' },
    zeros: { integer: '007' },
    signed: { integer: '+5' },
    float: { float: '1.50' },
    exponent: { float: '1e3' },
    infinite: { float: '-.inf' },
    true: 'true',
    empty: null,
    tilde: null,
    flag: true,
    quoted: '12',
    block: 'a\n b\n',
    folded: 'a b',
  });
  t.end();
});

void test('JSON numbers keep their text', (t) => {
  t.same(plain(read('{"a": [1, -0, 1.0, 1e400, 12345678901234567890], "b": {"__proto__": "x"}}', 'json')), {
    a: [
      { integer: '1' },
      { integer: '-0' },
      { float: '1.0' },
      { float: '1e400' },
      { integer: '12345678901234567890' },
    ],
    b: Object.fromEntries([['__proto__', 'x']]),
  });
  t.same(plain(read('"\\u00e9\\ud83d\\ude00\\n\\/"', 'json')), 'é😀\n/');
  t.end();
});

void test('every node has its line and column', (t) => {
  for (const [format, text] of [
    ['yaml', 'a:\n  - b\n  - c: "d"\n'],
    ['json', '{"a":\n [ "b",\n  {"c":\n"d"}]}'],
  ] as const) {
    const positions: string[] = [];
    const walk = (at: Located): void => {
      positions.push(`${pointerOf(at)} ${at.node.line}:${at.node.column}`);
      const { node } = at;
      if (node.kind === 'mapping') {
        for (const entry of node.entries) walk({ node: entry.value, parent: at, key: entry.key });
      }
      if (node.kind === 'sequence') {
        for (const [key, item] of node.items.entries()) walk({ node: item, parent: at, key });
      }
    };
    walk(rootOf(read(text, format)));
    t.same(
      positions,
      format === 'yaml'
        ? [' 1:1', '/a 2:3', '/a/0 2:5', '/a/1 3:5', '/a/1/c 3:8']
        : [' 1:1', '/a 2:2', '/a/0 2:4', '/a/1 3:3', '/a/1/c 4:1'],
      format,
    );
  }
  t.end();
});

void test('aliases are resolved and share their node', (t) => {
  t.same(plain(read('a: &x [1, 2]\nb: *x\nc: {d: *x}')), {
    a: [{ integer: '1' }, { integer: '2' }],
    b: [{ integer: '1' }, { integer: '2' }],
    c: { d: [{ integer: '1' }, { integer: '2' }] },
  });
  t.same(refusal('a: &x [*x]'), ['1:8 the alias "x" refers to itself']);
  t.same(refusal('a: *nothing').length > 0, true);
  t.end();
});

void test('anything but one plain YAML document is rejected with its position', (t) => {
  t.same(refusal('a: 1\n---\nb: 2'), ['3:1 has more than one document; remove the line ---']);
  t.same(refusal(''), ['1:1 is empty']);
  t.same(refusal('# nothing\n'), ['1:1 is empty']);
  t.same(refusal('a: !!str 1'), ['1:4 tags are not supported; remove it, or put the text in quotes']);
  t.same(refusal('%YAML 1.1\n---\na: yes'), ['1:1 directives are not supported; remove this line']);
  t.same(refusal('a: 1\nb: 2\na: 3'), ['3:1 the key "a" occurs twice']);
  t.same(refusal('a:\n\t- b'), ['2:1 is not YAML: Tabs are not allowed as indentation; use spaces']);
  t.same(refusal('a: \u0007'), [
    '1:4 contains the character U+0007, which YAML allows only as an escape in double quotes',
  ]);
  t.same(refusal('a: "b'), ['1:6 is not YAML: Missing closing "quote; close the quote']);
  t.same(refusal('? [a]\n: b'), ['1:3 a key must be text; put it in quotes']);
  t.same(refusal('a: b: c').length, 1);
  t.same(plain(read('\uFEFFa: 1')), { a: { integer: '1' } }, 'a leading byte order mark is skipped');
  t.end();
});

void test('anything but strict JSON is rejected with its position', (t) => {
  t.same(refusal('{"a": 1,}', 'json'), ['1:9 is not JSON: a key in double quotes is expected, not "}"']);
  t.same(refusal("{'a': 1}", 'json'), ['1:2 is not JSON: a key in double quotes is expected, not "\'"']);
  t.same(refusal('{"a": 01}', 'json'), ['1:8 is not JSON: "," or "}" is expected, not "1"']);
  t.same(refusal('[1 2]', 'json'), ['1:4 is not JSON: "," or "]" is expected, not "2"']);
  t.same(refusal('{"a": NaN}', 'json'), ['1:7 is not JSON: a value is expected, not "N"']);
  t.same(refusal('{"a": 1} x', 'json'), ['1:10 is not JSON: the end of the document is expected, not "x"']);
  t.same(refusal('{"a"\n: 1,\n"a": 2}', 'json'), ['3:1 the key "a" occurs twice']);
  t.same(refusal('"a\nb"', 'json'), ['1:3 a control character in a string must be written as an escape']);
  t.same(refusal('"\\x"', 'json'), ['1:2 invalid JSON escape']);
  t.same(refusal('a: "\\ud800"', 'yaml'), ['1:4 this string has half of a surrogate pair']);
  t.same(refusal('"\\ud800"', 'json'), ['1:1 this string has half of a surrogate pair']);
  t.same(refusal('"a', 'json'), ['1:1 this string has no end']);
  t.same(refusal('', 'json'), ['1:1 is not JSON: a value is expected, not the end of the text']);
  t.end();
});

void test('an unreadable text has the pointer of the innermost node around the error', (t) => {
  const step = 'name: A\nsteps:\n  - name: S\n';
  for (const [text, pointer, format] of [
    [`${step}\tscript: {}\n`, '/steps/0'],
    [
      `${step}    script:\n      actions:\n        onRun:\n          command: a: b\n`,
      '/steps/0/script/actions/onRun/command',
    ],
    [`${step}    script:\n      actions: {onRun: {command: "a}\n`, '/steps/0/script/actions/onRun/command'],
    [`${step}    script: {args: [1, 2}\n`, '/steps/0/script/args/1'],
    [`${step}    script: @a\n`, '/steps/0/script'],
    [`${step}    script: !x a\n`, '/steps/0/script'],
    [`${step}    script: a\u0007b\n`, '/steps/0/script'],
    [`${step}    script: {{Param.A}}\n`, '/steps/0/script'],
    [`${step}    script: {{Param.A}}/x\n`, '/steps/0/script'],
    [`${step}    args:\n    - {{Param.A}} -x\n`, '/steps/0/args/0'],
    [`${step}    name: T\n`, '/steps/0/name'],
    [`${step}    script:a\n`, '/steps/0'],
    [`${step}    script: *x\n`, '/steps/0/script'],
    [`${step}bad\n`, ''],
    [`${step}a/b~c: @x\n`, '/a~1b~0c'],
    [`a: ${'['.repeat(100)}`, `/a${'/0'.repeat(63)}`],
    ['a: 1\n---\nb: 2', ''],
    ['{"a": [1, {"b": 2 3}]}', '/a/1', 'json'],
    ['{"a": {"b": [}}', '/a/b/0', 'json'],
    ['{"a": {"b": 1, "b": 2}}', '/a/b', 'json'],
    [`{"a": ${'['.repeat(100)}`, `/a${'/0'.repeat(63)}`, 'json'],
  ] as const) {
    const result = readDocument(text, format ?? 'yaml');
    t.same(result.ok ? null : result.errors[0]?.pointer, pointer, text.slice(0, 60));
  }
  t.end();
});

void test('an error at the end of a text is at its last line, once for each place', (t) => {
  t.same(refusal('a: {b: "c}\n\n'), ['1:11 is not YAML: Missing closing "quote; close the quote']);
  t.match(refusal('a: [b,\n\n'), [/^1:7 .* end with a \]; close the bracket/]);
  t.end();
});

void test('hostile nesting is rejected in every style', (t) => {
  const deep = /is nested deeper than 64 levels/;
  const many = 10_000;
  for (const text of [
    '['.repeat(many),
    '{'.repeat(many),
    '[{'.repeat(many),
    '['.repeat(many) + ']'.repeat(many),
    '- '.repeat(many) + 'a',
    '? '.repeat(many) + 'a',
    ': '.repeat(many),
    'a: '.repeat(many),
    '[' + 'a: '.repeat(many),
    '[' + '- '.repeat(many),
    '[' + '? '.repeat(many),
    '[a: ' + '[] : '.repeat(many),
    '[]: '.repeat(many),
    '[a: - '.repeat(many),
    '&a - '.repeat(many),
    Array.from({ length: 2000 }, (_, index) => `${' '.repeat(index)}- `).join('\n'),
    Array.from({ length: 2000 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
  ]) {
    t.match(refusal(text)[0], deep, text.slice(0, 20));
  }
  t.match(refusal('['.repeat(many), 'json')[0], deep);
  t.match(refusal('{"a":'.repeat(many), 'json')[0], deep);
  t.end();
});

void test('the depth limit is exact in both formats', (t) => {
  const { maxDepth } = DOCUMENT_LIMITS;
  const flow = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const block = (depth: number): string => `${'- '.repeat(depth - 1)}[]`;
  const keys = (depth: number): string =>
    Array.from({ length: depth }, (_, index) => `${'  '.repeat(index)}key:`).join('\n');
  for (const [name, text] of [
    ['flow', flow],
    ['block', block],
    ['keys', keys],
  ] as const) {
    t.same(refusal(text(maxDepth)), [], `${name} at the limit`);
    t.match(refusal(text(maxDepth + 1))[0], /is nested deeper/, `${name} beyond the limit`);
  }
  t.same(refusal(flow(maxDepth), 'json'), []);
  t.match(refusal(flow(maxDepth + 1), 'json')[0], /is nested deeper/);
  t.end();
});

void test('an alias counts each time it is used, with its depth', (t) => {
  const laughs = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 8; level++) {
    const [name, below] = ['abcdefgh'[level], 'abcdefgh'[level - 1]];
    laughs.push(`${name}: &${name} [${Array(10).fill(`*${below}`).join(', ')}]`);
  }
  t.match(refusal(laughs.join('\n'))[0], /more than 100000 nodes when aliases are followed/);

  const half = `${'['.repeat(40)}${']'.repeat(40)}`;
  t.match(refusal(`a: &a ${half}\nb: ${'['.repeat(40)}*a${']'.repeat(40)}`)[0], /is nested deeper/);
  t.end();
});

void test('size is limited in characters, nodes and tokens', (t) => {
  const limits = { maxCharacters: 100, maxDepth: 64, maxNodes: 10, maxTokens: 40 };
  const errors = (text: string, format: DocumentFormat): string[] => {
    const result = readDocument(text, format, limits);
    return result.ok ? [] : result.errors.map((error) => error.detail);
  };
  t.same(errors(`"${'x'.repeat(100)}"`, 'json'), ['is longer than 100 characters']);
  t.same(errors(`"${'x'.repeat(100)}"`, 'yaml'), ['is longer than 100 characters']);
  t.same(errors(`[${'1,'.repeat(10)}1]`, 'json'), ['has more than 10 nodes']);
  t.same(errors(`[${'1,'.repeat(10)}1]`, 'yaml'), ['has more than 10 nodes']);
  t.same(errors(`${'#\n'.repeat(30)}a`, 'yaml'), ['has more than 40 tokens']);
  t.end();
});
