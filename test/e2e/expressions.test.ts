import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import type { FarmClient, JobView, TaskView } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** Last line of the output of each task. */
const LAST_LINE = 'that was all';
const ENDED = new Set(['completed', 'failed', 'canceled']);

const PARAMETERS = {
  Draft: 'bool',
  Verbose: 'Bool',
  Frames: 'range_expr',
  Names: 'list[string]',
  Plates: 'LIST[path]',
  Counts: 'List[Int]',
  Gains: 'list[float]',
  Flags: 'list[bool]',
  Grid: 'list[list[int]]',
  Scene: 'path',
  Title: 'string',
  Exposure: 'Float',
  Weight: 'int',
} as const;
type Name = keyof typeof PARAMETERS;

const SUBMITTED: Readonly<Record<Name, string>> = {
  Draft: 'YES',
  Verbose: '0',
  Frames: '1-4,7',
  Names: '["alpha", "be ta"]',
  Plates: '["/studio/plates/a.0001.exr", "/elsewhere/b.exr"]',
  Counts: '[2, "3", 5]',
  Gains: '[0.5, 2]',
  Flags: '["on", 0, true]',
  Grid: '[[1, 2], [3]]',
  Scene: '/studio/shots/beauty.####.exr',
  Title: "it's",
  Exposure: '3.500',
  Weight: '007',
};

/** Definitions of parameters without defaults, and their values as a query. */
const definitions = (names: readonly Name[]): readonly object[] =>
  names.map((name) => ({ name, type: PARAMETERS[name] }));
const query = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`param.${name}`, value]));

const file = (lines: readonly string[]): object => ({
  name: 'Run',
  type: 'TEXT',
  data: [...lines, `echo ${LAST_LINE}`, ''].join('\n'),
});
const ONE_CORE = [{ name: 'amount.worker.vcpu', min: 1 }];

/**
 * Uses expressions in all places: names, environments, bindings, host requirements, ranges, chunks and arguments,
 * files.
 */
