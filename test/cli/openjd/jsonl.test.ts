import { test } from 'tap';
import { runOpenjdJsonl } from '../../../cli/openjd/jsonl.ts';

const answers = (kind: 'check' | 'expand' | 'eval', ...lines: string[]): Promise<unknown[]> =>
  answersWith(undefined, kind, ...lines);

async function answersWith(
  extensions: string | undefined,
  kind: 'check' | 'expand' | 'eval',
  ...lines: string[]
): Promise<unknown[]> {
  const written: unknown[] = [];
  async function* input(): AsyncGenerator<string> {
    yield* lines;
  }
  await runOpenjdJsonl(kind, input(), (line) => void written.push(JSON.parse(line)), extensions);
  return written;
}

const TEMPLATE = {
  specificationVersion: 'jobtemplate-2023-09',
  name: '{{Param.N}}',
  parameterDefinitions: [{ name: 'N', type: 'INT' }],
  steps: [
    {
      name: 'S',
      parameterSpace: { taskParameterDefinitions: [{ name: 'F', type: 'INT', range: '1-{{Param.N}}' }] },
      script: { actions: { onRun: { command: 'x' } } },
    },
  ],
};

void test('check returns a result for each line, in order', async (t) => {
  t.same(
    await answers(
      'check',
      JSON.stringify({ template: TEMPLATE }),
      '',
      JSON.stringify({ template: 'name: [' }),
      JSON.stringify({ template: TEMPLATE, params: { N: 'x' } }),
      JSON.stringify({ template: TEMPLATE, params: { N: 3 } }),
      'nothing',
      '{}',
      JSON.stringify({ template: TEMPLATE, params: { N: [] } }),
    ),
    [
      { ok: true },
      {
        ok: false,
        error:
          '/name: is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]; close the bracket, with each further line indented',
      },
      { ok: false, error: '/parameterDefinitions/0: the value of "N": "x" is not an integer' },
      { ok: true },
      { ok: false, error: ': is not JSON: a value is expected, not "n"' },
      { ok: false, error: 'the line has no "template"' },
      { ok: false, error: '"params" must be a mapping of names to text' },
    ],
  );
});

void test('expand lists the tasks of each step', async (t) => {
  const [small, large, missing] = await answers(
    'expand',
    JSON.stringify({ template: TEMPLATE, params: { N: '2' } }),
    JSON.stringify({ template: TEMPLATE, params: { N: '3000000' } }),
    JSON.stringify({ template: TEMPLATE }),
  );
  t.same(small, {
    ok: true,
    job: { name: '2', steps: [{ name: 'S', task_count: 2, tasks: [{ F: '1' }, { F: '2' }] }] },
  });
  const tasks = Array.from({ length: 10_000 }, (_, index) => ({ F: `${index + 1}` }));
  t.same(large, { ok: true, job: { name: '3000000', steps: [{ name: 'S', task_count: 3_000_000, tasks }] } });
  t.same(missing, {
    ok: false,
    error: '/parameterDefinitions/0: the parameter "N" has no default and needs a value',
  });
});

const evaluated = async (...requests: readonly unknown[]): Promise<unknown[]> =>
  answers('eval', ...requests.map((request) => JSON.stringify(request)));

void test('eval returns type, value and display text', async (t) => {
  const value = (type: string, shown: unknown, display: string): object => ({
    ok: true,
    type,
    value: shown,
    display,
  });
  t.same(
    await evaluated(
      { expr: '1 + 2' },
      { expr: '9223372036854775807', mode: 'evaluate' },
      { expr: 'X * 2', symbols: { X: { type: 'float', value: 1.25 } } },
      { expr: 'X', symbols: { X: { type: 'float', value: 3.5, text: '3.500' } } },
      {
        expr: "[P / 'b', P]",
        symbols: { P: { type: 'path', value: 'C:\\a', path_format: 'windows' } },
        path_format: 'windows',
      },
      { expr: 'null', target_type: 'int?' },
      { expr: "'5'", target_type: 'int' },
      { expr: 'X + 1', symbols: { X: { type: 'unresolved[int]' } } },
      { expr: "range_expr('1-9:2')" },
      { expr: "'s3://a/b'", target_type: 'path', path_format: 'uri' },
    ),
    [
      value('int', 3, '3'),
      value('int', '9223372036854775807', '9223372036854775807'),
      value('float', 2.5, '2.5'),
      value('float', 3.5, '3.500'),
      value('list[path]', ['C:\\a\\b', 'C:\\a'], '["C:\\\\a\\\\b", "C:\\\\a"]'),
      value('nulltype', null, ''),
      value('int', 5, '5'),
      value('unresolved[int]', null, 'unresolved[int]'),
      value('range_expr', '1-9:2', '1-9:2'),
      value('path', 's3://a/b', 's3://a/b'),
    ],
  );
});

