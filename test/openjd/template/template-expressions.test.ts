import { test } from 'tap';
import { EXPRESSIONS, LOCAL_EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { checkTemplate } from '../../../src/openjd/template/check-template.ts';
import { serviceFeatures } from '../../../src/openjd/template/extensions.ts';
import type { HostContext } from '../../../src/openjd/template/host-symbols.ts';
import { hostResolver } from '../../../src/openjd/template/language/host-texts.ts';
import type { StepPlan } from '../../../src/openjd/template/plan.ts';
import { openSpace } from '../../../src/openjd/template/space/open-space.ts';
import { documentOf, findings, prepared, refusals, STEP, template, withStep } from './template-text.ts';

const EXTENSIONS = { extensions: ['EXPR', 'TASK_CHUNKING'] };

const PARAMETERS = [
  { name: 'Shot', type: 'STRING', default: 'x10' },
  { name: 'Count', type: 'INT', default: 3 },
  { name: 'Scale', type: 'FLOAT', default: '3.500' },
  { name: 'Scene', type: 'PATH', default: '/show/a.ma' },
  { name: 'Fast', type: 'BOOL', default: true },
  { name: 'Frames', type: 'RANGE_EXPR', default: '1-10' },
  { name: 'Names', type: 'LIST[STRING]', default: ['a', 'b'] },
  { name: 'Files', type: 'LIST[PATH]', default: ['/f/a.exr', 's3://b/k'] },
  { name: 'Numbers', type: 'LIST[INT]', default: [3, 1] },
  { name: 'Weights', type: 'LIST[FLOAT]', default: [1, 2.5] },
  { name: 'Grid', type: 'LIST[LIST[INT]]', default: [[1, 2], [3]] },
];

const all = { ...EXTENSIONS, parameterDefinitions: PARAMETERS };

/** A template with an argument, and parts of its step and of the template. */
const withArgument = (argument: string, parts: object = {}, others: object = {}): object =>
  withStep(
    { script: { actions: { onRun: { command: 'x', args: [argument] } } }, ...parts },
    { ...all, ...others },
  );

const space = (...definitions: object[]): object => ({
  parameterSpace: { taskParameterDefinitions: definitions },
});

const RANGE = '/steps/0/parameterSpace/taskParameterDefinitions/0/range';
const ARGUMENT = '/steps/0/script/actions/onRun/args/0';

/** Returns the text of a failure: the message, the source and the markers. */
const failure = (pointer: string, message: string, source: string, marks: string, hint = ''): string =>
  `${pointer}: ${message}\n  ${source}\n  ${marks}${hint}`;

const stepOf = (source: object, values: Readonly<Record<string, string>> = {}): StepPlan => {
  const [step] = prepared(source, values).plan.steps;
  if (step === undefined) throw new Error('no step');
  return step;
};

/** Returns the values of the first task parameter. */
function valuesOf(definition: object, values: Readonly<Record<string, string>> = {}): (string | undefined)[] {
  const opened = openSpace(stepOf(withStep(space({ name: 'T', ...definition }), all), values).space);
  return Array.from({ length: opened.length }, (_, index) => opened.at(index)['T']);
}

void test('an expression is type-checked before parameters have values', (t) => {
  const accepted: readonly string[] = [
    '{{ Param.Count + 1 }}',
    '{{ Param.Shot.upper() }}',
    '{{ Param.Scene.stem }}-{{ RawParam.Scene.upper() }}',
    '{{ [f.stem for f in Param.Files] }}',
    '{{ Param.Grid[0][1] + sum(Param.Numbers) }}',
    '{{ "--fast" if Param.Fast else null }}',
    '{{ len(Param.Frames) }} {{ Session.WorkingDirectory / "a" }} {{ Job.Name }}/{{ Step.Name }}',
    '{{ apply_path_mapping(Param.Shot) }}',
    '{{ Param.Names }}',
  ];
  for (const argument of accepted) t.same(findings(withArgument(argument)), [], argument);
  const refused: readonly (readonly [argument: string, finding: string])[] = [
    [
      '{{ Param.Shot + 1 }}',
      failure(
        ARGUMENT,
        "Cannot use '+' operator with string and int",
        '{{ Param.Shot + 1 }}',
        '   ~~~~~~~~~~~^~~',
      ),
    ],
    [
      'a{{ Param.Shto }}',
      failure(
        ARGUMENT,
        "Undefined variable: 'Param.Shto'. Did you mean: Param.Shot",
        'a{{ Param.Shto }}',
        '    ^~~~~~~~~~',
      ),
    ],
    ['{{ 1 + }}', `${ARGUMENT}: Syntax error`],
  ];
  for (const [argument, finding] of refused) {
    const [first = ''] = findings(withArgument(argument));
    t.equal(first.slice(0, finding.length), finding, argument);
  }
  t.end();
});

void test('expressions with a reported part cause no further errors', (t) => {
  const source = withArgument(
    '{{ Param.Odd + 1 }}{{ Task.Param.T.upper() }}',
    space({ name: 'T', type: 'NONE', range: [1] }),
    {
      parameterDefinitions: [{ name: 'Odd', type: 'NUMBER' }],
    },
  );
  t.match(findings(source), [
    /^\/steps\/0\/parameterSpace\/taskParameterDefinitions\/0\/type: must be one of/,
    /^\/parameterDefinitions\/0\/type: must be one of/,
  ]);
  t.equal(findings(source).length, 2);
  t.end();
});

void test('values that only the worker knows are unresolved when the job is created', (t) => {
  const inName = (name: string): string[] => findings(template({ ...all, name }));
  t.same(inName('{{ RawParam.Scene }} {{ sorted(RawParam.Files) }}'), []);
  t.match(inName('{{ Param.Scene.stem }}'), [
    /^\/name: Undefined variable: 'Param\.Scene\.stem'[^]*\nParam\.Scene cannot be used here: a PATH is mapped on the worker; use RawParam\.Scene here$/,
  ]);
  t.match(inName('{{ Job.Name }}')[0], /^\/name: Undefined variable: 'Job\.Name'/);
  t.match(inName('{{ apply_path_mapping("/a") }}')[0], /^\/name: .*apply_path_mapping/);
  const range = (text: string): string[] =>
    findings(withStep(space({ name: 'T', type: 'STRING', range: [text] }), all), serviceFeatures([]));
  for (const name of ['Job.Name', 'Step.Name', 'Session.WorkingDirectory', 'Task.Param.T']) {
    t.match(range(`{{ ${name} }}`)[0], new RegExp(`^${RANGE}/0: Undefined variable: '${name}'`), name);
  }
  t.end();
});

void test('ranges accept expressions of the types that they allow', (t) => {
  const cases: readonly (readonly [definition: object, values: readonly string[]])[] = [
    [{ type: 'int', range: '{{ Param.Frames[::3] }}' }, ['1', '4', '7', '10']],
    [{ type: 'INT', range: '{{ [3, 1, 2] }}' }, ['3', '1', '2']],
    [{ type: 'INT', range: '{{ Param.Count }}' }, ['3']],
    [{ type: 'INT', range: '{{ "1-" + string(Param.Count) }}' }, ['1', '2', '3']],
    [{ type: 'INT', range: '1-{{ Param.Count - 1 }}' }, ['1', '2']],
    [
      { type: 'INT', range: [1, '{{ Param.Numbers }}', '{{ null }}', '{{ 2 + 2 }}', '1{{ 0 }}'] },
      ['1', '3', '1', '4', '10'],
    ],
    [{ type: 'FLOAT', range: '{{ Param.Weights }}' }, ['1', '2.5']],
    [{ type: 'FLOAT', range: '{{ [1, 2] }}' }, ['1.0', '2.0']],
    [{ type: 'FLOAT', range: ['{{ Param.Scale }}', '{{ Param.Scale + 1 }}'] }, ['3.500', '4.5']],
    [{ type: 'STRING', range: '{{ Param.Names }}' }, ['a', 'b']],
    [
      { type: 'STRING', range: ['{{ [n + "!" for n in Param.Names] }}', '{{ 1 if false else null }}', 'c'] },
      ['a!', 'b!', 'c'],
    ],
    [{ type: 'PATH', range: '{{ RawParam.Files }}' }, ['/f/a.exr', 's3://b/k']],
    [{ type: 'PATH', range: '{{ [path("/a") / n for n in Param.Names] }}' }, ['/a/a', '/a/b']],
    [
      {
        type: 'chunk[int]',
        range: '{{ Param.Frames }}',
        chunks: {
          defaultTaskCount: '{{ Param.Count + 2 }}',
          targetRuntimeSeconds: '{{ null }}',
          rangeConstraint: 'CONTIGUOUS',
        },
      },
      ['1-5', '6-10'],
    ],
  ];
  for (const [definition, values] of cases) t.same(valuesOf(definition), values, JSON.stringify(definition));
  const refused: readonly (readonly [definition: object, refusal: RegExp])[] = [
    [{ type: 'FLOAT', range: '{{ 42 }}' }, /range: Cannot coerce int to list\[float\]/],
    [
      { type: 'STRING', range: 'a{{ 1 }}' },
      /range: the range is empty: a range of type STRING must be a list$/,
    ],
    [{ type: 'STRING', range: '{{ [] }}' }, /range: the range is empty$/],
    [{ type: 'STRING', range: ['{{ null }}'] }, /range: the range is empty$/],
    [
      { type: 'INT', range: '{{ list(range_expr("1-2000")) }}' },
      /range: must not have more than 1024 elements, and has 2000$/,
    ],
    [
      { type: 'INT', range: ['{{ Param.Shot }}'] },
      /range\/0: Cannot coerce string to int \| list\[int\] \| nulltype/,
    ],
    [{ type: 'INT', range: '{{ Param.Shot }}' }, /range: "x10" is not a part of a range/],
    [{ type: 'PATH', range: ['{{ "" }}'] }, /range\/0: must not be empty$/],
  ];
  for (const [definition, refusal] of refused) {
    const [first] = refusals(withStep(space({ name: 'T', ...definition }), all));
    t.match(first, refusal, JSON.stringify(definition));
  }
  t.end();
});

void test('attribute values are omitted and expanded like arguments, and checked afterwards', (t) => {
  const source = (...anyOf: string[]): object =>
    withStep({ hostRequirements: { attributes: [{ name: 'attr.worker.tag.dcc', anyOf }] } }, all);
  t.same(stepOf(source('{{ Param.Names }}', '{{ null }}', 'v{{ Param.Count }}')).requirements.attributes, [
    { name: 'attr.worker.tag.dcc', anyOf: ['a', 'b', 'v3'] },
  ]);
  t.match(refusals(source('{{ Param.Shot + "/" }}')), [/anyOf\/0: must have letters/]);
  const attribute = '/steps/0/hostRequirements/attributes/0';
  t.same(refusals(source('{{ Param.Names[2:] }}', '{{ null }}')), [
    `${attribute}/anyOf: resolves to a list without values`,
  ]);
  t.same(stepOf(source('{{ Param.Names * 25 }}')).requirements.attributes[0]?.anyOf?.length, 50);
  t.same(refusals(source('{{ Param.Names * 25 }}', 'c')), [
    `${attribute}/anyOf: must not have more than 50 elements, and this resolves to 51 values`,
  ]);
  t.match(refusals(source('{{ Param.Shot + "/" }}', '{{ Param.Names * 25 }}')), [
    /anyOf\/0: must have letters/,
  ]);
  t.end();
});

void test('a failure that depends on values is reported when they are known, also in host fields', (t) => {
  const source = withArgument('{{ 100 / Param.Count }}');
  t.same(findings(source), []);
  t.same(refusals(source, { Count: '0' }), [
    failure(ARGUMENT, 'Division by zero', '{{ 100 / Param.Count }}', '   ~~~~^~~~~~~~~~~~~'),
  ]);
  const bound = withArgument('{{ y }}', { let: ['y = Param.Names[Param.Count]'] });
  t.same(findings(bound), []);
  t.match(refusals(withArgument('{{ Param.Grid }}')), [/args\/0: Cannot coerce list\[list\[int\]\]/]);
  t.match(refusals(bound), [/^\/steps\/0\/let\/0: .*\n  Param\.Names\[Param\.Count\]\n/]);
  t.end();
});

void test('an exceeded budget is reported at its position', (t) => {
  t.match(findings(withArgument(`{{ 'x' * ${10 ** 7} }}`)), [
    new RegExp(`^${ARGUMENT}: Expression memory usage \\(\\d+ bytes\\) exceeded limit \\(1000000 bytes\\)`),
  ]);
  t.end();
});

void test('the bindings of all steps have a common limit, which is reported once', (t) => {
  const large = Array.from({ length: 50 }, (_, index) => `a${index} = range(31000)`);
  const steps = (count: number): object =>
    template({
      ...all,
      steps: Array.from({ length: count }, (_, order) => ({ ...STEP, name: `S${order}`, let: large })),
    });
  t.same(refusals(steps(1)), []);
  t.same(refusals(steps(3)), [
    '/steps/1/let/0: the bindings of all steps take more than 50000000 bytes together',
  ]);
  t.end();
});

void test('bindings can use earlier ones, and an error of one causes no errors of others', (t) => {
  const source = (lets: readonly string[], scriptLets: readonly string[], argument: string): object =>
    withStep(
      {
        let: lets,
        script: { let: scriptLets, actions: { onRun: { command: 'x', args: [argument] } } },
      },
      all,
    );
  t.same(
    findings(
      source(
        ['a = Param.Count', 'b = a + 1'],
        ['c = b * 2', 'd = Param.Scene.parent / string(c)'],
        '{{ d }}',
      ),
    ),
    [],
  );
  t.same(findings(source(['a = b + 1', 'c = a'], ['d = c'], '{{ a }}{{ c }}{{ d }}')), [
    failure('/steps/0/let/0', "Undefined variable: 'b'", 'b + 1', '^'),
  ]);
  t.match(findings(source(['a = 1'], ['b = [a for a in [1]]'], '{{ [b for b in [1]] }}')), [
    /^\/steps\/0\/script\/let\/0: Loop variable 'a' shadows an existing binding/,
    /args\/0: Loop variable 'b' shadows an existing binding/,
  ]);
  t.match(findings(source(['a = Session.WorkingDirectory'], ['b = 1'], 'x')), [
    /Session\.WorkingDirectory cannot be used here: it is known on the worker only$/,
  ]);
  t.end();
});

void test('a plan contains the step bindings that its scripts need, and script bindings unchanged', (t) => {
  const source = withStep(
    {
      let: [
        'unused = 1',
        'name = Param.Shot + "_" + Step.Name + Job.Name',
        'scale = Param.Scale',
        'files = [path(f) for f in RawParam.Files]',
        'empty = []',
        'none = null',
        'frames = Param.Frames',
        'only_range = [1, 2]',
      ],
      ...space({ name: 'T', type: 'INT', range: '{{ only_range }}' }),
      stepEnvironments: [
        {
          name: 'E',
          variables: { A: '{{ name }}' },
          script: {
            let: ['inner = scale'],
            actions: { onEnter: { command: 'x', args: ['{{ inner }}', '{{ none }}'] } },
          },
        },
      ],
      script: {
        let: ['all = [files, empty]', 'last = frames'],
        actions: { onRun: { command: 'x', args: ['{{ last }}'] } },
      },
    },
    all,
  );
  const step = stepOf(source);
  t.same(step.lets, [
    { name: 'name', type: 'string', value: 'x10_SJob' },
    { name: 'scale', type: 'float', value: '3.500' },
    { name: 'files', type: 'list[path]', value: '["/f/a.exr", "s3://b/k"]' },
    { name: 'empty', type: 'list[nulltype]', value: '[]' },
    { name: 'none', type: 'nulltype', value: 'null' },
    { name: 'frames', type: 'range_expr', value: '1-10' },
  ]);
  t.same(step.script.lets, [
    { name: 'all', expression: '[files, empty]' },
    { name: 'last', expression: 'frames' },
  ]);
  t.same(step.environments[0]?.lets, [{ name: 'inner', expression: 'scale' }]);
  t.equal('lets' in stepOf(withStep({}, all)), false);
  t.end();
});

/** Returns the host context of a task of the template with all parameters. */
function hostOf(step: StepPlan, others: Partial<HostContext> = {}): HostContext {
  return {
    parameters: prepared(withStep({}, all)).plan.parameters,
    session: { workingDirectory: '/w', pathMappingRulesFile: '/w/rules.json', hasPathMappingRules: true },
    scope: {
      kind: 'task',
      task: { definitions: step.taskParameters, values: openSpace(step.space).at(0) },
    },
    files: new Map([['Run', '/w/run.sh']]),
    mapPath: (path) => path.replace(/^\/(?:show|f)/, '/mapped'),
    typed: { jobName: 'Job', stepName: 'S', lets: step.lets ?? [], pathStyle: 'posix' },
    ...others,
  };
}

void test('a worker resolves expressions with all values and their types', (t) => {
  const chunks = { defaultTaskCount: 4, rangeConstraint: 'CONTIGUOUS' };
  const step = stepOf(
    withArgument(
      '{{ step_let }}',
      {
        let: ['step_let = [path(f) for f in RawParam.Files]'],
        ...space(
          { name: 'F', type: 'CHUNK[INT]', range: '1-8', chunks },
          { name: 'P', type: 'PATH', range: ['/show/x.exr'] },
          { name: 'N', type: 'INT', range: [7] },
        ),
      },
      { extensions: ['EXPR', 'TASK_CHUNKING', 'SVC_CHUNK_BOUNDS'] },
    ),
  );
  const script = hostResolver(hostOf(step), EXPRESSIONS).withLets([
    { name: 'doubled', expression: 'Task.Param.N * 2' },
    { name: 'more', expression: 'doubled + 1' },
  ]);
  const cases: readonly (readonly [format: string, texts: readonly string[]])[] = [
    ['{{ Param.Scene }}|{{ RawParam.Scene }}', ['/mapped/a.ma|/show/a.ma']],
    ['{{ Param.Files }}', ['/mapped/a.exr', 's3://b/k']],
    ['{{ [f.name for f in Param.Files] }}', ['a.exr', 'k']],
    ['{{ Task.Param.P.stem }} {{ Task.RawParam.P.upper() }}', ['x /SHOW/X.EXR']],
    ['{{ Task.Param.F }} {{ len(Task.Param.F) }}', ['1-4 4']],
    ['{{ Task.Param.F.Start + Task.Param.F.End }}', ['5']],
    ['{{ doubled }}-{{ more }}', ['14-15']],
    ['{{ [p.name for p in step_let] }}', ['a.exr', 'k']],
    ['{{ "--fast" if Param.Fast else null }}', ['--fast']],
    ['{{ null if Param.Fast else "x" }}', []],
    ['{{ [] }}', []],
    ['a{{ null }}b', ['ab']],
    ['{{ Param.Scale }}', ['3.500']],
    ['{{ Param.Frames }}', ['1-10']],
    ['{{ Session.HasPathMappingRules and not Param.Fast }}', ['false']],
    ['{{ Session.WorkingDirectory / "a" }} {{ Task.File.Run.name }}', ['/w/a run.sh']],
    ['{{ apply_path_mapping("/show/z") }}', ['/mapped/z']],
    ['{{ Job.Name }}/{{ Step.Name }}', ['Job/S']],
    ['plain', ['plain']],
  ];
  for (const [format, texts] of cases) {
    const result = script.listed(format);
    t.same(result.ok ? result.texts : result.detail, texts, format);
  }
  t.same(script.text('{{ Param.Count }}'), { ok: true, text: '3', operations: 0 });
  t.same(script.text('{{ Param.Count + 1 }}'), { ok: true, text: '4', operations: 1 });
  t.same(script.text('{{ null }}'), {
    ok: false,
    detail: 'Cannot coerce nulltype to string\n  {{ null }}\n     ^~~~',
  });
  t.end();
});

void test('a binding without a value fails all texts of its script only', (t) => {
  const step = stepOf(withStep({}, all));
  const outer = hostResolver(hostOf(step), EXPRESSIONS);
  const inner = outer.withLets([
    { name: 'a', expression: '1 // (Param.Count - 3)' },
    { name: 'b', expression: 'a' },
  ]);
  const detail = 'let a: Division by zero\n  1 // (Param.Count - 3)\n  ~~^~~~~~~~~~~~~~~~~~~~';
  t.same(inner.text('x'), { ok: false, detail });
  t.same(inner.listed('{{ 1 }}'), { ok: false, detail });
  t.same(outer.text('x'), { ok: true, text: 'x', operations: 0 });
  t.end();
});

void test('environments of the job have neither step nor task, those of a step have the step', (t) => {
  const environment = (argument: string): object => ({
    name: 'E',
    script: { actions: { onEnter: { command: 'x', args: [argument] } } },
  });
  const job = (argument: string): string[] =>
    findings(template({ ...all, jobEnvironments: [environment(argument)] }));
  const step = (argument: string): string[] =>
    findings(withStep({ let: ['own = 1'], stepEnvironments: [environment(argument)] }, all));
  t.same(job('{{ Job.Name }}'), []);
  t.match(job('{{ Step.Name }}'), [/Undefined variable: 'Step\.Name'/]);
  t.same(step('{{ Step.Name }}{{ own }}'), []);
  t.match(step('{{ Task.Param.T }}'), [/Undefined variable: 'Task\.Param\.T'/]);
  const variables = template({
    ...all,
    jobEnvironments: [
      {
        name: 'E',
        variables: { A: '{{ own }}' },
        script: { let: ['own = 1'], actions: { onEnter: { command: '{{ own }}' } } },
      },
    ],
  });
  t.match(findings(variables), [/^\/jobEnvironments\/0\/variables\/A: Undefined variable: 'own'/]);
  t.end();
});

void test('without the extension format strings contain only names', (t) => {
  const source = withStep({ script: { actions: { onRun: { command: 'x', args: ['{{ 1 + 1 }}'] } } } });
  t.same(findings(source), [
    `${ARGUMENT}: "1 + 1" is not the name of a value (expressions require the extension EXPR)`,
  ]);
  t.equal(STEP.script.actions.onRun.command, 'true');
  t.end();
});

void test('undefined names are reported also in branches that are not taken', (t) => {
  const of = (arg: string): string[] => refusals(withArgument(arg));
  t.match(of("{{ 'a' if Param.Fast else Param.Typo.stem }}"), [/Undefined variable: 'Param.Typo.stem'/]);
  t.match(of("{{ 'a' if true else upperr('x') }}"), [/Unknown function: 'upperr'. Did you mean: upper/]);
  t.match(of('{{ false and Task.Param.Nothing }}'), [/\n {2}{{ false and Task.Param.Nothing }}\n {15}\^~/]);
  t.same(of('{{ [name.upper() for name in Param.Names if name.startswith("a")] }}'), []);
  t.end();
});

void test('the expressions of a template share a number of operations', (t) => {
  const expensive = '{{ sum([sum([b for b in range(200)]) for a in range(500)]) }}';
  const many = (count: number): object => ({
    ...template({
      extensions: ['EXPR'],
      steps: Array.from({ length: count }, (_unused, nth) => ({
        name: `S${nth}`,
        script: { actions: { onRun: { command: 'x', args: [expensive] } } },
      })),
    }),
  });
  t.same(findings(many(5)), []);
  const [reported, ...others] = findings(many(300));
  t.match(
    reported,
    /^\/steps\/[0-9]+\/script\/actions\/onRun\/(command|args\/0): the expressions up to here need more than 10000000 operations together, the limit of a template$/,
  );
  t.same(others, [], 'it is reported once');
  const bindings = Array.from({ length: 50 }, (_unused, nth) => `v${nth} = ${expensive.slice(3, -3)}`);
  const steps = Array.from({ length: 20 }, (_unused, nth) => ({ ...STEP, name: `S${nth}`, let: bindings }));
  t.match(findings(template({ extensions: ['EXPR'], steps })), [
    /^\/steps\/[0-9]+\/let\/[0-9]+: the expressions up to here/,
  ]);
  t.end();
});

void test('the limits of one expression set those of all expressions of a template', (t) => {
  const source = template({ extensions: ['EXPR'], name: '{{ string(sum([x for x in range(300000)])) }}' });
  const document = documentOf(source);
  t.match(checkTemplate(document, { expressions: EXPRESSIONS }), { ok: false });
  t.match(checkTemplate(document, { expressions: LOCAL_EXPRESSIONS }), { ok: true });
  t.end();
});
