import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { serviceFeatures } from '../../../src/openjd/template/extensions.ts';
import { readDocument } from '../../../src/adapters/yaml/read-document.ts';
import { checkTemplate } from '../../../src/openjd/template/check-template.ts';
import { textOfErrors } from '../../../src/core/problems.ts';
import { documentOf, findings, STEP, template, withStep } from './template-text.ts';

const NAME_64 = 'n'.repeat(64);

/** A template with one parameter. */
const parameter = (definition: object): object =>
  template({ parameterDefinitions: [{ name: 'P', ...definition }] });

const action = (parts: object): object =>
  withStep({ script: { actions: { onRun: { command: 'x', ...parts } } } });

const file = (parts: object): object =>
  withStep({ script: { ...STEP.script, embeddedFiles: [{ name: 'F', type: 'TEXT', data: 'x', ...parts }] } });

const environment = (parts: object): object => template({ jobEnvironments: [{ name: 'E', ...parts }] });

const amount = (...amounts: object[]): object => withStep({ hostRequirements: { amounts } });

const attribute = (...attributes: object[]): object => withStep({ hostRequirements: { attributes } });

const space = (parameters: object[], others: object = {}, parts: object = {}): object =>
  withStep({ parameterSpace: { taskParameterDefinitions: parameters, ...others } }, parts);

const chunk = (parts: object): object =>
  space(
    [
      {
        name: 'C',
        type: 'CHUNK[INT]',
        range: '1-10',
        chunks: { defaultTaskCount: 5, rangeConstraint: 'CONTIGUOUS', ...parts },
      },
    ],
    {},
    { extensions: ['TASK_CHUNKING'] },
  );

const dependsOn = (...names: string[]): object => ({
  dependencies: names.map((name) => ({ dependsOn: name })),
});

const RANGE = '/steps/0/parameterSpace/taskParameterDefinitions/0/range';
const ONRUN = '/steps/0/script/actions/onRun';
const COMBINATION = '/steps/0/parameterSpace/combination';

/** Accepted templates. */
const ACCEPTED: readonly (readonly [what: string, source: object])[] = [
  ['the smallest template', template()],
  [
    'every top-level key',
    template({ $schema: 'x', description: 'a\n\tb', extensions: null, parameterDefinitions: null }),
  ],
  ['names at their limits', withStep({ name: NAME_64 }, { name: 'n'.repeat(128) })],
  ['names are counted in characters', withStep({ name: '🎬'.repeat(64) })],
  [
    'integers as text',
    parameter({ type: 'INT', default: '5', minValue: '-5', maxValue: 10, allowedValues: [5, '6'] }),
  ],
  ['a default at the limits', parameter({ type: 'STRING', default: 'abc', minLength: 3, maxLength: 3 })],
  ['numbers as text', parameter({ type: 'FLOAT', default: '1.50', allowedValues: [1.5, '2'] })],
  ['minLength 0', parameter({ type: 'STRING', minLength: 0, default: '' })],
  [
    'a check box',
    parameter({ type: 'STRING', allowedValues: ['Yes', 'NO'], userInterface: { control: 'CHECK_BOX' } }),
  ],
  [
    'an interface without a control',
    parameter({ type: 'INT', userInterface: { singleStepDelta: 2, label: 'L' } }),
  ],
  [
    'file filters of a file',
    parameter({
      type: 'PATH',
      objectType: 'FILE',
      userInterface: { fileFilters: [{ label: 'L', patterns: ['*', '*.*', '*.tar.gz'] }] },
    }),
  ],
  [
    'a timeout as text',
    action({
      timeout: '10',
      args: [''],
      cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodInSeconds: 600 },
    }),
  ],
  [
    'an optional key that is null',
    action({
      args: null,
      timeout: null,
      cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodInSeconds: null },
    }),
  ],
  ['an environment of variables', environment({ variables: { _A1: '{{Session.WorkingDirectory}}', B: '' } })],
  [
    'the same environment in two steps',
    template({
      steps: ['A', 'B'].map((name) => ({
        ...STEP,
        name,
        stepEnvironments: [{ name: 'E', variables: { A: '1' } }],
      })),
    }),
  ],
  [
    'standard amounts',
    amount(
      { name: 'amount.worker.vcpu', min: 2 },
      { name: 'AMOUNT.Worker.GPU.memory', max: '4.5' },
      { name: 'amount.custom', min: 0, max: 1 },
    ),
  ],
  ['a vendor of its own', amount({ name: 'acme:amount.licenses', min: 1 })],
  ['names of this service in reserved scopes', amount({ name: 'svc:amount.worker.anything', min: 1 })],
  [
    'standard attributes',
    attribute(
      { name: 'attr.worker.os.family', anyOf: ['Linux', 'windows'] },
      { name: 'attr.worker.tag.maya', allOf: ['true'] },
      { name: 'attr.worker.computelocation', anyOf: ['site-1'] },
      { name: 'attr.worker.os.version', anyOf: ['v12', '12', '10.0.22631', 'Ubuntu 24.04 LTS'] },
    ),
  ],
  ['a range of text that only submission refuses', space([{ name: 'A', type: 'STRING', range: 'abc' }])],
  [
    'a combination',
    space(
      ['A', 'B', 'C'].map((name) => ({ name, type: 'INT', range: '1-3' })),
      { combination: '(A, B) * C' },
    ),
  ],
  ['chunks', chunk({ targetRuntimeSeconds: '0' })],
  [
    'chunks by parameter',
    space(
      [
        {
          name: 'C',
          type: 'CHUNK[INT]',
          range: '{{Param.P}}',
          chunks: { defaultTaskCount: '{{Param.P}}', rangeConstraint: 'NONCONTIGUOUS' },
        },
      ],
      {},
      { extensions: ['TASK_CHUNKING'], parameterDefinitions: [{ name: 'P', type: 'INT' }] },
    ),
  ],
  [
    'dependencies in any order',
    template({
      steps: [
        { ...STEP, name: 'A', ...dependsOn('B', 'C') },
        { ...STEP, name: 'B', ...dependsOn('C') },
        { ...STEP, name: 'C' },
      ],
    }),
  ],
];

