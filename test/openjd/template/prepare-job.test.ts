import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { prepareJob } from '../../../src/openjd/template/expand/prepare-job.ts';
import type { LocalPath } from '../../../src/openjd/template/language/options.ts';
import { openSpace } from '../../../src/openjd/template/space/open-space.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';
import { documentOf, prepared, refusals, STEP, template, withStep } from './template-text.ts';

const parameters = (...definitions: object[]): object => template({ parameterDefinitions: definitions });

const space = (taskParameterDefinitions: object[], others: object = {}, parts: object = {}): object =>
  withStep({ parameterSpace: { taskParameterDefinitions, ...others } }, parts);

const pointsOf = (
  source: object,
  values: Readonly<Record<string, string>> = {},
): Record<string, string>[] => {
  const step = prepared(source, values).plan.steps[0];
  if (step === undefined) throw new Error('no step');
  const opened = openSpace(step.space);
  return Array.from({ length: opened.length }, (_, index) => opened.at(index));
};

const RANGE = '/steps/0/parameterSpace/taskParameterDefinitions/0/range';

void test('a job plan contains everything that scheduling and the worker need', (t) => {
  const job = prepared(
    [
      'specificationVersion: jobtemplate-2023-09',
      'extensions: [TASK_CHUNKING]',
      'name: "{{ Param.Shot }} v{{Param.Version}}"',
      'description: A shot',
      'parameterDefinitions:',
      '- {name: Shot, type: STRING}',
      '- {name: Version, type: INT, default: "007"}',
      '- {name: Scale, type: FLOAT, default: 1.50}',
      '- {name: Out, type: PATH, default: out/dir}',
      'jobEnvironments:',
      '- name: Base',
      '  variables: {OUT: "{{Param.Out}}"}',
      '  script:',
      '    actions:',
      '      onEnter: {command: enter, cancelation: {mode: NOTIFY_THEN_TERMINATE}}',
      '      onExit: {command: leave}',
      '    embeddedFiles: [{name: Setup, type: TEXT, runnable: true, filename: setup.sh, data: "x"}]',
      'steps:',
      '- name: Render',
      '  parameterSpace:',
      '    taskParameterDefinitions:',
      '    - {name: Camera, type: STRING, range: [a, "{{Param.Shot}}"]}',
      '    - {name: Frame, type: "CHUNK[INT]", range: "1-{{Param.Version}}", chunks: {defaultTaskCount: 3, rangeConstraint: CONTIGUOUS}}',
      '  hostRequirements:',
      '    amounts: [{name: amount.worker.vcpu, max: 4}, {name: Amount.Worker.Memory, min: "1024"}]',
      '    attributes:',
      '    - {name: attr.worker.os.family, anyOf: [linux]}',
      '    - {name: attr.worker.computelocation, anyOf: ["{{Param.Shot}}"]}',
      '  stepEnvironments: [{name: Local, variables: {A: b}}]',
      '  script:',
      '    actions:',
      '      onRun: {command: render, args: ["{{Task.Param.Frame}}"], timeout: 60, cancelation: {mode: NOTIFY_THEN_TERMINATE, notifyPeriodInSeconds: "5"}}',
      '- name: Join',
      '  dependencies: [{dependsOn: Render}]',
      '  script: {actions: {onRun: {command: join, cancelation: {mode: TERMINATE}}}}',
    ].join('\n'),
    { Shot: 'sq10', Version: '+8' },
  );
  t.same(job, {
    description: 'A shot',
    extensions: ['TASK_CHUNKING'],
    farmNotes: [],
    plan: {
      version: 1,
      jobName: 'sq10 v8',
      parameters: {
        Shot: { type: 'STRING', value: 'sq10' },
        Version: { type: 'INT', value: '8' },
        Scale: { type: 'FLOAT', value: '1.50' },
        Out: { type: 'PATH', value: 'out/dir' },
      },
      environments: [
        {
          name: 'Base',
          variables: { OUT: '{{Param.Out}}' },
          onEnter: {
            command: 'enter',
            args: [],
            cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodSeconds: 30 },
          },
          onExit: { command: 'leave', args: [] },
          embeddedFiles: [{ name: 'Setup', filename: 'setup.sh', runnable: true, data: 'x' }],
        },
      ],
      steps: [
        {
          name: 'Render',
          order: 0,
          dependsOn: [],
          taskCount: 6,
          taskParameters: [
            { name: 'Camera', type: 'STRING' },
            { name: 'Frame', type: 'CHUNK[INT]' },
          ],
          chunks: {
            parameter: 'Frame',
            defaultTaskCount: 3,
            targetRuntimeSeconds: 0,
            rangeConstraint: 'CONTIGUOUS',
          },
          space: {
            kind: 'product',
            parts: [
              { kind: 'axis', name: 'Camera', values: { kind: 'list', values: ['a', 'sq10'] } },
              {
                kind: 'axis',
                name: 'Frame',
                values: {
                  kind: 'chunks',
                  runs: [{ start: '1', step: '1', count: 8 }],
                  cut: { size: 3, constraint: 'CONTIGUOUS', greedy: false },
                },
              },
            ],
          },
          requirements: {
            cores: 1,
            computeLocation: 'sq10',
            amounts: [{ name: 'amount.worker.memory', min: 1024 }],
            pools: [],
            attributes: [{ name: 'attr.worker.os.family', anyOf: ['linux'] }],
          },
          environments: [{ name: 'Local', variables: { A: 'b' }, embeddedFiles: [] }],
          script: {
            onRun: {
              command: 'render',
              args: ['{{Task.Param.Frame}}'],
              timeoutSeconds: 60,
              cancelation: { mode: 'NOTIFY_THEN_TERMINATE', notifyPeriodSeconds: 5 },
            },
            embeddedFiles: [],
          },
        },
        {
          name: 'Join',
          order: 1,
          dependsOn: [0],
          taskCount: 1,
          taskParameters: [],
          space: { kind: 'single' },
          requirements: { cores: null, computeLocation: '', amounts: [], pools: [], attributes: [] },
          environments: [],
          script: {
            onRun: { command: 'join', args: [], cancelation: { mode: 'TERMINATE' } },
            embeddedFiles: [],
          },
        },
      ],
    },
  });
  t.same(JSON.parse(JSON.stringify(job.plan)), job.plan, 'the plan is plain JSON');
  t.end();
});

