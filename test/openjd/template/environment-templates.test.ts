import fc from 'fast-check';
import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import {
  checkEnvironmentTemplate,
  environmentNameOf,
  templateKindOf,
  type OuterEnvironment,
} from '../../../src/openjd/template/check-environment.ts';
import { checkTemplate } from '../../../src/openjd/template/check-template.ts';
import { prepareJob, type PreparedJob } from '../../../src/openjd/template/expand/prepare-job.ts';
import { mergeParameters, type ParameterSource } from '../../../src/openjd/template/merge-parameters.ts';
import { checkValue, submittedNode } from '../../../src/openjd/template/parameter-rules.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';
import type { CheckedParameter } from '../../../src/openjd/template/validate/04-parameters.ts';
import { documentOf, template } from './template-text.ts';

const OPTIONS = { expressions: EXPRESSIONS };

/** Returns an environment template, with replaced or added parts. */
const environment = (parts: object = {}, ofEnvironment: object = {}): object => ({
  specificationVersion: 'environment-2023-09',
  environment: { name: 'Conda', variables: { WORD: 'x' }, ...ofEnvironment },
  ...parts,
});

const script = (args: readonly string[], more: object = {}): object => ({
  variables: undefined,
  script: { actions: { onEnter: { command: 'enter', args } }, ...more },
});