void test('templates that the specification allows have no findings', (t) => {
  for (const [what, source] of ACCEPTED) t.same(findings(source), [], what);
  t.end();
});

/** Rejected templates, with all their errors. */
const REFUSED: readonly (readonly [what: string, source: object | string, ...errors: string[]])[] = [
  ['a list', '- a', ': a template must be a mapping of keys to values'],
  ['no version', '{}', ': "specificationVersion" is required; write jobtemplate-2023-09'],
  [
    'another version',
    template({ specificationVersion: 'environment-2023-09' }),
    '/specificationVersion: must be "jobtemplate-2023-09"; an environment template is given with a job template, or belongs to a queue',
  ],
  [
    'nothing else',
    '{specificationVersion: jobtemplate-2023-09}',
    ': "name" is required',
    ': "steps" is required',
  ],
  [
    'an unknown key',
    template({ parameterDefinition: [] }),
    '/parameterDefinition: unknown key "parameterDefinition"; did you mean "parameterDefinitions"?',
  ],
  [
    'a key of another kind',
    template({ 'a/b~c': 1 }),
    '/a~1b~0c: unknown key "a/b~c"; known keys are specificationVersion, $schema, extensions, name, description, parameterDefinitions, jobEnvironments, steps',
  ],
  [
    'a number as name',
    'specificationVersion: jobtemplate-2023-09\nname: 12\nsteps: []',
    '/name: must be text, not an integer; put it in quotes',
    '/steps: must have at least one element',
  ],
  ['null where something is required', template({ name: null }), '/name: must be text, not null'],

  ['no extensions', template({ extensions: [] }), '/extensions: must have at least one element'],
  [
    'unknown extensions',
    template({ extensions: ['FEATURE_BUNDLE_2', 'TASK_CHUNKIN', 'x', 'FOO'] }),
    '/extensions/0: unknown extension "FEATURE_BUNDLE_2"; did you mean "FEATURE_BUNDLE_1"?',
    '/extensions/1: unknown extension "TASK_CHUNKIN"; did you mean "TASK_CHUNKING"?',
    '/extensions/2: must be the name of an extension: 3 to 128 of A-Z, 0-9 and _',
    '/extensions/3: unknown extension "FOO"; known are TASK_CHUNKING, REDACTED_ENV_VARS, EXPR, SVC_PATH_TRANSLATION, SVC_CHUNK_BOUNDS, FEATURE_BUNDLE_1, WRAP_ACTIONS',
  ],
  [
    'an extension twice',
    template({ extensions: ['TASK_CHUNKING', 'TASK_CHUNKING'] }),
    '/extensions/1: "TASK_CHUNKING" is declared twice',
  ],
  [
    'chunks without their extension',
    space([
      {
        name: 'C',
        type: 'CHUNK[INT]',
        range: '1',
        chunks: { defaultTaskCount: 1, rangeConstraint: 'CONTIGUOUS' },
      },
    ]),
    '/steps/0/parameterSpace/taskParameterDefinitions/0/type: "CHUNK[INT]" requires the extension TASK_CHUNKING',
  ],
  [
    'keys of extensions',
    withStep({ let: ['a = 1'], bash: {} }),
    '/steps/0/let: "let" requires the extension EXPR',
    '/steps/0/bash: "bash" requires the extension FEATURE_BUNDLE_1',
  ],
  [
    'bounds without their extension',
    withStep(
      {
        parameterSpace: {
          taskParameterDefinitions: [
            {
              name: 'C',
              type: 'CHUNK[INT]',
              range: '1',
              chunks: { defaultTaskCount: 1, rangeConstraint: 'CONTIGUOUS' },
            },
          ],
        },
        script: { actions: { onRun: { command: '{{Task.Param.C.Start}}' } } },
      },
      { extensions: ['TASK_CHUNKING'] },
    ),
    `${ONRUN}/command: "Task.Param.C.Start" cannot be used here: it requires the extension SVC_CHUNK_BOUNDS`,
  ],

  [
    'a long job name',
    template({ name: 'n'.repeat(129) }),
    '/name: must not have more than 128 characters, and has 129 at least',
  ],
  ['an empty job name', template({ name: '' }), '/name: must not be empty'],
  [
    'control characters',
    withStep({ name: 'a\nb', description: 'a\u007f' }, { name: 'a\tb' }),
    '/name: must not contain control characters, and has a tab (U+0009) at character 2: remove it',
    '/steps/0/name: must not contain control characters, and has a line feed (U+000A) at character 2: write it in one line',
    '/steps/0/description: must not contain control characters, and has the control character U+007F at character 2: remove it',
  ],
  [
    'a long step name',
    withStep({ name: `${NAME_64}x` }),
    '/steps/0/name: must not have more than 64 characters, and has 65',
  ],
  [
    'a step name that is a format string',
    withStep({ name: '{{Param.A}}' }),
    '/steps/0/name: must not be a format string',
  ],
  ['an empty description', template({ description: '' }), '/description: must not be empty'],
  [
    'names twice',
    template({
      parameterDefinitions: [
        { name: 'A', type: 'INT' },
        { name: 'A', type: 'INT' },
      ],
      steps: [STEP, STEP],
    }),
    '/steps/1/name: the step "S" exists twice',
    '/parameterDefinitions/1/name: the parameter "A" exists twice',
  ],
  [
    'an environment that exists for the job',
    withStep(
      { stepEnvironments: [{ name: 'E', variables: { A: '' } }] },
      { jobEnvironments: [{ name: 'E', variables: { A: '' } }] },
    ),
    '/steps/0/stepEnvironments/0/name: a job environment has the same name',
  ],
  [
    'no identifier',
    parameter({ name: '1A', type: 'INT' }),
    '/parameterDefinitions/0/name: "1A" is not an identifier: letters, digits and _, not beginning with a digit; write "_1A"',
  ],
  [
    'an identifier with a line end',
    parameter({ name: 'A\n', type: 'INT' }),
    '/parameterDefinitions/0/name: "A\\n" is not an identifier: letters, digits and _, not beginning with a digit; write "A_"',
  ],
  [
    'too many parameters',
    template({
      parameterDefinitions: Array.from({ length: 51 }, (_, index) => ({ name: `P${index}`, type: 'INT' })),
    }),
    '/parameterDefinitions: must not have more than 50 elements, and has 51',
  ],

  [
    'an unknown type',
    parameter({ type: 'INTEGER' }),
    '/parameterDefinitions/0/type: must be one of STRING, PATH, INT, FLOAT, not "INTEGER"; did you mean INT?',
  ],
  [
    'a type without a value',
    parameter({ type: null }),
    '/parameterDefinitions/0/type: must be text, not null',
  ],
  [
    'a type of EXPR',
    parameter({ type: 'LIST[INT]', default: [1] }),
    '/parameterDefinitions/0/type: "LIST[INT]" requires the extension EXPR',
  ],
  [
    'a type in lower case',
    parameter({ type: 'string' }),
    '/parameterDefinitions/0/type: "string" requires the extension EXPR; write STRING',
  ],
  [
    'keys of another type',
    parameter({ type: 'INT', minLength: 1, objectType: 'FILE' }),
    '/parameterDefinitions/0/minLength: unknown key "minLength"; known keys are name, type, description, default, userInterface, allowedValues, minValue, maxValue',
    '/parameterDefinitions/0/objectType: unknown key "objectType"; known keys are name, type, description, default, userInterface, allowedValues, minValue, maxValue',
  ],
  [
    'limits that cross',
    parameter({ type: 'STRING', minLength: 3, maxLength: 2 }),
    '/parameterDefinitions/0/minLength: minLength 3 is greater than maxLength 2',
  ],
  [
    'limits of values that cross',
    parameter({ type: 'FLOAT', minValue: 1.5, maxValue: '1.25' }),
    '/parameterDefinitions/0/minValue: minValue 1.5 is greater than maxValue 1.25',
  ],
  [
    'invalid limits',
    parameter({ type: 'STRING', minLength: -1, maxLength: 0 }),
    '/parameterDefinitions/0/minLength: must be at least 0',
    '/parameterDefinitions/0/maxLength: must be at least 1',
  ],
  [
    'values that break a limit',
    parameter({ type: 'INT', minValue: 3, maxValue: 5, default: 6, allowedValues: [2, 4] }),
    '/parameterDefinitions/0/default: 6 is greater than maxValue 5',
    '/parameterDefinitions/0/allowedValues/0: 2 is less than minValue 3',
  ],
  [
    'a default that is not allowed',
    parameter({ type: 'STRING', default: 'a', allowedValues: ['b'] }),
    '/parameterDefinitions/0/default: "a" is not one of the allowedValues',
  ],
  [
    'no allowed values',
    parameter({ type: 'STRING', allowedValues: [] }),
    '/parameterDefinitions/0/allowedValues: must have at least one element',
  ],
  [
    'values of another type',
    parameter({ type: 'INT', default: true, allowedValues: [1.5, 'x', '9223372036854775808'] }),
    '/parameterDefinitions/0/default: must be an integer',
    '/parameterDefinitions/0/allowedValues/0: must be an integer',
    '/parameterDefinitions/0/allowedValues/1: "x" is not an integer',
    '/parameterDefinitions/0/allowedValues/2: "9223372036854775808" is outside the range of 64-bit integers',
  ],
  [
    'a number for text',
    parameter({ type: 'STRING', default: 1 }),
    '/parameterDefinitions/0/default: must be text; put it in quotes',
  ],
  [
    'a number that is not finite',
    parameter({ type: 'FLOAT', default: 'nan', maxValue: '1e999' }),
    '/parameterDefinitions/0/default: "nan" is not a finite decimal number',
    '/parameterDefinitions/0/maxValue: must be a finite decimal number',
  ],
  [
    'a long value',
    parameter({ type: 'PATH', default: 'x'.repeat(1025) }),
    '/parameterDefinitions/0/default: must not have more than 1024 characters, and has 1025',
  ],
  [
    'a choice without values',
    parameter({ type: 'STRING', userInterface: { control: 'DROPDOWN_LIST' } }),
    '/parameterDefinitions/0/userInterface/control: DROPDOWN_LIST requires allowedValues',
  ],
  [
    'a line with a choice',
    parameter({ type: 'STRING', allowedValues: ['a'], userInterface: { control: 'LINE_EDIT' } }),
    '/parameterDefinitions/0/userInterface/control: LINE_EDIT cannot be used with allowedValues',
  ],
  [
    'a check box of three',
    parameter({
      type: 'STRING',
      allowedValues: ['yes', 'no', 'maybe'],
      userInterface: { control: 'CHECK_BOX' },
    }),
    '/parameterDefinitions/0/userInterface/control: CHECK_BOX requires two allowedValues, one of the pairs true/false, yes/no, on/off, 1/0',
  ],
  [
    'a check box of a mixed pair',
    parameter({ type: 'STRING', allowedValues: ['yes', 'off'], userInterface: { control: 'CHECK_BOX' } }),
    '/parameterDefinitions/0/userInterface/control: CHECK_BOX requires two allowedValues, one of the pairs true/false, yes/no, on/off, 1/0',
  ],
  [
    'a control of another type',
    parameter({ type: 'INT', userInterface: { control: 'LINE_EDIT' } }),
    '/parameterDefinitions/0/userInterface/control: must be one of SPIN_BOX, DROPDOWN_LIST, HIDDEN, not "LINE_EDIT"',
  ],
  [
    'a control of another object',
    parameter({ type: 'PATH', objectType: 'FILE', userInterface: { control: 'CHOOSE_DIRECTORY' } }),
    '/parameterDefinitions/0/userInterface/control: CHOOSE_DIRECTORY cannot be used with objectType FILE',
  ],
  [
    'filters of a directory',
    parameter({ type: 'PATH', userInterface: { fileFilters: [{ label: '', patterns: ['x'] }] } }),
    '/parameterDefinitions/0/userInterface/fileFilters: can be used with CHOOSE_INPUT_FILE and CHOOSE_OUTPUT_FILE only',
    '/parameterDefinitions/0/userInterface/fileFilters/0/label: must not be empty',
    '/parameterDefinitions/0/userInterface/fileFilters/0/patterns/0: "x" is not a file pattern: write *, *.* or *.ext',
  ],
  [
    'settings of a spin box',
    parameter({ type: 'FLOAT', userInterface: { control: 'HIDDEN', decimals: -1, singleStepDelta: 0 } }),
    '/parameterDefinitions/0/userInterface/decimals: can be used with SPIN_BOX only',
    '/parameterDefinitions/0/userInterface/decimals: must be at least 0',
    '/parameterDefinitions/0/userInterface/singleStepDelta: can be used with SPIN_BOX only',
    '/parameterDefinitions/0/userInterface/singleStepDelta: must be greater than 0',
  ],

  [
    'an action without a command',
    withStep({ script: { actions: { onRun: { args: [] } } } }),
    `${ONRUN}: "command" is required`,
    `${ONRUN}/args: must have at least one element`,
  ],
  ['a command of nothing', action({ command: '' }), `${ONRUN}/command: must not be empty`],
  [
    'lines in arguments',
    action({ args: ['a\nb', 1] }),
    `${ONRUN}/args/0: must not contain control characters, and has a line feed (U+000A) at character 2: put the script into an embedded file, or add the extension EXPR, with which arguments may have line breaks`,
    `${ONRUN}/args/1: must be text, not an integer; put it in quotes`,
  ],
  ['no time', action({ timeout: 0 }), `${ONRUN}/timeout: must be at least 1`],
  [
    'time by parameter',
    action({ timeout: '{{Param.T}}' }),
    `${ONRUN}/timeout: must not be a format string without the extension FEATURE_BUNDLE_1`,
  ],
  ['half a second', action({ timeout: 0.5 }), `${ONRUN}/timeout: must be an integer: the number of seconds`],
  [
    'a long notice',
    action({ cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodInSeconds: 601 } }),
    `${ONRUN}/cancelation/notifyPeriodInSeconds: must be at most 600`,
  ],
  [
    'a notice without a need',
    action({ cancelation: { mode: 'TERMINATE', notifyPeriodInSeconds: 1 } }),
    `${ONRUN}/cancelation/notifyPeriodInSeconds: unknown key "notifyPeriodInSeconds"; known keys are mode`,
  ],
  [
    'another cancelation',
    action({ cancelation: { mode: 'ASK' } }),
    `${ONRUN}/cancelation/mode: must be one of TERMINATE, NOTIFY_THEN_TERMINATE, not "ASK"`,
  ],
  [
    'a file elsewhere',
    file({ filename: '../x' }),
    '/steps/0/script/embeddedFiles/0/filename: must be the plain name of a file, without directories',
  ],
  [
    'a file of another type',
    file({ type: 'BINARY', runnable: 'yes', data: '' }),
    '/steps/0/script/embeddedFiles/0/type: must be one of TEXT, not "BINARY"',
    '/steps/0/script/embeddedFiles/0/data: must not be empty',
    '/steps/0/script/embeddedFiles/0/runnable: must be true or false, not text',
  ],
  ['an empty environment', environment({}), '/jobEnvironments/0: must have "variables" or "script"'],
  [
    'an environment without an action',
    environment({ script: { actions: {} } }),
    '/jobEnvironments/0/script/actions: must have "onEnter" or "onExit"',
  ],
  [
    'names that are not valid variables',
    environment({ variables: { '1A': '', 'a-b': 1 } }),
    '/jobEnvironments/0/variables/1A: the name of a variable has letters, digits and _ and does not begin with a digit',
    '/jobEnvironments/0/variables/a-b: must be text, not an integer; put it in quotes',
  ],
  [
    'no variables',
    environment({ variables: {} }),
    '/jobEnvironments/0/variables: must have at least one variable',
  ],

  [
    'no requirements',
    withStep({ hostRequirements: {} }),
    '/steps/0/hostRequirements: must have at least one of "amounts" and "attributes"',
  ],
  [
    'an amount of nothing',
    amount({ name: 'amount.custom' }),
    '/steps/0/hostRequirements/amounts/0: must have at least one of "min" and "max"',
  ],
  [
    'amounts that cross',
    amount({ name: 'amount.custom', min: 3, max: 2 }),
    '/steps/0/hostRequirements/amounts/0/min: min 3 is greater than max 2',
  ],
  [
    'amounts below nothing',
    amount({ name: 'amount.custom', min: -1, max: 0 }),
    '/steps/0/hostRequirements/amounts/0/min: must be at least 0',
    '/steps/0/hostRequirements/amounts/0/max: must be greater than 0',
  ],
  [
    'an amount in a reserved scope',
    amount({ name: 'amount.job.x', min: 1 }),
    '/steps/0/hostRequirements/amounts/0/name: the scope "job" is reserved, and it has no amount of this name',
  ],
  [
    'an attribute as an amount',
    amount({ name: 'attr.custom', min: 1 }),
    '/steps/0/hostRequirements/amounts/0/name: must have the form amount.<name>, with more names after dots and an optional prefix <vendor>:',
  ],
  [
    'the same amount in another case',
    amount({ name: 'amount.custom', min: 1 }, { name: 'Amount.CUSTOM', min: 1 }),
    '/steps/0/hostRequirements/amounts/1/name: the requirement "Amount.CUSTOM" exists twice',
  ],
  [
    'an attribute of nothing',
    attribute({ name: 'attr.custom' }),
    '/steps/0/hostRequirements/attributes/0: must have at least one of "anyOf" and "allOf"',
  ],
  [
    'another system',
    attribute({ name: 'attr.worker.os.family', anyOf: ['plan9'] }),
    '/steps/0/hostRequirements/attributes/0/anyOf/0: must be one of linux, windows, macos, not "plan9"',
  ],
  [
    'two systems at once',
    attribute({ name: 'attr.worker.os.family', allOf: ['linux', 'windows'] }),
    '/steps/0/hostRequirements/attributes/0/allOf/1: a host has exactly one value of attr.worker.os.family',
  ],
  [
    'values with other characters',
    attribute({ name: 'attr.custom', anyOf: ['', '1a', 'a.b', 'x'.repeat(101)] }),
    '/steps/0/hostRequirements/attributes/0/anyOf/0: must not be empty',
    '/steps/0/hostRequirements/attributes/0/anyOf/1: must have letters, digits, _ and - only, and begin with a letter or _',
    '/steps/0/hostRequirements/attributes/0/anyOf/2: must have letters, digits, _ and - only, and begin with a letter or _',
    '/steps/0/hostRequirements/attributes/0/anyOf/3: must not have more than 100 characters, and has 101',
  ],
  [
    'versions of an operating system that are not printable',
    attribute({ name: 'attr.worker.os.version', anyOf: ['', '12\u0007', '1'.repeat(101)] }),
    '/steps/0/hostRequirements/attributes/0/anyOf/0: must not be empty',
    '/steps/0/hostRequirements/attributes/0/anyOf/1: must have printable characters only',
    '/steps/0/hostRequirements/attributes/0/anyOf/2: must not have more than 100 characters, and has 101',
  ],
  [
    'too many requirements',
    withStep({
      hostRequirements: {
        amounts: Array.from({ length: 26 }, (_, i) => ({ name: `amount.a${i}`, min: 1 })),
        attributes: Array.from({ length: 25 }, (_, i) => ({ name: `attr.a${i}`, anyOf: ['x'] })),
      },
    }),
    '/steps/0/hostRequirements: must not have more than 50 requirements, and has 51',
  ],

  [
    'a broken range',
    space([{ name: 'A', type: 'INT', range: '5-1' }]),
    `${RANGE}: "5-1" goes down without a negative step; write 5-1:-1`,
  ],
  [
    'elements of another type',
    space([{ name: 'A', type: 'INT', range: [1, '2', 'x', true, 1.5] }]),
    `${RANGE}/2: must be an integer`,
    `${RANGE}/3: must be an integer`,
    `${RANGE}/4: must be an integer`,
  ],
  ['an empty path', space([{ name: 'A', type: 'PATH', range: ['', 'a'] }]), `${RANGE}/0: must not be empty`],
  [
    'too many elements',
    space([{ name: 'A', type: 'INT', range: Array(1025).fill(1) }]),
    `${RANGE}: must not have more than 1024 elements, and has 1025`,
  ],
  [
    'no elements',
    space([{ name: 'A', type: 'FLOAT', range: [] }]),
    `${RANGE}: must have at least one element`,
  ],
  [
    'two chunked parameters',
    space(
      ['A', 'B'].map((name) => ({
        name,
        type: 'CHUNK[INT]',
        range: '1',
        chunks: { defaultTaskCount: 1, rangeConstraint: 'CONTIGUOUS' },
      })),
      {},
      { extensions: ['TASK_CHUNKING'] },
    ),
    '/steps/0/parameterSpace/taskParameterDefinitions/1: a step can have one parameter of type CHUNK[INT]',
  ],
  [
    'chunks of nothing',
    chunk({ defaultTaskCount: 0, targetRuntimeSeconds: -1, rangeConstraint: 'ANY' }),
    '/steps/0/parameterSpace/taskParameterDefinitions/0/chunks/defaultTaskCount: must be at least 1',
    '/steps/0/parameterSpace/taskParameterDefinitions/0/chunks/rangeConstraint: must be one of CONTIGUOUS, NONCONTIGUOUS, not "ANY"',
    '/steps/0/parameterSpace/taskParameterDefinitions/0/chunks/targetRuntimeSeconds: must be at least 0',
  ],
  [
    'chunks of other types',
    space([{ name: 'A', type: 'INT', range: '1', chunks: {} }]),
    '/steps/0/parameterSpace/taskParameterDefinitions/0/chunks: unknown key "chunks"; known keys are name, type, range',
  ],
  [
    'a combination of other names',
    space(
      [
        { name: 'A', type: 'INT', range: '1' },
        { name: 'B', type: 'INT', range: '1' },
      ],
      { combination: 'A * A * C' },
    ),
    `${COMBINATION}: "A" occurs twice`,
    `${COMBINATION}: there is no task parameter "C"`,
    `${COMBINATION}: "B" is missing`,
  ],
  [
    'a broken combination',
    space([{ name: 'A', type: 'INT', range: '1' }], { combination: '(A)' }),
    `${COMBINATION}: a group in parentheses must have more than one term`,
  ],

  [
    'steps without dependencies',
    template({
      steps: [
        { ...STEP, ...dependsOn('S', 'T') },
        { ...STEP, name: 'Tt', ...dependsOn('S', 'S') },
      ],
    }),
    '/steps/0/dependencies/0/dependsOn: a step cannot depend on itself',
    '/steps/0/dependencies/1/dependsOn: there is no step "T"',
    '/steps/1/dependencies/1/dependsOn: the dependency on "S" exists twice',
  ],
  [
    'steps that wait for each other',
    template({
      steps: [
        { ...STEP, name: 'A', ...dependsOn('B') },
        { ...STEP, name: 'B', ...dependsOn('C') },
        { ...STEP, name: 'C', ...dependsOn('A') },
      ],
    }),
    '/steps/2/dependencies/0/dependsOn: the dependencies form a cycle: "A" -> "B" -> "C" -> "A"',
  ],
];