void test('parameter values are checked by type and constraint', (t) => {
  const source = parameters(
    { name: 'I', type: 'INT', default: 1, minValue: 0, maxValue: 10 },
    { name: 'F', type: 'FLOAT', default: 1, allowedValues: [1, 2.5] },
    { name: 'S', type: 'STRING', default: 'ab', minLength: 2, maxLength: 3, allowedValues: ['ab', 'abc'] },
  );
  const values = (given: Readonly<Record<string, string>>): object => prepared(source, given).plan.parameters;
  t.same(values({ I: '-0', F: '2.50', S: 'abc' }), {
    I: { type: 'INT', value: '0' },
    F: { type: 'FLOAT', value: '2.50' },
    S: { type: 'STRING', value: 'abc' },
  });
  for (const [given, detail] of [
    [{ I: '1.0' }, '"1.0" is not an integer'],
    [{ I: '' }, '"" is not an integer'],
    [{ I: '1 2' }, '"1 2" is not an integer'],
    [{ I: '9223372036854775808' }, '"9223372036854775808" is outside the range of 64-bit integers'],
    [{ I: '11' }, '11 is greater than maxValue 10'],
    [{ I: '-1' }, '-1 is less than minValue 0'],
    [{ F: 'inf' }, '"inf" is not a finite decimal number'],
    [{ F: '2' }, '"2" is not one of the allowedValues'],
    [{ S: 'a' }, '"a" is shorter than minLength 2'],
    [{ S: 'abcd' }, '"abcd" is longer than maxLength 3'],
    [{ S: 'ba' }, '"ba" is not one of the allowedValues'],
  ] as const) {
    const name = Object.keys(given)[0] ?? '';
    const index = 'IFS'.indexOf(name);
    t.same(refusals(source, given), [`/parameterDefinitions/${index}: the value of "${name}": ${detail}`]);
  }
  t.end();
});

void test('missing and unknown parameters are reported', (t) => {
  const source = parameters({ name: 'Frame', type: 'INT' }, { name: 'Shot', type: 'STRING' });
  t.same(refusals(source, { Fram: '1', toString: 'x' }), [
    '/parameterDefinitions: there is no parameter "Fram"; did you mean "Frame"?',
    '/parameterDefinitions: there is no parameter "toString"',
    '/parameterDefinitions/0: the parameter "Frame" has no default and needs a value',
    '/parameterDefinitions/1: the parameter "Shot" has no default and needs a value',
  ]);
  t.end();
});

