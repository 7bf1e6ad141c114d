import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { KNOWN_EXTENSIONS, type SupportedFeatures } from '../../../src/openjd/template/extensions.ts';
import { prepareJob } from '../../../src/openjd/template/expand/prepare-job.ts';
import { hostSymbols } from '../../../src/openjd/template/host-symbols.ts';
import type { ParameterValue } from '../../../src/openjd/template/plan.ts';
import { documentOf, findings, STEP, template, withStep } from './template-text.ts';

const EXPR: SupportedFeatures = { extensions: KNOWN_EXTENSIONS };

const parameter = (definition: object): object =>
  template({ extensions: ['EXPR'], parameterDefinitions: [{ name: 'P', ...definition }] });

/** Returns the value of a parameter, or the error in the submitted text. */
function valueOf(definition: object, text?: string): ParameterValue | string {
  const values = new Map(text === undefined ? [] : [['P', text]]);
  const result = prepareJob(documentOf(parameter(definition)), values, {
    supported: EXPR,
    expressions: EXPRESSIONS,
  });
  if (!result.ok) return result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ');
  return result.job.plan.parameters['P'] ?? 'none';
}

const text = (definition: object, submitted?: string): string => {
  const value = valueOf(definition, submitted);
  return typeof value === 'string' ? value : value.value;
};

const PROBLEM = '/parameterDefinitions/0: the value of "P"';

void test('type names are case-insensitive with EXPR, and in upper case without', (t) => {
  for (const type of [
    'string',
    'Int',
    'fLoat',
    'path',
    'Bool',
    'range_expr',
    'List[List[Int]]',
    'LIST[path]',
  ]) {
    t.same(findings(parameter({ type }), EXPR), [], type);
    const upper = type.toUpperCase();
    const instead = ['STRING', 'PATH', 'INT', 'FLOAT'].includes(upper) ? `; write ${upper}` : '';
    t.same(
      findings(template({ parameterDefinitions: [{ name: 'P', type }] }), EXPR),
      [`/parameterDefinitions/0/type: "${type}" requires the extension EXPR${instead}`],
      `${type} without EXPR`,
    );
  }
  t.same(findings(template({ parameterDefinitions: [{ name: 'P', type: 'BOOL' }] }), EXPR), [
    '/parameterDefinitions/0/type: "BOOL" requires the extension EXPR',
  ]);
  t.same(findings(parameter({ type: 'LIST[LIST[STRING]]' }), EXPR), [
    '/parameterDefinitions/0/type: must be one of STRING, PATH, INT, FLOAT, BOOL, RANGE_EXPR, LIST[STRING], LIST[PATH], LIST[INT], LIST[FLOAT], LIST[BOOL], LIST[LIST[INT]], not "LIST[LIST[STRING]]"; did you mean LIST[LIST[INT]]?',
  ]);
  const chunks = { defaultTaskCount: 2, rangeConstraint: 'CONTIGUOUS' };
  const space = (type: string): object => ({
    parameterSpace: {
      taskParameterDefinitions: [
        { name: 'T', type, range: '1-3', ...(type.startsWith('chunk') ? { chunks } : {}) },
      ],
    },
  });
  const extensions = ['EXPR', 'TASK_CHUNKING'];
  t.same(findings(withStep(space('int'), { extensions }), EXPR), []);
  t.same(findings(withStep(space('chunk[Int]'), { extensions }), EXPR), []);
  t.equal(findings(parameter({ type: '\u0131nt' }), EXPR).length, 1, 'a dotless i is not an I');
  t.equal(findings(withStep(space('\u017ftring'), { extensions }), EXPR).length, 1, 'a long s is not an S');
  t.same(findings(withStep(space('int')), EXPR), [
    '/steps/0/parameterSpace/taskParameterDefinitions/0/type: "int" requires the extension EXPR; write INT',
  ]);
  t.end();
});