void test('all violations of the specification are reported with their positions', (t) => {
  for (const [what, source, ...errors] of REFUSED) t.same(findings(source), errors, what);
  t.end();
});

/** One reference in a template with parameters, a task parameter, files and environments, with its errors. */
void test('a value can be used only in its scope', (t) => {
  const parameterDefinitions = [
    { name: 'Scene', type: 'PATH' },
    { name: 'Count', type: 'INT', default: 1 },
  ];
  const places: Readonly<Record<string, (reference: string) => object>> = {
    name: (reference) => template({ name: reference, parameterDefinitions }),
    range: (reference) =>
      space([{ name: 'F', type: 'STRING', range: [reference] }], {}, { parameterDefinitions }),
    value: (reference) => ({
      ...attribute({ name: 'attr.custom', anyOf: [reference] }),
      parameterDefinitions,
    }),
    variable: (reference) => ({ ...environment({ variables: { A: reference } }), parameterDefinitions }),
    enter: (reference) => ({
      ...environment({
        script: {
          actions: { onEnter: { command: 'x', args: [reference] } },
          embeddedFiles: [{ name: 'Setup', type: 'TEXT', data: reference }],
        },
      }),
      parameterDefinitions,
    }),
    run: (reference) =>
      withStep(
        {
          parameterSpace: { taskParameterDefinitions: [{ name: 'F', type: 'INT', range: '1' }] },
          script: {
            actions: { onRun: { command: 'x', args: [reference] } },
            embeddedFiles: [{ name: 'Run', type: 'TEXT', data: reference }],
          },
        },
        { parameterDefinitions },
      ),
  };
  const known: Readonly<Record<string, readonly string[]>> = {
    'Param.Count': ['name', 'range', 'value', 'variable', 'enter', 'run'],
    'RawParam.Count': ['name', 'range', 'value', 'variable', 'enter', 'run'],
    'RawParam.Scene': ['name', 'range', 'value', 'variable', 'enter', 'run'],
    'Param.Scene': ['variable', 'enter', 'run'],
    'Session.WorkingDirectory': ['variable', 'enter', 'run'],
    'Session.HasPathMappingRules': ['variable', 'enter', 'run'],
    'Session.PathMappingRulesFile': ['variable', 'enter', 'run'],
    'Task.Param.F': ['run'],
    'Task.RawParam.F': ['run'],
    'Task.File.Run': ['run'],
    'Env.File.Setup': ['enter'],
    'Job.Name': [],
    'Step.Name': [],
    'Param.Nothing': [],
    Count: [],
  };
  for (const [symbol, expected] of Object.entries(known)) {
    const found = Object.keys(places).filter(
      (place) => findings(places[place]?.(`{{${symbol}}}`) ?? {}).length === 0,
    );
    t.same(found, expected, symbol);
  }
  t.same(findings(places['name']?.('{{Param.Scene}}') ?? {}), [
    '/name: "Param.Scene" cannot be used here: a PATH is mapped on the worker; use RawParam.Scene here',
  ]);
  t.same(findings(places['name']?.('{{Param.Coutn}}') ?? {}), [
    '/name: unknown value "Param.Coutn"; did you mean "Param.Count"?',
  ]);
  t.same(findings(places['range']?.('{{Session.WorkingDirectory}}') ?? {}), [
    `${RANGE}/0: "Session.WorkingDirectory" cannot be used here: it is known on the worker only`,
  ]);
  t.same(findings(places['run']?.('{{Job.Name}}') ?? {}).length, 2, 'one finding per string');
  t.end();
});

