import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readDocument as readForService } from '../../../../src/adapters/yaml/read-document.ts';
import { EXPRESSIONS } from '../../../../src/adapters/regex/default-expressions.ts';
import { checkTemplate } from '../../../../src/openjd/template/check-template.ts';
import { problemsOf } from '../../../../web/pages/submit/model/check-value.ts';
import { groupsOf, isShown } from '../../../../web/pages/submit/model/definition.ts';
import { readDocument } from '../../../../web/pages/submit/model/read-document.ts';
import { readTemplate, type TemplateOutline } from '../../../../web/pages/submit/model/read-template.ts';
import { submittedText } from '../../../../web/pages/submit/model/values.ts';
import { sharedFolder } from '../../../spec/shared-folder.ts';
import { SHOWCASE } from './showcase.ts';

function outlineOf(text: string): TemplateOutline {
  const read = readDocument(text);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return readTemplate(read.root);
}

/** Templates of the repository, and third-party ones if present. */
function templates(): string[] {
  const folders = ['examples', sharedFolder('templates')];
  return folders.flatMap((folder) =>
    folder === null
      ? []
      : readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => /\.(ya?ml|json)$/.test(name) && !/golden|index/.test(name))
          .map((name) => join(folder, name)),
  );
}

void test('a definition has the control of its type', (t) => {
  const { definitions } = outlineOf(SHOWCASE);
  const controls = Object.fromEntries(definitions.map(({ name, control }) => [name, control]));
  t.strictSame(controls, {
    Line: 'LINE_EDIT',
    Lines: 'MULTILINE_EDIT',
    Choice: 'DROPDOWN_LIST',
    Switch: 'CHECK_BOX',
    Count: 'SPIN_BOX',
    Scale: 'SPIN_BOX',
    Depth: 'DROPDOWN_LIST',
    Scene: 'CHOOSE_INPUT_FILE',
    Movie: 'CHOOSE_OUTPUT_FILE',
    Folder: 'CHOOSE_DIRECTORY',
    Secret: 'HIDDEN',
    Denoise: 'CHECK_BOX',
    Frames: 'LINE_EDIT',
    Layers: 'LINE_EDIT_LIST',
    Sizes: 'SPIN_BOX_LIST',
    Weights: 'SPIN_BOX_LIST',
    Passes: 'CHECK_BOX_LIST',
    Textures: 'CHOOSE_INPUT_FILE_LIST',
    Outputs: 'CHOOSE_OUTPUT_FILE_LIST',
    Caches: 'CHOOSE_DIRECTORY_LIST',
    Tiles: 'LINE_EDIT_LIST',
  });
  t.strictSame(
    groupsOf(definitions).map(({ label, definitions: members }) => [label, members.length]),
    [
      ['Text', 4],
      ['', 6],
      ['Files', 3],
      ['Lists', 7],
    ],
  );
  t.end();
});

void test('a definition is read with its rules and settings', (t) => {
  const { definitions, name, description, stepNames, parameterNames } = outlineOf(`
specificationVersion: jobtemplate-2023-09
name: 'Job {{Param.Count}}'
description: |
  One line
  of text.

  - a list
extensions: [EXPR]
parameterDefinitions:
  - { name: Broken, type: "LIST[NOTHING]" }
  - name: Count
    type: int
    minValue: "007"
    maxValue: 9223372036854775807
    allowedValues: [0x10, 12.0, "13"]
    default: 12.0
    userInterface: { label: How many, groupLabel: Numbers, control: SPIN_BOX_LIST, singleStepDelta: 2 }
  - { name: Scale, type: FLOAT, default: 1.50, userInterface: { decimals: 2, singleStepDelta: 0.25 } }
  - { name: Lists, type: "LIST[LIST[INT]]", default: [[1, 2], []], minLength: 1, item: { maxLength: 2, item: { minValue: 0 } } }
steps: [{ name: A }, { name: B }]
`);
  t.strictSame(
    { name, description, stepNames, parameterNames },
    {
      name: 'Job {{Param.Count}}',
      description: 'One line of text.\n\n- a list',
      stepNames: ['A', 'B'],
      parameterNames: ['Broken', 'Count', 'Scale', 'Lists'],
    },
  );
  const none = {
    minLength: null,
    maxLength: null,
    minValue: null,
    maxValue: null,
    allowed: null,
    item: null,
  };
  t.strictSame(definitions, [
    {
      name: 'Count',
      position: 1,
      label: 'How many',
      description: '',
      group: 'Numbers',
      control: 'DROPDOWN_LIST',
      rules: {
        ...none,
        type: 'INT',
        minValue: '7',
        maxValue: '9223372036854775807',
        allowed: ['16', '12', '13'],
      },
      default: '12',
      step: '2',
      decimals: null,
      filters: [],
    },
    {
      name: 'Scale',
      position: 2,
      label: 'Scale',
      description: '',
      group: '',
      control: 'SPIN_BOX',
      rules: { ...none, type: 'FLOAT' },
      default: '1.50',
      step: '0.25',
      decimals: 2,
      filters: [],
    },
    {
      name: 'Lists',
      position: 3,
      label: 'Lists',
      description: '',
      group: '',
      control: 'LINE_EDIT_LIST',
      rules: {
        ...none,
        type: 'LIST[LIST[INT]]',
        minLength: 1,
        item: { ...none, type: 'LIST[INT]', maxLength: 2, item: { ...none, type: 'INT', minValue: '0' } },
      },
      default: ['1, 2', ''],
      step: null,
      decimals: null,
      filters: [],
    },
  ]);
  t.end();
});