function findings(source: object | string): string[] {
  const result = checkEnvironmentTemplate(documentOf(source), OPTIONS);
  return result.ok ? [] : result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

function outer(source: object, name = 'environment "Conda"'): OuterEnvironment {
  const checked = checkEnvironmentTemplate(documentOf(source), OPTIONS);
  if (!checked.ok) throw new Error(checked.errors.map(({ detail }) => detail).join('; '));
  return { source: name, template: checked.template };
}

void test('the version names the kind of a template', (t) => {
  t.equal(templateKindOf(documentOf(environment())), 'environment');
  t.equal(templateKindOf(documentOf(template())), 'job');
  t.equal(templateKindOf(documentOf('a text')), 'job');
  t.same(findings(template()), [
    '/specificationVersion: must be "environment-2023-09"; this must be an environment template, not a job template',
  ]);
  const asJob = checkTemplate(documentOf(environment()), OPTIONS);
  t.match(asJob, {
    ok: false,
    errors: [
      { pointer: '/specificationVersion', detail: /^must be "jobtemplate-2023-09"; an environment template/ },
    ],
  });
  t.end();
});

void test('a valid environment template has no findings', (t) => {
  const sources = [
    environment(),
    environment({ $schema: 'https://example.org', extensions: ['EXPR'] }),
    environment({ parameterDefinitions: [{ name: 'P', type: 'STRING' }] }, script(['{{Param.P}}'])),
    environment(
      {},
      script(['{{Env.File.Run}}', '{{Session.WorkingDirectory}}'], {
        embeddedFiles: [{ name: 'Run', type: 'TEXT', data: 'x' }],
      }),
    ),
    environment(
      { extensions: ['EXPR'], parameterDefinitions: [{ name: 'L', type: 'LIST[INT]', default: [1, 2] }] },
      script(['{{sum(Param.L) + more}}'], { let: ['more = 1'] }),
    ),
  ];
  for (const source of sources) t.same(findings(source), [], JSON.stringify(source));
  const [first = {}] = sources;
  t.equal(environmentNameOf(outer(first).template), 'Conda');
  t.end();
});

void test('each rule of environment templates has a finding at its place', (t) => {
  const cases: readonly (readonly [object, string | RegExp])[] = [
    [{ specificationVersion: 'environment-2023-09' }, ': "environment" is required'],
    [environment({ steps: [] }), /^\/steps: unknown key "steps"/],
    [environment({ name: 'x' }), /^\/name: unknown key "name"/],
    [environment({ jobEnvironments: [] }), /^\/jobEnvironments: unknown key/],
    [environment({ environment: [] }), '/environment: must be a mapping, not a list'],
    [environment({}, { name: '' }), /^\/environment\/name: /],
    [environment({}, { variables: undefined }), '/environment: must have "variables" or "script"'],
    [environment({}, { variables: {} }), '/environment/variables: must have at least one variable'],
    [environment({}, { variables: { '1A': 'x' } }), /^\/environment\/variables\/1A: the name of a variable/],
    [environment({ parameterDefinitions: [] }), '/parameterDefinitions: must have at least one element'],
    [
      environment({
        parameterDefinitions: Array.from({ length: 51 }, (_, n) => ({ name: `P${n}`, type: 'INT' })),
      }),
      '/parameterDefinitions: must not have more than 50 elements, and has 51',
    ],
    [
      environment({ parameterDefinitions: [{ name: 'P', type: 'INT', default: 'x' }] }),
      /^\/parameterDefinitions\/0\/default: /,
    ],
    [
      environment({
        parameterDefinitions: [
          { name: 'P', type: 'INT' },
          { name: 'P', type: 'INT' },
        ],
      }),
      /^\/parameterDefinitions\/1\/name: /,
    ],
    [
      environment({}, script(['{{Param.None}}'])),
      /^\/environment\/script\/actions\/onEnter\/args\/0: unknown value "Param.None"/,
    ],
    [environment({}, script(['{{Task.Param.F}}'])), /unknown value "Task.Param.F"/],
    [environment({ extensions: ['EXPR'] }, script(['{{Step.Name}}'])), /Step.Name/],
    [environment({}, { variables: { A: '{{Env.File.Run}}' } }), /unknown value "Env.File.Run"/],
    [environment({ extensions: [] }), '/extensions: must have at least one element'],
    [environment({ extensions: ['NONE_SUCH'] }), /^\/extensions\/0: unknown extension "NONE_SUCH"/],
    [
      environment({}, script(['x'], { let: ['a = 1'] })),
      '/environment/script/let: "let" requires the extension EXPR',
    ],
    [
      environment({}, { script: { actions: {} } }),
      '/environment/script/actions: must have "onEnter" or "onExit"',
    ],
    [
      environment({ extensions: ['EXPR'] }, script(['{{1 +}}'])),
      /^\/environment\/script\/actions\/onEnter\/args\/0: /,
    ],
  ];
  for (const [source, expected] of cases) {
    const found = findings(source);
    t.ok(
      found.some((each) => (typeof expected === 'string' ? each === expected : expected.test(each))),
      `${JSON.stringify(source).slice(0, 100)}: ${found.join(' | ')}`,
    );
  }
  t.end();
});

/** Returns the parameters of a job template with these definitions. */
function parametersOf(...definitions: readonly object[]): readonly CheckedParameter[] {
  const source = template({ extensions: ['EXPR'], parameterDefinitions: definitions });
  const checked = checkTemplate(documentOf(source), OPTIONS);
  if (!checked.ok) throw new Error(checked.errors.map(({ detail }) => detail).join('; '));
  return checked.template.parameters;
}

const merged = (...definitions: readonly (object | null)[]): ReturnType<typeof mergeParameters> => {
  const names = ['environment "A"', 'environment "B"', 'the job template'].slice(-definitions.length);
  const sources = definitions.map((definition, at): ParameterSource => ({
    name: names[at] ?? '',
    parameters: definition === null ? [] : parametersOf(definition),
  }));
  return mergeParameters(sources, TEMPLATE_LIMITS);
};

void test('definitions merge to the intersection of their constraints', (t) => {
  const of = (...definitions: readonly (object | null)[]): object => {
    const { parameters, conflicts } = merged(...definitions);
    t.same(conflicts, []);
    const [one] = parameters;
    return {
      ...one?.rules,
      minValue: one?.rules.minValue?.text ?? null,
      maxValue: one?.rules.maxValue?.text ?? null,
      default: one?.default,
    };
  };
  t.match(
    of(
      { name: 'P', type: 'INT', minValue: 1, maxValue: 10, default: 2 },
      { name: 'P', type: 'INT', minValue: 3, maxValue: 20, default: 5 },
      { name: 'P', type: 'INT' },
    ),
    { type: 'INT', minValue: '3', maxValue: '10', default: '5' },
  );
  t.match(
    of(
      { name: 'P', type: 'INT', allowedValues: [1, 2, 3, 9] },
      { name: 'P', type: 'INT', allowedValues: [3, 2] },
      null,
    ),
    {
      allowed: ['2', '3'],
    },
  );
  t.match(
    of(
      { name: 'P', type: 'FLOAT', allowedValues: ['1.50', '2'] },
      { name: 'P', type: 'FLOAT', allowedValues: ['1.5'] },
    ),
    {
      allowed: ['1.50'],
    },
  );
  t.match(
    of(
      { name: 'P', type: 'STRING', minLength: 2, default: 'abc' },
      { name: 'P', type: 'STRING', maxLength: 4 },
    ),
    {
      minLength: 2,
      maxLength: 4,
      default: 'abc',
    },
  );
  t.match(
    of(
      { name: 'P', type: 'LIST[INT]', item: { minValue: 1 } },
      { name: 'P', type: 'LIST[INT]', maxLength: 3, item: { maxValue: 5 } },
    ),
    { maxLength: 3, item: { minValue: { text: '1' }, maxValue: { text: '5' } } },
  );
  t.end();
});

void test('conflicts name both templates', (t) => {
  const conflict = (...definitions: readonly object[]): string => {
    const { conflicts, parameters } = merged(...definitions);
    t.equal(conflicts.length + parameters.length, 1);
    return conflicts[0]?.detail ?? '';
  };
  t.equal(
    conflict({ name: 'P', type: 'INT' }, { name: 'P', type: 'STRING' }),
    'the parameter "P" has the type INT in environment "B" and STRING in the job template',
  );
  t.equal(
    conflict(
      { name: 'P', type: 'PATH', dataFlow: 'IN' },
      { name: 'P', type: 'PATH' },
      { name: 'P', type: 'PATH', dataFlow: 'OUT' },
    ),
    'the parameter "P" has the dataFlow IN in environment "A" and OUT in the job template',
  );
  t.equal(
    conflict(
      { name: 'P', type: 'PATH', objectType: 'FILE' },
      { name: 'P', type: 'PATH', objectType: 'DIRECTORY' },
    ),
    'the parameter "P" has the objectType FILE in environment "B" and DIRECTORY in the job template',
  );
  t.equal(
    conflict({ name: 'P', type: 'INT', maxValue: 3 }, { name: 'P', type: 'INT', minValue: 4 }),
    'the parameter "P" has no valid value: minValue 4 is greater than maxValue 3, from the definitions in environment "B" and the job template',
  );
  t.equal(
    conflict(
      { name: 'P', type: 'STRING', allowedValues: ['a'] },
      { name: 'P', type: 'STRING', allowedValues: ['b'] },
    ),
    'the parameter "P" has no valid value: no value is in all allowedValues and within the other constraints, from the definitions in environment "B" and the job template',
  );
  t.equal(
    conflict({ name: 'P', type: 'INT', maxValue: 3 }, { name: 'P', type: 'INT', default: 9 }),
    'the default of the parameter "P" in the job template does not fit the definition of environment "B": 9 is greater than maxValue 3',
  );
  t.match(
    conflict(
      { name: 'P', type: 'LIST[STRING]', item: { minLength: 3 } },
      { name: 'P', type: 'LIST[STRING]', item: { maxLength: 2 } },
    ),
    /of an element, minLength 3 is greater than maxLength 2/,
  );
  t.end();
});

void test('parameters of the job come first, in its order', (t) => {
  const sources: ParameterSource[] = [
    { name: 'a', parameters: parametersOf({ name: 'X', type: 'INT' }, { name: 'B', type: 'INT' }) },
    { name: 'job', parameters: parametersOf({ name: 'A', type: 'INT' }, { name: 'B', type: 'INT' }) },
  ];
  const { parameters } = mergeParameters(sources, TEMPLATE_LIMITS);
  t.same(
    parameters.map(({ name, definedBy }) => [name, definedBy]),
    [
      ['A', [1]],
      ['B', [0, 1]],
      ['X', [0]],
    ],
  );
  t.end();
});

const bound = fc.option(fc.integer({ min: -8, max: 8 }), { nil: undefined });
const integerDefinition = fc
  .record({
    minValue: bound,
    maxValue: bound,
    allowedValues: fc.option(
      fc.uniqueArray(fc.integer({ min: -8, max: 8 }), { minLength: 1, maxLength: 6 }),
      {
        nil: undefined,
      },
    ),
  })
  .map((rules) => ({ name: 'P', type: 'INT', ...rules }));
const length = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
const textDefinition = fc
  .record({
    minLength: length,
    maxLength: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    allowedValues: fc.option(
      fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 }), {
        minLength: 1,
        maxLength: 6,
      }),
      { nil: undefined },
    ),
  })
  .map((rules) => ({ name: 'P', type: 'STRING', ...rules }));