void test('all extensions except EXPR are supported, and usage pools', (t) => {
  t.same(findings(amount({ name: 'amount.worker.usagepool.nuke', min: 1 })), []);
  t.same(findings(amount({ name: 'amount.worker.usagepool.nuke' })), []);
  t.same(findings(amount({ name: 'amount.worker.usagepool.nuke', min: 'x' })), [
    '/steps/0/hostRequirements/amounts/0/min: must be a finite decimal number',
  ]);
  const extensions = ['TASK_CHUNKING', 'REDACTED_ENV_VARS', 'SVC_PATH_TRANSLATION', 'SVC_CHUNK_BOUNDS'];
  t.same(findings(template({ extensions })), []);
  t.end();
});

void test('unsupported features are rejected with their positions', (t) => {
  const extensions = [
    'SVC_CHUNK_BOUNDS',
    'REDACTED_ENV_VARS',
    'SVC_PATH_TRANSLATION',
    'EXPR',
    'TASK_CHUNKING',
  ];
  t.same(findings(template({ extensions }), serviceFeatures([])), []);
  t.same(
    findings(template({ extensions }), { ...serviceFeatures([]), extensions: ['EXPR', 'TASK_CHUNKING'] }),
    [
      '/extensions/0: the extension SVC_CHUNK_BOUNDS is not accepted here',
      '/extensions/1: the extension REDACTED_ENV_VARS is not accepted here',
      '/extensions/2: the extension SVC_PATH_TRANSLATION is not accepted here',
    ],
  );
  const pool = amount({ name: 'amount.worker.usagepool.nuke', min: 1 });
  t.same(findings(pool, serviceFeatures([])), []);
  t.end();
});

