import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { answeringService } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';
import { runOnTerminal } from '../run-on-terminal.ts';

const ID = '0198a1c2-1111-7111-8111-111111111111';
const COUNTS = { total: 4, ready: 4, running: 0, assigned: 0, succeeded: 0, failed: 0, canceled: 0 };
const JOB = {
  id: ID,
  farm_id: ID,
  queue_id: ID,
  name: 'shot 010',
  owner: 'ada',
  project: '',
  priority: 50,
  status: 'paused',
  task_counts: COUNTS,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  steps: [{ id: `${ID}-0`, name: 'Render' }],
};
const SKIPPED = {
  id: `${ID}-0-0`,
  job_id: ID,
  name: 'Render[Frame=1]',
  status: 'succeeded',
  failed_attempts: 0,
  assigned_worker_id: 'w1',
  skipped: { by: 'ada', at: JOB.created_at, reason: 'not in the cut' },
};
const page = (items: readonly object[]) => [{ body: { items, total: items.length, limit: 50, offset: 0 } }];
const EXPLANATION = {
  task_id: SKIPPED.id,
  job_id: ID,
  name: SKIPPED.name,
  status: 'succeeded',
  summary: 'Skipped: the task counts as succeeded without having run to its end.',
  gates: [],
  failures: [],
};

const startService = () =>
  answeringService({
    'GET /api/v1/farms': [{ body: [] }],
    'GET /api/v1/queues': page([]),
    'GET /api/v1/jobs': page([JOB]),
    [`GET /api/v1/jobs/${ID}`]: [{ body: JOB }],
    [`PATCH /api/v1/jobs/${ID}`]: [{ body: JOB }],
    [`GET /api/v1/jobs/${ID}/steps`]: page([{ id: `${ID}-0`, name: 'Render', order: 0 }]),
    [`GET /api/v1/jobs/${ID}/tasks`]: page([SKIPPED]),
    [`GET /api/v1/tasks/${SKIPPED.id}`]: [{ body: SKIPPED }],
    [`GET /api/v1/tasks/${SKIPPED.id}/attempts`]: [{ body: { items: [{ attempt_number: 1 }] } }],
    [`GET /api/v1/tasks/${SKIPPED.id}/explain`]: [{ body: EXPLANATION }],
    'GET /api/v1/workers/w1': [{ body: { id: 'w1', name: 'node-a' } }],
  });

void test('errors of a template are colored on a terminal, and text in it is escaped', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-terminal-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'bad.yaml');
  await writeFile(file, 'specificationVersion: jobtemplate-2023-09\nname: A\nsteps: "\\u001b[2Jx"\n');
  const { code, out } = await runOnTerminal(['openjd', 'check', file], []);
  t.equal(code, 1);
  t.match(out, /bad\.yaml:3:8: \u001b\[36m\/steps\u001b\[39m: /);
  t.match(out, /\u001b\[31m\^\u001b\[39m/, 'a red caret');
  t.notMatch(out, /\ufffd|\u001b\[2J/);
});

void test('a user at a terminal sees names, scripts get ids', async (t) => {
  const service = await startService();
  t.teardown(() => service.close());
  const args = ['--url', service.url, 'jobs', 'pause', ID];
  t.equal((await runOnTerminal(args, [])).out, 'shot 010 paused\r\n');
  t.equal((await runCallsheet(args)).out, `${ID} paused\n`);
});

void test('wide tables and templates are shown on a terminal as they are', async (t) => {
  const service = await startService();
  t.teardown(() => service.close());
  const list = ['--url', service.url, 'jobs', 'list'];
  const wide = await runOnTerminal([...list, '-o', 'wide'], [], 60);
  t.match(wide.out, /2026-01-02T03:04:05Z/, 'exact times, beyond the width of the terminal');
  t.match(wide.out, ID);
  const narrow = await runOnTerminal(list, [], 60);
  t.ok(
    narrow.out.split('\r\n').every((line) => line.length <= 70),
    narrow.out,
  );
  t.equal(
    (await runOnTerminal([...list, '--template', '{name}\\t{status}'], [])).out,
    'shot 010\tpaused\r\n1 job\r\n',
  );
});

void test('columns and orders have the names of columns and of fields, and statuses are separated by commas', async (t) => {
  const service = await startService();
  t.teardown(() => service.close());
  const list = ['--url', service.url, 'jobs', 'list'];
  const { out } = await runCallsheet([
    ...list,
    '--columns',
    'name,priority',
    '--sort',
    '-created',
    '--status',
    'paused,failed',
  ]);
  t.equal(out, 'NAME      PRIO\nshot 010    50\n');
  const [asked] = service.requests;
  t.match(asked?.path, /status=paused&status=failed&sort_by=created_at&sort_dir=desc/);
  const wrong = await runCallsheet([...list, '--status', 'paused,gone']);
  t.match(wrong, {
    code: 2,
    err: /'paused,gone' is invalid\. Allowed choices are pending, .*\n\(--help says more\)/,
  });
});

void test('a skipped task is shown as such, with the user, the reason and how to undo it', async (t) => {
  const service = await startService();
  t.teardown(() => service.close());
  const run = (...args: readonly string[]) => runCallsheet(['--url', service.url, ...args]);
  const list = await run('tasks', 'list', ID);
  t.match(list.out, /Render\/0 +succeeded .*skipped by ada: not in the cut +node-a/);
  const { out } = await run('explain', SKIPPED.id);
  t.match(out, /It was skipped by ada: not in the cut\./);
  t.match(out, `Next: callsheet tasks retry ${SKIPPED.id}\n`);
});

void test('logs of a step or an attempt that does not exist are an error', async (t) => {
  const service = await startService();
  t.teardown(() => service.close());
  const logs = (...args: readonly string[]) => runCallsheet(['--url', service.url, 'logs', ...args]);
  t.match(await logs(`${ID}/Rendr`), { code: 4, err: 'the job has no step "Rendr": its steps are Render\n' });
  t.match(await logs(SKIPPED.id, '--attempt', '9'), {
    code: 4,
    err: 'the task has no attempt 9: it has 1\n',
  });
});
