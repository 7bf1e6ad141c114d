import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../bin/run-callsheet.ts';
import type { FarmClient, JobView, TaskView } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** What each task writes at its end. */
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

/** Definitions of some parameters, without defaults, and the values for them as a query. */
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

/** All that expressions reach: names, environments, bindings, host requirements, ranges, chunks, arguments, files. */
const EVERYTHING = {
  specificationVersion: 'jobtemplate-2023-09',
  extensions: ['EXPR', 'TASK_CHUNKING', 'SVC_CHUNK_BOUNDS'],
  name: "{{ Param.Title.removesuffix('s') + 's' }} of {{ len(Param.Names) }}",
  parameterDefinitions: definitions(Object.keys(PARAMETERS) as Name[]),
  jobEnvironments: [
    {
      name: 'House',
      script: {
        let: ["banner = 'house of ' + Param.Title", 'config = Env.File.Config'],
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
            'echo {{ Session.HasPathMappingRules }} {{ Task.File.Run.parent == Session.WorkingDirectory or "elsewhere" }}',
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

/** Waits for the end of a job; gives its tasks by step, in their order. */
async function ended(farm: FarmClient, job: JobView): Promise<readonly TaskView[]> {
  await until(`the end of ${job.name}`, async () => ENDED.has((await farm.api.job(job.id)).status));
  return farm.api.tasks(job.id);
}

/** What a task wrote, line by line: logs come to the store by another way than reports. */
async function linesOf(farm: FarmClient, task: TaskView | undefined): Promise<readonly string[]> {
  const log = await until('the whole log', async () => {
    const text = await farm.api.log(task?.id ?? '');
    return text.includes(LAST_LINE) ? text.slice(0, text.indexOf(LAST_LINE)) : null;
  });
  return log.trimEnd().split('\n');
}

/** A template of one step with one argument or other parts, and the parameters that it names. */
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

/** The part of a file name that a path of a session has, which is another in each. */
const ARGUMENT = '/steps/0/script/actions/onRun/args/0';

const folder = await mkdtemp(join(tmpdir(), 'callsheet-expressions-'));
const annex = join(folder, 'annex');
const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
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

test('expressions reach the worker by every way', async (t) => {
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
      Gains: '[0.5, 2.0]',
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
  const lines = await linesOf(farm, second);
  t.comment(lines.join('\n'));
  t.strictSame(first?.parameters, { Frame: '1-3' });
  t.strictSame(second?.parameters, { Frame: '4,7' });
  t.strictSame(
    ranges.map(({ parameters }) => parameters),
    [],
  );
  t.comment((await linesOf(farm, ranges[0])).join('\n'));
});

void small;
void ARGUMENT;
void runCallsheet;