void test('findings are in document order, with line and column', (t) => {
  const result = checkTemplate(
    documentOf('steps:\n- name: 12\n  scrip: {}\nspecificationVersion: jobtemplate-2023-09\nname: "{{x"\n'),
    { expressions: EXPRESSIONS },
  );
  t.same(result, {
    ok: false,
    errors: [
      { pointer: '/steps/0', detail: '"script" is required', line: 2, column: 3 },
      {
        pointer: '/steps/0/name',
        detail: 'must be text, not an integer; put it in quotes',
        line: 2,
        column: 9,
      },
      {
        pointer: '/steps/0/scrip',
        detail: 'unknown key "scrip"; did you mean "script"?',
        line: 3,
        column: 3,
      },
      { pointer: '/name', detail: '"{{" has no closing "}}"', line: 5, column: 7 },
    ],
  });
  if (!result.ok) {
    t.equal(
      textOfErrors(result.errors.slice(0, 2)),
      '/steps/0: "script" is required; /steps/0/name: must be text, not an integer; put it in quotes',
    );
  }
  t.end();
});

void test('a template with a thousand errors lists the first ones and counts the rest', (t) => {
  const steps = Array.from({ length: 1200 }, (_, index) => ({ ...STEP, name: `S${index}`, x: 1 }));
  const errors = findings(template({ steps }));
  t.equal(errors.length, 1001);
  t.equal(errors.at(-1), ': 200 more errors are not shown');
  t.end();
});