void test('a parameter may have the name of a built-in object property', (t) => {
  const source = parameters({ name: '__proto__', type: 'STRING' }, { name: 'constructor', type: 'STRING' });
  const { parameters: values } = prepared(
    source,
    Object.fromEntries([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]),
  ).plan;
  t.same(Object.entries(values), [
    ['__proto__', { type: 'STRING', value: 'a' }],
    ['constructor', { type: 'STRING', value: 'b' }],
  ]);
  t.same(refusals(source, {}).length, 2);
  t.end();
});

void test('invalid results of format strings are rejected with their positions', (t) => {
  const P = { parameterDefinitions: [{ name: 'P', type: 'STRING', default: '' }] };
  t.same(refusals(template({ name: '{{Param.P}}', ...P })), ['/name: resolves to an empty name']);
  t.same(refusals(template({ name: '{{Param.P}}x', ...P }), { P: 'n'.repeat(128) }), [
    '/name: must not have more than 128 characters, and has 129 when resolved',
  ]);
  t.same(refusals(template({ name: '{{Param.P}}', ...P }), { P: 'a\nb' }), [
    '/name: resolves to a name with control characters',
  ]);
  const values = (value: string): string[] =>
    refusals(
      withStep(
        { hostRequirements: { attributes: [{ name: 'attr.worker.os.family', anyOf: ['{{Param.P}}'] }] } },
        P,
      ),
      { P: value },
    );
  t.same(values('plan9'), [
    '/steps/0/hostRequirements/attributes/0/anyOf/0: must be one of linux, windows, macos, not "plan9"',
  ]);
  t.same(values(''), ['/steps/0/hostRequirements/attributes/0/anyOf/0: must not be empty']);
  t.same(values('Linux'), []);
  const range = (type: string, range: unknown, value: string): string[] =>
    refusals(space([{ name: 'A', type, range }], {}, P), { P: value });
  t.same(range('INT', '{{Param.P}}', ''), [`${RANGE}: the range is empty`]);
  t.same(range('INT', '1-{{Param.P}}', 'x'), [
    `${RANGE}: "1-x" is not a part of a range: write 5, 1-10 or 1-10:2`,
  ]);
  t.same(range('INT', ['{{Param.P}}'], 'x'), [`${RANGE}/0: "x" is not a 64-bit integer`]);
  t.same(range('FLOAT', ['{{Param.P}}'], 'nan'), [`${RANGE}/0: "nan" is not a finite decimal number`]);
  t.same(range('PATH', ['{{Param.P}}'], ''), [`${RANGE}/0: must not be empty`]);
  t.same(range('STRING', ['{{Param.P}}x'], 'x'.repeat(1024)), [
    `${RANGE}/0: must not have more than 1024 characters, and has 1025`,
  ]);
  t.end();
});

void test('an empty text is an empty range for every type except integers', (t) => {
  for (const type of ['STRING', 'PATH', 'FLOAT']) {
    t.same(refusals(space([{ name: 'A', type, range: '1-5' }])), [
      `${RANGE}: the range is empty: a range of type ${type} must be a list`,
    ]);
  }
  t.end();
});

void test('range values keep their spelling, integers are normalized', (t) => {
  t.same(
    pointsOf(
      space(
        [{ name: 'A', type: 'INT', range: ['+007', -1, '{{Param.P}}', -1] }],
        {},
        { parameterDefinitions: [{ name: 'P', type: 'INT' }] },
      ),
      { P: '3' },
    ).map((point) => point['A']),
    ['7', '-1', '3', '-1'],
  );
  const yaml = (type: string, range: string): string =>
    `{specificationVersion: jobtemplate-2023-09, name: J, steps: [{name: S, parameterSpace: {taskParameterDefinitions: [{name: A, type: ${type}, range: ${range}}]}, script: {actions: {onRun: {command: x}}}}]}`;
  const step = prepared(yaml('FLOAT', '[1.50, 2, "3e0", 1e2]')).plan.steps[0];
  t.same(step?.space, {
    kind: 'axis',
    name: 'A',
    values: { kind: 'list', values: ['1.50', '2', '3e0', '1e2'] },
  });
  t.end();
});

