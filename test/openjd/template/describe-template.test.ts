import { test } from 'tap';
import { checkTemplate } from '../../../src/openjd/template/check-template.ts';
import {
  describeTemplate,
  type TemplateDescription,
} from '../../../src/openjd/template/describe-template.ts';
import { readDocument } from '../../../src/adapters/yaml/read-document.ts';
import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';

const STEPS = `
steps:
  - name: Run
    hostRequirements:
      amounts:
        - { name: amount.worker.usagepool.Nuke, min: 1 }
        - { name: amount.worker.vcpu, min: 2 }
      attributes:
        - { name: attr.worker.tag.Blender, anyOf: ['true'] }
        - { name: attr.worker.tag.quality, anyOf: ['best'] }
    script: { actions: { onRun: { command: 'true' } } }
  - name: Again
    hostRequirements:
      amounts: [{ name: amount.worker.usagepool.nuke, min: 1 }]
    script: { actions: { onRun: { command: 'true' } } }
`;

function describe(parameters: string): TemplateDescription {
  const text = `specificationVersion: jobtemplate-2023-09\nextensions: [EXPR]\nname: x\nparameterDefinitions:\n${parameters}${STEPS}`;
  const read = readDocument(text, 'yaml');
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const checked = checkTemplate(read.document, {
    expressions: { limits: EXPR_LIMITS, regex: createRe2Engine() },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return describeTemplate(checked.template);
}

const NO_LIMITS = {
  allowed_values: null,
  min_value: null,
  max_value: null,
  min_length: null,
  max_length: null,
  item: null,
};

test('usage pools and tags of all steps are named once', (t) => {
  const { usagePools, tags } = describe('  - { name: A, type: INT }\n');
  t.same({ usagePools, tags }, { usagePools: ['nuke'], tags: ['blender'] });
  t.end();
});

test('a parameter without anything optional has nulls', (t) => {
  t.same(describe('  - { name: A, type: STRING }\n').parameters, [
    {
      name: 'A',
      type: 'STRING',
      description: null,
      default: null,
      required: true,
      ...NO_LIMITS,
      object_type: null,
      data_flow: null,
      user_interface: {
        control: 'LINE_EDIT',
        label: null,
        group_label: null,
        decimals: null,
        single_step_delta: null,
      },
      file_filters: null,
      file_filter_default: null,
    },
  ]);
  t.end();
});

test('everything that a form needs is there, in the order of the template', (t) => {
  const { parameters } = describe(`
  - name: Zoom
    type: FLOAT
    default: 1.50
    minValue: 0.5
    maxValue: 1e3
    userInterface: { control: SPIN_BOX, label: Zoom factor, groupLabel: View, decimals: 2, singleStepDelta: 0.25 }
  - { name: Big, type: INT, default: 9223372036854775807, minValue: -5, allowedValues: [3, 9223372036854775807] }
  - { name: Flag, type: BOOL, default: 'YES' }
  - { name: Frames, type: RANGE_EXPR, default: '1-10:2', maxLength: 99 }
  - name: Movie
    type: PATH
    objectType: FILE
    dataFlow: OUT
    userInterface:
      control: CHOOSE_OUTPUT_FILE
      fileFilters: [{ label: Movies, patterns: ['*.mov', '*.mp4'] }]
      fileFilterDefault: { label: Movies, patterns: ['*.mov'] }
  - { name: Names, type: 'LIST[STRING]', default: ['a', 'b"c'], minLength: 1, maxLength: 4, item: { maxLength: 9 } }
  - { name: Secret, type: STRING, default: x, userInterface: { control: HIDDEN } }
`);
  t.match(parameters, [
    {
      name: 'Zoom',
      default: 1.5,
      required: false,
      min_value: 0.5,
      max_value: 1000,
      user_interface: {
        control: 'SPIN_BOX',
        label: 'Zoom factor',
        group_label: 'View',
        decimals: 2,
        single_step_delta: 0.25,
      },
    },
    {
      name: 'Big',
      default: '9223372036854775807',
      min_value: -5,
      allowed_values: [3, '9223372036854775807'],
    },
    { name: 'Flag', default: true, user_interface: { control: 'CHECK_BOX' } },
    { name: 'Frames', default: '1-10:2', max_length: 99 },
    {
      name: 'Movie',
      required: true,
      object_type: 'FILE',
      data_flow: 'OUT',
      file_filters: [{ label: 'Movies', patterns: ['*.mov', '*.mp4'] }],
      file_filter_default: { label: 'Movies', patterns: ['*.mov'] },
    },
    {
      name: 'Names',
      default: ['a', 'b"c'],
      min_length: 1,
      max_length: 4,
      item: { max_length: 9, item: null },
    },
    { name: 'Secret', user_interface: { control: 'HIDDEN' } },
  ]);
  t.equal(parameters.length, 7);
  t.end();
});