void test('a chain of 5,000 steps is walked without recursion', (t) => {
  const count = 5000;
  const steps = Array.from({ length: count }, (_, index) => ({
    ...STEP,
    name: `S${index}`,
    ...(index + 1 < count ? dependsOn(`S${index + 1}`) : {}),
  }));
  t.same(findings(template({ steps })), []);
  t.match(
    findings(
      template({ steps: [...steps.slice(0, -1), { ...STEP, name: `S${count - 1}`, ...dependsOn('S0') }] }),
    ),
    [/the dependencies form a cycle: "S0" -> "S1".* -> … -> "S0"/],
  );
  t.end();
});

void test('mistakes have hints', (t) => {
  const typed = (type: string): object => template({ parameterDefinitions: [{ name: 'P', type }] });
  const STRING = 'must be one of STRING, PATH, INT, FLOAT, not';
  t.same(findings(typed('str')), [`/parameterDefinitions/0/type: ${STRING} "str"; did you mean STRING?`]);
  t.same(findings(typed('integer')), [
    `/parameterDefinitions/0/type: ${STRING} "integer"; did you mean INT?`,
  ]);
  t.same(findings(typed('x')), [`/parameterDefinitions/0/type: ${STRING} "x"`]);
  t.match(findings(attribute({ name: 'attr.worker.os.familly', anyOf: ['linux'] })), [
    /did you mean "attr.worker.os.family"\?$/,
  ]);
  const depends = (dependency: unknown): object =>
    template({
      steps: [
        { ...STEP, name: 'Render' },
        { ...STEP, name: 'Comp', dependencies: [dependency] },
      ],
    });
  const at = '/steps/1/dependencies/0: must be a mapping, not text; write';
  t.same(findings(depends('Rendr')), [`${at} {dependsOn: "Render"}`]);
  t.same(findings(depends('else')), [`${at} {dependsOn: "else"}`]);
  t.match(
    checkTemplate(documentOf(template({ extensions: ['EXPR'], name: '{{ str(1) }}' })), {
      expressions: EXPRESSIONS,
    }),
    {
      errors: [{ detail: /^Unknown function: 'str'. Did you mean: string\n/ }],
    },
  );
  t.end();
});

