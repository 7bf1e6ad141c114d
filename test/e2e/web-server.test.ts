import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { ContractFarm, jobOf } from '../kit/contract-bench.ts';
import { freePort, startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** How a real service process serves the web application. */
const folder = await mkdtemp(join(tmpdir(), 'callsheet-web-server-'));
const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
const { api } = service;
const farm = await ContractFarm.make(service, 'show');
tap.teardown(async () => {
  await farm.stop();
  await service.daemon.kill('SIGTERM');
  if (tap.passing()) await rm(folder, { recursive: true, force: true });
  else tap.comment(service.daemon.log().slice(-4000));
});

const BUNDLE = fileURLToPath(new URL('dist/web-app', packageRoot));

await test('the built application is served next to the API', async (t) => {
  t.ok(existsSync(BUNDLE), 'run node scripts/build.js first');
  const ask = (path: string, headers = {}): Promise<Response> => fetch(`${api.url}${path}`, { headers });
  const page = await ask('/jobs/some-job?tab=tasks', { accept: 'text/html' });
  const html = await page.text();
  t.equal(page.status, 200);
  t.match(page.headers.get('content-type'), 'text/html');
  t.match(page.headers.get('content-security-policy'), "script-src 'self'");
  const named = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  t.ok(
    named.some((path) => path.startsWith('/assets/')),
    'it references a script with a hash',
  );
  for (const path of named) {
    const file = await ask(path);
    t.equal(file.status, 200, path);
    t.notMatch(file.headers.get('content-type'), 'text/html', path);
    t.equal((await file.arrayBuffer()).byteLength > 0, true, path);
    const etag = file.headers.get('etag') ?? '';
    t.equal((await ask(path, { 'if-none-match': etag })).status, 304, path);
  }
  const coded = (await readdir(join(BUNDLE, 'assets'))).find((name) => name.endsWith('.js.br'));
  const script = await ask(`/assets/${coded?.slice(0, -3)}`, { 'accept-encoding': 'br' });
  t.equal(script.headers.get('content-encoding'), 'br');
  t.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  t.equal((await ask('/.vite/manifest.json')).status, 404);
  t.equal((await ask('/api/jobs')).status, 404);
  t.match(await api.must('GET', '/api/v1/auth/me'), { username: 'anonymous', roles: ['admin'] });
});

interface Waiting {
  readonly tasks: number;
  readonly groups: readonly { readonly reason: string; readonly tasks: number; readonly job_ids: string[] }[];
}

interface History {
  readonly now?: {
    readonly cores_total: number;
    readonly cores_booked: number;
    readonly tasks_ready: number;
    readonly tasks_running: number;
    readonly queues: readonly object[];
    readonly owners: readonly object[];
  };
}

await test('the overview shows the activity of a farm, its waiting tasks and its failures', async (t) => {
  const waiting = (): Promise<Waiting> => api.must('GET', `/api/v1/stats/waiting?farm_id=${farm.id}`);
  const hold = join(folder, 'hold');
  const render = await farm.submit(
    jobOf('Render', { line: `while [ ! -e ${hold} ]; do sleep 0.1; done`, tasks: 6 }),
    { owner: 'ada' },
  );
  const none = await until('the tasks wait for a worker', async () => {
    const found = await waiting();
    return found.tasks === 6 ? found : null;
  });
  t.match(none.groups, [{ reason: 'workers', tasks: 6, job_ids: [render] }]);

  const worker = await farm.worker('one', '--worker-cpus=2');
  const busy = await until('two tasks run', async () => {
    const { now } = await api.must<History>('GET', `/api/v1/stats/history?farm_id=${farm.id}`);
    return now?.cores_booked === 2 ? now : null;
  });
  t.match(busy, {
    cores_total: 2,
    tasks_ready: 4,
    tasks_running: 2,
    queues: [{ key: farm.queueId, is_other: false, cores_booked: 2 }],
    owners: [{ key: 'ada', is_other: false, cores_booked: 2 }],
  });
  const more = await until('the others wait for cores', async () => {
    const found = await waiting();
    return found.groups[0]?.reason === 'cores' ? found : null;
  });
  t.match(more.groups, [{ reason: 'cores', tasks: 4, job_ids: [render] }]);
  t.match(await api.must('GET', `/api/v1/workers/${worker.id}/history`), {
    worker_id: worker.id,
    cpu_count: 2,
  });

  const failing = await farm.submit(jobOf('Failing', { line: `test -e ${hold} && exit 7`, tasks: 2 }), {
    max_attempts: 1,
  });
  await api.must('PATCH', `/api/v1/jobs/${failing}`, { action: 'pause' });
  await until('the tasks of the paused job are reported separately', async () =>
    (await waiting()).groups.some(({ reason, tasks }) => reason === 'paused_job' && tasks === 2),
  );
  await api.must('PATCH', `/api/v1/jobs/${failing}`, { action: 'resume' });
  await writeFile(hold, '');
  await until('all jobs have ended', async () =>
    (await Promise.all([render, failing].map((id) => farm.job(id)))).every(({ status }) =>
      ['completed', 'failed'].includes(status),
    ),
  );
  t.match(await api.must('GET', `/api/v1/jobs/${failing}/failures`), {
    failed_count: 2,
    groups: [{ count: 2, reason: /7/, task_ids: [String, String], worker_ids: [worker.id] }],
    is_partial: false,
  });
  const { items } = await api.must<{
    items: readonly { attempt_seconds: { count: number; mean: number } }[];
  }>('GET', `/api/v1/jobs/${render}/steps`);
  t.match(items, [{ attempt_seconds: { count: 6, mean: Number } }]);
  const tasks = await api.must<{ items: readonly { started_at: string; ended_at: string }[] }>(
    'GET',
    `/api/v1/jobs/${render}/tasks?step=Step1`,
  );
  t.ok(tasks.items.every(({ started_at: from, ended_at: to }) => Date.parse(from) <= Date.parse(to)));
  const ended = await api.must<{ total: number }>(
    'GET',
    `/api/v1/jobs?farm_id=${farm.id}&status=failed&status=completed`,
  );
  t.equal(ended.total, 2);
});