void test('eval supports all modes', async (t) => {
  const symbols = { A: { type: 'int', value: 3 } };
  const text = (value: string): object => ({ ok: true, type: 'string', value, display: value });
  t.same(
    await evaluated(
      { expr: '[x.y + f(Z) for x in A]', mode: 'parse' },
      { expr: '1 +', mode: 'parse' },
      { expr: 'a{{A}}{{ null }}', mode: 'format', symbols },
      { expr: '{{A}}', mode: 'format', symbols },
      { expr: '{{A}}', mode: 'format_value', symbols },
      { expr: '{{A.b}} {{c}}', mode: 'format_parse' },
      { expr: 'x }}', mode: 'format_parse' },
      { expr: '{{ 1 / A }}', mode: 'format_check', symbols: { A: { type: 'int', value: 0 } } },
      { expr: '{{ A.upper() }}', mode: 'format_check', symbols },
      { expr: '{{ 1 if true else B }}', mode: 'format_check', symbols },
    ),
    [
      { ok: true, accessed_symbols: ['A', 'Z'], called_functions: ['f'], local_bindings: ['x'] },
      { ok: false, error: 'Syntax error: Expected an expression\n  1 +\n  ^~~' },
      text('a3'),
      text('3'),
      { ok: true, type: 'int', value: 3, display: '3' },
      { ok: true, accessed_symbols: ['A.b', 'c'], called_functions: [], local_bindings: [] },
      {
        ok: false,
        error:
          'Failed to parse interpolation expression at [2, 4]. Reason: Missing opening braces.\n  x }}\n    ^~',
      },
      { ok: true, type: 'unresolved[float]', value: null, display: 'unresolved[float]' },
      {
        ok: false,
        error: 'upper() is not available for int. Available for: string\n  {{ A.upper() }}\n     ~~^~~~~~~',
      },
      { ok: false, error: "Undefined variable: 'B'\n  {{ 1 if true else B }}\n                    ^" },
    ],
  );
});

void test('eval supports hosts and limits', async (t) => {
  const expr = "apply_path_mapping('/a/b')";
  const rules = [{ source_path_format: 'posix', source_path: '/a', destination_path: '/z' }];
  t.same(
    await evaluated(
      { expr },
      { expr, host: { kind: 'none' } },
      { expr, host: { kind: 'unresolved' } },
      { expr, host: { kind: 'rules', rules } },
      { expr: '1 + 1 + 1', limits: { operations: 1 } },
      { expr: "'x' * 100", limits: { memory: 100, operations: null } },
    ),
    [
      ...[1, 2].map(() => ({
        ok: false,
        error: `Unknown function: 'apply_path_mapping'\n  ${expr}\n  ^~~~~~~~~~~~~~~~~~~~~~~~~~`,
      })),
      { ok: true, type: 'unresolved[path]', value: null, display: 'unresolved[path]' },
      { ok: true, type: 'path', value: '/z/b', display: '/z/b' },
      {
        ok: false,
        error: 'Expression operation count (2) exceeded limit (1)\n  1 + 1 + 1\n  ~~~~~~^~~',
      },
      {
        ok: false,
        error: "Expression memory usage (298 bytes) exceeded limit (100 bytes)\n  'x' * 100\n  ~~~~^~~~~",
      },
    ],
  );
});

