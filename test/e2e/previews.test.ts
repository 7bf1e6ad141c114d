import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { canMakeAccounts, makeAccount } from '../kit/accounts.ts';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { writeHostileFiles, writeImage } from '../kit/images.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** The fields of outputs and previews that these tests compare. */
interface Output {
  readonly path: string;
  readonly source: string;
  readonly parameter?: string;
  readonly preview?: { readonly url: string; readonly width: number; readonly height: number };
  readonly preview_missing?: string;
}
interface Preview {
  readonly task_id: string;
  readonly number: number;
  readonly path: string;
  readonly image?: { readonly data: string };
}

const folder = await mkdtemp(join(tmpdir(), 'callsheet-previews-'));
await chmod(folder, 0o755);
let service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
const { api } = service;
const farm = await api.makeFarm('show');
const workers: Daemon[] = [];
const flags = ['--worker-previews=true', '--worker-session-linger=0s', '--isolation-private-tmp=false'];
workers.push(startWorker(service, 'one', flags));
tap.teardown(async () => {
  await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
  await service.daemon.kill('SIGTERM');
  if (tap.passing()) await rm(folder, { recursive: true, force: true });
  else
    tap.comment(
      `${workers.map((each) => each.log().slice(-4000)).join()}\n${service.daemon.log().slice(-4000)}`,
    );
});

/** A job with a task for each list of outputs. */
const jobOf = (tasks: readonly (readonly string[])[], more = 'true'): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Previews',
  steps: [
    {
      name: 'Render',
      parameterSpace: {
        taskParameterDefinitions: [
          { name: 'Lines', type: 'STRING', range: tasks.map((paths) => paths.join('|')) },
        ],
      },
      script: {
        actions: {
          onRun: {
            command: 'bash',
            args: [
              '-c',
              `IFS='|'; for p in $0; do echo "callsheet_output: $p"; done; ${more}`,
              '{{Task.Param.Lines}}',
            ],
          },
        },
      },
    },
  ],
});

const run = async (template: object): Promise<string> => {
  const { id } = (await farm.submit(template, { max_attempts: '1' })).body;
  await until('the job has ended', async () =>
    ['completed', 'failed'].includes((await api.job(id)).status) ? true : null,
  );
  return id;
};

/** Waits until the outputs of a task have previews, or the reasons why not. */
const outputsOf = async (task: string, count: number): Promise<readonly Output[]> =>
  until(`${count} outputs are settled`, async () => {
    const { items } = await api.must<{ items: Output[] }>('GET', `/api/v1/tasks/${task}/outputs`);
    const settled = items.filter(({ preview, preview_missing: missing }) => preview ?? missing);
    return settled.length === count ? items : null;
  });

await test('images of every format get a small WebP preview', async (t) => {
  const names = ['a.png', 'b.jpg', 'c.tif', 'd.webp'];
  const paths = await Promise.all(names.map((name) => writeImage(folder, name, [1280, 720], 'red')));
  const job = await run(jobOf([paths]));
  const [task] = await api.tasks(job);
  const outputs = await outputsOf(task?.id ?? '', 4);
  for (const [number, { path, preview }] of outputs.entries()) {
    t.equal(path, paths[number]);
    t.match(preview, { width: 320, height: 180 }, path);
    const answer = await fetch(`${api.url}${preview?.url ?? ''}`);
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('content-type'), 'image/webp');
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    t.equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin');
    t.match(answer.headers.get('content-security-policy'), /default-src 'none'/);
    const { dominant, channels } = await sharp(Buffer.from(await answer.arrayBuffer())).stats();
    t.ok((channels[0]?.mean ?? 0) > 240 && (channels[1]?.mean ?? 255) < 15, JSON.stringify(dominant));
    const again = await fetch(`${api.url}${preview?.url ?? ''}`, {
      headers: { 'If-None-Match': answer.headers.get('etag') ?? '' },
    });
    t.equal(again.status, 304);
  }
  for (const path of [
    `/api/v1/tasks/${task?.id}/previews/0?attempt=2`,
    `/api/v1/tasks/${task?.id}/previews/9`,
  ])
    t.equal((await fetch(`${api.url}${path}`)).status, 404, path);
  const log = await fetch(`${api.url}/api/v1/tasks/${task?.id}/log`);
  t.match(await log.text(), /callsheet_output/, 'the log has its lines and no preview');
});