void test('combinations can be products, groups, and parts of different lengths', (t) => {
  const definitions = [
    { name: 'A', type: 'INT', range: '1-2' },
    { name: 'B', type: 'STRING', range: ['x', 'y'] },
    { name: 'C', type: 'INT', range: '1-4' },
  ];
  t.equal(pointsOf(space(definitions)).length, 16);
  t.same(pointsOf(space(definitions, { combination: '(C, B * A)' })), [
    { C: '1', B: 'x', A: '1' },
    { C: '2', B: 'x', A: '2' },
    { C: '3', B: 'y', A: '1' },
    { C: '4', B: 'y', A: '2' },
  ]);
  t.same(refusals(space(definitions, { combination: '(A, B, C)' })), [
    '/steps/0/parameterSpace/combination: the parts of (A, B, C) must have the same number of values, and have 2, 2, 4',
  ]);
  t.end();
});

void test('chunks of adaptive size vary fastest', (t) => {
  const chunks = { defaultTaskCount: 2, targetRuntimeSeconds: 20, rangeConstraint: 'CONTIGUOUS' };
  const source = space(
    [
      { name: 'C', type: 'CHUNK[INT]', range: '1-3', chunks },
      { name: 'B', type: 'STRING', range: ['x', 'y'] },
    ],
    {},
    { extensions: ['TASK_CHUNKING'] },
  );
  t.same(pointsOf(source), [
    { B: 'x', C: '1-2' },
    { B: 'x', C: '3-3' },
    { B: 'y', C: '1-2' },
    { B: 'y', C: '3-3' },
  ]);
  t.end();
});

void test('a chunk size without a value is rejected', (t) => {
  const source = space(
    [
      {
        name: 'C',
        type: 'CHUNK[INT]',
        range: '1-3',
        chunks: { defaultTaskCount: '{{Param.N}}', rangeConstraint: 'CONTIGUOUS' },
      },
    ],
    {},
    { extensions: ['TASK_CHUNKING'], parameterDefinitions: [{ name: 'N', type: 'INT' }] },
  );
  t.same(refusals(source, { N: '0' }), [
    '/steps/0/parameterSpace/taskParameterDefinitions/0/chunks/defaultTaskCount: must be at least 1, and is 0',
  ]);
  t.same(pointsOf(source, { N: '3' }), [{ C: '1-3' }]);
  t.end();
});

void test('the number of tasks is limited before they are created', (t) => {
  const huge = space([
    { name: 'A', type: 'INT', range: '1-1000000' },
    { name: 'B', type: 'INT', range: '1-1000000' },
  ]);
  t.same(refusals(huge), [
    '/steps/0/parameterSpace: the step has 1000000000000 tasks, and the limit is 1000000',
  ]);
  const beyond = space(
    Array.from({ length: 16 }, (_, index) => ({
      name: `P${index}`,
      type: 'INT',
      range: '-9223372036854775808-9223372036854775807',
    })),
  );
  t.match(refusals(beyond), [/the step has [0-9]{309} tasks/]);
  t.same(
    refusals(
      space([{ name: 'A', type: 'INT', range: '1-11' }]),
      {},
      { ...TEMPLATE_LIMITS, maxTasksPerStep: 10 },
    ),
    ['/steps/0/parameterSpace: the step has 11 tasks, and the limit is 10'],
  );
  t.equal(
    prepared(space([{ name: 'A', type: 'INT', range: '1-1000000' }])).plan.steps[0]?.taskCount,
    1_000_000,
  );
  t.end();
});

void test('steps have cores and a compute location', (t) => {
  const requirements = (hostRequirements: object): object | undefined =>
    prepared(withStep({ hostRequirements })).plan.steps[0]?.requirements;
  const location = 'attr.worker.computelocation';
  t.same(requirements({ amounts: [{ name: 'amount.worker.vcpu', min: 2.5 }] }), {
    cores: 2.5,
    computeLocation: '',
    amounts: [],
    pools: [],
    attributes: [],
  });
  t.same(requirements({ amounts: [{ name: 'amount.worker.vcpu', min: 0, max: 8 }] }), {
    cores: 1,
    computeLocation: '',
    amounts: [],
    pools: [],
    attributes: [],
  });
  t.same(requirements({ attributes: [{ name: location, allOf: ['Site_A'] }] }), {
    cores: null,
    computeLocation: 'Site_A',
    amounts: [],
    pools: [],
    attributes: [],
  });
  t.same(requirements({ attributes: [{ name: location, anyOf: ['A', 'B'] }] }), {
    cores: null,
    computeLocation: '',
    amounts: [],
    pools: [],
    attributes: [{ name: location, anyOf: ['A', 'B'] }],
  });
  t.end();
});

