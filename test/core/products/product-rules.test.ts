import { test } from 'tap';
import { isNewerVersion, productTextErrors } from '../../../src/core/products/product-rules.ts';

const TEXTS = {
  name: 'blender/render',
  title: 'Render',
  description: '',
  readme: '',
  category: '',
  version: '',
};

const fieldsOf = (changes: Partial<typeof TEXTS>): readonly string[] =>
  productTextErrors({ ...TEXTS, ...changes }).map(([field]) => field);

test('the name is one slug or two', (t) => {
  for (const name of ['a', '0', 'a-b_c', 'a/b', 'a0/0-_', 'a'.repeat(255)])
    t.same(fieldsOf({ name }), [], name);
  const wrong = [
    '',
    'A',
    '-a',
    '_a',
    'a/',
    '/a',
    'a/b/c',
    'a//b',
    'a b',
    'a.b',
    '../a',
    'a\n',
    'é',
    'a/-b',
    '%2e',
    'a\\b',
  ];
  for (const name of [...wrong, 'a'.repeat(256), '__proto__']) t.same(fieldsOf({ name }), ['name'], name);
  t.end();
});

test('texts have limits in characters, not in UTF-16 units', (t) => {
  t.same(fieldsOf({ description: '🎬'.repeat(500), readme: '🎬'.repeat(8000) }), []);
  t.same(productTextErrors({ ...TEXTS, description: '🎬'.repeat(501), readme: 'x'.repeat(8001) }), [
    ['description', 'must not have more than 500 characters, and has 501'],
    ['readme', 'must not have more than 8000 characters, and has 8001'],
  ]);
  t.same(fieldsOf({ title: ' ', category: 'a\tb', description: 'a\u001b[31m', readme: 'a\tb\r\nc\u0007' }), [
    'title',
    'description',
    'readme',
    'category',
  ]);
  t.end();
});

test('the version is empty or a semantic version', (t) => {
  for (const version of ['', '1.0.0', '0.0.1', '10.20.30-rc.1+build.5', '1.0.0-alpha-x'])
    t.same(fieldsOf({ version }), []);
  for (const version of ['1', '1.0', 'v1.0.0', '01.0.0', '1.0.0-', '1.0.0 '])
    t.same(fieldsOf({ version }), ['version']);
  t.end();
});

test('versions have the order of Semantic Versioning 2.0.0, section 11', (t) => {
  const ordered = [
    'no version',
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.9',
    '1.0.10',
    '1.2.0',
    '2.0.0',
    '10.0.0',
    '99999999999999999999.0.0',
  ];
  for (const [left, version] of ordered.entries()) {
    for (const [right, other] of ordered.entries())
      t.equal(isNewerVersion(version, other), left > right, `${version} than ${other}`);
  }
  t.equal(isNewerVersion('1.0.0+b', '1.0.0+a'), false, 'a build is not compared');
  t.end();
});
