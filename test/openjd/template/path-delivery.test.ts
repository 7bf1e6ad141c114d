import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { serviceFeatures } from '../../../src/openjd/template/extensions.ts';
import { prepareJob } from '../../../src/openjd/template/expand/prepare-job.ts';
import { documentOf, findings, STEP, template } from './template-text.ts';

const EXTENSIONS = ['SVC_PATH_TRANSLATION'];
const ALL = [
  { type: 'stage_locally' },
  { type: 'environment', variable: 'HOUDINI_PATHMAP' },
  { type: 'command_flags', args: ['-m', '{{Rule.Source}}:{{ Rule.Destination }}'] },
  { type: 'translation_file' },
  { type: 'swap_in_place' },
];

const delivering = (pathDelivery: unknown): object => template({ extensions: EXTENSIONS, pathDelivery });

void test('a template and its steps declare the path delivery of their tasks', (t) => {
  const source = template({
    extensions: EXTENSIONS,
    pathDelivery: ALL,
    steps: [
      { ...STEP, name: 'A' },
      {
        ...STEP,
        name: 'B',
        pathDelivery: [
          { type: 'environment', variable: 'R', entry: '{{Rule.Source}}', separator: ';' },
          { type: 'command_flags', args: ['x'], position: 'START' },
        ],
      },
    ],
  });
  const prepared = prepareJob(documentOf(source), new Map(), {
    supported: serviceFeatures([]),
    expressions: EXPRESSIONS,
  });
  t.strictSame(prepared.ok ? prepared.job.plan.steps.map(({ deliveries }) => deliveries) : prepared.errors, [
    [
      { type: 'stage_locally' },
      { type: 'environment', variable: 'HOUDINI_PATHMAP' },
      { type: 'command_flags', args: ['-m', '{{Rule.Source}}:{{ Rule.Destination }}'], position: 'END' },
      { type: 'translation_file' },
      { type: 'swap_in_place' },
    ],
    [
      { type: 'environment', variable: 'R', entry: '{{Rule.Source}}', separator: ';' },
      { type: 'command_flags', args: ['x'], position: 'START' },
    ],
  ]);
  const plain = prepareJob(documentOf(template({ extensions: EXTENSIONS })), new Map(), {
    expressions: EXPRESSIONS,
  });
  t.equal(
    plain.ok && 'deliveries' in (plain.job.plan.steps[0] ?? {}),
    false,
    'without a declaration nothing is stored',
  );
  t.end();
});

void test('a PATH keeps the declared use', (t) => {
  const parameterDefinitions = [
    { name: 'In', type: 'PATH', dataFlow: 'IN', objectType: 'FILE', default: 'a' },
    { name: 'Out', type: 'PATH', dataFlow: 'OUT', default: 'b' },
    { name: 'None', type: 'PATH', dataFlow: 'NONE', objectType: 'FILE', default: 'c' },
    { name: 'Plain', type: 'PATH', default: 'd' },
  ];
  const prepared = prepareJob(documentOf(template({ parameterDefinitions })), new Map(), {
    expressions: EXPRESSIONS,
  });
  t.strictSame(prepared.ok ? prepared.job.plan.parameters : prepared.errors, {
    In: { type: 'PATH', value: 'a', dataFlow: 'IN', objectType: 'FILE' },
    Out: { type: 'PATH', value: 'b', dataFlow: 'OUT', objectType: 'DIRECTORY' },
    None: { type: 'PATH', value: 'c' },
    Plain: { type: 'PATH', value: 'd' },
  });
  t.end();
});

void test('errors in a path delivery are reported with their positions', (t) => {
  const cases: readonly (readonly [source: object, errors: readonly string[]])[] = [
    [
      template({ pathDelivery: ALL }),
      ['/pathDelivery: "pathDelivery" requires the extension SVC_PATH_TRANSLATION'],
    ],
    [
      template({ steps: [{ ...STEP, pathDelivery: ALL }] }),
      ['/steps/0/pathDelivery: "pathDelivery" requires the extension SVC_PATH_TRANSLATION'],
    ],
    [
      delivering('swap_in_place'),
      ['/pathDelivery: must be a list, not text; write [a, b], or one line with "- " for each element'],
    ],
    [delivering([]), ['/pathDelivery: must have at least one element']],
    [delivering(['swap_in_place']), ['/pathDelivery/0: must be a mapping, not text']],
    [delivering([{}]), ['/pathDelivery/0: "type" is required']],
    [
      delivering([{ type: 'swap', args: [] }]),
      [
        '/pathDelivery/0/type: must be one of swap_in_place, translation_file, command_flags, environment, stage_locally, not "swap"',
      ],
    ],
    [
      delivering([{ type: 'swap_in_place' }, { type: 'translation_file' }, { type: 'swap_in_place' }]),
      ['/pathDelivery/2/type: swap_in_place is named twice'],
    ],
    [
      delivering([{ type: 'stage_locally', args: ['x'] }]),
      ['/pathDelivery/0/args: unknown key "args"; known keys are type'],
    ],
    [delivering([{ type: 'command_flags' }]), ['/pathDelivery/0: "args" is required']],
    [
      delivering([
        { type: 'command_flags', args: ['{{Param.X}}', '{{Rule.Sauce}}', 'a\nb', '{{'], position: 'MIDDLE' },
      ]),
      [
        '/pathDelivery/0/args/0: unknown value "Param.X"',
        '/pathDelivery/0/args/1: unknown value "Rule.Sauce"; did you mean "Rule.Source"?',
        '/pathDelivery/0/args/2: must not contain control characters, and has a line feed (U+000A) at character 2: write it in one line',
        '/pathDelivery/0/args/3: "{{" has no closing "}}"',
        '/pathDelivery/0/position: must be one of START, END, not "MIDDLE"',
      ],
    ],
    [
      delivering([{ type: 'environment', variable: 'A-B', separator: ';' }]),
      [
        '/pathDelivery/0/variable: "A-B" is not an identifier: letters, digits and _, not beginning with a digit; write "A_B"',
        '/pathDelivery/0/separator: separates entries and requires "entry"',
      ],
    ],
    [
      delivering([{ type: 'environment', variable: 'A', entry: '' }]),
      ['/pathDelivery/0/entry: must not be empty'],
    ],
  ];
  for (const [source, errors] of cases) t.strictSame(findings(source), errors);
  t.end();
});