await test('the command line lists previews and saves their images', async (t) => {
  const path = await writeImage(folder, 'with blank;.0007.png', [640, 320], 'red');
  const job = await run(jobOf([[path, `${folder}/none.png`]]));
  await outputsOf((await api.tasks(job))[0]?.id ?? '', 2);
  const saved = join(folder, 'saved', 'images');
  const environment = { SVC_URL: api.url };
  const ran = await runCallsheet(['jobs', 'previews', job, '--save', saved], { environment });
  t.match(ran, { code: 0, err: `2 previews\n1 image saved to ${saved}\n` });
  t.match(ran.out, /with blank;\.0007\.png +320x160/);
  t.match(ran.out, /none\.png .*no such file/i);
  const file = join(saved, '0001-with_blank_.0007.png.webp');
  t.match(await sharp(file).metadata(), { format: 'webp', width: 320, height: 160 });
  const listed = await runCallsheet(['jobs', 'previews', job, '--json'], { environment });
  t.match(JSON.parse(listed.out), { items: [{ path, image: { width: 320 } }, { missing: String }] });
  const refused = await runCallsheet(['jobs', 'previews', job, '--save', file], { environment });
  t.match(refused, { code: 2, err: /0001-with_blank_\.0007\.png\.webp cannot be written: / });
});

await test('no preview of hostile files, and the tasks succeed', async (t) => {
  const hostile = await writeHostileFiles(folder);
  const job = await run(jobOf([...hostile.keys()].map((path) => [path, `${folder}/whole.jpg`])));
  t.equal((await api.job(job)).status, 'completed');
  for (const { id } of await api.tasks(job)) {
    const [bad, good] = await outputsOf(id, 2);
    t.match(bad?.preview_missing, hostile.get(bad?.path ?? '') ?? /^$/, bad?.path ?? 'no output');
    t.match(good?.preview, { width: 320, height: 320 }, 'the next output of the task has one');
  }
});

await test('the contact sheet lists the previews in the order of the tasks, a page at a time', async (t) => {
  const paths = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((frame) => writeImage(folder, `frame.${frame}.png`, [40, 20], 'blue')),
  );
  const job = await run(jobOf([...paths.slice(0, 2).map((path) => [path]), paths, ['/tmp/scene.abc']]));
  await until('all previews are stored', async () => {
    const { items } = await api.must<{ items: Preview[] }>('GET', `/api/v1/jobs/${job}/previews`);
    return items.length === 6 ? true : null;
  });
  const found: Preview[] = [];
  let after = '';
  for (;;) {
    const page = await api.must<{ items: Preview[]; next?: string }>(
      'GET',
      `/api/v1/jobs/${job}/previews?limit=2${after}`,
    );
    found.push(...page.items);
    if (page.next === undefined) break;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
  t.strictSame(
    found.map(({ path }) => path),
    [paths[0], paths[1], paths[0], paths[2], paths[3], paths[5]],
    'of many outputs, some evenly between the first and the last',
  );
  for (const { image } of found)
    t.match(await sharp(Buffer.from(image?.data ?? '', 'base64')).metadata(), { width: 40 });

  await api.must('DELETE', `/api/v1/jobs/${job}`);
  t.equal((await fetch(`${api.url}/api/v1/tasks/${found[0]?.task_id}/previews/0`)).status, 404);
});

/** A job with an OUT parameter, and a task for each frame that runs a command with its value as `$0` and the frame as `$1`. */
const outJob = (value: string, objectType: 'FILE' | 'DIRECTORY', frames: string, command: string) => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'OUT parameter',
  parameterDefinitions: [{ name: 'Output', type: 'PATH', dataFlow: 'OUT', objectType, default: value }],
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: frames }] },
      script: {
        actions: {
          onRun: { command: 'bash', args: ['-c', command, '{{Param.Output}}', '{{Task.Param.Frame}}'] },
        },
      },
    },
  ],
});