void test('a hidden parameter is shown only without a default', (t) => {
  const { definitions } = outlineOf(`
parameterDefinitions:
  - { name: A, type: STRING, default: a, userInterface: { control: HIDDEN } }
  - { name: B, type: STRING, userInterface: { control: HIDDEN } }
`);
  t.strictSame(
    definitions.filter(isShown).map(({ name }) => name),
    ['B'],
  );
  t.end();
});

void test('defaults of the examples are the values of the server', (t) => {
  let compared = 0;
  for (const file of templates()) {
    const text = readFileSync(file, 'utf8');
    const service = readForService(text, file.endsWith('.json') ? 'json' : 'yaml');
    const checked = service.ok ? checkTemplate(service.document, { expressions: EXPRESSIONS }) : null;
    const page = readDocument(text);
    if (checked?.ok !== true) continue;
    t.ok(page.ok, file);
    if (!page.ok) continue;
    const { definitions } = readTemplate(page.root);
    const expected = checked.template.parameters.map((parameter) => [
      parameter.shape.name?.value,
      parameter.rules.type,
      parameter.default,
    ]);
    const own = definitions.map(({ name, rules, default: value }) => [
      name,
      rules.type,
      value === null ? null : submittedText(rules, value),
    ]);
    t.strictSame(own, expected, file);
    for (const { rules, default: value } of definitions)
      if (value !== null) t.strictSame(problemsOf(rules, value), [], file);
    compared += own.length;
  }
  t.ok(compared > 10, `${compared} parameters`);
  t.end();
});

void test('a syntax error has its line and column', (t) => {
  const errors = (text: string): unknown => {
    const read = readDocument(text);
    return read.ok ? read.format : read.errors;
  };
  t.strictSame(errors('name: a\nname: b\n'), [
    { line: 2, column: 1, detail: 'Invalid YAML: Map keys must be unique' },
  ]);
  t.strictSame(errors('a: "x\n b: 1'), [
    { line: 2, column: 6, detail: 'Invalid YAML: Missing closing "quote' },
  ]);
  t.match(errors('{\n  "a": 1\n  "b": 2\n}'), [
    { line: 3, column: 3, detail: /^Invalid JSON: Expected ',' or '}'/ },
  ]);
  t.strictSame(errors('{\n\t"a": [1.50, true, null]\n}'), 'json');
  t.strictSame(errors('{ a: 1, }'), 'yaml');
  t.match(errors(`${'a: &a [x]\n'}b: ${'['.repeat(20_000)}`), [{ detail: /./ }]);
  t.end();
});

void test('a document that multiplies through aliases is rejected', (t) => {
  const levels = Array.from({ length: 12 }, (_, at) => {
    const item = at === 0 ? 'x' : `*l${at - 1}`;
    return `l${at}: &l${at} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
  });
  const read = readDocument(levels.join('\n'));
  t.match(read, { ok: false, errors: [{ line: 1, column: 1, detail: /^Could not read the template: / }] });
  t.end();
});
