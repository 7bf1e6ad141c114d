import { test } from 'tap';
import { answeringService, type Answer } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';

const EXPLANATION = {
  task_id: 't',
  job_id: 'j',
  step_id: 's',
  name: 'Render[Frame=7]',
  status: 'ready',
  at: '2026-01-02T03:04:05.678Z',
  summary: 'The job is paused; besides, queue day is at its cap.',
  gates: [
    { gate: 'paused_job', reason: 'job paused', sentence: 'The job is paused.', failed_attempts: 0 },
    {
      gate: 'queue_cap',
      reason: 'queue at max_concurrent_tasks',
      sentence: 'Queue day is at its cap.',
      queue: { id: 'q', name: 'day' },
    },
  ],
  failures: [
    { worker_id: 'w1', worker: 'render-017', failures: 12, last_at: '2026-01-02T03:04:05.678Z' },
    { worker_id: 'w2', worker: 'node-2', failures: 1, last_at: '2026-01-02T03:00:00.000Z' },
  ],
};
const [PAUSED] = EXPLANATION.gates;

const serve = (body: unknown): Record<string, readonly Answer[]> => ({
  'GET /api/v1/tasks/t/explain': [{ body }],
});

test('explain prints the summary, the gates and the failures of the step', async (t) => {
  const service = await answeringService(serve(EXPLANATION));
  t.teardown(() => service.close());
  t.same(await runCallsheet(['explain', 't', '-o', 'wide', '--url', service.url]), {
    code: 0,
    out: [
      'Render[Frame=7]: ready',
      'The job is paused; besides, queue day is at its cap.',
      '',
      '  paused job  The job is paused.',
      '  queue cap   Queue day is at its cap.',
      '',
      'FAILED ON   TIMES  LAST',
      'render-017     12  2026-01-02T03:04:05Z',
      'node-2          1  2026-01-02T03:00:00Z',
      '',
      'Next: callsheet jobs resume j',
      '',
    ].join('\n'),
    err: '',
  });
  const json = await runCallsheet(['explain', 't', '--json', '--url', service.url]);
  t.same([json.code, JSON.parse(json.out)], [0, EXPLANATION]);
});

test('explain prints no sentence twice and escapes control characters', async (t) => {
  const cases: readonly [object, string][] = [
    [
      { summary: 'The job is paused.', gates: [PAUSED], failures: [] },
      'Render[Frame=7]: ready\nThe job is paused.\n\nNext: callsheet jobs resume j\n',
    ],
    [
      { summary: 'Ready, and next in line.', gates: [PAUSED], failures: [] },
      'Render[Frame=7]: ready\nReady, and next in line.\n\n  paused job  The job is paused.\n\nNext: callsheet jobs resume j\n',
    ],
    [
      {
        name: 'R\u001b[31m',
        status: 'running',
        summary: 'Running on a\u0007.',
        gates: [],
        failures: [],
      },
      'R\u{fffd}[31m: running\nRunning on a\u{fffd}.\n\nNext: callsheet logs t --follow\n',
    ],
  ];
  for (const [changes, out] of cases) {
    const service = await answeringService(serve({ ...EXPLANATION, ...changes }));
    t.same(await runCallsheet(['explain', 't', '--url', service.url]), { code: 0, out, err: '' });
    await service.close();
  }
});

test('explain of an unknown task, and without a task', async (t) => {
  const service = await answeringService({});
  t.teardown(() => service.close());
  t.same(await runCallsheet(['explain', 'a b', '--url', service.url]), {
    code: 4,
    out: '',
    err: 'Not Found: no GET /api/v1/tasks/a%20b/explain\n',
  });
  t.equal((await runCallsheet(['explain', '--url', service.url])).code, 2);
});

test('explain takes a job or a step, and explains the task that stands for it', async (t) => {
  const step = (name: string, order: number, counts: object): object => ({
    id: `j-${order}`,
    name,
    order,
    task_counts: { total: 4, pending: 0, ready: 0, failed: 0, ...counts },
  });
  const job = {
    id: 'j',
    name: 'shot',
    task_counts: { total: 8, ready: 0, failed: 1, pending: 4 },
    steps: [step('Render', 0, { failed: 1 }), step('Comp', 1, { pending: 4 })],
  };
  const missing = { status: 404, body: { status: 404, title: 'Not Found', detail: 'no task shot' } };
  const service = await answeringService({
    ...serve(EXPLANATION),
    'GET /api/v1/tasks/shot/explain': [missing],
    'GET /api/v1/tasks/none/explain': [missing],
    'GET /api/v1/jobs': [{ body: { items: [job], total: 1 } }],
    'GET /api/v1/jobs/j': [{ body: job }],
    'GET /api/v1/jobs/j/tasks': [{ body: { items: [{ id: 't' }], total: 1 } }],
  });
  t.teardown(() => service.close());
  const run = (given: string) => runCallsheet(['explain', given, '--url', service.url]);
  const asked = (): string | undefined =>
    service.requests.map(({ path }) => path).findLast((path) => path.includes('/jobs/j/tasks'));
  t.match(await run('shot'), { code: 0, out: /^Render\[Frame=7\]: ready/ });
  t.match(asked(), /status=failed/);
  t.match(await run('shot/Comp'), { code: 0, out: /^Render\[Frame=7\]: ready/ });
  t.match(asked(), /status=pending.*step=Comp/);
  t.match(await run('shot/Other'), { code: 4, err: /has no step "Other"/ });
  t.match(await run('none'), { code: 4, err: /no task/ });
});