/** Outputs of each task, once it has a preview or a reason. */
const foundOf = async (job: string): Promise<readonly (readonly Output[])[]> =>
  Promise.all(
    (await api.tasks(job)).map(({ id }) =>
      until('the task has a preview', async () => {
        const { items } = await api.must<{ items: Output[] }>('GET', `/api/v1/tasks/${id}/outputs`);
        return items.some(({ preview, preview_missing: missing }) => preview ?? missing) ? items : null;
      }),
    ),
  );

await test('images of OUT parameters get previews: a file, frames of a pattern, a directory', async (t) => {
  const image = await writeImage(folder, 'made.png', [64, 32], 'red');
  const place = (name: string): string => join(folder, name);
  const file = await run(outJob(place('still.png'), 'FILE', '1', `cp ${image} "$0"`));
  const [still = []] = await foundOf(file);
  t.match(still, [
    { path: place('still.png'), source: 'parameter', parameter: 'Output', preview: { width: 64 } },
  ]);
  t.equal(still.length, 1, 'listed once');

  for (const pattern of ['hash.####.png', 'percent.%04d.png', 'reference.{{Task.Param.Frame}}.png']) {
    const isPadded = !pattern.startsWith('reference');
    const command = `cp ${image} "$(dirname "$0")/${pattern.split('.')[0] ?? ''}.$(printf ${isPadded ? '%04d' : '%d'} "$1").png"`;
    const job = await run(outJob(place(pattern), 'FILE', '7-8', command));
    for (const [nth, outputs] of (await foundOf(job)).entries()) {
      const number = String(nth + 7).padStart(isPadded ? 4 : 1, '0');
      const path = place(`${pattern.split('.')[0] ?? ''}.${number}.png`);
      t.match(
        outputs,
        [{ path: place(pattern) }, { path, parameter: 'Output', preview: { height: 32 } }],
        pattern,
      );
      t.notOk(outputs[0]?.preview, 'the pattern itself has none');
    }
    const sheet = await api.must<{ items: Preview[] }>('GET', `/api/v1/jobs/${job}/previews`);
    t.equal(sheet.items.length, 2, 'the contact sheet has both frames');
  }

  const command = `mkdir -p "$0"; cp ${image} "$0/b.$1.png"; cp ${image} "$0/ignored.txt"`;
  const directory = await run(outJob(place('many'), 'DIRECTORY', '1-2', command));
  for (const [nth, outputs] of (await foundOf(directory)).entries()) {
    t.strictSame(
      outputs.map(({ path }) => path),
      [place('many'), place(`many/b.${nth + 1}.png`)],
    );
    const id = (await api.tasks(directory))[nth]?.id ?? '';
    const first = await api.must<{ next: string }>('GET', `/api/v1/tasks/${id}/outputs?limit=1`);
    const rest = await api.must<{ items: Output[]; next?: string }>(
      'GET',
      `/api/v1/tasks/${id}/outputs?limit=1&after=${encodeURIComponent(first.next)}`,
    );
    t.match(rest, {
      items: [{ path: place(`many/b.${nth + 1}.png`), preview: { width: 64 } }],
      next: undefined,
    });
  }
  const listed = await api.must<{ items: Output[] }>('GET', `/api/v1/jobs/${directory}/outputs`);
  t.strictSame(
    listed.items.map(({ path }) => path),
    [place('many')],
    'the job lists the parameter',
  );
});

await test('previews survive a restart of the service', async (t) => {
  const path = await writeImage(folder, 'kept.png', [64, 64], 'green');
  const job = await run(jobOf([[path]]));
  const [task] = await api.tasks(job);
  const [first] = await outputsOf(task?.id ?? '', 1);
  await service.daemon.kill('SIGTERM');
  service = await startService(service);
  t.equal((await fetch(`${api.url}${first?.preview?.url ?? ''}`)).status, 200);
});

const skip = canMakeAccounts ? false : 'only root can make accounts';

