import { test } from 'tap';
import { answeringService } from '../answering-service.ts';
import { runCallsheet, type Ran } from '../run-callsheet.ts';

const TIMES = { created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:04:05.678Z' };
const NUKE = {
  id: '11111111-1111-7111-8111-111111111111',
  name: 'nuke',
  max_concurrent: 4,
  server_hint: 'license-1',
  in_use: 3,
  available: 1,
  ...TIMES,
};
const MAYA = {
  id: '22222222-2222-7222-8222-222222222222',
  name: 'maya',
  max_concurrent: 2,
  in_use: 0,
  available: 2,
  ...TIMES,
};
const BERLIN = {
  id: '33333333-3333-7333-8333-333333333333',
  name: 'berlin',
  description: 'first floor',
  worker_count: 12,
  ...TIMES,
};

const PROJECTS = {
  id: '44444444-4444-7444-8444-444444444444',
  name: 'projects',
  description: 'all shows',
  roots: { default: '/mnt/projects', berlin: 'P:\\projects' },
  type: 'filesystem',
  ...TIMES,
};

type Run = (...args: readonly string[]) => Promise<Ran>;

const runnerAt =
  (url: string): Run =>
  (...args) =>
    runCallsheet(args, { environment: { SVC_URL: url } });

const ok = (out: string, err = ''): Ran => ({ code: 0, out, err });

const POOL_TITLES = 'NAME  IN USE  AVAILABLE  SERVER\n';
const NUKE_ROW = 'nuke     3/4          1  license-1\n';
const LOCATION_TITLES = 'NAME    WORKERS  DESCRIPTION\n';
const BERLIN_ROW = 'berlin       12  first floor\n';

test('usage pools are listed, created, changed and deleted', async (t) => {
  const service = await answeringService({
    'GET /api/v1/usage-pools': [{ body: [MAYA, NUKE] }],
    'POST /api/v1/usage-pools': [{ status: 201, body: NUKE }],
    [`GET /api/v1/usage-pools/${NUKE.id}`]: [{ body: NUKE, headers: { ETag: 'W/"x.1"' } }],
    [`GET /api/v1/usage-pools/${MAYA.id}`]: [{ body: MAYA }],
    [`PUT /api/v1/usage-pools/${NUKE.id}`]: [{ body: NUKE }],
    [`PUT /api/v1/usage-pools/${MAYA.id}`]: [{ body: MAYA }],
    [`DELETE /api/v1/usage-pools/${NUKE.id}`]: [{ status: 204, body: '' }],
  });
  t.teardown(() => service.close());
  const run = runnerAt(service.url);
  const lastBody = (): unknown => JSON.parse(service.requests.at(-1)?.body ?? '');

  t.same(await run('pools'), ok(`${POOL_TITLES}maya     0/2          2\n${NUKE_ROW}`, '2 usage pools\n'));
  t.same(JSON.parse((await run('pools', '--json')).out), [MAYA, NUKE]);

  t.same(await run('pools', 'create', 'nuke', '4', '--server-hint', 'license-1'), ok(`${NUKE.id}\n`));
  t.same(lastBody(), { name: 'nuke', max_concurrent: 4, server_hint: 'license-1' });
  t.same(JSON.parse((await run('pools', 'create', 'nuke', '4', '--json')).out), NUKE);
  t.same(lastBody(), { name: 'nuke', max_concurrent: 4, server_hint: '' });

  t.same(await run('pools', 'set', 'nuke', '--max-concurrent', '9'), ok(`${POOL_TITLES}${NUKE_ROW}`));
  t.same(
    lastBody(),
    { name: 'nuke', max_concurrent: 9, server_hint: 'license-1' },
    'settings that are not given are kept, and read-only fields are not sent',
  );
  t.equal(service.requests.at(-1)?.headers['if-match'], 'W/"x.1"', 'with the version that was read');
  const renamed = await run('pools', 'set', MAYA.id, '--name', 'maya-2', '--server-hint', '', '--json');
  t.same(JSON.parse(renamed.out), MAYA);
  t.same(lastBody(), { name: 'maya-2', max_concurrent: 2, server_hint: '' });

  t.same(await run('pools', 'delete', 'nuke'), ok(`${NUKE.id} deleted\n`));
  t.same(JSON.parse((await run('pools', 'delete', NUKE.id, '--json')).out), {
    id: NUKE.id,
    status: 'removed',
  });
  t.same(
    service.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    [
      'POST /api/v1/usage-pools',
      'POST /api/v1/usage-pools',
      `PUT /api/v1/usage-pools/${NUKE.id}`,
      `PUT /api/v1/usage-pools/${MAYA.id}`,
      `DELETE /api/v1/usage-pools/${NUKE.id}`,
      `DELETE /api/v1/usage-pools/${NUKE.id}`,
    ],
  );
});

test('compute locations are listed, created, changed and deleted', async (t) => {
  const service = await answeringService({
    'GET /api/v1/compute-locations': [{ body: [BERLIN] }],
    'POST /api/v1/compute-locations': [{ status: 201, body: BERLIN }],
    [`GET /api/v1/compute-locations/${BERLIN.id}`]: [{ body: BERLIN }],
    [`PUT /api/v1/compute-locations/${BERLIN.id}`]: [{ body: BERLIN }],
    [`DELETE /api/v1/compute-locations/${BERLIN.id}`]: [{ status: 204, body: '' }],
  });
  t.teardown(() => service.close());
  const run = runnerAt(service.url);
  const lastBody = (): unknown => JSON.parse(service.requests.at(-1)?.body ?? '');

  t.same(await run('locations'), ok(`${LOCATION_TITLES}${BERLIN_ROW}`, '1 compute location\n'));
  t.same(JSON.parse((await run('locations', '--json')).out), [BERLIN]);

  t.same(await run('locations', 'create', 'berlin', '--description', 'first floor'), ok(`${BERLIN.id}\n`));
  t.same(lastBody(), { name: 'berlin', description: 'first floor' });
  t.same(JSON.parse((await run('locations', 'create', 'berlin', '--json')).out), BERLIN);
  t.same(lastBody(), { name: 'berlin', description: '' });

  const path = `/api/v1/compute-locations/${BERLIN.id}`;
  t.same(await run('locations', 'set', 'berlin', '--description', ''), ok(`${LOCATION_TITLES}${BERLIN_ROW}`));
  t.same(lastBody(), { name: 'berlin', description: '' });
  t.same(JSON.parse((await run('locations', 'set', BERLIN.id, '--name', 'potsdam', '--json')).out), BERLIN);
  t.same(lastBody(), { name: 'potsdam', description: 'first floor' });

  t.same(await run('locations', 'delete', 'berlin'), ok(`${BERLIN.id} deleted\n`));
  t.match(service.requests.at(-1), { method: 'DELETE', path });
});

test('storage locations are listed, created, changed and deleted', async (t) => {
  const path = `/api/v1/storage-locations/${PROJECTS.id}`;
  const service = await answeringService({
    'GET /api/v1/storage-locations': [{ body: [PROJECTS] }],
    'POST /api/v1/storage-locations': [{ status: 201, body: PROJECTS }],
    [`GET ${path}`]: [{ body: PROJECTS }],
    [`PUT ${path}`]: [{ body: PROJECTS }],
    [`DELETE ${path}`]: [{ status: 204, body: '' }],
  });
  t.teardown(() => service.close());
  const run = runnerAt(service.url);
  const lastBody = (): unknown => JSON.parse(service.requests.at(-1)?.body ?? '');
  const roots = 'default=/mnt/projects berlin=P:\\projects';
  const shown = ok(
    `NAME      TYPE        ROOTS${' '.repeat(roots.length - 3)}DESCRIPTION\n` +
      `projects  filesystem  ${roots}  all shows\n`,
  );

  t.same(await run('storage'), { ...shown, err: '1 storage location\n' });
  t.same(JSON.parse((await run('storage', '--json')).out), [PROJECTS]);

  const made = await run(
    ...['storage', 'create', 'projects', '--description', 'all shows'],
    ...['--root', 'default=/mnt/a=b', '--root', 'berlin=s3://bucket'],
  );
  t.same(made, ok(`${PROJECTS.id}\n`));
  const given = { default: '/mnt/a=b', berlin: 's3://bucket' };
  t.same(lastBody(), { name: 'projects', description: 'all shows', roots: given });
  t.same(JSON.parse((await run('storage', 'create', 'projects', '--json')).out), PROJECTS);
  t.same(lastBody(), { name: 'projects', description: '', roots: {} });

  const { name, description, roots: rootsBefore } = PROJECTS;
  const settable = { name, description, roots: rootsBefore };
  t.same(await run('storage', 'set', 'projects', '--description', ''), shown);
  t.same(
    lastBody(),
    { ...settable, description: '' },
    'settings that are not given are kept, and the type is not sent',
  );
  await run('storage', 'set', PROJECTS.id, '--root', 'berlin=s3://bucket', '--root', 'rome=/r');
  t.same(lastBody(), {
    ...settable,
    roots: { default: '/mnt/projects', berlin: 's3://bucket', rome: '/r' },
  });
  await run('storage', 'set', 'projects', '--name', 'p', '--drop-root', 'default', '--drop-root', 'rome');
  t.same(lastBody(), { ...settable, name: 'p', roots: { berlin: 'P:\\projects' } });

  t.same(await run('storage', 'delete', 'projects'), ok(`${PROJECTS.id} deleted\n`));
  t.match(service.requests.at(-1), { method: 'DELETE', path });
  t.match(await run('storage', 'set', 'projects'), { code: 2, err: 'nothing to set; give an option\n' });
  t.match(await run('storage', 'delete', 'attic'), {
    code: 4,
    err: 'there is no storage location "attic"\n',
  });
  t.match(await run('storage', 'create', 'a', '--root', '/mnt'), { code: 2, err: /It must be NAME=VALUE/ });
});

test('a usage pool is shown with what holds its slots and what waits for them', async (t) => {
  const use = {
    pool: NUKE,
    holders: [
      {
        task_id: 'job-1-0-4',
        task_name: 'Comp:4',
        job_id: 'job-1',
        job_name: 'shot',
        status: 'running',
        worker_id: 'w-1',
        worker_name: 'node-7',
        since: TIMES.created_at,
      },
    ],
    waiting_tasks: 12,
    waiting: [
      { farm_id: 'f', job_id: 'job-2', job_name: 'plate', step_id: 's', step_name: 'Write', tasks: 12 },
    ],
    is_partial: true,
    history: { times: [], in_use: [] },
  };
  const service = await answeringService({
    'GET /api/v1/usage-pools': [{ body: [MAYA, NUKE] }],
    [`GET /api/v1/usage-pools/${NUKE.id}/use`]: [{ body: use }],
  });
  t.teardown(() => service.close());
  const run = runnerAt(service.url);
  const shown = await run('pools', 'show', 'nuke', '-o', 'wide');
  t.match(shown, { code: 0, err: '1 holder, 12 waiting tasks\n' });
  t.match(shown.out, /^name +nuke\nin use +3\/4\n/m);
  t.match(shown.out, /^shot\/Comp:4 +running +node-7 .* job-1-0-4$/m);
  t.match(shown.out, /^plate\/Write +12 +job-2$/m);
  t.match(shown.out, /\n\nThere are more, or the scheduler of a farm did not answer in time\.\n$/);
  const { pool: _pool, ...rest } = use;
  t.same(JSON.parse((await run('pools', 'show', 'nuke', '--json')).out), { ...NUKE, ...rest });
  t.same(await run('pools', 'show', 'nuke', '-o', 'name'), ok('nuke\n'));
  t.match(await run('pools', 'show', 'arnold'), { code: 4, err: 'there is no usage pool "arnold"\n' });
});

test('unknown objects, conflicts and missing arguments have their exit statuses', async (t) => {
  const conflict = { title: 'Conflict', detail: 'a usage pool named "nuke" already exists' };
  const invalid = {
    title: 'Bad Request',
    errors: [{ pointer: '/max_concurrent', detail: 'must be >= 1' }],
  };
  const service = await answeringService({
    'GET /api/v1/usage-pools': [{ body: [MAYA, NUKE] }],
    'GET /api/v1/compute-locations': [{ body: [] }],
    'POST /api/v1/usage-pools': [
      { status: 409, body: conflict },
      { status: 400, body: invalid },
    ],
    [`GET /api/v1/usage-pools/${MAYA.id}`]: [{ body: MAYA }],
    [`PUT /api/v1/usage-pools/${MAYA.id}`]: [{ status: 409, body: conflict }],
  });
  t.teardown(() => service.close());
  const run = runnerAt(service.url);
  const wrong = (code: number, err: string): Ran => ({ code, out: '', err });

  t.same(await run('pools', 'create', 'nuke', '4'), wrong(5, `Conflict: ${conflict.detail}\n`));
  t.same(
    await run('pools', 'create', 'nuke', '0'),
    wrong(2, 'Bad Request:\n  /max_concurrent: must be >= 1\n'),
  );
  t.same(await run('pools', 'set', 'maya', '--name', 'nuke'), wrong(5, `Conflict: ${conflict.detail}\n`));
  t.same(await run('pools', 'set', 'arnold', '--name', 'x'), wrong(4, 'there is no usage pool "arnold"\n'));
  t.same(await run('pools', 'delete', 'arnold'), wrong(4, 'there is no usage pool "arnold"\n'));
  t.same(await run('locations', 'delete', 'berlin'), wrong(4, 'there is no compute location "berlin"\n'));
  t.same(await run('pools', 'set', 'maya'), wrong(2, 'nothing to set; give an option\n'));
  t.same(await run('locations', 'set', 'berlin'), wrong(2, 'nothing to set; give an option\n'));
  t.match(await run('pools', 'create', 'nuke'), { code: 2, err: /missing required argument 'max'/ });
  t.match(await run('pools', 'create', 'nuke', 'many'), { code: 2, err: /It must be a whole number/ });
  t.match(await run('pools', 'set', 'nuke', '--max-concurrent', '1.5'), {
    code: 2,
    err: /It must be a whole number/,
  });
});