/** Returns the parameter of a definition, or null if the definition is invalid by itself. */
function parameterOf(definition: object): CheckedParameter | null {
  const source = template({ parameterDefinitions: [definition] });
  const checked = checkTemplate(documentOf(source), OPTIONS);
  return checked.ok ? (checked.template.parameters[0] ?? null) : null;
}

function accepts({ rules }: CheckedParameter, text: string): boolean {
  const read = submittedNode(rules.type, text);
  return read.ok && checkValue(rules, read.node, TEMPLATE_LIMITS).ok;
}

for (const { name, definition, values } of [
  {
    name: 'INT',
    definition: integerDefinition,
    values: Array.from({ length: 19 }, (_, at) => String(at - 9)),
  },
  {
    name: 'STRING',
    definition: textDefinition,
    values: ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb', 'aaa', 'abab', 'bbbb', 'ababa'],
  },
] as const) {
  void test(`a merged ${name} accepts exactly the values that all definitions accept`, (t) => {
    let conflicts = 0;
    let merges = 0;
    fc.assert(
      fc.property(fc.array<object>(definition, { minLength: 2, maxLength: 4 }), (definitions) => {
        const parameters = definitions.map(parameterOf).filter((parameter) => parameter !== null);
        if (parameters.length < 2) return;
        const sources = parameters.map((parameter, at) => ({
          name: `source ${at}`,
          parameters: [parameter],
        }));
        const outcome = mergeParameters(sources, TEMPLATE_LIMITS);
        const accepted = values.filter((value) => parameters.every((parameter) => accepts(parameter, value)));
        const [one] = outcome.parameters;
        if (one === undefined) {
          conflicts += 1;
          // A conflict means that no value is valid, and names the last template that contributes to it.
          if (accepted.length > 0) throw new Error(`conflict although ${accepted.join()} are accepted`);
          if (!/source \d+ and source \d+/.test(outcome.conflicts[0]?.detail ?? ''))
            throw new Error(outcome.conflicts[0]?.detail);
          return;
        }
        merges += 1;
        const now = values.filter((value) => accepts(one, value));
        if (now.join() !== accepted.join()) throw new Error(`${now.join()} instead of ${accepted.join()}`);
        // The order does not matter, except for defaults.
        const reversed = mergeParameters(sources.toReversed(), TEMPLATE_LIMITS).parameters[0];
        if (
          reversed === undefined ||
          values.some((value) => accepts(reversed, value) !== accepts(one, value))
        )
          throw new Error('the order of the definitions matters');
      }),
    );
    t.ok(conflicts > 0 && merges > 0, 'both outcomes occur');
    t.end();
  });
}