void test('a submitted text becomes the canonical value of its type', (t) => {
  const cases: readonly (readonly [type: string, submitted: string, canonical: string])[] = [
    ['BOOL', 'true', 'true'],
    ['BOOL', 'YES', 'true'],
    ['BOOL', 'On', 'true'],
    ['BOOL', '1', 'true'],
    ['BOOL', 'False', 'false'],
    ['BOOL', 'no', 'false'],
    ['BOOL', 'oFF', 'false'],
    ['BOOL', '0', 'false'],
    ['RANGE_EXPR', '1 - 5, 10-20:2', '1 - 5, 10-20:2'],
    ['LIST[STRING]', '["a" , "b\\u00e9\\n", ""]', '["a", "bé\\n", ""]'],
    ['LIST[STRING]', ' [] ', '[]'],
    ['LIST[PATH]', '["/a", "s3://b/c"]', '["/a", "s3://b/c"]'],
    ['LIST[INT]', '[1, "007", -3, 2.0, 9223372036854775807]', '[1, 7, -3, 2, 9223372036854775807]'],
    ['LIST[FLOAT]', '[1, 1.50, "2.500", "+1.5", 1e3]', '[1, 1.50, 2.500, 1.5, 1e3]'],
    ['LIST[BOOL]', '[true, 0, 1.0, "off", "Yes"]', '[true, false, true, false, true]'],
    ['LIST[LIST[INT]]', '[[1, "2"], [], [3]]', '[[1, 2], [], [3]]'],
  ];
  for (const [type, submitted, canonical] of cases) {
    t.same(valueOf({ type }, submitted), { type, value: canonical }, `${type} ${submitted}`);
    t.equal(text({ type }, canonical), canonical, `${type} ${canonical} is canonical`);
  }
  t.end();
});

void test('the error of a value names the invalid element', (t) => {
  const words = 'write true/false, yes/no, on/off, 1/0';
  const cases: readonly (readonly [definition: object, submitted: string, ...problems: string[]])[] = [
    [{ type: 'BOOL' }, 'maybe', `${PROBLEM}: "maybe" is not a valid bool: ${words}`],
    [{ type: 'BOOL' }, '1.0', `${PROBLEM}: "1.0" is not a valid bool: ${words}`],
    [{ type: 'BOOL' }, '', `${PROBLEM}: "" is not a valid bool: ${words}`],
    [
      { type: 'RANGE_EXPR' },
      'x',
      `${PROBLEM}: "x" is not a valid range expression: "x" is not a part of a range: write 5, 1-10 or 1-10:2`,
    ],
    [{ type: 'RANGE_EXPR' }, '', `${PROBLEM}: "" is not a valid range expression: the range is empty`],
    [{ type: 'RANGE_EXPR', maxLength: 5 }, '1-1000', `${PROBLEM}: "1-1000" is longer than maxLength 5`],
    [{ type: 'RANGE_EXPR', minLength: 4 }, '1-5', `${PROBLEM}: "1-5" is shorter than minLength 4`],
    [
      { type: 'RANGE_EXPR' },
      `${' '.repeat(1024)}1`,
      `${PROBLEM}: must not have more than 1024 characters, and has 1025`,
    ],
    [{ type: 'LIST[STRING]' }, '["a", 1]', `${PROBLEM} at [1]: must be text; put it in quotes`],
    [{ type: 'LIST[STRING]' }, '"a"', `${PROBLEM}: must be a list, not text`],
    [{ type: 'LIST[STRING]' }, 'null', `${PROBLEM}: must be a list, not null`],
    [
      { type: 'LIST[STRING]' },
      'a,b',
      `${PROBLEM}: "a,b" is not a valid JSON list: column 1 is not JSON: a value is expected, not "a"`,
    ],
    [
      { type: 'LIST[STRING]', minLength: 2 },
      '["a"]',
      `${PROBLEM}: the list has 1 elements, fewer than minLength 2`,
    ],
    [
      { type: 'LIST[BOOL]', maxLength: 1 },
      '[true, false]',
      `${PROBLEM}: the list has 2 elements, more than maxLength 1`,
    ],
    [
      { type: 'LIST[PATH]', item: { maxLength: 3, allowedValues: ['ok', 'no'] } },
      '["ok", "toolong", "abc"]',
      `${PROBLEM} at [1]: "toolong" is longer than maxLength 3`,
      `${PROBLEM} at [2]: "abc" is not one of the allowedValues`,
    ],
    [
      { type: 'LIST[INT]', item: { minValue: 0, maxValue: '10', allowedValues: [1, 2] } },
      '[-1, 11, 3, "x", 1.5, true]',
      `${PROBLEM} at [0]: -1 is less than minValue 0`,
      `${PROBLEM} at [1]: 11 is greater than maxValue 10`,
      `${PROBLEM} at [2]: "3" is not one of the allowedValues`,
      `${PROBLEM} at [3]: "x" is not an integer`,
      `${PROBLEM} at [4]: must be an integer`,
      `${PROBLEM} at [5]: must be an integer`,
    ],
    [
      { type: 'LIST[FLOAT]', item: { allowedValues: [1, '2.50'] } },
      '[1.0, 2.5, 3, 1e999]',
      `${PROBLEM} at [2]: "3" is not one of the allowedValues`,
      `${PROBLEM} at [3]: must be a finite decimal number`,
    ],
    [
      { type: 'LIST[BOOL]' },
      '[true, 2, null]',
      `${PROBLEM} at [1]: must be true or false, not an integer`,
      `${PROBLEM} at [2]: must be true or false, not null`,
    ],
    [
      { type: 'LIST[LIST[INT]]', item: { minLength: 1, item: { maxValue: 5 } } },
      '[[1], [], [2, 99], 3]',
      `${PROBLEM} at [1]: the list has 0 elements, fewer than minLength 1`,
      `${PROBLEM} at [2][1]: 99 is greater than maxValue 5`,
      `${PROBLEM} at [3]: must be a list, not an integer`,
    ],
  ];
  for (const [definition, submitted, ...problems] of cases) {
    t.equal(valueOf(definition, submitted), problems.join('; '), submitted);
  }
  const many = valueOf({ type: 'LIST[INT]' }, `[${'"x", '.repeat(30)}"x"]`);
  t.equal(
    typeof many === 'string' ? many.split('; ').length : 0,
    20,
    'only some of many errors are reported',
  );
  t.end();
});

