import type { Case } from '../../kit/cases.ts';
import { Gate, jobOf } from '../../kit/contract-bench.ts';
import { until } from '../../kit/until.ts';
import { column, type RestContext, RFC_3339, type Row, UNMATCHED } from './kit.ts';

/** Tasks that run on a worker: attempts, logs and failures. */
export const runningTaskCases: readonly Case<RestContext>[] = [
  [
    'a running task: assigned_worker_id and assigned_at, its attempt, current_tasks and cores of its worker, its log',
    async (t, { folder, api, farm, page, submitted, refused }) => {
      const gate = new Gate(folder, 'runs');
      const job = await submitted(jobOf('runs', { line: `echo begun; ${gate.wait}; echo ended`, cores: 2 }));
      await farm.waitForTaskCount(String(job['id']), 'running', 1);
      t.match(await api.read(`/api/v1/jobs/${String(job['id'])}`), {
        status: 'running',
        steps: [{ status: 'running' }],
      });
      const [task] = (await page(`/api/v1/jobs/${String(job['id'])}/tasks?status=running`)).items;
      const taskId = String(task?.['id']);
      t.match(task, { assigned_worker_id: String, assigned_at: RFC_3339 });
      t.notOk('worker_id' in (task ?? {}));
      const workerId = String(task?.['assigned_worker_id']);
      t.match(await api.read(`/api/v1/workers/${workerId}`), {
        committed_cores: 2,
        current_tasks: [{ id: taskId, status: 'running' }],
      });
      const running = await api.read<{ items: readonly Row[] }>(`/api/v1/tasks/${taskId}/attempts`);
      t.strictSame(running.items, [
        {
          attempt_number: 1,
          status: 'running',
          worker_id: workerId,
          started_at: running.items[0]?.['started_at'],
        },
      ]);
      await refused(t, [['POST', `/api/v1/tasks/${taskId}/retry`, 409]]);
      gate.open();
      await farm.waitForJobStatus(String(job['id']));
      t.match(await api.read(`/api/v1/tasks/${taskId}/attempts`), {
        items: [
          { attempt_number: 1, status: 'succeeded', worker_id: workerId, exit_code: 0, ended_at: RFC_3339 },
        ],
      });
      t.match(await api.read(`/api/v1/workers/${workerId}`), { committed_cores: 0, current_tasks: [] });
      await refused(t, [
        ['POST', `/api/v1/jobs/${String(job['id'])}/cancel`, 409],
        ['POST', `/api/v1/tasks/${taskId}/cancel`, 409],
        ['POST', `/api/v1/tasks/${taskId}/retry`, 409],
        ['PATCH', `/api/v1/jobs/${String(job['id'])}`, 409, { action: 'pause' }],
      ]);
      const path = `/api/v1/tasks/${taskId}/logs`;
      const lines = async (query = ''): Promise<{ items: readonly Row[]; after_bus_seq: number }> =>
        api.read(`${path}${query}`);
      await until('the log is complete', async () => {
        const text = column((await lines()).items, 'data').join('');
        return text.includes('begun') && text.includes('ended');
      });
      const whole = await lines();
      t.match(whole.items[0], {
        id: String,
        task_id: taskId,
        attempt_id: String,
        seq_num: Number,
        bus_seq: Number,
        stream: 'stdout',
        at: RFC_3339,
        received_at: RFC_3339,
      });
      const sequence = column(whole.items, 'bus_seq') as number[];
      t.strictSame(
        sequence,
        [...sequence].sort((a, b) => a - b),
        'ordered by bus_seq',
      );
      t.equal(whole.after_bus_seq, sequence.at(-1));
      t.strictSame(await lines(`?after_bus_seq=${whole.after_bus_seq}`), {
        items: [],
        after_bus_seq: whole.after_bus_seq,
      });
      const paged: Row[] = [];
      for (let after = 0; ;) {
        const next = await lines(`?limit=1&after_bus_seq=${after}`);
        if (next.items.length === 0) break;
        paged.push(...next.items);
        after = next.after_bus_seq;
      }
      t.strictSame(paged, whole.items, 'one line per page');
      const tail = await api.get(`${path}?tail=true`);
      t.equal(tail.headers['content-type'], 'application/x-ndjson');
      const streamed = tail.text.split('\n').filter((line) => line !== '');
      t.strictSame(
        streamed.map((line) => JSON.parse(line) as unknown),
        whole.items,
        'tail=true streams the same lines and ends after the last line of a terminal task',
      );
      await refused(t, [
        ...['limit=0', 'limit=1001', 'after_bus_seq=-1', 'after_bus_seq=x', 'tail=yes'].map(
          (query) => ['GET', `${path}?${query}`, 400] as const,
        ),
      ]);
    },
  ],
  [
    'a failed task: its reason, exit code and attempts; the failure summary of its job; the counters',
    async (t, { api, farm, page, submitted }) => {
      const retries = await farm.counter('svc_scheduler_task_retries_total');
      const parks = await farm.counter('svc_scheduler_jobs_autoparked_total');
      const job = await submitted(
        jobOf('fails', { line: 'exit 7' }, { name: 'Then', line: 'true', after: ['Step1'] }),
        '&max_attempts=2&retry_delay_seconds=0',
      );
      await farm.waitForJobStatus(String(job['id']), 'failed');
      const [failed, then] = (await page(`/api/v1/jobs/${String(job['id'])}/tasks`)).items;
      t.match(failed, { status: 'failed', failed_attempts: 2, failure_reason: 'failed (exit 7)' });
      t.match(then, { status: 'canceled', failure_reason: 'canceled: upstream step failed' });
      t.match(await api.read(`/api/v1/tasks/${String(failed?.['id'])}/attempts`), {
        items: [
          { attempt_number: 1, status: 'failed', exit_code: 7 },
          { attempt_number: 2, status: 'failed', exit_code: 7 },
        ],
      });
      t.match(await api.read(`/api/v1/jobs/${String(job['id'])}`), {
        status: 'failed',
        failed_attempts: 2,
        failure_summary: { failed_count: 1, dominant_reason: 'failed (exit 7)', distinct_reasons: 1 },
        steps: [{ status: 'failed' }, { status: 'canceled' }],
      });
      await farm.waitForCounter('svc_scheduler_task_retries_total', retries + 1);
      const parked = await submitted(
        jobOf('parks', { line: 'false' }, { name: 'Other', line: 'true', attributes: UNMATCHED }),
        '&max_attempts=1&failure_limit=1',
      );
      await farm.waitForJobStatus(String(parked['id']), 'paused');
      t.match(await api.read(`/api/v1/jobs/${String(parked['id'])}`), {
        park_reason: /failure limit/,
        failed_attempts: 1,
      });
      await farm.waitForCounter('svc_scheduler_jobs_autoparked_total', parks + 1);
      const resumed = await api.must<Row>('PATCH', `/api/v1/jobs/${String(parked['id'])}`, {
        action: 'resume',
      });
      t.equal(resumed['failed_attempts'], 0);
      t.notOk('park_reason' in resumed);
    },
  ],
];