void test('steps keep their order and have their dependencies', (t) => {
  const steps = [
    { ...STEP, name: 'A', dependencies: [{ dependsOn: 'C' }, { dependsOn: 'B' }] },
    { ...STEP, name: 'B' },
    { ...STEP, name: 'C', dependencies: [{ dependsOn: 'B' }] },
  ];
  t.same(
    prepared(template({ steps })).plan.steps.map(({ name, order, dependsOn }) => ({
      name,
      order,
      dependsOn,
    })),
    [
      { name: 'A', order: 0, dependsOn: [2, 1] },
      { name: 'B', order: 1, dependsOn: [] },
      { name: 'C', order: 2, dependsOn: [1] },
    ],
  );
  t.end();
});

void test('the steps of a template with EXPR require evaluation of expressions for their tasks', (t) => {
  const requirementsOf = (extensions: readonly string[]) =>
    prepared(
      template({ extensions, steps: [STEP, { ...STEP, name: 'Other' }] }),
      {},
      { extensions: ['EXPR', 'TASK_CHUNKING'] },
    ).plan.steps.map(({ requirements }) => requirements);
  const plain = { cores: null, computeLocation: '', amounts: [], pools: [], attributes: [] };
  t.strictSame(requirementsOf(['TASK_CHUNKING']), [plain, plain]);
  const expressive = { ...plain, usesExpressions: true };
  t.strictSame(requirementsOf(['TASK_CHUNKING', 'EXPR']), [expressive, expressive]);
  t.end();
});

void test('the values of an attribute are counted again after expressions are evaluated', (t) => {
  const attribute = (parts: object): object =>
    withStep(
      { hostRequirements: { attributes: [{ name: 'attr.worker.os.family', ...parts }] } },
      { extensions: ['EXPR'] },
    );
  const at = '/steps/0/hostRequirements/attributes/0';
  t.strictSame(refusals(attribute({ anyOf: ['{{ null }}', '{{ [] }}'] })), [
    `${at}/anyOf: resolves to a list without values`,
  ]);
  t.strictSame(refusals(attribute({ anyOf: ["{{ ['linux'] * 51 }}"] })), [
    `${at}/anyOf: must not have more than 50 elements, and this resolves to 51 values`,
  ]);
  t.strictSame(refusals(attribute({ allOf: ["{{ ['linux', 'macos'] }}"] })), [
    `${at}/allOf: a host has exactly one value of attr.worker.os.family, and this resolves to 2 values`,
  ]);
  t.strictSame(
    prepared(attribute({ anyOf: ['{{ null }}', "{{ ['linux', 'macos'] }}"] })).plan.steps[0]?.requirements
      .attributes,
    [{ name: 'attr.worker.os.family', anyOf: ['linux', 'macos'] }],
  );
  t.end();
});

void test('the total length of all error texts is limited', (t) => {
  const args = Array.from({ length: 500 }, () => `{{ fail('x' * 3000) }}`);
  const errors = refusals(
    template({
      extensions: ['EXPR'],
      steps: [{ ...STEP, script: { actions: { onRun: { command: 'true', args } } } }],
    }),
  );
  t.ok(errors.join('').length < 300_000);
  t.match(errors.at(-1), /more errors are not shown$/);
  t.end();
});

