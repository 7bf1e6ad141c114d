import fc from 'fast-check';
import { test } from 'tap';
import { readDefinition, writeDefinition } from '../../../src/adapters/yaml/read-definition.ts';
import type { ProductDefinition } from '../../../src/core/products/product-definition.ts';

const FILE = `name: studio/resize
title: Resize
version: 1.2.3
readme: |
  # Heading

  Text.
template:
  # The studio's own.
  specificationVersion: jobtemplate-2023-09
  name: Resize
  steps:
    - name: Run
      script:
        actions:
          onRun: { command: bash, args: ['{{Task.File.Run}}'] }
        embeddedFiles:
          - name: Run
            type: TEXT
            data: |
              echo one
              echo two
`;

const TEMPLATE = `# The studio's own.
specificationVersion: jobtemplate-2023-09
name: Resize
steps:
  - name: Run
    script:
      actions:
        onRun: { command: bash, args: [ '{{Task.File.Run}}' ] }
      embeddedFiles:
        - name: Run
          type: TEXT
          data: |
            echo one
            echo two
`;

const read = (text: string): ProductDefinition => {
  const result = readDefinition(text);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.definition;
};

test('an inline template becomes a template of its own, with comments and literal blocks', (t) => {
  t.same(read(FILE), {
    name: 'studio/resize',
    title: 'Resize',
    description: '',
    readme: '# Heading\n\nText.\n',
    category: '',
    version: '1.2.3',
    template: TEMPLATE,
    format: 'yaml',
  });
  t.end();
});

test('a template that uses an anchor from outside is written without it', (t) => {
  const text = `name: &name a\ntitle: A\ntemplate:\n  specificationVersion: jobtemplate-2023-09\n  name: *name\n`;
  t.equal(read(text).template, 'specificationVersion: jobtemplate-2023-09\nname: a\n');
  t.end();
});

test('a template may be text, and JSON is a definition file as well', (t) => {
  const inside = { name: 'a', title: 'A', format: 'json', template: { name: 'x', steps: [1.5, 'y'] } };
  t.same(JSON.parse(read(JSON.stringify(inside)).template), inside.template);
  t.equal(read('name: a\ntitle: A\ntemplate: "x: 1"\n').template, 'x: 1');
  t.end();
});

test('an error names the member, the line and what to do', (t) => {
  const errorsOf = (text: string): unknown => {
    const result = readDefinition(text);
    return result.ok ? [] : result.errors.map(({ pointer, detail, line }) => [pointer, line, detail]);
  };
  t.same(errorsOf('- a'), [['', 1, 'must be a mapping']]);
  t.same(errorsOf('name: a\ntitel: A\ntemplate: {}'), [
    [
      '/titel',
      2,
      'is not a member of a product definition; members are name, title, description, category, version, readme, template, format',
    ],
    ['', 1, 'misses the member title'],
  ]);
  t.match(errorsOf('name: A b\ntitle: A\nversion: 1.0\ntemplate: {}'), [
    ['/name', 1],
    ['/version', 3],
  ]);
  t.match(errorsOf('name: a\ntitle: [x]\ntemplate: 5\nformat: toml'), [
    ['/title', 2, 'must be text'],
    ['/format', 4, 'must be yaml or json'],
    ['/template', 3, 'must be a job template'],
  ]);
  t.match(errorsOf('name: a\nname: b\ntitle: A\ntemplate: {}'), [
    ['/name', 2, 'the key "name" occurs twice'],
  ]);
  t.match(errorsOf('name: "a'), [['/name', 1]]);
  t.match(errorsOf(`name: a\ntitle: A\nreadme: ${'x'.repeat(8001)}\ntemplate: {}`), [['/readme', 3]]);
  t.end();
});

test('a definition that is written is read back unchanged', (t) => {
  const line = fc.string({
    unit: fc.constantFrom('a', 'Z', '0', ' ', ':', '#', '-', "'", '"', '{', '🎬', '|', '>'),
    maxLength: 30,
    size: 'max',
  });
  const lines = fc.array(line, { maxLength: 6, size: 'max' }).map((each) => each.join('\n'));
  const definition = fc.record({
    name: fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,9}(\/[a-z0-9][a-z0-9_-]{0,9})?$/),
    title: line.filter((text) => text.trim() !== ''),
    description: lines,
    readme: lines,
    category: line,
    version: fc.constantFrom('', '1.0.0', '2.3.4-rc.1'),
    template: fc.constantFrom(
      TEMPLATE,
      'not a template',
      '[]',
      'a: &x 1\nb: *x\n',
      '# first\n\na: 1\n',
      'a: 1\n\n# last\n',
      'a: [1,2]\n# last\n',
    ),
    format: fc.constant('yaml' as const),
  });
  fc.assert(
    fc.property(definition, (given) => {
      const back = read(writeDefinition(given));
      t.same({ ...back, template: '' }, { ...given, template: '' });
      t.equal(back.template, given.template);
    }),
    { numRuns: 300 },
  );
  const blank = { ...read(FILE), description: ' \n', readme: '\n  \n' };
  t.same(read(writeDefinition(blank)), blank);
  const json = { ...read(FILE), format: 'json' as const, template: '{"name": "x"}' };
  t.same(read(writeDefinition(json)), json);
  t.end();
});
