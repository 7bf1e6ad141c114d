import { test } from 'tap';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FRAMES, jobChanges, jobNumber, taskIdAt, taskState } from '../kit/records.ts';

const JOB = jobNumber(1);
const STEP = { untouched: 'pending', taskCount: 30, space: FRAMES(30), touched: new Map() } as const;
const STEPS = [
  { name: 'render', ...STEP },
  { name: 'comp', ...STEP },
];
const SKIP = { by: 'anonymous', reason: 'no plate' };
const frames = [{ start: 0, step: 1, count: 2 }];
const RESULT = {
  retried: 32,
  status: null,
  jobStatus: 'pending',
  steps: [
    { stepOrder: 0, retried: 2, indices: frames, isSkipped: true },
    { stepOrder: 1, retried: 30, indices: null, isSkipped: false },
  ],
  leavesEnded: false,
};

void test('skips the selected tasks, with the user and the reason', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...jobChanges({}, STEPS));
  api.answer = () => done(RESULT);
  const skip = (body: unknown, query = '') => client.json('POST', `/api/v1/jobs/${JOB}/skip${query}`, body);
  t.match(await skip({ step: 'render', range: '1-2', reason: 'no plate' }), {
    status: 200,
    body: {
      job_id: JOB,
      skipped: 2,
      retried: 30,
      status: 'pending',
      steps: [{ name: 'render', skipped: 2, tasks: 'Frame=1,2' }],
      dependents: [],
    },
  });
  await skip({ failed: true }, '?dry_run=true');
  await client.json('POST', `/api/v1/tasks/${taskIdAt(1, 4)}/skip`, { reason: 'no plate' });
  await client.send('POST', `/api/v1/tasks/${taskIdAt(1, 4)}/skip`);
  const requests = api.asked.map(({ message }) => (message.type === 'job.retry' ? message.request : null));
  const plain = { upstreams: [], scope: 'later steps', isDryRun: false, skip: SKIP };
  t.strictSame(requests, [
    { ...plain, target: { selection: { stepOrder: 0, indices: frames, chunkChanges: 0 } } },
    { ...plain, target: { selection: { isFailed: true } }, isDryRun: true, skip: { ...SKIP, reason: '' } },
    { ...plain, target: { stepOrder: 1, index: 4 } },
    { ...plain, target: { stepOrder: 1, index: 4 }, skip: { ...SKIP, reason: '' } },
  ]);
});

void test('refuses a skip of a whole job, and items that do not exist', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...jobChanges({}, STEPS));
  const skip = (body: unknown, id = JOB) => client.json('POST', `/api/v1/jobs/${id}/skip`, body);
  const cases: readonly (readonly [unknown, string])[] = [
    [{}, '/step: is required, or range, index_range or failed'],
    [{ failed: false, reason: 'all' }, '/step: is required, or range, index_range or failed'],
    [{ step: 'none' }, '/step: the job has no such step'],
    [{ step: 'comp', range: '1', index_range: '1' }, '/index_range: cannot be combined with range'],
    [{ step: 'comp', reason: 'x'.repeat(1001) }, '/reason: must have at most 1000 characters'],
  ];
  for (const [body, detail] of cases) {
    const answer = await skip(body);
    t.equal(answer.status, 400, detail);
    t.ok(answer.text.includes(detail), `${detail}: ${answer.text}`);
  }
  t.equal((await skip({ step: 'comp' }, jobNumber(9))).status, 404);
  t.equal((await client.send('POST', `/api/v1/tasks/${taskIdAt(1, 30)}/skip`)).status, 404);
  t.same(api.asked, []);
  api.answer = () => refused('conflict', 'the task is skipped already');
  t.equal((await client.send('POST', `/api/v1/tasks/${taskIdAt(1, 4)}/skip`)).status, 409);
});

void test('shows who skipped a task, and why', async (t) => {
  const { api, client } = await startApi(t);
  const touched = new Map([[3, taskState({ status: 'succeeded', skipped: true, hasText: true })]]);
  api.write(
    ...jobChanges({}, [
      { name: 'render', ...STEP, touched },
      { name: 'comp', ...STEP },
    ]),
    put('taskText', keys.taskText({ jobId: JOB, stepOrder: 0, index: 3 }), {
      version: 1,
      failureReason: '',
      skip: SKIP,
    }),
  );
  const step = keys.step(JOB, 0);
  const other = keys.step(JOB, 1);
  const records = { step: api.store.get('step', step), other: api.store.get('step', other) };
  if (records.step === undefined || records.other === undefined) throw new Error('the job has two steps');
  api.write(
    put('step', step, { ...records.step, hasSkipped: true }),
    put('step', other, {
      ...records.other,
      untouched: { ...records.other.untouched, status: 'succeeded', skip: { by: 'ann', reason: '' } },
    }),
  );
  const at = /^2\d{3}-/;
  t.match((await client.get(`/api/v1/tasks/${taskIdAt(0, 3)}`)).body, {
    status: 'succeeded',
    skipped: { ...SKIP, at },
  });
  t.notMatch((await client.get(`/api/v1/tasks/${taskIdAt(0, 4)}`)).body, { skipped: {} });
  t.match((await client.get(`/api/v1/jobs/${JOB}/tasks?step=comp&limit=1`)).body, {
    items: [{ status: 'succeeded', skipped: { by: 'ann', reason: '', at } }],
  });
  const grid = (await client.get(`/api/v1/jobs/${JOB}/task-grid`)).body;
  t.match(grid, {
    legend: { K: 'skipped' },
    steps: [{ cells: `PPPK${'P'.repeat(26)}` }, { cells: 'K'.repeat(30) }],
  });
});