void test('names of requirements are format strings, and are checked when they are resolved', (t) => {
  const P = { parameterDefinitions: [{ name: 'P', type: 'STRING' }] };
  const named = (kind: 'amounts' | 'attributes', parts: object, extra: readonly object[] = []): object =>
    withStep({ hostRequirements: { [kind]: [{ name: '{{Param.P}}', ...parts }, ...extra] } }, P);
  const amount = named('amounts', { min: 2 });
  t.same(prepared(amount, { P: 'amount.worker.vcpu' }).plan.steps[0]?.requirements.cores, 2);
  t.same(prepared(amount, { P: 'Amount.Worker.Memory' }).plan.steps[0]?.requirements.amounts, [
    { name: 'amount.worker.memory', min: 2 },
  ]);
  const pool = named('amounts', {});
  t.same(prepared(pool, { P: 'amount.worker.usagepool.nuke' }).plan.steps[0]?.requirements.pools, ['nuke']);
  const at = '/steps/0/hostRequirements/amounts/0';
  t.same(refusals(pool, { P: 'amount.worker.memory' }), [`${at}: must have at least one of "min" and "max"`]);
  t.match(refusals(amount, { P: 'attr.worker.os.family' }), [`${at}/name: must have the form amount.<name>`]);
  t.match(refusals(amount, { P: `amount.${'x'.repeat(200)}` }), [`${at}/name: must not have more than`]);
  const twice = named('amounts', { min: 1 }, [{ name: 'amount.worker.memory', min: 1 }]);
  t.same(refusals(twice, { P: 'AMOUNT.worker.memory' }), [
    '/steps/0/hostRequirements/amounts/1/name: the requirement "amount.worker.memory" exists twice',
  ]);
  const attribute = named('attributes', { allOf: ['12'] });
  t.same(prepared(attribute, { P: 'attr.worker.os.version' }).plan.steps[0]?.requirements.attributes, [
    { name: 'attr.worker.os.version', allOf: ['12'] },
  ]);
  t.match(refusals(attribute, { P: 'attr.worker.os.family' }), [
    '/steps/0/hostRequirements/attributes/0/allOf/0: must have letters',
  ]);
  const ofTask = { amounts: [{ name: 'amount.{{Task.Param.F}}', min: 1 }] };
  t.match(refusals(withStep({ hostRequirements: ofTask })), [new RegExp(`^${at}/name: .*Task.Param.F`)]);
  t.end();
});

void test('blanks around the text of a number do not count', (t) => {
  const axis = (type: string, range: unknown): Record<string, string>[] =>
    pointsOf(space([{ name: 'A', type, range }]));
  t.same(axis('FLOAT', [' 2.5 ', '1']), [{ A: '2.5' }, { A: '1' }]);
  t.same(axis('INT', ['\t7\n']), [{ A: '7' }]);
  const number = { parameterDefinitions: [{ name: 'N', type: 'INT', minValue: ' 1 ' }], name: '{{Param.N}}' };
  t.equal(prepared(template(number), { N: ' 12 ' }).plan.jobName, '12');
  t.match(refusals(template(number), { N: ' 0 ' }), [
    '/parameterDefinitions/0: the value of "N": 0 is less than minValue 1',
  ]);
  t.match(refusals(template(number), { N: '1 2' }), [
    '/parameterDefinitions/0: the value of "N": "1 2" is not an integer',
  ]);
  t.end();
});

void test('paths of parameters can be made local: each default and each given value, and elements of lists', (t) => {
  const source = {
    extensions: ['EXPR'],
    specificationVersion: 'jobtemplate-2023-09',
    name: 'J',
    parameterDefinitions: [
      { name: 'A', type: 'PATH', default: 'a', allowedValues: ['a', 'b'] },
      { name: 'B', type: 'PATH' },
      { name: 'L', type: 'LIST[PATH]', default: ['x', 'y'] },
      { name: 'S', type: 'STRING', default: 's' },
    ],
    steps: [{ name: 'S', script: { actions: { onRun: { command: 'c' } } } }],
  };
  const localPath: LocalPath = (path, from) =>
    path === 'bad' ? { ok: false, detail: 'is bad' } : { ok: true, path: `/${from}/${path}` };
  const options = { expressions: EXPRESSIONS, localPath };
  const made = prepareJob(documentOf(source), new Map([['B', 'b']]), options);
  t.match(made.ok && made.job.plan.parameters, {
    A: { value: '/default/a' },
    B: { value: '/submitted/b' },
    L: { value: '["/default/x", "/default/y"]' },
    S: { value: 's' },
  });
  t.match(prepareJob(documentOf(source), new Map([['B', 'bad']]), options), {
    ok: false,
    errors: [{ pointer: '/parameterDefinitions/1', detail: 'the path of "B" is bad' }],
  });
  t.end();
});