/** Creates a job with environments. */
function made(
  source: object,
  environments: readonly OuterEnvironment[],
  values: Readonly<Record<string, string>> = {},
  inherited: Readonly<Record<string, string>> = {},
): PreparedJob | string[] {
  const result = prepareJob(documentOf(source), new Map(Object.entries(values)), OPTIONS, {
    environments,
    inherited: new Map(Object.entries(inherited)),
  });
  return result.ok ? result.job : result.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

const JOB = template({
  parameterDefinitions: [{ name: 'Frames', type: 'INT', default: 3 }],
  jobEnvironments: [{ name: 'Own', variables: { A: 'b' } }],
});
const PACKAGES = environment({
  parameterDefinitions: [
    { name: 'Packages', type: 'STRING', default: 'blender' },
    { name: 'Frames', type: 'INT', maxValue: 10 },
  ],
});

void test('environments of environment templates come first, with their extensions and parameters', (t) => {
  const expr = environment({ extensions: ['EXPR'] }, { name: 'Second' });
  const job = made(JOB, [outer(PACKAGES), outer(expr)], { Packages: 'maya' });
  t.match(job, {
    plan: {
      environments: [
        { name: 'Conda', extensions: [] },
        { name: 'Second', extensions: ['EXPR'] },
        { name: 'Own', extensions: undefined },
      ],
      steps: [{ requirements: { usesExpressions: true } }],
    },
    extensions: [],
  });
  t.strictSame('plan' in job && job.plan.parameters, {
    Frames: { type: 'INT', value: '3' },
    Packages: { type: 'STRING', value: 'maya' },
  });
  const plain = made(JOB, []);
  t.strictSame('plan' in plain && Object.keys(plain.plan.parameters), ['Frames']);
  t.end();
});

void test('errors of values and conflicts are at the definitions of the job template', (t) => {
  const needs = environment({ parameterDefinitions: [{ name: 'Need', type: 'STRING' }] });
  t.same(made(JOB, [outer(PACKAGES)], { Frames: '11' }), [
    '/parameterDefinitions/0: the value of "Frames": 11 is greater than maxValue 10',
  ]);
  t.same(made(JOB, [outer(needs, 'queue environment "Conda"')]), [
    '/parameterDefinitions: the parameter "Need" of queue environment "Conda" has no default and needs a value',
  ]);
  const number = environment({ parameterDefinitions: [{ name: 'Need', type: 'INT' }] });
  t.same(made(JOB, [outer(number)], { Need: 'x' }), [
    '/parameterDefinitions: the value of "Need" of environment "Conda": "x" is not an integer',
  ]);
  const text = environment({ parameterDefinitions: [{ name: 'Frames', type: 'STRING' }] });
  t.same(made(JOB, [outer(text, 'queue environment "Conda"')]), [
    '/parameterDefinitions/0: the parameter "Frames" has the type STRING in queue environment "Conda" and INT in the job template',
  ]);
  t.same(made(JOB, [outer(PACKAGES)], { Package: 'x' }), [
    '/parameterDefinitions: there is no parameter "Package"; did you mean "Packages"?',
  ]);
  t.end();
});

void test('inherited values apply to parameters that exist and have no submitted value', (t) => {
  const inherited = { Packages: 'maya', Frames: '7', Gone: 'x' };
  const job = made(JOB, [outer(PACKAGES)], { Frames: '8' }, inherited);
  t.match(job, { plan: { parameters: { Frames: { value: '8' }, Packages: { value: 'maya' } } } });
  t.end();
});

void test('an expression of an environment that fails with the values is an error that names it', (t) => {
  const divides = environment(
    { extensions: ['EXPR'], parameterDefinitions: [{ name: 'N', type: 'INT' }] },
    script(['{{1 // Param.N}}']),
  );
  t.match(made(JOB, [outer(divides)], { N: '0' }), [
    /^: environment "Conda": \/environment\/script\/actions\/onEnter\/args\/0: /,
  ]);
  t.match(made(JOB, [outer(divides)], { N: '1' }), { plan: {} });
  t.end();
});

void test('format strings in timeouts of an environment are resolved with the values of the job', (t) => {
  const parts = {
    extensions: ['FEATURE_BUNDLE_1'],
    parameterDefinitions: [{ name: 'N', type: 'INT', default: 5 }],
  };
  const actions = { onEnter: { command: 'x', timeout: '{{Param.N}}' } };
  const timed = environment(parts, { variables: undefined, script: { actions } });
  t.match(made(JOB, [outer(timed)]), { plan: { environments: [{ onEnter: { timeoutSeconds: 5 } }] } });
  t.same(made(JOB, [outer(timed)], { N: '0' }), [
    ': environment "Conda": /environment/script/actions/onEnter/timeout: resolves to "0", and must be at least 1',
  ]);
  t.same(findings({ ...timed, extensions: undefined }), [
    '/environment/script/actions/onEnter/timeout: must not be a format string without the extension FEATURE_BUNDLE_1',
  ]);
  t.match(made(JOB, [outer(timed)]), {
    farmNotes: [
      'a farm rejects the extension FEATURE_BUNDLE_1 unless its operator lists it in openjd.extra_extensions',
    ],
  });
  t.end();
});

void test('a session has one environment that wraps actions, also with environment templates', (t) => {
  const extensions = ['WRAP_ACTIONS', 'EXPR'];
  const action = { command: 'x' };
  const hooks = { onWrapEnvEnter: action, onWrapTaskRun: action, onWrapEnvExit: action };
  const wrapping = outer(
    environment({ extensions }, { variables: undefined, script: { actions: hooks } }),
    'environment "Box"',
  );
  t.match(made(template(), [wrapping]), {
    plan: {
      environments: [{ wrap: {}, extensions }],
      steps: [{ requirements: { attributes: [{ name: 'svc:attr.worker.extension.wrap_actions' }] } }],
    },
  });
  const detail = 'only one environment of a session can wrap actions, and environment "Box" does so as well';
  t.same(made(template(), [wrapping, { ...wrapping, source: 'environment "Other"' }]), [
    `: environment "Other": ${detail}`,
  ]);
  const job = template({ extensions, jobEnvironments: [{ name: 'W', script: { actions: hooks } }] });
  t.same(made(job, [wrapping]), [`/jobEnvironments/0/script/actions: ${detail}`]);
  t.end();
});