await test('files are read with the account of the task', { skip }, async (t) => {
  const user = makeAccount(t);
  const other = await api.makeFarm('isolated');
  const queue = { name: 'main', run_as_user: user, run_as_group: null };
  await api.must('PUT', `/api/v1/queues/${other.queueId}`, queue);
  workers.push(startWorker(service, 'two', [...flags, '--worker-farm=isolated']));
  const secret = await writeImage(folder, 'secret.png', [64, 64], 'black');
  await chmod(secret, 0o600);
  const shared = await writeImage(folder, 'shared.png', [64, 64], 'white');
  await chmod(shared, 0o644);
  const { id } = (await other.submit(jobOf([[secret, shared]]), { max_attempts: '1' })).body;
  const [task] = await until('the task has succeeded', async () => {
    const tasks = await api.tasks(id);
    return tasks[0]?.status === 'succeeded' ? tasks : null;
  });
  const [hidden, seen] = await outputsOf(task?.id ?? '', 2);
  t.equal(hidden?.preview_missing, 'the account of the task may not read it');
  t.match(seen?.preview, { width: 64 });
});

await test('OUT parameters show no file of others', { skip }, async (t) => {
  const user = makeAccount(t);
  const other = await api.makeFarm('attacked');
  await api.must('PUT', `/api/v1/queues/${other.queueId}`, {
    name: 'main',
    run_as_user: user,
    run_as_group: null,
  });
  workers.push(startWorker(service, 'three', [...flags, '--worker-farm=attacked']));
  const closed = join(folder, 'closed');
  await mkdir(closed, { mode: 0o700 });
  await writeImage(closed, 'hidden.png', [64, 64], 'black');
  const secret = await writeImage(folder, 'unreadable.png', [64, 64], 'black');
  await chmod(secret, 0o600);
  const shared = await writeImage(folder, 'free.png', [64, 64], 'white');
  const open = await mkdtemp(join(folder, 'open-'));
  await chmod(open, 0o777);
  // Each writes one image that may be shown, so that the test does not wait for the absence of one.
  const good = `cp ${shared} "$(echo ${open}/good.$1.png)"`;
  const attempts: readonly [name: string, value: string, type: 'FILE' | 'DIRECTORY', command: string][] = [
    ['a directory of others', closed, 'DIRECTORY', 'true'],
    ['a link to a directory of others', `${open}/away`, 'DIRECTORY', `ln -sfn ${closed} ${open}/away`],
    ['dots out of a directory', `${open}/../closed`, 'DIRECTORY', 'true'],
    ['a link to a file', `${open}/link.png`, 'FILE', `ln -sf ${secret} ${open}/link.png`],
    ['a file of others', secret, 'FILE', 'true'],
    [
      'links in a directory that change all the time',
      `${open}/race`,
      'DIRECTORY',
      `mkdir -p ${open}/race; (for n in {1..2000}; do ln -sf ${secret} ${open}/race/a.png; cp -f --remove-destination ${shared} ${open}/race/a.png; done) & cp ${shared} ${open}/race/b.png; wait`,
    ],
  ];
  for (const [name, value, type, command] of attempts) {
    const template = outJob(value, type, '1', `${command}; ${good}`);
    const extra = {
      name: 'Good',
      type: 'PATH',
      dataFlow: 'OUT',
      objectType: 'FILE',
      default: `${open}/good.1.png`,
    };
    const definitions = {
      ...template,
      parameterDefinitions: [...template.parameterDefinitions, extra],
    };
    const { id } = (await other.submit(definitions, { max_attempts: '1' })).body;
    await until('the job has ended', async () => ((await api.job(id)).status === 'completed' ? true : null));
    const [outputs = []] = await foundOf(id);
    const shown = outputs.filter(({ preview }) => preview !== undefined).map(({ path }) => path);
    t.ok(shown.includes(`${open}/good.1.png`), `${name}: the own image is shown`);
    for (const path of shown) t.match(path, /\/(?:good\.1|race\/[ab])\.png$/, `${name}: nothing else is`);
    for (const { preview } of outputs) {
      if (preview === undefined) continue;
      const image = Buffer.from(await (await fetch(`${api.url}${preview.url}`)).arrayBuffer());
      t.ok(((await sharp(image).stats()).channels[0]?.mean ?? 0) > 200, `${name}: the image is white`);
    }
  }
});