const EVERYTHING = {
  specificationVersion: 'jobtemplate-2023-09',
  extensions: ['EXPR', 'TASK_CHUNKING', 'SVC_CHUNK_BOUNDS'],
  name: "{{ Param.Title.removesuffix('s') + 's' }} of {{ len(Param.Names) }}",
  parameterDefinitions: definitions(Object.keys(PARAMETERS) as Name[]),
  jobEnvironments: [
    {
      name: 'House',
      script: {
        let: ["banner = 'city of ' + Param.Title", 'config = Env.File.Config'],
        embeddedFiles: [{ name: 'Config', type: 'TEXT', data: 'counts = {{ repr_py(Param.Counts) }}\n' }],
        actions: {
          onEnter: {
            command: 'bash',
            args: ['-c', 'echo {{ repr_sh(banner) }}; cat {{ repr_sh(config) }}'],
          },
        },
      },
    },
    {
      name: 'Variables',
      variables: {
        TOTAL: '{{ sum(Param.Counts) }}',
        TITLE: '<{{ Param.Title.upper() }}>',
        EMPTY: '{{ "" }}',
      },
    },
  ],
  steps: [
    {
      name: 'Work',
      let: [
        'size = max(Param.Counts) - 2',
        'tags = [name for name in Param.Names if name.isalpha()]',
        "label = Step.Name.lower() + '-' + string(size)",
      ],
      hostRequirements: {
        amounts: ONE_CORE,
        attributes: [{ name: 'attr.worker.tag.renderer', anyOf: ['{{ tags }}', "{{ 'gam' + 'ma' }}"] }],
      },
      stepEnvironments: [{ name: 'StepVariables', variables: { LABEL: '{{ label }}' } }],
      parameterSpace: {
        taskParameterDefinitions: [
          {
            name: 'Frame',
            type: 'chunk[int]',
            range: '{{ Param.Frames }}',
            chunks: { defaultTaskCount: '{{ size }}', rangeConstraint: 'NONCONTIGUOUS' },
          },
        ],
      },
      script: {
        let: [
          'frames = Task.Param.Frame',
          'outputs = [Param.Scene.with_number(frame) for frame in frames]',
          'bounds = [Task.Param.Frame.Start, Task.Param.Frame.End]',
        ],
        actions: {
          onRun: {
            command: '{{ "ba" + "sh" }}',
            args: [
              '{{ Task.File.Run }}',
              '{{ outputs }}',
              "{{ flatten([['-n', name] for name in Param.Names]) }}",
              "{{ '--draft' if Param.Draft else null }}",
              "{{ '--verbose' if Param.Verbose else null }}",
              "{{ [\n  string(count) + '!'\n  for count in Param.Counts\n] }}",
              'lines\nand\ttabs',
              '{{ frames }}: {{ len(frames) }} frames, {{ sum(frames) }} in all',
              '{{ bounds }}',
              '{{ Param.Plates }}',
              '{{ apply_path_mapping(RawParam.Scene).parent }}',
              '{{ RawParam.Scene }}',
            ],
          },
        },
        embeddedFiles: [
          file([
            'for argument in "$@"; do printf "[%s]\\n" "$argument"; done',
            'echo {{ repr_sh(Param.Title) }} {{ repr_sh(Param.Names) }}',
            'echo "{{ repr_py(Param.Flags) }} {{ Param.Draft }}"',
            'echo {{ Param.Exposure }} {{ Param.Exposure + 1 }} "{{ Param.Gains }}" {{ Param.Weight * 6 }}',
            'echo "{{ Param.Grid }} {{ Param.Grid[-1][0] }}"',
            'echo "$TOTAL $TITLE ($EMPTY) $LABEL"',
            'echo "{{ Job.Name }}, {{ Step.Name }}, {{ label }}, {{ size }}"',
            'echo {{ Session.HasPathMappingRules }}',
          ]),
        ],
      },
    },
    {
      name: 'Ranges',
      hostRequirements: { amounts: ONE_CORE },
      parameterSpace: {
        taskParameterDefinitions: [
          { name: 'Part', type: 'int', range: '{{ Param.Frames[::2] }}' },
          { name: 'List', type: 'INT', range: '{{ Param.Counts }}' },
          { name: 'Text', type: 'INT', range: "{{ '1-' + string(Param.Counts[1]) }}" },
          {
            name: 'Gain',
            type: 'FLOAT',
            range: '{{ [Param.Exposure * gain for gain in Param.Gains] + [1.50] }}',
          },
          { name: 'Name', type: 'STRING', range: "{{ Param.Names + ['ç'] }}" },
          { name: 'Plate', type: 'PATH', range: ['{{ RawParam.Plates }}', '/studio/{{ Param.Weight }}'] },
        ],
        combination: '(Part, List, Text, Gain, Name, Plate)',
      },
      script: {
        actions: { onRun: { command: 'bash', args: ['{{ Task.File.Run }}', '{{ Task.Param.Plate }}'] } },
        embeddedFiles: [
          file(['echo "$1" {{ Task.Param.Gain }} {{ Task.Param.Part * 2 }} {{ Task.Param.Plate.stem }}']),
        ],
      },
    },
  ],
};

/** Waits for the end of a job and returns its tasks by step, in order. */
async function ended(farm: FarmClient, job: JobView): Promise<readonly TaskView[]> {
  await until(`the end of ${job.name}`, async () => ENDED.has((await farm.api.job(job.id)).status));
  return farm.api.tasks(job.id);
}

/**
 * Returns the output of a task by line. Logs and reports reach the store on different paths, so this waits for the log.
 */