void test('errors in definitions of the extended types are reported', (t) => {
  const accepted: readonly object[] = [
    { type: 'BOOL', default: 1.0, userInterface: { control: 'CHECK_BOX', label: 'On' } },
    {
      type: 'RANGE_EXPR',
      default: '1-10',
      minLength: 1,
      maxLength: 2000,
      userInterface: { control: 'LINE_EDIT' },
    },
    {
      type: 'LIST[STRING]',
      default: [],
      minLength: 0,
      maxLength: 0,
      item: {},
      userInterface: { control: 'LINE_EDIT_LIST' },
    },
    {
      type: 'LIST[PATH]',
      objectType: 'FILE',
      dataFlow: 'IN',
      default: ['/a'],
      userInterface: { fileFilters: [{ label: 'All', patterns: ['*'] }] },
    },
    {
      type: 'LIST[INT]',
      item: { allowedValues: ['1', 2] },
      userInterface: { control: 'SPIN_BOX_LIST', singleStepDelta: 2 },
    },
    { type: 'LIST[FLOAT]', userInterface: { decimals: 1, singleStepDelta: 0.5 } },
    { type: 'LIST[BOOL]', default: [true, 'no', 1], userInterface: { control: 'CHECK_BOX_LIST' } },
    {
      type: 'LIST[LIST[INT]]',
      default: [[1], []],
      item: { minLength: 0, item: { minValue: 1 } },
      userInterface: { control: 'HIDDEN' },
    },
  ];
  for (const definition of accepted)
    t.same(findings(parameter(definition), EXPR), [], JSON.stringify(definition));
  const at = '/parameterDefinitions/0';
  const refused: readonly (readonly [definition: object, ...findings: string[]])[] = [
    [
      { type: 'BOOL', allowedValues: [true] },
      `${at}/allowedValues: unknown key "allowedValues"; known keys are name, type, description, default, userInterface`,
    ],
    [
      { type: 'BOOL', default: 'maybe', userInterface: { control: 'LINE_EDIT' } },
      `${at}/default: "maybe" is not a valid bool: write true/false, yes/no, on/off, 1/0`,
      `${at}/userInterface/control: must be one of CHECK_BOX, HIDDEN, not "LINE_EDIT"`,
    ],
    [
      { type: 'RANGE_EXPR', default: 123, minLength: 0, maxLength: 0 },
      `${at}/default: must be text; put it in quotes`,
      `${at}/minLength: must be at least 1`,
      `${at}/maxLength: must be at least 1`,
    ],
    [
      { type: 'LIST[BOOL]', item: {} },
      `${at}/item: unknown key "item"; known keys are name, type, description, default, userInterface, minLength, maxLength`,
    ],
    [
      { type: 'STRING', item: {} },
      `${at}/item: unknown key "item"; known keys are name, type, description, default, userInterface, allowedValues, minLength, maxLength`,
    ],
    [
      { type: 'LIST[STRING]', default: 'no', allowedValues: ['a'], minLength: 3, maxLength: 2 },
      `${at}/default: must be a list, not text`,
      `${at}/allowedValues: unknown key "allowedValues"; known keys are name, type, description, default, userInterface, minLength, maxLength, item`,
      `${at}/minLength: minLength 3 is greater than maxLength 2`,
    ],
    [
      {
        type: 'LIST[STRING]',
        default: ['ab', 'a'],
        item: { minLength: 2, allowedValues: ['ab', 'x'], minValue: 1 },
      },
      `${at}/default/1: "a" is shorter than minLength 2`,
      `${at}/item/allowedValues/1: "x" is shorter than minLength 2`,
      `${at}/item/minValue: unknown key "minValue"; known keys are allowedValues, minLength, maxLength`,
    ],
    [
      {
        type: 'LIST[LIST[INT]]',
        default: [[1], [2, 99]],
        item: { item: { maxValue: 5 } },
        userInterface: { control: 'SPIN_BOX_LIST' },
      },
      `${at}/default/1/1: 99 is greater than maxValue 5`,
      `${at}/userInterface/control: must be one of HIDDEN, not "SPIN_BOX_LIST"`,
    ],
    [
      { type: 'LIST[PATH]', objectType: 'DIRECTORY', userInterface: { control: 'CHOOSE_INPUT_FILE_LIST' } },
      `${at}/userInterface/control: CHOOSE_INPUT_FILE_LIST cannot be used with objectType DIRECTORY`,
    ],
    [
      { type: 'LIST[PATH]', userInterface: { fileFilters: [{ label: 'All', patterns: ['*'] }] } },
      `${at}/userInterface/fileFilters: can be used with CHOOSE_INPUT_FILE_LIST and CHOOSE_OUTPUT_FILE_LIST only`,
    ],
    [
      { type: 'LIST[INT]', userInterface: { control: 'HIDDEN', singleStepDelta: 1 } },
      `${at}/userInterface/singleStepDelta: can be used with SPIN_BOX_LIST only`,
    ],
  ];
  for (const [definition, ...expected] of refused) {
    t.same(findings(parameter(definition), EXPR), expected, JSON.stringify(definition));
  }
  t.end();
});