void test('eval returns an error for an invalid line', async (t) => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [{}, 'the line has no string "expr"'],
    [{ expr: 1 }, 'the line has no string "expr"'],
    [
      { expr: '1', mode: 'run' },
      '"mode" must be one of evaluate, parse, format, format_value, format_parse, format_check',
    ],
    [{ expr: '1', symbols: [] }, '"symbols" must be a mapping'],
    [{ expr: '1', symbols: { X: { value: 1 } } }, '"symbols.X.type" is not a valid type'],
    [
      { expr: '1', symbols: { X: { type: 'int', value: 'a' } } },
      '"symbols.X": "a" is not a value of type int',
    ],
    [{ expr: '1', symbols: { X: { type: 'int' } } }, '"symbols.X": null is not a value of type int'],
    [
      { expr: '1', symbols: { X: { type: 'path', value: 'a', path_format: 'mac' } } },
      '"symbols.X.path_format" must be posix, windows or uri',
    ],
    [{ expr: '1', path_format: 3 }, '"path_format" must be posix, windows or uri'],
    [{ expr: '1', target_type: 'integer' }, '"target_type" is not a valid type'],
    [{ expr: '1', host: {} }, '"host.kind" must be a string'],
    [{ expr: '1', host: { kind: 'other' } }, '"host.kind" must be none, unresolved or rules'],
    [{ expr: '1', host: { kind: 'rules' } }, '"host.rules" must be a list'],
    [
      { expr: '1', host: { kind: 'rules', rules: [{ source_path_format: 'x' }] } },
      '"host.rules[0].source_path_format" must be posix, windows or uri',
    ],
    [
      { expr: '1', host: { kind: 'rules', rules: [{ source_path_format: 'uri' }] } },
      '"host.rules[0].source_path" must be a string',
    ],
    [{ expr: '1', limits: { memory: -1 } }, '"limits.memory" must be a whole number from 0'],
    [{ expr: '1', limits: { operations: 1.5 } }, '"limits.operations" must be a whole number from 0'],
  ];
  for (const [request, error] of wrong) {
    t.same(await evaluated(request), [{ ok: false, error }], JSON.stringify(request));
  }
});

void test('a template with an extension that an operator must admit is refused unless --extensions names it', async (t) => {
  const template = {
    ...TEMPLATE,
    extensions: ['FEATURE_BUNDLE_1'],
    steps: [{ name: 'S', bash: { script: 'x' } }],
  };
  const line = JSON.stringify({ template, params: { N: 1 } });
  t.match(await answers('check', line), [
    { ok: false, error: /^\/extensions\/0: the extension FEATURE_BUNDLE_1/ },
  ]);
  const notes = [
    'a farm rejects the extension FEATURE_BUNDLE_1 unless its operator lists it in openjd.extra_extensions',
  ];
  t.same(await answersWith('FEATURE_BUNDLE_1', 'check', line), [{ ok: true, notes }]);
  t.match(await answersWith('EXPR,FEATURE_BUNDLE_1', 'expand', line), [
    { ok: true, notes, job: { name: '1' } },
  ]);
});

void test('environment templates are checked, and merged with the job of a line', async (t) => {
  const environment = {
    specificationVersion: 'environment-2023-09',
    parameterDefinitions: [{ name: 'N', type: 'INT', default: 2, maxValue: 4 }],
    environment: { name: 'E', variables: { A: 'b' } },
  };
  const text = { ...environment, parameterDefinitions: [{ name: 'N', type: 'STRING' }] };
  t.match(
    await answers(
      'check',
      JSON.stringify({ template: environment }),
      JSON.stringify({ template: { ...environment, steps: [] } }),
      JSON.stringify({ template: TEMPLATE, environments: [environment] }),
      JSON.stringify({ template: TEMPLATE, environments: [text] }),
      JSON.stringify({ template: TEMPLATE, environments: [{ specificationVersion: 'environment-2023-09' }] }),
      JSON.stringify({ template: TEMPLATE, environments: {} }),
    ),
    [
      { ok: true },
      { ok: false, error: /^\/steps: unknown key "steps"/ },
      { ok: true },
      { ok: false, error: /has the type STRING in environment "E" and INT in the job template/ },
      { ok: false, error: /environment 0: "environment" is required/ },
      { ok: false, error: '"environments" must be a list of environment templates' },
    ],
  );
  t.match(
    await answers(
      'expand',
      JSON.stringify({ template: TEMPLATE, environments: [environment] }),
      JSON.stringify({ template: TEMPLATE, environments: [environment], params: { N: 5 } }),
    ),
    [
      { ok: true, job: { steps: [{ task_count: 2 }] } },
      { ok: false, error: '/parameterDefinitions/0: the value of "N": 5 is greater than maxValue 4' },
    ],
  );
});