async function linesOf(farm: FarmClient, task: TaskView | undefined): Promise<readonly string[]> {
  const log = await until('the complete log', async () => {
    const text = await farm.api.log(task?.id ?? '');
    return text.includes(LAST_LINE) ? text.slice(0, text.indexOf(LAST_LINE)) : null;
  });
  return log.trimEnd().split('\n');
}

/** Returns a template of one step with one argument or other parts, and the parameters that it uses. */
function small(argument: string, names: readonly Name[] = [], parts: object = {}, step: object = {}): object {
  return {
    specificationVersion: 'jobtemplate-2023-09',
    extensions: ['EXPR'],
    name: 'small',
    ...(names.length > 0 && { parameterDefinitions: definitions(names) }),
    ...parts,
    steps: [
      {
        name: 'S',
        hostRequirements: { amounts: ONE_CORE },
        script: { actions: { onRun: { command: 'echo', args: [argument] } } },
        ...step,
      },
    ],
  };
}

const ARGUMENT = '/steps/0/script/actions/onRun/args/0';

const folder = await mkdtemp(join(tmpdir(), 'callsheet-expressions-'));
const annex = join(folder, 'annex');
const service = await startService({
  folder,
  httpPort: await freePort(),
  busPort: await freePort(),
  flags: ['--openjd-extra-extensions=FEATURE_BUNDLE_1,WRAP_ACTIONS'],
});
const { api } = service;
const farm = await api.makeFarm('show');
await api.must('POST', '/api/v1/storage-locations', { name: 'shows', roots: { default: '/studio', annex } });
const worker = startWorker(service, 'w1', [
  '--worker-compute-location=annex',
  '--worker-tags=renderer=alpha',
  '--worker-cpus=4',
]);
tap.teardown(async () => {
  await worker.kill('SIGTERM');
  await service.daemon.kill('SIGTERM');
  if (tap.passing()) await rm(folder, { recursive: true, force: true });
  else for (const daemon of [service.daemon, worker]) tap.comment(daemon.log().slice(-4000));
});

test('expressions in every place reach the worker', async (t) => {
  const { status, body } = await farm.submit(EVERYTHING, { ...query(SUBMITTED), max_attempts: '1' });
  if (!t.equal(status, 201)) return t.comment(body);
  const shown = await api.must<JobView & Record<string, unknown>>('GET', `/api/v1/jobs/${body.id}`);
  t.match(shown, {
    name: "it's of 2",
    extensions: ['EXPR', 'TASK_CHUNKING', 'SVC_CHUNK_BOUNDS'],
    parameters: {
      ...SUBMITTED,
      Draft: 'true',
      Verbose: 'false',
      Counts: '[2, 3, 5]',
      Gains: '[0.5, 2]',
      Flags: '[true, false, true]',
      Weight: '7',
    },
  });
  const tasks = await ended(farm, body);
  t.strictSame(
    tasks.map(({ status, failure_reason: reason }) => [status, reason]),
    tasks.map(() => ['succeeded', undefined]),
  );
  const [first, second, ...ranges] = tasks;
  t.strictSame(first?.parameters, { Frame: '1-3' });
  t.strictSame(second?.parameters, { Frame: '4,7' });
  t.strictSame(await linesOf(farm, second), [
    "city of it's",
    'counts = [2, 3, 5]',
    `[${annex}/shots/beauty.0004.exr]`,
    `[${annex}/shots/beauty.0007.exr]`,
    '[-n]',
    '[alpha]',
    '[-n]',
    '[be ta]',
    '[--draft]',
    '[2!]',
    '[3!]',
    '[5!]',
    '[lines',
    'and\ttabs]',
    '[4,7: 2 frames, 11 in all]',
    '[4]',
    '[7]',
    `[${annex}/plates/a.0001.exr]`,
    '[/elsewhere/b.exr]',
    `[${annex}/shots]`,
    '[/studio/shots/beauty.####.exr]',
    "it's alpha be ta",
    '[True, False, True] true',
    '3.500 4.5 [0.5, 2] 42',
    '[[1, 2], [3]] 3',
    "10 <IT'S> () work-3",
    "it's of 2, Work, work-3, 3",
    'true',
  ]);
  t.strictSame(
    ranges.map(({ parameters }) => parameters),
    [
      { Part: '1', List: '2', Text: '1', Gain: '1.75', Name: 'alpha', Plate: '/studio/plates/a.0001.exr' },
      { Part: '3', List: '3', Text: '2', Gain: '7.0', Name: 'be ta', Plate: '/elsewhere/b.exr' },
      { Part: '7', List: '5', Text: '3', Gain: '1.50', Name: 'ç', Plate: '/studio/7' },
    ],
  );
  t.strictSame((await linesOf(farm, ranges[2])).at(-1), `${annex}/7 1.50 14 7`);
});

