import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tap, { test, type Test } from 'tap';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { ROOT } from '../tidy/project-files.ts';

tap.setTimeout(120_000);

const SCRIPT = join(ROOT, 'examples/migration/deadline.js');

interface Converted {
  readonly folder: string;
  /** Printed commands, as text. */
  readonly commands: readonly string[];
  readonly notes: string;
  file(name: string): Promise<unknown>;
}

/** Converts two info files with the script. */
async function convert(
  t: Test,
  job: string,
  plugin: string,
  {
    flags = [],
    encoding = 'utf8',
  }: { readonly flags?: readonly string[]; readonly encoding?: BufferEncoding } = {},
): Promise<Converted> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-migration-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const mark = encoding === 'utf16le' ? '\ufeff' : '';
  await writeFile(join(folder, 'job'), mark + job, encoding);
  await writeFile(join(folder, 'plugin'), mark + plugin, encoding);
  const output = join(folder, 'out');
  await mkdir(output);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    SCRIPT,
    join(folder, 'job'),
    join(folder, 'plugin'),
    '--output',
    output,
    ...flags,
  ]);
  return {
    folder: output,
    commands: stdout.trim().split('\n'),
    notes: stderr,
    file: async (name) => JSON.parse(await readFile(join(output, name), 'utf8')) as unknown,
  };
}

test('a render becomes values of a preset', async (t) => {
  const converted = await convert(
    t,
    [
      'Plugin=Blender',
      'Name=shot 010',
      'UserName=rita',
      'Frames=1-10x2,20',
      'ChunkSize=5',
      'Pool=film',
      'SecondaryPool=all',
      'Group=none',
      'Priority=70',
      'MachineLimit=4',
      'ConcurrentTasks=2',
      'OutputDirectory0=/mnt/out',
      'OutputFilename0=shot.####.png',
      'EnvironmentKeyValue0=OCIO=/mnt/ocio.config',
      'InitialStatus=Suspended',
      'ScheduledType=Once',
      'ScheduledStartDateTime=24/12/2026 18:30',
      'OverrideTaskFailureDetection=True',
      'FailureDetectionTaskErrors=2',
    ].join('\r\n'),
    'SceneFile=/mnt/shot.blend\r\nThreads=0\r\n',
    { encoding: 'utf16le' },
  );
  t.strictSame(converted.commands, [
    'callsheet presets install blender/render',
    "callsheet submit --product blender/render --param-file values.json --environment environment.yaml --name 'shot 010' --owner rita --queue film --priority 70 --max-attempts 2 --max-concurrent-tasks 8 --paused --start-after 2026-12-24T18:30",
  ]);
  t.strictSame(await converted.file('values.json'), {
    Scene: '/mnt/shot.blend',
    Output: '/mnt/out/shot.####.png',
    Frames: '1-10:2,20',
    FramesPerTask: '5',
  });
  t.match(await converted.file('environment.yaml'), {
    environment: { variables: { OCIO: '/mnt/ocio.config' } },
  });
  t.match(converted.notes, /note: secondarypool=all: .*\nnote: machinelimit=4: the job has a cap/);
});

test('other presets, and what has no counterpart', async (t) => {
  const maya = await convert(
    t,
    'Plugin=MayaBatch\nFrames=10-1\nGroup=linux\nLimitGroups=maya,arnold\nTaskTimeoutMinutes=30\n',
    'SceneFile=/m/s.ma\nProjectPath=/m\nOutputFilePath=/m/images\nOutputFilePrefix=<Scene>\nCamera=cam\nRenderer=arnold\nAnimation=1\n',
  );
  t.match(await maya.file('values.json'), {
    Scene: '/m/s.ma',
    Project: '/m',
    OutputDir: '/m/images',
    Prefix: '<Scene>',
    Camera: 'cam',
    Frames: '10-1:-1',
  });
  t.match(maya.notes, /animation=1.*\n.*group=linux.*\n.*limitgroups=maya,arnold.*\n.*time limit/);
  const nuke = await convert(
    t,
    'Plugin=Nuke\nFrames=1\nOutputDirectory0=/o\n',
    'SceneFile=/a.nk\nWriteNode=W1\nProxyMode=True\n',
  );
  t.match(await nuke.file('values.json'), { WriteNode: 'W1', Proxy: 'true', OutputDir: '/o' });
  const houdini = await convert(
    t,
    'Plugin=Houdini\nFrames=1-2\n',
    'SceneFile=/a.hip\nOutputDriver=/out/a\nIgnoreInputs=True\n',
  );
  t.match(await houdini.file('values.json'), { Node: '/out/a', IgnoreInputs: 'true' });
  t.match(houdini.notes, /OutputDir/);
  for (const [job, why] of [
    ['Plugin=3dsmax\nFrames=1\n', /no conversion for the plug-in 3dsmax/],
    ['Plugin=Blender\nFrames=1..5\n', /“1..5” is not a frame or a range/],
  ] as const)
    await t.rejects(convert(t, job, 'SceneFile=/a\n'), why);
});

test('a converted command line runs on a farm, and a converted render is accepted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-migration-farm-'));
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const worker = startWorker(service, 'one', ['--worker-tags=linux=true', '--worker-cpus=2']);
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  const { api } = service;
  await api.makeFarm('studio');
  await api.must('POST', '/api/v1/usage-pools', { name: 'tool', max_concurrent: 1 });
  /** Runs a printed command with a shell, as a user does. */
  const run = async (command: string, cwd: string): Promise<string> => {
    const program = `${process.execPath} ${join(ROOT, 'bin/callsheet.js')}`;
    const env = { ...process.env, SVC_URL: api.url };
    const line = command.replace(/^callsheet /, `${program} `);
    return (await promisify(execFile)('bash', ['-c', line], { cwd, env })).stdout;
  };

  const text = await convert(
    t,
    'Plugin=CommandLine\nName=Print it\nFrames=1-4\nChunkSize=2\nPool=main\nGroup=Linux\nLimitGroups=tool\nTaskTimeoutSeconds=60\nEnvironmentKeyValue0=SHOT=a b\n',
    `Executable=echo\nArguments=<QUOTE>from <STARTFRAME%4> to <ENDFRAME>, $SHOT<QUOTE>\nStartupDirectory=${folder}\n`,
  );
  t.match(await text.file('product.yaml'), {
    name: 'print-it',
    template: {
      steps: [
        {
          hostRequirements: {
            amounts: [{ name: 'amount.worker.vcpu' }, { name: 'amount.worker.usagepool.tool' }],
            attributes: [{ name: 'attr.worker.tag.linux', anyOf: ['true'] }],
          },
          script: { actions: { onRun: { timeout: 60 } } },
        },
      ],
    },
  });
  const [apply = '', submit = ''] = text.commands;
  await run(apply, text.folder);
  const job = (await run(`${submit} --wait -o json`, text.folder)).trim();
  t.match(job, /"status":\s*"completed"/);
  const [{ id = '' } = {}] = (await api.must<{ items: { id: string }[] }>('GET', '/api/v1/jobs')).items;
  const log = await run(`callsheet logs ${id}`, text.folder);
  t.match(log, /from 0001 to 2, a b/);
  t.match(log, /from 0003 to 4, a b/);

  const render = await convert(
    t,
    'Plugin=Blender\nName=shot\nFrames=1-10\nPool=main\n',
    'SceneFile=/mnt/shot.blend\nOutputFile=/mnt/out/shot.####.png\n',
  );
  const [install = '', submitRender = ''] = render.commands;
  await run(install, render.folder);
  t.match(await run(`${submitRender} --dry-run`, render.folder), /10 tasks/);
});
