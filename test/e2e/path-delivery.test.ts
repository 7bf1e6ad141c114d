import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { canMakeAccounts, idOf, makeAccount } from '../kit/accounts.ts';
import { FarmClient, type TaskView } from '../kit/api-client.ts';
import { freePort, IS_BUS_AUTHENTICATED, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { startS3 } from '../kit/s3-server.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** Last line of the output of each task. */
const LAST_LINE = 'that was all';
const ENDED = new Set(['completed', 'failed', 'canceled']);

/** A job of one task that runs at a compute location. */
function template(place: string, script: string, parts: object = {}, step: object = {}): object {
  return {
    specificationVersion: 'jobtemplate-2023-09',
    name: `at ${place}`,
    ...parts,
    steps: [
      {
        name: 'S',
        hostRequirements: {
          attributes: [{ name: 'attr.worker.computelocation', anyOf: [place] }],
          amounts: [{ name: 'amount.worker.vcpu', min: 1 }],
        },
        script: {
          actions: { onRun: { command: 'bash', args: ['{{Task.File.Run}}', '{{Param.Scene}}'] } },
          embeddedFiles: [{ name: 'Run', type: 'TEXT', data: `${script}\nprintf '\\n${LAST_LINE}\\n'` }],
        },
        ...step,
      },
    ],
  };
}

/** Runs a job to its end. Returns its task and the output. */
async function run(
  farm: FarmClient,
  source: object,
  parameters: Readonly<Record<string, string>>,
): Promise<{ readonly task: TaskView | undefined; readonly lines: readonly string[] }> {
  const query = Object.entries(parameters).map(([name, value]) => [`param.${name}`, value]);
  const { status, body } = await farm.submit(source, {
    max_attempts: '1',
    ...(Object.fromEntries(query) as Record<string, string>),
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  await until(`the end of ${body.name}`, async () => ENDED.has((await farm.api.job(body.id)).status));
  const [task] = await farm.api.tasks(body.id);
  if (task?.status !== 'succeeded') return { task, lines: [] };
  // Logs and reports reach the store on different paths.
  const log = await until('the complete log', async () => {
    const text = await farm.api.log(task.id);
    return text.includes(LAST_LINE) ? text.slice(0, text.indexOf(LAST_LINE)) : null;
  });
  return { task, lines: log.trimEnd().split('\n') };
}

/** Two compute locations and a bucket, with a real service, workers and an S3 server. */
await test('paths are delivered to tasks at every compute location', { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-paths-'));
  // Isolated accounts need access to the session directories below it.
  await chmod(folder, 0o755);
  const [studio, annex, secret] = ['studio', 'annex', 'secret'].map((name) => join(folder, name));
  if (studio === undefined || annex === undefined || secret === undefined) throw new Error('no folders');
  for (const [directory, content] of [
    [studio, 'scene of the studio'],
    [annex, 'scene of the annex'],
    [secret, 'secret'],
  ] as const) {
    await mkdir(directory);
    await writeFile(join(directory, 'scene.txt'), content);
  }
  const s3 = await startS3(join(folder, 's3'), ['shows', 'others']);
  const put = (Bucket: string, Key: string, Body: string) =>
    s3.client.send(new PutObjectCommand({ Bucket, Key, Body }));
  await put('shows', 'all/scene.txt', 'scene of the cloud');
  await put('shows', 'all/plates/p1.txt', 'plate');
  await put('others', 'x.txt', 'of others');

  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const workers: Daemon[] = [];
  t.teardown(async () => {
    for (const worker of workers) await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await s3.close();
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else for (const daemon of [service.daemon, ...workers]) t.comment(daemon.log().slice(-2000));
  });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const storage = await api.must<{ id: string }>('POST', '/api/v1/storage-locations', {
    name: 'shows',
    roots: { default: studio, annex, cloud: 's3://shows/all', office: 'S:\\shows' },
  });
  for (const place of ['annex', 'cloud']) {
    const flags = [`--worker-compute-location=${place}`, '--worker-cpus=1', '--isolation-enabled=true'];
    // The managed bus refuses unknown users. The last of several flags counts.
    const bus = `127.0.0.1:${service.busPort}`;
    const access = [`--bus-url=nats://farm:hunter2@${bus}`, `--bus-url=nats://${bus}`];
    const environment = { ...s3.environment, FARM_TOKEN: 'hunter2', LD_RENDER: 'hunter2' };
    workers.push(startWorker(service, place, [...flags, ...access], environment));
  }

  const scene = join(studio, 'scene.txt');
  const parameterDefinitions = [{ name: 'Scene', type: 'PATH', objectType: 'FILE', dataFlow: 'IN' }];
  const rules = (destination: string) => ({
    version: 'pathmapping-1.0',
    path_mapping_rules: [
      { source_path_format: 'POSIX', source_path: studio, destination_path: destination },
      { source_path_format: 'WINDOWS', source_path: 'S:\\shows', destination_path: destination },
    ],
  });

  await t.test('by default paths are replaced, and the rules are in a file', async (t) => {
    const script =
      'echo "$1"; cat "$1"; echo; echo "{{RawParam.Scene}}"; cat "{{Session.PathMappingRulesFile}}"; echo; echo {{Session.HasPathMappingRules}}';
    const source = template('annex', script, { parameterDefinitions });
    const { lines } = await run(farm, source, { Scene: scene });
    t.strictSame(lines, [
      join(annex, 'scene.txt'),
      'scene of the annex',
      scene,
      JSON.stringify(rules(annex)),
      'true',
    ]);
    const windows = await run(farm, source, { Scene: 's:/Shows\\scene.txt' });
    t.equal(windows.lines[0], join(annex, 'scene.txt'), 'a path of another operating system');
  });

  await t.test('a job finds no secret of the daemon in its variables and in /proc', async (t) => {
    const files = workers.flatMap(({ pid }) => ['environ', 'cmdline'].map((file) => `/proc/${pid}/${file}`));
    const script = `cat ${files.join(' ')} | tr '\\0' '\\n'; env`;
    const { lines } = await run(farm, template('cloud', script, { parameterDefinitions }), { Scene: scene });
    t.equal(
      lines.filter((line) => line === '--worker-cpus=1').length,
      workers.length,
      'arguments are readable',
    );
    const variables = lines.filter((line) => line.startsWith('PATH=')).length;
    // A worker with a credential hides its variables from tasks, too.
    if (IS_BUS_AUTHENTICATED) t.equal(variables, 1, 'the task sees its own variables only');
    else t.ok(variables > workers.length, 'variables are readable');
    t.same(
      lines.filter((line) => /hunter2|AWS_|FARM_TOKEN=/.test(line)),
      [],
    );
  });

  await t.test('a template selects the path delivery of its tasks', async (t) => {
    const pathDelivery = [
      {
        type: 'environment',
        variable: 'PATHMAP',
        entry: '{{Rule.Source}}={{Rule.Destination}}',
        separator: ';',
      },
      { type: 'command_flags', args: ['--map', '{{Rule.Source}}:{{Rule.Destination}}'] },
    ];
    const source = template(
      'annex',
      'printf "%s\\n" "$@"; echo "$PATHMAP"; cat "{{Session.PathMappingRulesFile}}"',
      { parameterDefinitions, extensions: ['SVC_PATH_TRANSLATION'], pathDelivery },
    );
    const { lines } = await run(farm, source, { Scene: scene });
    const sources = ['s3://shows/all', studio, 'S:\\shows'].sort((a, b) => b.length - a.length);
    t.strictSame(lines, [
      scene,
      ...sources.flatMap((from) => ['--map', `${from}:${annex}`]),
      sources.map((from) => `${from}=${annex}`).join(';'),
      '{}',
    ]);
  });

  const staging = {
    extensions: ['SVC_PATH_TRANSLATION'],
    pathDelivery: [{ type: 'swap_in_place' }, { type: 'stage_locally' }],
    parameterDefinitions: [
      ...parameterDefinitions,
      { name: 'Plates', type: 'PATH', dataFlow: 'IN' },
      { name: 'Out', type: 'PATH', dataFlow: 'OUT' },
      { name: 'Log', type: 'PATH', dataFlow: 'OUT', objectType: 'FILE' },
    ],
  };
  const work = [
    'set -e',
    'case "$1" in "{{Session.WorkingDirectory}}"/*) ;; *) exit 9;; esac',
    'cat "$1" "{{Param.Plates}}"/*',
    'mkdir "{{Param.Out}}/sub"; echo -n frame > "{{Param.Out}}/sub/f.1.exr"; echo -n done > "{{Param.Log}}"',
  ].join('\n');
  const paths = {
    Scene: scene,
    Plates: join(studio, 'plates'),
    Out: join(studio, 'out'),
    Log: join(studio, 'logs/render.log'),
  };

  await t.test('files are staged from and to a file system', async (t) => {
    await mkdir(join(annex, 'plates'));
    await writeFile(join(annex, 'plates/p.txt'), '+plate of the annex');
    const { task, lines } = await run(farm, template('annex', work, staging), paths);
    t.match(task, { status: 'succeeded' });
    t.strictSame(lines, ['scene of the annex+plate of the annex']);
    t.equal(await readFile(join(annex, 'out/sub/f.1.exr'), 'utf8'), 'frame');
    t.equal(await readFile(join(annex, 'logs/render.log'), 'utf8'), 'done');
  });

  await t.test('files are staged from and to S3', async (t) => {
    const { task, lines } = await run(farm, template('cloud', work, staging), paths);
    t.match(task, { status: 'succeeded' });
    t.strictSame(lines, ['scene of the cloudplate']);
    const get = async (Key: string) => {
      const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'shows', Key }));
      return Body?.transformToString();
    };
    t.equal(await get('all/out/sub/f.1.exr'), 'frame');
    t.equal(await get('all/logs/render.log'), 'done');
  });

  await t.test('a file that cannot be staged fails the task with a reason', async (t) => {
    const outside = await run(farm, template('annex', work, staging), {
      ...paths,
      Scene: join(secret, 'scene.txt'),
    });
    t.match(outside.task, {
      status: 'failed',
      failure_reason: `stage_locally: parameter Scene: "${secret}/scene.txt" is in no storage location of this worker's place`,
    });
    const bucket = await run(farm, template('cloud', work, staging), {
      ...paths,
      Scene: 's3://others/x.txt',
    });
    t.match(bucket.task?.failure_reason, /"s3:\/\/others\/x\.txt" is in no storage location/);
    const missing = await run(farm, template('cloud', work, staging), {
      ...paths,
      Plates: join(studio, 'no'),
    });
    t.match(missing.task, {
      status: 'failed',
      failure_reason: 'stage_locally: copy in of parameter Plates: "s3://shows/all/no" does not exist',
    });
  });

  await t.test('a task under an isolated account gets its files', { skip: !canMakeAccounts }, async (t) => {
    const user = makeAccount(t);
    const queue = await api.must<{ id: string }>('POST', '/api/v1/queues', {
      farm_id: farm.farmId,
      name: 'isolated',
      run_as_user: user,
    });
    const isolated = new FarmClient(api, farm.farmId, queue.id);
    await writeFile(join(annex, 'private.txt'), 'private', { mode: 0o600 });
    const denied = await run(isolated, template('annex', work, staging), {
      ...paths,
      Scene: join(studio, 'private.txt'),
    });
    t.match(
      denied.task?.failure_reason,
      /private\.txt" may not be read or written by the account of the task$/,
    );
    await mkdir(join(annex, 'shared'));
    await chmod(join(annex, 'shared'), 0o777);
    const { task, lines } = await run(isolated, template('annex', `${work}; echo; id -un`, staging), {
      ...paths,
      Out: join(studio, 'shared/out'),
      Log: join(studio, 'shared/render.log'),
    });
    t.match(task, { status: 'succeeded' });
    t.strictSame(lines, ['scene of the annex+plate of the annex', user]);
    t.equal((await stat(join(annex, 'shared/out/sub/f.1.exr'))).uid, idOf('-u', user));
  });

  await t.test('a change of the catalog applies to later tasks', async (t) => {
    await api.must('PUT', `/api/v1/storage-locations/${storage.id}`, {
      name: 'shows',
      roots: { default: studio, annex: secret },
    });
    const { lines } = await run(farm, template('annex', 'cat "$1"', { parameterDefinitions }), {
      Scene: scene,
    });
    t.strictSame(lines, ['secret']);
  });
});