const HOOK = {
  command: 'bash',
  args: [
    '{{Env.File.Wrap}}',
    '{{WrappedAction.Environment}}',
    '--',
    '{{WrappedAction.Command}}',
    '{{WrappedAction.Args}}',
  ],
};

/** Uses all of FEATURE_BUNDLE_1 and WRAP_ACTIONS. */
const EXTRA = {
  specificationVersion: 'jobtemplate-2023-09',
  extensions: ['FEATURE_BUNDLE_1', 'WRAP_ACTIONS', 'EXPR'],
  name: 'n'.repeat(512),
  parameterDefinitions: [
    { name: 'Cores', type: 'FLOAT', default: 1 },
    { name: 'Seconds', type: 'INT', default: 90 },
  ],
  jobEnvironments: [
    {
      name: 'Box',
      script: {
        embeddedFiles: [
          {
            name: 'Wrap',
            type: 'TEXT',
            endOfLine: 'LF',
            data: 'echo "wrapped: $*"\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n',
          },
        ],
        actions: {
          onEnter: { command: 'echo', args: ['openjd_env: BOX=7'] },
          onWrapEnvEnter: HOOK,
          onWrapTaskRun: {
            ...HOOK,
            timeout: '{{WrappedAction.Timeout}}',
            cancelation: { mode: '{{WrappedAction.Cancelation.Mode}}' },
          },
          onWrapEnvExit: HOOK,
        },
      },
    },
  ],
  steps: [
    {
      name: 'S'.repeat(512),
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: '{{Param.Cores}}' }] },
      stepEnvironments: [
        {
          name: 'Inner',
          script: { actions: { onEnter: { command: 'echo', args: ['in'] }, onExit: { command: 'true' } } },
        },
      ],
      bash: {
        let: ['limit = Param.Seconds * 2'],
        script: `echo "task $1 {{limit}} $BOX"\necho ${LAST_LINE}\n`,
        args: ['a b'],
        timeout: '{{Param.Seconds}}',
      },
    },
  ],
};

test('admitted extensions reach the worker', async (t) => {
  const { status, body } = await farm.submit(EXTRA, { max_attempts: '1' });
  if (!t.equal(status, 201)) return t.comment(body);
  const [task] = await ended(farm, body);
  t.match(task, { status: 'succeeded' });
  const lines = (await linesOf(farm, task)).map((line) => line.replace(/\/\S*\/script\.sh/, 'script.sh'));
  t.strictSame(lines, [
    'openjd_env: BOX=7',
    'wrapped: BOX=7 -- echo in',
    'in',
    'wrapped: BOX=7 -- bash script.sh a b',
    'task a b 180 7',
  ]);
  const refused = await farm.submit(EXTRA, { 'param.Seconds': '0' });
  t.match(refused, {
    status: 422,
    body: { detail: /^\/steps\/0\/bash\/timeout: resolves to "0", and must be at least 1$/ },
  });
});