void test('a template that can make no job is refused, others depend on values', (t) => {
  const zip = (a: string, b: string, parts: object = {}): object =>
    withStep(
      {
        parameterSpace: {
          taskParameterDefinitions: [
            { name: 'A', type: 'INT', range: a },
            { name: 'B', type: 'INT', range: b },
          ],
          combination: '(A, B)',
        },
      },
      parts,
    );
  t.same(findings(zip('1-3', '1-4')), [
    '/steps/0/parameterSpace/combination: the parts of (A, B) must have the same number of values, and have 3, 4',
  ]);
  t.same(findings(zip('1-3', '4-6')), []);
  const P = { parameterDefinitions: [{ name: 'P', type: 'INT', default: 4 }] };
  t.same(findings(zip('1-3', '1-{{Param.P}}', P)), [], 'another value of P makes a job');
  t.match(findings(zip('1-3', '{{ range_expr("1-4") }}', { extensions: ['EXPR'] })), [
    /must have the same number/,
  ]);
  t.end();
});

void test('an error in a block scalar is placed in its line', (t) => {
  const source = [
    'specificationVersion: jobtemplate-2023-09',
    'name: J',
    'steps:',
    '- name: S',
    '  script:',
    '    embeddedFiles:',
    '    - name: F',
    '      type: TEXT',
    '      data: |',
    '',
    '        first',
    '          echo {{Param.No}}',
    '    - {name: G, type: TEXT, data: "a {{Param.No}}"}',
    '    actions:',
    '      onRun:',
    '        command: bash',
    '        args:',
    '        - -c',
    '        - |-',
    '          one',
    '          two',
    '',
  ].join('\n');
  for (const text of [source, source.replaceAll('\n', '\r\n')]) {
    const result = checkTemplate(documentOf(text), { expressions: EXPRESSIONS });
    t.match(result, {
      ok: false,
      errors: [
        {
          pointer: '/steps/0/script/embeddedFiles/0/data',
          line: 12,
          column: 18,
          detail: 'unknown value "Param.No"',
        },
        { pointer: '/steps/0/script/embeddedFiles/1/data', line: 13, column: 35 },
        { pointer: '/steps/0/script/actions/onRun/args/1', line: 20, column: 14 },
      ],
    });
  }
  t.end();
});

void test('a value that begins with braces and has no quotes is explained', (t) => {
  const read = readDocument('name: {{Param.Name}}\n', 'yaml');
  t.match(read, {
    ok: false,
    errors: [{ line: 1, column: 8, detail: /must be in quotes, as in name: "\{\{Param.Name\}\}"$/ }],
  });
  t.end();
});