void test('a default is canonical too, and a LIST[PATH] keeps the use of its paths', (t) => {
  t.equal(text({ type: 'BOOL', default: 'On' }), 'true');
  t.equal(text({ type: 'LIST[FLOAT]', default: [1.5, 2] }), '[1.5, 2]');
  t.same(valueOf({ type: 'list[path]', dataFlow: 'OUT', objectType: 'FILE', default: ['a"b'] }), {
    type: 'LIST[PATH]',
    value: '["a\\"b"]',
    dataFlow: 'OUT',
    objectType: 'FILE',
  });
  t.end();
});

void test('each path of a list is mapped separately', (t) => {
  const symbols = hostSymbols({
    parameters: { Dirs: { type: 'LIST[PATH]', value: '["/a", "/b", "/c\\""]' } },
    session: { workingDirectory: '/w', pathMappingRulesFile: '/w/r', hasPathMappingRules: false },
    scope: { kind: 'environment' },
    files: new Map(),
    mapPath: (path) => `/mapped${path}`,
    staged: new Map([['Dirs[1]', '/w/staged/Dirs/1/b']]),
  });
  t.equal(symbols.get('Param.Dirs'), '["/mapped/a", "/w/staged/Dirs/1/b", "/mapped/c\\""]');
  t.equal(symbols.get('RawParam.Dirs'), '["/a", "/b", "/c\\""]');
  t.end();
});

void test('let is a list of bindings with unique names', (t) => {
  const both = (stepLet: unknown, scriptLet?: unknown): object =>
    withStep(
      {
        let: stepLet,
        script: { ...STEP.script, ...(scriptLet === undefined ? {} : { let: scriptLet }) },
        stepEnvironments: [
          { name: 'E', script: { let: ['own = 1'], actions: { onEnter: { command: 'x' } } } },
        ],
      },
      { extensions: ['EXPR'] },
    );
  t.same(findings(both(['x=1', '_y2 \t= x == 1'], ['z = "a=b"', 'w = 1']), EXPR), []);
  const long = 'n'.repeat(513);
  t.same(
    findings(
      both(['x', 'x =', 'X = 1', '1x = 1', 'a.b = 1', '= 1', `${long} = 1`, 'y = 1', 'y = 2', 5]),
      EXPR,
    ),
    [
      `/steps/0/let/0: missing '=' in "x": write name = expression`,
      `/steps/0/let/1: binding "x" has no expression after '='`,
      ...['X', '1x', 'a.b', ''].map(
        (name, index) =>
          `/steps/0/let/${index + 2}: name "${name}" must start with lowercase letter or underscore, and have letters, digits and _ only`,
      ),
      '/steps/0/let/6: the name must not have more than 512 characters, and has 513',
      '/steps/0/let/8: duplicate name "y"',
      '/steps/0/let/9: must be text, not an integer; put it in quotes',
    ],
  );
  t.same(findings(both(['own = 1', 'x = 1'], ['x = 2']), EXPR), [
    '/steps/0/script/let/0: "x" shadows enclosing scope: the step has a binding of this name',
    '/steps/0/stepEnvironments/0/script/let/0: "own" shadows enclosing scope: the step has a binding of this name',
  ]);
  t.same(
    findings(
      both(
        [],
        Array.from({ length: 51 }, (_, index) => `x${index} = 1`),
      ),
      EXPR,
    ),
    [
      '/steps/0/script/let: must not have more than 50 elements, and has 51',
      '/steps/0/let: must have at least one element',
    ],
  );
  t.same(findings(withStep({ let: ['x = 1'] }), EXPR), ['/steps/0/let: "let" requires the extension EXPR']);
  t.end();
});