test('a dry run shows the commands of the first and the last task', async (t) => {
  const answer = await farm.submit(EVERYTHING, { ...query(SUBMITTED), dry_run: 'true' });
  const paths = ['/studio/plates/a.0001.exr', '/elsewhere/b.exr'];
  t.match(answer, {
    status: 200,
    body: {
      name: "it's of 2",
      parameters: { Draft: 'true', Counts: '[2, 3, 5]' },
      steps: [
        {
          last: {
            command: 'bash',
            args: [
              '{{Task.File.Run}}',
              '/studio/shots/beauty.0004.exr',
              '/studio/shots/beauty.0007.exr',
              ...['-n', 'alpha', '-n', 'be ta', '--draft', '2!', '3!', '5!', 'lines\nand\ttabs'],
              ...['4,7: 2 frames, 11 in all', '4', '7', ...paths],
              '{{apply_path_mapping(RawParam.Scene).parent}}',
              '/studio/shots/beauty.####.exr',
            ],
          },
          workers: { online: 1, eligible: 1 },
        },
        {
          first: { args: ['{{Task.File.Run}}', paths[0]] },
          last: { args: ['{{Task.File.Run}}', '/studio/7'] },
        },
      ],
    },
  });
});

test('the command line accepts and shows values of all types, and describes errors in them', async (t) => {
  const environment = { SVC_URL: api.url };
  const values = (given: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(given).flatMap(([name, value]) => ['-p', `${name}=${value}`]);
  const submit = ['submit', '-', '--farm', 'show', '--queue', 'main', '--max-attempts', '1'];
  const submitted = await runCallsheet([...submit, ...values(SUBMITTED), '--json', '--wait'], {
    environment,
    input: JSON.stringify(EVERYTHING),
  });
  t.match(submitted, { code: 0 });
  const job = JSON.parse(submitted.out) as { readonly id: string };
  t.match(job, { status: 'completed', parameters: { Names: '["alpha", "be ta"]', Grid: '[[1, 2], [3]]' } });
  const shown = await runCallsheet(['job', job.id], { environment });
  for (const line of ['  Draft     true', '  Frames    1-4,7', '  Names     ["alpha", "be ta"]']) {
    t.ok(shown.out.includes(`\n${line}\n`), line);
  }
  const refused = await runCallsheet([...submit, ...values({ Counts: '[1, "a"]' })], {
    environment,
    input: JSON.stringify(small('{{ Param.Counts[0] }}', ['Counts'])),
  });
  t.match(refused, { code: 2 });
  t.match(refused.err, '"a" is not an integer');
  t.match(refused.err, /Counts/);
  const broken = await runCallsheet([...submit, ...values({ Weight: '1' })], {
    environment,
    input:
      'specificationVersion: jobtemplate-2023-09\nextensions: [EXPR]\nname: "{{ Param.Wieght }}"\n' +
      'parameterDefinitions: [{ name: Weight, type: int }]\n' +
      'steps: [{ name: S, script: { actions: { onRun: { command: echo } } } }]\n',
  });
  t.match(broken, {
    code: 2,
    err:
      "standard input:3:7: /name: Undefined variable: 'Param.Wieght'. Did you mean: Param.Weight\n" +
      '  {{ Param.Wieght }}\n     ^~~~~~~~~~~~\n',
  });
});

/**
 * Invalid templates and the expected problem details: pointer, error, and for expressions the source and the failing
 * part.
 */
const REFUSED: readonly (readonly [
  template: object,
  values: Partial<Record<Name, string>>,
  details: readonly string[],
])[] = [
  [
    small('{{ Param.Weight + "x" }}', ['Weight']),
    { Weight: '7' },
    [
      `${ARGUMENT}: Cannot use '+' operator with int and string\n  {{ Param.Weight + "x" }}\n     ~~~~~~~~~~~~~^~~~~`,
    ],
  ],
  [
    small('{{ Param.Title.uper() }}', ['Title', 'Weight'], {
      name: 'frame {{\n  1 +\n  Param.Wieght\n}}',
    }),
    { Title: 'a', Weight: '7' },
    [
      "/name: Undefined variable: 'Param.Wieght'. Did you mean: Param.Weight\n    Param.Wieght\n    ^~~~~~~~~~~~",
      `${ARGUMENT}: Unknown function: 'uper'. Did you mean: upper\n  {{ Param.Title.uper() }}\n     ~~~~~~~~~~~~^~~~~~`,
    ],
  ],
  [
    small('x', ['Counts'], {}, { let: ['half = Param.Counts[1] / 2', 'wrong = half + Step.Name'] }),
    { Counts: '[1, 2]' },
    ["/steps/0/let/1: Cannot use '+' operator with float and string\n  half + Step.Name\n  ~~~~~^~~~~~~~~~~"],
  ],
  [
    small('{{ Param.Title * Param.Weight }}', ['Title', 'Weight']),
    { Title: 'abcdefghij', Weight: '1000000' },
    [
      `${ARGUMENT}: Expression memory usage (20000116 bytes) exceeded limit (1000000 bytes)\n  {{ Param.Title * Param.Weight }}\n     ~~~~~~~~~~~~^~~~~~~~~~~~~~`,
    ],
  ],
  [
    small('{{ [x for x in Param.Frames if x < 0] }}', ['Frames']),
    { Frames: '1-20000000' },
    [
      `${ARGUMENT}: Expression operation count (500001) exceeded limit (500000)\n  {{ [x for x in Param.Frames if x < 0] }}\n     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~`,
    ],
  ],
  [
    small("{{ Param.Weight < 10 or fail('too heavy: ' + string(Param.Weight)) }}", ['Weight']),
    { Weight: '11' },
    [
      `${ARGUMENT}: too heavy: 11\n  {{ Param.Weight < 10 or fail('too heavy: ' + string(Param.Weight)) }}\n                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~`,
    ],
  ],
  [
    small(
      'x',
      ['Names'],
      {},
      { hostRequirements: { attributes: [{ name: 'attr.x', anyOf: ['{{ Param.Names[2:] }}'] }] } },
    ),
    { Names: '["a"]' },
    ['/steps/0/hostRequirements/attributes/0/anyOf: resolves to a list without values'],
  ],
  ...(
    [
      ['Draft', 'maybe', ': "maybe" is not a valid bool: write true/false, yes/no, on/off, 1/0'],
      [
        'Frames',
        '5-1',
        ': "5-1" is not a valid range expression: "5-1" goes down without a negative step; write 5-1:-1',
      ],
      [
        'Names',
        '["a"',
        ': "[\\"a\\"" is not a valid JSON list: column 5 is not JSON: "," or "]" is expected, not the end of the text',
      ],
      ['Names', '["a", 1]', ' at [1]: must be text; put it in quotes'],
      ['Plates', '"/a"', ': must be a list, not text'],
      ['Counts', '[1.5]', ' at [0]: must be an integer'],
      ['Counts', '[1, 9223372036854775808]', ' at [1]: is outside the range of 64-bit integers'],
      ['Gains', '["nan"]', ' at [0]: "nan" is not a finite decimal number'],
      ['Flags', '[true, 2]', ' at [1]: must be true or false, not an integer'],
      ['Grid', '[[1], ["a"]]', ' at [1][0]: "a" is not an integer'],
      ['Grid', '[1]', ' at [0]: must be a list, not an integer'],
    ] as const
  ).map(
    ([name, value, wrong]) =>
      [
        small('x', [name]),
        { [name]: value },
        [`/parameterDefinitions/0: the value of "${name}"${wrong}`],
      ] as const,
  ),
  [
    {
      ...small('{{ Param.Weight + 1 }}', ['Draft', 'Weight'], {}, { let: ['a = 1'] }),
      extensions: ['TASK_CHUNKING'],
    },
    { Draft: 'true', Weight: '1' },
    [
      '/parameterDefinitions/0/type: "bool" requires the extension EXPR',
      '/parameterDefinitions/1/type: "int" requires the extension EXPR; write INT',
      `${ARGUMENT}: "Param.Weight + 1" is not the name of a value (expressions require the extension EXPR)`,
      '/steps/0/let: "let" requires the extension EXPR',
    ],
  ],
];

test('an expression that fails to evaluate is rejected with its location', async (t) => {
  for (const [template, values, details] of REFUSED) {
    const { status, body } = await farm.submit(template, query(values));
    const { detail } = body as { detail?: string };
    t.strictSame([status, detail], [422, details.join('; ')]);
  }
  const { items } = await api.must<{ items: readonly JobView[] }>('GET', '/api/v1/jobs?limit=100');
  t.strictSame(
    new Set(items.map(({ name }) => name)),
    new Set(["it's of 2", EXTRA.name]),
    'no job of them was stored',
  );
});

/** Takes about 80,000 operations per preceding task. */
const SLOW = 'len([x for x in range(9000 * Task.Param.I) if x + 1 - 1 + 1 - 1 + 1 - 1 < 0])';

/** Expressions that fail only on the worker, for the last of four tasks, and the failure message. */
const FAILING: readonly (readonly [args: readonly string[], bindings: object, reason: string])[] = [
  [
    ['{{ Param.Counts[Task.Param.I] }}'],
    {},
    'argument 1: Index 3 out of bounds for list of length 3\n  {{ Param.Counts[Task.Param.I] }}\n     ~~~~~~~~~~~~^~~~~~~~~~~~~~',
  ],
  [
    ['{{ chosen }}'],
    { let: ['at = Task.Param.I', 'chosen = Param.Counts[at]'] },
    'let chosen: Index 3 out of bounds for list of length 3\n  Param.Counts[at]\n  ~~~~~~~~~~~~^~~~',
  ],
  [
    ["{{ len('abcdefgh' * 10 ** (2 + Task.Param.I)) }}"],
    {},
    "argument 1: Expression memory usage (1600112 bytes) exceeded limit (1000000 bytes)\n  {{ len('abcdefgh' * 10 ** (2 + Task.Param.I)) }}\n         ~~~~~~~~~~~^~~~~~~~~~~~~~~~~~~~~~~~~~",
  ],
  [
    ["{{ 'a\\0b' if Task.Param.I == 3 else 'ab' }}"],
    {},
    'argument 1: contains a NUL character, which cannot be passed to a program',
  ],
  [["{{ 'a' * (Task.Param.I * 50000) }}"], {}, 'its arguments and environment are too long'],
  // Each expression is below its own limit, but the total grows with each task.
  [
    Array.from({ length: 30 }, () => `{{ ${SLOW} }}`),
    {},
    'argument 21: its expressions take more than 5000000 operations together',
  ],
  [
    ['x'],
    { let: Array.from({ length: 30 }, (_, at) => `a${at} = ${SLOW}`) },
    'let a20: its expressions take more than 5000000 operations together',
  ],
];

test('an expression that fails on the worker fails only its task', async (t) => {
  const submitted = FAILING.map(async ([args, bindings, reason]) => {
    const source = small(
      '',
      ['Counts'],
      {},
      {
        parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: '0-3' }] },
        script: { ...bindings, actions: { onRun: { command: 'echo', args } } },
      },
    );
    const { body } = await farm.submit(source, { 'param.Counts': '[5, 6, 7]', max_attempts: '1' });
    return { tasks: await ended(farm, body), args, reason };
  });
  for (const { tasks, args, reason } of await Promise.all(submitted)) {
    t.strictSame(
      tasks.map(({ status, failure_reason: told }) => [status, told]),
      [...[0, 1, 2].map(() => ['succeeded', undefined]), ['failed', reason]],
      args[0] ?? '',
    );
  }
  t.ok(worker.isRunning, 'the worker continues');
});
