import { test } from 'tap';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FRAMES, jobChanges, jobNumber, taskIdAt } from '../kit/records.ts';

const JOB = jobNumber(1);
const STEPS = [
  { name: 'render', untouched: 'pending', taskCount: 30, space: FRAMES(30), touched: new Map() },
] as const;
const at = (index: number): { jobId: typeof JOB; stepOrder: number; index: number } => ({
  jobId: JOB,
  stepOrder: 0,
  index,
});
const named = (index: number, attempt: number, ...paths: readonly string[]) =>
  put('taskOutput', keys.attempt(at(index), attempt), { version: 1, paths });

interface Page {
  readonly items: readonly { readonly path: string; readonly mapped_path?: string }[];
  readonly next?: string;
}

void test('lists the outputs of a job and of a task, a page at a time', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, STEPS),
    named(2, 1, '/out/old'),
    named(2, 2, '/out/2a', '/out/2b'),
    named(7, 1, '/out/7'),
    named(29, 1, '/out/<script>'),
  );
  const all = await client.json('GET', `/api/v1/jobs/${JOB}/outputs`, undefined);
  t.match(all, {
    status: 200,
    body: {
      items: [
        { path: '/out/2a', source: 'task', task_id: taskIdAt(0, 2), attempt_number: 2 },
        { path: '/out/2b', task_id: taskIdAt(0, 2) },
        { path: '/out/7', task_id: taskIdAt(0, 7) },
        { path: '/out/<script>', task_id: taskIdAt(0, 29) },
      ],
    },
  });
  for (const limit of [1, 2, 3]) {
    const paths: string[] = [];
    let after = '';
    for (;;) {
      const query = `limit=${limit}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`;
      const { text } = await client.send('GET', `/api/v1/jobs/${JOB}/outputs?${query}`);
      const page = JSON.parse(text) as Page;
      paths.push(...page.items.map(({ path }) => path));
      if (page.next === undefined) break;
      after = page.next;
    }
    t.strictSame(paths, ['/out/2a', '/out/2b', '/out/7', '/out/<script>'], `limit ${limit}`);
  }
  const one = await client.json('GET', `/api/v1/tasks/${taskIdAt(0, 2)}/outputs`, undefined);
  t.match(one, { status: 200, body: { items: [{ path: '/out/2a' }, { path: '/out/2b' }] } });
  t.match(await client.json('GET', `/api/v1/tasks/${taskIdAt(0, 3)}/outputs`, undefined), {
    body: { items: [] },
  });
  for (const [index, has] of [
    [2, true],
    [3, false],
  ] as const)
    t.match(await client.get(`/api/v1/tasks/${taskIdAt(0, index)}?details=true`), {
      status: 200,
      body: { details: { has_outputs: has } },
    });
  for (const after of ['x', 'parameter:', `${taskIdAt(0, 2)}:1`, `${jobNumber(2)}-0-1-1:0`])
    t.equal((await client.send('GET', `/api/v1/jobs/${JOB}/outputs?after=${after}`)).status, 400, after);
  t.equal((await client.send('GET', `/api/v1/jobs/${jobNumber(9)}/outputs`)).status, 404);
  t.equal((await client.send('GET', `/api/v1/tasks/${taskIdAt(0, 30)}/outputs`)).status, 404);
});
