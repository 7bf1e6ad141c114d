import { chmod, mkdtemp, rm } from 'node:fs/promises';
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