void test('unknown names are rejected also where they are not evaluated', (t) => {
  const refused = (
    argument: string,
    stepLet: readonly string[] = ['x = 1'],
    host: readonly string[] = [],
  ): string[] =>
    findings(
      withStep(
        {
          let: stepLet,
          parameterSpace: { taskParameterDefinitions: [{ name: 'F', type: 'INT', range: '1-3' }] },
          script: {
            ...(host.length === 0 ? {} : { let: host }),
            actions: { onRun: { command: 'c', args: [argument] } },
          },
        },
        { extensions: ['EXPR'], parameterDefinitions: [{ name: 'Frame', type: 'INT', default: 1 }] },
      ),
      EXPR,
    ).map((finding) => finding.split('\n', 1)[0] ?? '');
  const at = '/steps/0/script/actions/onRun/args/0';
  for (const [argument, message] of [
    [
      "{{ 'a' if Task.Param.F > 1 else Param.Frane }}",
      "Undefined variable: 'Param.Frane'. Did you mean: Param.Frame",
    ],
    ["{{ 'a' if true else Param.Frane }}", "Undefined variable: 'Param.Frane'. Did you mean: Param.Frame"],
    ['{{ Task.Param.F > 1 or [y for y in Nothing] == [] }}', "Undefined variable: 'Nothing'"],
    ['{{ [other for y in []] }}', "Undefined variable: 'other'"],
    ["{{ 'a' if Task.Param.F > 1 else 'b'.uper() }}", "Unknown function: 'uper'. Did you mean: upper"],
    ["b {{ 'a' if true else 'b'.uper() }}", "Unknown function: 'uper'. Did you mean: upper"],
    ['{{ 1 if Task.Param.F > 1 else [x for x in [1]][0] }}', "Loop variable 'x' shadows an existing binding"],
    ['{{ [x for x in [1]] }}', "Loop variable 'x' shadows an existing binding"],
  ] as const) {
    t.same(refused(argument), [`${at}: ${message}`], argument);
  }
  for (const argument of [
    "{{ 'a' if Task.Param.F > 1 else string(Param.Frame + x) }}",
    "{{ 'a' if Task.Param.F > 1 else Session.WorkingDirectory.parent.name }}",
    "{{ 'a' if Task.Param.F > 1 else apply_path_mapping('/a') }}",
    '{{ [[string(z + y) for z in [1]] for y in []] }}',
  ]) {
    t.same(refused(argument), [], argument);
  }
  t.same(refused('b', ["x = 'a' if true else apply_path_mapping('/a')"]), [
    "/steps/0/let/0: Unknown function: 'apply_path_mapping'",
  ]);
  t.same(refused('b', ['x = 1'], ['y = 1 if Task.Param.F > 1 else z']), [
    "/steps/0/script/let/0: Undefined variable: 'z'",
  ]);
  t.end();
});

void test('arguments can contain line breaks with EXPR', (t) => {
  const source = (extensions: readonly string[], argument: string): object =>
    withStep(
      { script: { actions: { onRun: { command: 'x', args: [argument] } } } },
      extensions.length === 0 ? {} : { extensions },
    );
  const at = '/steps/0/script/actions/onRun/args/0';
  t.same(findings(source(['EXPR'], 'a\r\n\tb'), EXPR), []);
  t.same(findings(source(['EXPR'], 'a\0b'), EXPR), [
    `${at}: must not contain control characters, and has a null character (U+0000) at character 2: remove it`,
  ]);
  t.same(findings(source([], 'a\nb'), EXPR), [
    `${at}: must not contain control characters, and has a line feed (U+000A) at character 2: put the script into an embedded file, or add the extension EXPR, with which arguments may have line breaks`,
  ]);
  t.end();
});
