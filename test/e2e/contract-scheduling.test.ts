import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import type { Page } from '../kit/api-client.ts';
import {
  attribute,
  ContractFarm,
  Gate,
  jobOf,
  type StepSpec,
  type TaskDoc,
  type WorkerDoc,
} from '../kit/contract-bench.ts';
import { freePort, startService, type RunningService } from '../kit/daemons.ts';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { until } from '../kit/until.ts';

/**
 * docs/contract/task-states.md to docs/contract/limits.md, sentence by sentence, through the real parts and by HTTP
 * alone. Each case is named by what the contract says.
 */
tap.setTimeout(240_000);

type Case = readonly [sentence: string, run: (t: Test) => Promise<void>];

async function runAll(t: Test, cases: readonly Case[]): Promise<void> {
  for (const [sentence, run] of cases) await t.test(sentence, run);
}

interface SchedulingFixture {
  readonly folder: string;
  readonly service: RunningService;
  readonly farm: (label: string, fields?: object) => Promise<ContractFarm>;
}

async function startApi(t: Test, ...flags: readonly string[]): Promise<SchedulingFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-contract-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags,
  });
  const farms: ContractFarm[] = [];
  t.teardown(async () => {
    await Promise.all(farms.map((farm) => farm.stop()));
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-6000));
  });
  const farm = async (label: string, fields: object = {}): Promise<ContractFarm> => {
    const made = await ContractFarm.make(service, label, fields);
    farms.push(made);
    return made;
  };
  return { folder, service, farm };
}

const OK = 'true';
const RETRIES = 'svc_scheduler_task_retries_total';
const PARKS = 'svc_scheduler_jobs_autoparked_total';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

await test('tasks and jobs move as the tables say', async (t) => {
  const { folder, farm: makeFarm } = await startApi(t, '--scheduler-retry-delay-seconds=0');
  const quiet = await makeFarm('quiet');
  const farm = await makeFarm('flow');
  const solo = await farm.worker('solo', '--worker-cpus=1');
  let gates = 0;
  const gate = (): Gate => new Gate(folder, `gate-${gates++}`);
  /** Fails until it has run this many times. */
  const failing = (times: number): string => {
    const { path } = gate();
    return `echo x >> ${path}; [ $(wc -l < ${path}) -gt ${times} ] || exit 3`;
  };

  await runAll(t, [
    [
      'submission without depends_on: pending, tasks of steps without step dependencies start ready',
      async (t) => {
        const job = await quiet.trySubmit(
          jobOf('new', { name: 'A', line: OK, tasks: 2 }, { name: 'B', line: OK, after: ['A'] }),
        );
        t.match(job, { status: 201, body: { status: 'pending', priority: 50, failed_attempts: 0 } });
        t.match(await quiet.job(job.body.id), {
          task_counts: { total: 3, ready: 2, pending: 1, assigned: 0, running: 0, unschedulable: 0 },
          steps: [
            { name: 'A', status: 'ready' },
            { name: 'B', status: 'pending' },
          ],
        });
        t.same(await quiet.statuses(job.body.id), ['ready', 'ready', 'pending']);
        t.same(await quiet.attempts((await quiet.task(job.body.id)).id), [], 'no attempts before it has run');
      },
    ],
    [
      'ready to assigned to running to succeeded; successor tasks promoted; the job is running, then completed',
      async (t) => {
        const hold = gate();
        const id = await farm.submit(
          jobOf('life', { name: 'A', line: hold.wait }, { name: 'B', line: OK, after: ['A'] }),
        );
        const task = await farm.taskIs(id, 0, 'the task runs', ({ status }) => status === 'running');
        t.match(task, { assigned_worker_id: solo.id, assigned_at: String });
        t.match(await farm.job(id), {
          status: 'running',
          steps: [{ status: 'running' }, { status: 'pending' }],
        });
        t.match(await farm.attempts(task.id), [{ attempt_number: 1, status: 'running', worker_id: solo.id }]);
        hold.open();
        t.match(await farm.over(id), {
          task_counts: { total: 2, succeeded: 2 },
          steps: [{ status: 'completed' }, { status: 'completed' }],
        });
        t.match(await farm.attempts(task.id), [
          { attempt_number: 1, status: 'succeeded', exit_code: 0, ended_at: String },
        ]);
        t.notOk('failure_reason' in (await farm.task(id)));
      },
    ],
    [
      'failed with no worker message: failed (exit N); cascade: canceled: upstream step failed; dependents of dependents too',
      async (t) => {
        const id = await farm.submit(
          jobOf(
            'cascade',
            { name: 'A', line: 'exit 7' },
            { name: 'B', line: OK, after: ['A'], tasks: 2 },
            { name: 'C', line: OK, after: ['B'] },
            { name: 'D', line: OK },
          ),
          { max_attempts: 1 },
        );
        const job = await farm.over(id, 'failed');
        t.match(job, {
          failed_attempts: 1,
          task_counts: { failed: 1, canceled: 3, succeeded: 1 },
          steps: [
            { status: 'failed' },
            { status: 'canceled' },
            { status: 'canceled' },
            { status: 'completed' },
          ],
          failure_summary: { failed_count: 1, dominant_reason: 'failed (exit 7)', distinct_reasons: 1 },
        });
        const [a, b, b2, c, d] = await farm.tasks(id);
        t.match(a, { status: 'failed', failure_reason: 'failed (exit 7)', failed_attempts: 1 });
        for (const each of [b, b2, c]) {
          t.match(each, {
            status: 'canceled',
            failure_reason: 'canceled: upstream step failed',
            failed_attempts: 0,
          });
        }
        t.equal(d?.status, 'succeeded');
        t.same(await farm.attempts(b?.id ?? ''), []);
        t.match(await farm.attempts(a?.id ?? ''), [{ status: 'failed', exit_code: 7 }]);
        await farm.explained(a?.id ?? '', /^Failed after 1 attempt on flow-solo: failed \(exit 7\)\.$/);
        await farm.explained(c?.id ?? '', /^Canceled because upstream step B was canceled\.$/);
      },
    ],
    [
      'worker-reported failure: the worker message verbatim',
      async (t) => {
        const line = 'echo "openjd_fail: Keine Lizenz für »Nuke«: 3 of 3"; exit 4';
        const id = await farm.submit(jobOf('message', { line }), { max_attempts: 1 });
        await farm.over(id, 'failed');
        const task = await farm.task(id);
        t.equal(task.failure_reason, 'Keine Lizenz für »Nuke«: 3 of 3');
        t.match(await farm.attempts(task.id), [
          { status: 'failed', exit_code: 4, message: 'Keine Lizenz für »Nuke«: 3 of 3' },
        ]);
      },
    ],
    [
      'worker reports a fatal error: failed with a reason',
      async (t) => {
        const template = jobOf('fatal', { line: OK }) as { steps: { script: object }[] };
        for (const step of template.steps) {
          step.script = { actions: { onRun: { command: '/no/such/program' } } };
        }
        const id = await farm.submit(template, { max_attempts: 1 });
        await farm.over(id, 'failed');
        t.match(await farm.task(id), { status: 'failed', failure_reason: /\S/ });
        const late = await farm.submit(jobOf('late', { line: 'exec sleep 600', timeout: 1 }), {
          max_attempts: 1,
        });
        await farm.over(late, 'failed');
        t.match(await farm.task(late), { status: 'failed', failure_reason: /\S/, failed_attempts: 1 });
      },
    ],
    [
      'retry: count below max_attempts, attempt closed as failed; counters of retries have the label queue',
      async (t) => {
        const before = await farm.counter(RETRIES);
        const id = await farm.submit(jobOf('third time', { line: failing(2) }), { max_attempts: 3 });
        t.match(await farm.over(id), { failed_attempts: 2 });
        const task = await farm.task(id);
        t.match(task, { status: 'succeeded', failed_attempts: 2 });
        t.notOk('failure_reason' in task || 'retry_after' in task);
        t.match(await farm.attempts(task.id), [
          { attempt_number: 1, status: 'failed', exit_code: 3 },
          { attempt_number: 2, status: 'failed', exit_code: 3 },
          { attempt_number: 3, status: 'succeeded', exit_code: 0 },
        ]);
        await farm.countsTo(RETRIES, before + 2);
      },
    ],
    [
      'exhausted: count reaches max_attempts, the task becomes failed',
      async (t) => {
        const before = await farm.counter(RETRIES);
        const id = await farm.submit(jobOf('twice', { line: 'exit 3' }), { max_attempts: 2 });
        t.match(await farm.over(id, 'failed'), { failed_attempts: 2 });
        t.match(await farm.task(id), { status: 'failed', failed_attempts: 2 });
        await farm.countsTo(RETRIES, before + 1);
      },
    ],
    [
      'retry_after = now + retry_delay, and holds a ready task',
      async (t) => {
        const id = await farm.submit(jobOf('held', { line: 'exit 3' }), { retry_delay_seconds: 600 });
        const task = await farm.taskIs(
          id,
          0,
          'it is held back',
          ({ retry_after: until }) => until !== undefined,
        );
        t.match(task, { status: 'ready', failed_attempts: 1 });
        const wait = Date.parse(task.retry_after ?? '') - Date.now();
        t.ok(wait > 540_000 && wait <= 600_000, `${wait} ms`);
        t.notOk('failure_reason' in task, 'the reason is of a terminal status');
        await farm.explained(
          task.id,
          /^Held back until .*: 1 of 3 attempts has failed, the last on flow-solo/,
        );
        t.equal((await farm.post(`tasks/${task.id}/retry`)).status, 409, 'it is not failed');
        await farm.over(await farm.submit(jobOf('others', { line: OK })));
        t.same(await farm.statuses(id), ['ready'], 'others overtake it');
        await farm.cancel(id);
        t.notOk('retry_after' in (await farm.task(id)));
      },
    ],
    [
      'effective_retry after the cascade server, farm, queue, job (job-level wins)',
      async (t) => {
        const levels = await makeFarm('levels', { max_attempts: 7, retry_delay_seconds: 70 });
        const queue = await levels.queue('strict', { retry_delay_seconds: 60, failure_limit: 6 });
        const policy = async (id: string): Promise<readonly number[]> => {
          const { effective_retry: retry } = await levels.job(id);
          return [retry.max_attempts, retry.retry_delay_seconds, retry.failure_limit];
        };
        const template = jobOf('levels', { line: OK });
        const plain = await levels.submit(template);
        const queued = await levels.submit(template, {}, queue);
        const own = await levels.submit(
          template,
          { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 0 },
          queue,
        );
        const server = await quiet.submit(template);
        t.same((await quiet.job(server)).effective_retry, {
          max_attempts: 3,
          retry_delay_seconds: 0,
          failure_limit: 0,
        });
        t.same(await policy(plain), [7, 70, 0]);
        t.same(await policy(queued), [7, 60, 6]);
        t.same(await policy(own), [1, 0, 0]);
        t.match(await levels.patch(queued, { max_attempts: 2 }), {
          status: 200,
          body: { effective_retry: { max_attempts: 2, retry_delay_seconds: 60, failure_limit: 6 } },
        });
        t.match(await levels.patch(queued, { max_attempts: null, failure_limit: null }), {
          status: 200,
          body: { effective_retry: { max_attempts: 2 } },
        });
        t.match(await levels.patch(plain, { queue_id: queue }), { status: 200, body: { queue_id: queue } });
        t.same(await policy(plain), [7, 60, 6], 'a job inherits from the queue that it is in');
        await levels.setQueue(queue, 'strict', {});
        t.same(await policy(plain), [7, 70, 0], 'full replace: omitted fields inherit again');
      },
    ],
    [
      'auto-park: paused with park_reason; the tripping task still becomes failed; it stays paused until resumed',
      async (t) => {
        const before = await farm.counter(PARKS);
        const line = failing(2);
        const id = await farm.submit(jobOf('parked', { line, tasks: 4 }), {
          max_attempts: 1,
          failure_limit: 2,
        });
        const job = await farm.over(id, 'paused');
        t.match(job, { park_reason: 'failure limit reached', failed_attempts: 2 });
        t.match(job.task_counts, { failed: 2, ready: 2, assigned: 0, running: 0 });
        await farm.countsTo(PARKS, before + 1);
        await farm.over(await farm.submit(jobOf('others', { line: OK })));
        t.match((await farm.job(id)).task_counts, { failed: 2, ready: 2 }, 'none of its tasks was assigned');
        const ready = (await farm.tasks(id)).find(({ status }) => status === 'ready');
        await farm.explained(ready?.id ?? '', /^The job was parked after 2 failures: failure limit reached;/);
        const resumed = await farm.patch(id, { action: 'resume' });
        t.match(resumed, { status: 200, body: { failed_attempts: 0 } });
        t.notOk('park_reason' in resumed.body);
        t.not(resumed.body.status, 'paused');
        t.match(await farm.over(id, 'failed'), { task_counts: { failed: 2, succeeded: 2 } });
      },
    ],
    [
      'a parked job whose last non-terminal work is the tripping task is finalized to failed at once',
      async (t) => {
        const id = await farm.submit(jobOf('last', { line: 'exit 3' }), {
          max_attempts: 5,
          failure_limit: 1,
        });
        await farm.over(id, 'failed');
        t.match(await farm.task(id), {
          status: 'failed',
          failure_reason: 'failed (exit 3)',
          failed_attempts: 1,
        });
        t.equal((await farm.patch(id, { action: 'resume' })).status, 409);
      },
    ],
    [
      'failure_limit 0 disables an inherited limit; a limit of the queue parks',
      async (t) => {
        const queue = await farm.queue('limited', { failure_limit: 1, max_attempts: 1 });
        const spec: StepSpec = { line: 'exit 3', tasks: 2 };
        const free = await farm.submit(jobOf('free', spec), { failure_limit: 0 }, queue);
        t.match(await farm.over(free, 'failed'), { failed_attempts: 2, task_counts: { failed: 2 } });
        const parked = await farm.submit(jobOf('parked', spec), {}, queue);
        t.match(await farm.over(parked, 'paused'), { failed_attempts: 1, park_reason: String });
        await farm.countsTo(PARKS, 1, queue);
        const retry = await farm.post(`jobs/${parked}/retry`);
        t.match(retry, { status: 200, body: { job_id: parked, retried: 1 } });
        t.match(
          await farm.over(parked, 'paused'),
          { failed_attempts: 1, park_reason: String },
          'it continued',
        );
        await farm.cancel(parked);
        t.notOk('park_reason' in (await farm.job(parked)));
      },
    ],
    [
      'a manual pause keeps failed_attempts and is never overridden by a retry',
      async (t) => {
        const hold = gate();
        const id = await farm.submit(
          jobOf('paused', { line: 'exit 3' }, { name: 'Hold', line: hold.wait }, { name: 'Rest', line: OK }),
          { max_attempts: 1 },
        );
        await farm.counts(id, 'running', 1);
        await farm.counts(id, 'failed', 1);
        t.match(await farm.patch(id, { action: 'pause' }), {
          status: 200,
          body: { status: 'paused', failed_attempts: 1 },
        });
        t.match(await farm.patch(id, { action: 'pause' }), { status: 200, body: { status: 'paused' } });
        const parks = await farm.counter(PARKS);
        hold.open();
        await farm.counts(id, 'succeeded', 1);
        t.match(await farm.job(id), { status: 'paused', task_counts: { failed: 1, ready: 1 } });
        t.notOk('park_reason' in (await farm.job(id)));
        t.match(await farm.post(`jobs/${id}/retry`), { status: 200, body: { retried: 1 } });
        t.match(await farm.job(id), { status: 'paused', task_counts: { failed: 0, ready: 2 } });
        await farm.over(await farm.submit(jobOf('others', { line: OK })));
        t.match(await farm.job(id), { status: 'paused', task_counts: { ready: 2, failed: 0 } });
        await farm.explained((await farm.task(id)).id, /^The job is paused: no new tasks start/);
        t.match(await farm.patch(id, { action: 'resume' }), { body: { failed_attempts: 0 } });
        await farm.over(id, 'failed');
        t.equal(await farm.counter(PARKS), parks, 'a manual pause is not counted');
      },
    ],
    [
      'a task that reports a failure while its job is paused by hand retries, and waits',
      async (t) => {
        const hold = gate();
        const id = await farm.submit(jobOf('late failure', { line: `${hold.wait}; exit 3`, tasks: 2 }), {
          failure_limit: 1,
        });
        await farm.counts(id, 'running', 1);
        await farm.patch(id, { action: 'pause' });
        hold.open();
        const job = await farm.jobIs(id, 'the failure came', ({ failed_attempts: count }) => count === 1);
        t.match(job, { status: 'paused', task_counts: { running: 0 } });
        t.notOk('park_reason' in job, 'a manual pause is not a park');
        await farm.cancel(id);
      },
    ],
    [
      'manual retry of a task clears park_reason and resets failed_attempts; the job continues',
      async (t) => {
        const id = await farm.submit(jobOf('parked task', { line: failing(1), tasks: 2 }), {
          failure_limit: 1,
        });
        await farm.over(id, 'paused');
        const task = (await farm.tasks(id)).find(({ status }) => status === 'failed');
        t.match(await farm.post(`tasks/${task?.id ?? ''}/retry`), { status: 202, body: { status: 'ready' } });
        t.match(await farm.over(id), { failed_attempts: 0, task_counts: { succeeded: 2 } });
      },
    ],
    [
      'the policy in force is that of the moment of the failure',
      async (t) => {
        const queue = await farm.queue('patient', { max_attempts: 9, retry_delay_seconds: 600 });
        const hold = gate();
        const spec: StepSpec = { line: `${hold.wait}; exit 3` };
        const one = await farm.submit(jobOf('one', spec), {}, queue);
        await farm.counts(one, 'running', 1);
        await farm.setQueue(queue, 'patient', { max_attempts: 1 });
        hold.open();
        await farm.over(one, 'failed');
        const next = gate();
        const two = await farm.submit(jobOf('two', { line: `${next.wait}; exit 3` }), {}, queue);
        await farm.counts(two, 'running', 1);
        await farm.patch(two, { max_attempts: 5, retry_delay_seconds: 0 });
        next.open();
        t.match(await farm.over(two, 'failed'), { failed_attempts: 5 });
      },
    ],
    [
      'delete of a queue or farm that still has non-terminal jobs: 409',
      async (t) => {
        const place = await makeFarm('place');
        const queue = await place.queue('doomed');
        const id = await place.submit(jobOf('held', { line: OK }), {}, queue);
        const drop = async (path: string) => (await place.api.call('DELETE', `/api/v1/${path}`)).status;
        t.equal(await drop(`queues/${queue}`), 409);
        t.equal(await drop(`farms/${place.id}`), 409);
        await place.cancel(id);
        t.equal(await drop(`queues/${queue}`), 204);
        t.equal((await place.post(`jobs/${id}/retry`)).status, 409, 'its queue was deleted');
        t.match(await place.patch(id, { queue_id: place.queueId }), { status: 200 });
        t.match(await place.post(`jobs/${id}/retry`), { body: { retried: 1 } });
        await place.cancel(id);
        t.equal((await place.trySubmit(jobOf('late', { line: OK }), {}, queue)).status, 400);
      },
    ],
    [
      'lists: jobs by status and queue, tasks by status',
      async (t) => {
        const place = await makeFarm('lists');
        const one = await place.submit(jobOf('one', { line: OK, tasks: 3 }), { priority: 1 });
        const two = await place.submit(jobOf('two', { line: OK }), { priority: 2 });
        await place.patch(one, { action: 'pause' });
        await place.post(`tasks/${(await place.task(one, 1)).id}/cancel`);
        const ids = async (query: string): Promise<readonly string[]> =>
          (
            await place.api.must<Page<{ id: string }>>('GET', `/api/v1/jobs?farm_id=${place.id}&${query}`)
          ).items.map(({ id }) => id);
        t.same(await ids('status=paused'), [one]);
        t.same(await ids('status=pending'), [two]);
        t.same(await ids(`queue_id=${place.queueId}&sort_by=priority&sort_dir=desc`), [two, one]);
        t.same(await ids('search=TWO'), [two]);
        const tasks = (status: string) =>
          place.api.must<Page<TaskDoc>>('GET', `/api/v1/jobs/${one}/tasks?status=${status}`);
        t.match(await tasks('canceled'), { total: 1, items: [{ failure_reason: 'canceled by user' }] });
        t.match(await tasks('ready'), { total: 2 });
        t.equal((await place.api.call('GET', '/api/v1/jobs?status=removed')).status, 400);
      },
    ],
    [
      'the command line does the same',
      async (t) => {
        const id = await quiet.submit(jobOf('by hand', { line: OK }));
        const run = async (...args: readonly string[]) => {
          const { code, out, err } = await runCallsheet([...args, `--url=${quiet.api.url}`]);
          t.equal(code, 0, err);
          return out;
        };
        for (const [action, status] of [
          ['pause', 'paused'],
          ['resume', 'pending'],
          ['cancel', 'canceled'],
          ['retry', 'pending'],
        ] as const) {
          t.match(await run('job', id, action), status);
        }
        t.match(await run('explain', (await quiet.task(id)).id), /Step1/);
        t.match(await run('job', id, 'delete'), 'removed');
        t.equal((await quiet.api.call('GET', `/api/v1/jobs/${id}`)).status, 404);
      },
    ],
    [
      'cancel: non-terminal to canceled, idempotent on canceled, assigned workers signalled; canceled by user',
      async (t) => {
        const id = await farm.submit(
          jobOf(
            'endless',
            { name: 'A', line: 'exec sleep 600', tasks: 2 },
            { name: 'B', line: OK, after: ['A'] },
          ),
        );
        await farm.counts(id, 'running', 1);
        const live = (await farm.tasks(id)).find(({ status }) => status === 'running');
        t.equal((await farm.post(`jobs/${id}/cancel`)).status, 204);
        t.match(await farm.job(id), { status: 'canceled', task_counts: { canceled: 3 } });
        for (const task of await farm.tasks(id)) t.equal(task.failure_reason, 'canceled by user');
        const [attempt] = await farm.attempts(live?.id ?? '');
        t.match(attempt, { status: 'canceled', ended_at: String });
        t.equal((await farm.post(`jobs/${id}/cancel`)).status, 204);
        await farm.over(await farm.submit(jobOf('the worker is free again', { line: OK })));
        t.match(
          await farm.job(id),
          { status: 'canceled', task_counts: { canceled: 3 } },
          'a late report changes nothing',
        );
        await farm.explained(live?.id ?? '', /^Canceled by a user\.$/);
      },
    ],
    [
      'cancel: 409 when completed or failed; a cascade reason wins',
      async (t) => {
        const completed = await farm.submit(jobOf('done', { line: OK }));
        await farm.over(completed);
        t.match(await farm.post(`jobs/${completed}/cancel`), {
          status: 409,
          body: { type: 'about:blank', title: 'Conflict', status: 409, detail: String, instance: String },
        });
        const hold = gate();
        const id = await farm.submit(
          jobOf(
            'cascade first',
            { name: 'A', line: 'exit 3' },
            { name: 'B', line: OK, after: ['A'] },
            { name: 'C', line: hold.wait },
          ),
          { max_attempts: 1 },
        );
        await farm.counts(id, 'running', 1);
        await farm.counts(id, 'canceled', 1);
        await farm.cancel(id);
        const [a, b, c] = await farm.tasks(id);
        t.match(a, { status: 'failed', failure_reason: 'failed (exit 3)' });
        t.match(b, { status: 'canceled', failure_reason: 'canceled: upstream step failed' });
        t.match(c, { status: 'canceled', failure_reason: 'canceled by user' });
        t.match(await farm.job(id), { status: 'canceled' });
        const failed = await farm.submit(jobOf('failed', { line: 'exit 3' }), { max_attempts: 1 });
        await farm.over(failed, 'failed');
        t.equal((await farm.post(`jobs/${failed}/cancel`)).status, 409);
      },
    ],
    [
      'job retry: failed and canceled tasks to pending, counters and reasons cleared, re-gated; 0 if nothing is eligible',
      async (t) => {
        const id = await farm.submit(
          jobOf('again', { name: 'A', line: failing(1) }, { name: 'B', line: OK, after: ['A'], tasks: 2 }),
          { max_attempts: 1 },
        );
        await farm.over(id, 'failed');
        await farm.patch(id, { priority: 1 });
        const hold = gate();
        const before = await farm.submit(jobOf('before', { line: hold.wait }), { priority: 90 });
        await farm.counts(before, 'running', 1);
        t.match(await farm.post(`jobs/${id}/retry`), { status: 200, body: { job_id: id, retried: 3 } });
        t.match(await farm.job(id), {
          status: 'pending',
          failed_attempts: 0,
          task_counts: { ready: 1, pending: 2, failed: 0, canceled: 0 },
          failure_summary: { failed_count: 0 },
        });
        for (const task of await farm.tasks(id)) {
          t.equal(task.failed_attempts, 0);
          t.notOk('failure_reason' in task);
        }
        hold.open();
        await farm.over(id);
        t.match(
          await farm.attempts((await farm.task(id)).id),
          [
            { attempt_number: 1, status: 'failed' },
            { attempt_number: 2, status: 'succeeded' },
          ],
          'attempts are kept, oldest first',
        );
        t.match(await farm.post(`jobs/${id}/retry`), { status: 200, body: { job_id: id, retried: 0 } });
        t.equal((await farm.job(id)).status, 'completed');
        const canceled = await quiet.submit(jobOf('canceled', { line: OK, tasks: 3 }));
        t.match(await quiet.post(`jobs/${canceled}/retry`), { body: { retried: 0 } }, 'none is eligible yet');
        await quiet.cancel(canceled);
        t.match(await quiet.post(`jobs/${canceled}/retry`), { body: { retried: 3 } });
        t.match(await quiet.job(canceled), { status: 'pending', task_counts: { ready: 3 } });
      },
    ],
    [
      'task retry: only failed or canceled, 202 with task_id and status; step and job reset to pending when terminal',
      async (t) => {
        const id = await farm.submit(
          jobOf('one of two', { line: failing(1), tasks: 2 }, { line: OK, name: 'Then', after: ['Step1'] }),
          { max_attempts: 1 },
        );
        await farm.over(id, 'failed');
        const [first, second, then] = await farm.tasks(id);
        t.match([first?.status, second?.status, then?.status], ['failed', 'succeeded', 'canceled']);
        t.equal((await farm.post(`tasks/${second?.id ?? ''}/retry`)).status, 409);
        t.match(await farm.post(`tasks/${then?.id ?? ''}/retry`), {
          status: 202,
          body: { task_id: then?.id, status: 'pending' },
        });
        t.match(await farm.job(id), {
          status: 'pending',
          steps: [{ status: 'failed' }, { status: 'pending' }],
        });
        await farm.explained(then?.id ?? '', /Step1/);
        t.match(await farm.post(`tasks/${first?.id ?? ''}/retry`), {
          status: 202,
          body: { task_id: first?.id, status: 'ready' },
        });
        t.match(await farm.over(id), { failed_attempts: 0, task_counts: { succeeded: 3 } });
      },
    ],
    [
      'task cancel: only non-terminal; closes the running attempt; 202 with task_id and status canceled; 409 if terminal',
      async (t) => {
        const id = await farm.submit(jobOf('tasks', { line: 'exec sleep 600', tasks: 3 }));
        await farm.counts(id, 'running', 1);
        const [first, second, third] = await farm.tasks(id);
        t.match(await farm.post(`tasks/${third?.id ?? ''}/cancel`), {
          status: 202,
          body: { task_id: third?.id, status: 'canceled' },
        });
        t.equal((await farm.post(`tasks/${third?.id ?? ''}/cancel`)).status, 409);
        t.match(await farm.post(`tasks/${first?.id ?? ''}/cancel`), {
          status: 202,
          body: { task_id: first?.id, status: 'canceled' },
        });
        t.match(await farm.attempts(first?.id ?? ''), [{ status: 'canceled' }]);
        await farm.taskIs(id, 1, 'the next one runs', ({ status }) => status === 'running');
        await farm.post(`tasks/${second?.id ?? ''}/cancel`);
        const job = await farm.jobIs(
          id,
          'the job is terminal',
          ({ status }) => !['running', 'pending'].includes(status),
        );
        t.match(job, { status: 'failed', task_counts: { canceled: 3 }, failed_attempts: 0 });
        for (const task of await farm.tasks(id)) t.equal(task.failure_reason, 'canceled by user');
      },
    ],
    [
      'delete: 204, active tasks canceled first, all data removed; 404',
      async (t) => {
        const id = await farm.submit(jobOf('doomed', { line: 'exec sleep 600', tasks: 2 }));
        await farm.counts(id, 'running', 1);
        const { id: task } = await farm.task(id);
        t.equal((await farm.api.call('DELETE', `/api/v1/jobs/${id}`)).status, 204);
        for (const path of [`jobs/${id}`, `jobs/${id}/tasks`, `tasks/${task}`, `tasks/${task}/attempts`]) {
          t.equal((await farm.api.call('GET', `/api/v1/${path}`)).status, 404, path);
        }
        t.equal((await farm.api.call('DELETE', `/api/v1/jobs/${id}`)).status, 404);
        await farm.over(await farm.submit(jobOf('the worker is free again', { line: OK })));
      },
    ],
    [
      'candidates are ordered by job priority descending, created_at ascending, step order, task order',
      async (t) => {
        const hold = gate();
        const log = gate();
        const first = await farm.submit(jobOf('hold', { line: hold.wait }), { priority: 100 });
        await farm.counts(first, 'running', 1);
        const say = (name: string, ...more: StepSpec[]): object =>
          jobOf(name, { line: `echo ${name}{{Task.Param.N}} >> ${log.path}`, tasks: 2 }, ...more);
        const low = await farm.submit(say('low'), { priority: 10 });
        const old = await farm.submit(say('old', { name: 'Last', line: `echo step2 >> ${log.path}` }));
        const young = await farm.submit(say('young'));
        const high = await farm.submit(say('high'), { priority: 51 });
        const raised = await farm.submit(say('raised'), { priority: -5 });
        t.match(await farm.patch(raised, { priority: 60 }), { status: 200, body: { priority: 60 } });
        const second = await farm.explained(
          (await farm.task(low, 1)).id,
          /^Ready, behind 10 tasks and 4 other jobs/,
        );
        t.match(second.gates, [{ gate: 'cores' }, { gate: 'order' }]);
        hold.open();
        for (const id of [first, low, old, young, high, raised]) await farm.over(id);
        t.same(log.read().trim().split('\n'), [
          'raised1', 'raised2', 'high1', 'high2', 'old1', 'old2', 'step2', 'young1', 'young2', 'low1', 'low2',
        ]); // prettier-ignore
      },
    ],
    [
      'a paused queue assigns nothing, and wakes',
      async (t) => {
        const queue = await farm.queue('night', { paused: true });
        const id = await farm.submit(jobOf('paused queue', { line: OK }), {}, queue);
        await farm.over(await farm.submit(jobOf('others', { line: OK })));
        t.same(await farm.statuses(id), ['ready']);
        await farm.explained((await farm.task(id)).id, /^The queue night is paused/);
        await farm.setQueue(queue, 'night', { paused: false });
        await farm.over(id);
        await farm.setQueue(queue, 'night', { paused: true });
        const moved = await farm.submit(jobOf('moved', { line: OK }), {}, queue);
        t.match(await farm.patch(moved, { queue_id: farm.queueId }), { body: { queue_id: farm.queueId } });
        await farm.over(moved);
      },
    ],
    [
      'depends_on: blocked, every step and task pending; pending once every upstream completed',
      async (t) => {
        const [one, two] = [gate(), gate()];
        const a = await farm.submit(jobOf('a', { line: one.wait }));
        const b = await farm.submit(jobOf('b', { line: two.wait }));
        const made = await farm.trySubmit(
          jobOf('c', { line: OK }, { name: 'D', line: OK, after: ['Step1'] }),
          {
            depends_on: `${a} ${b} ${a}`,
          },
        );
        t.match(made, { status: 201, body: { status: 'blocked' } });
        const { id } = made.body;
        const d = await farm.submit(jobOf('d', { line: OK }), { depends_on: id });
        t.match(await farm.job(id), {
          depends_on: [a, b],
          task_counts: { pending: 2, ready: 0 },
          steps: [{ status: 'pending' }, { status: 'pending' }],
        });
        one.open();
        await farm.over(a);
        t.equal((await farm.job(id)).status, 'blocked', 'one is not every');
        await farm.explained((await farm.task(id)).id, /^Waits for job b/);
        two.open();
        await farm.over(d);
        t.equal((await farm.job(id)).status, 'completed');
        t.match(
          await quiet.trySubmit(jobOf('x', { line: OK }), { depends_on: a }),
          { status: 400 },
          'another farm',
        );
        const late = await farm.submit(jobOf('late', { line: OK }), { depends_on: `${a} ${b}` });
        await farm.over(late);
      },
    ],
    [
      'blocked, upstream failed, canceled or deleted: canceled with the upstream-failed reason; cascades to dependents',
      async (t) => {
        const hold = gate();
        const worker = await farm.submit(jobOf('busy', { line: hold.wait }));
        await farm.counts(worker, 'running', 1);
        const after = (id: string): Promise<string> =>
          farm.submit(jobOf('dependent', { line: OK, tasks: 2 }), { depends_on: id });
        const end = {
          failed: async (id: string) => {
            hold.open();
            await farm.over(id, 'failed');
          },
          canceled: (id: string) => farm.cancel(id),
          deleted: (id: string) => farm.api.must('DELETE', `/api/v1/jobs/${id}`),
        };
        for (const how of ['canceled', 'deleted', 'failed'] as const) {
          const upstream = await farm.submit(jobOf('upstream', { line: 'exit 3' }), { max_attempts: 1 });
          const dependent = await after(upstream);
          const next = await after(dependent);
          await end[how](upstream);
          for (const id of [dependent, next]) {
            t.match(await farm.over(id, 'canceled'), { task_counts: { canceled: 2 } }, how);
            for (const task of await farm.tasks(id)) {
              t.match(task, { status: 'canceled', failure_reason: 'canceled: upstream job failed' }, how);
            }
          }
          await farm.explained(
            (await farm.task(dependent)).id,
            new RegExp(`Canceled because upstream job .* ${how}`),
          );
          if (how === 'deleted') continue;
          await farm.over(await after(upstream), 'canceled');
        }
      },
    ],
    [
      'pause and resume of a blocked job: it is blocked again, and upstreams that complete meanwhile count',
      async (t) => {
        const hold = gate();
        const up = await farm.submit(jobOf('up', { line: hold.wait }));
        const one = await farm.submit(jobOf('one', { line: OK }), { depends_on: up });
        const two = await farm.submit(jobOf('two', { line: OK }), { depends_on: up });
        for (const id of [one, two]) {
          t.match(await farm.patch(id, { action: 'pause' }), { body: { status: 'paused' } });
        }
        t.match(await farm.patch(one, { action: 'resume' }), { body: { status: 'blocked' } });
        hold.open();
        await farm.over(one);
        t.match(await farm.job(two), { status: 'paused' });
        await farm.patch(two, { action: 'resume' });
        await farm.over(two);
      },
    ],
    [
      'errors: unknown ids are 404, out-of-range and wrong values 400, all of them problems',
      async (t) => {
        const job = await quiet.submit(jobOf('target', { line: OK }));
        const { id: task } = await quiet.task(job);
        const jobPath = `/api/v1/jobs/${job}`;
        const big = 1e400;
        const rows: readonly (readonly [string, string, number, (object | string)?, string?])[] = [
          ...[UNKNOWN, 'x', '%00', '..%2f..', 'é', '0'.repeat(3000)].flatMap(
            (id) =>
              [
                ['GET', `/api/v1/jobs/${id}`, 404],
                ['GET', `/api/v1/jobs/${id}/tasks`, 404],
                ['PATCH', `/api/v1/jobs/${id}`, 404, { action: 'pause' }],
                ['POST', `/api/v1/jobs/${id}/cancel`, 404],
                ['POST', `/api/v1/jobs/${id}/retry`, 404],
                ['DELETE', `/api/v1/jobs/${id}`, 404],
                ['GET', `/api/v1/tasks/${id}`, 404],
                ['GET', `/api/v1/tasks/${id}/attempts`, 404],
                ['GET', `/api/v1/tasks/${id}/explain`, 404],
                ['POST', `/api/v1/tasks/${id}/retry`, 404],
                ['POST', `/api/v1/tasks/${id}/cancel`, 404],
                ['GET', `/api/v1/workers/${id}`, 404],
                ['POST', `/api/v1/workers/${id}/disable`, 404],
                ['POST', `/api/v1/workers/${id}/enable`, 404],
                ['DELETE', `/api/v1/workers/${id}`, 404],
                ['PUT', `/api/v1/usage-pools/${id}`, 404, { name: 'x', max_concurrent: 1 }],
                ['DELETE', `/api/v1/usage-pools/${id}`, 404],
                ['DELETE', `/api/v1/compute-locations/${id}`, 404],
              ] as const,
          ),
          ['GET', `/api/v1/tasks/${task}9`, 404],
          ['POST', `/api/v1/tasks/${task.replace(/-0$/, '-99999999999999999999')}/cancel`, 404],
          ['POST', `/api/v1/tasks/${task.replace(/-0$/, '--1')}/retry`, 404],
          ['POST', `/api/v1/tasks/${task}/retry`, 409],
          ['PATCH', jobPath, 400],
          ['PATCH', jobPath, 400, ''],
          ['PATCH', jobPath, 400, 'null'],
          ['PATCH', jobPath, 400, '[]'],
          ['PATCH', jobPath, 400, '{"action": '],
          ['PATCH', jobPath, 400, { action: 'stop' }],
          ['PATCH', jobPath, 400, { action: 1 }],
          ['PATCH', jobPath, 400, { priority: '5' }],
          ['PATCH', jobPath, 400, { priority: 1.5 }],
          ['PATCH', jobPath, 400, `{"priority": 1e400}`],
          ['PATCH', jobPath, 400, { priority: 1e30 }],
          ['PATCH', jobPath, 400, { max_attempts: 0 }],
          ['PATCH', jobPath, 400, { max_attempts: -1 }],
          ['PATCH', jobPath, 400, { max_attempts: 2 ** 53 }],
          ['PATCH', jobPath, 400, { retry_delay_seconds: -1 }],
          ['PATCH', jobPath, 400, { retry_delay_seconds: 1e12 }],
          ['PATCH', jobPath, 400, { failure_limit: -1 }],
          ['PATCH', jobPath, 400, { failure_limit: true }],
          ['PATCH', jobPath, 400, { queue_id: UNKNOWN }],
          ['PATCH', jobPath, 400, { queue_id: farm.queueId }],
          ['PATCH', jobPath, 400, { queue_id: 7 }],
          ['PATCH', jobPath, 415, 'action=pause', 'application/x-www-form-urlencoded'],
          ['PUT', jobPath, 405, {}],
          ['PATCH', jobPath, 200, {}],
          ['PATCH', jobPath, 200, { action: null, priority: null, queue_id: null, unknown: big }],
          ['POST', `${jobPath}/retry`, 200, { anything: [1] }],
          ['POST', '/api/v1/usage-pools', 400, { name: 'p' }],
          ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: 0 }],
          ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: 1.5 }],
          ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: '3' }],
          ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: 1e18 }],
          ['POST', '/api/v1/usage-pools', 400, { name: '', max_concurrent: 1 }],
          ['POST', '/api/v1/usage-pools', 400, { max_concurrent: 1 }],
          ['POST', '/api/v1/usage-pools', 400],
          ['POST', '/api/v1/compute-locations', 400, { name: 'a b' }],
          ['POST', '/api/v1/compute-locations', 400, { name: 'a/b' }],
          ['POST', '/api/v1/compute-locations', 400, { name: 'a"b' }],
          ['POST', '/api/v1/compute-locations', 400, { name: "a'b" }],
          ['POST', '/api/v1/compute-locations', 400, { name: 'a\u00a0b' }],
          ['POST', '/api/v1/compute-locations', 400, { name: '' }],
          ['POST', '/api/v1/compute-locations', 201, { name: 'Zürich-東京' }],
          ['POST', '/api/v1/compute-locations', 201, { name: 'zürich-東京' }],
          ['POST', '/api/v1/compute-locations', 409, { name: 'zürich-東京' }],
        ];
        for (const [method, path, status, body, type] of rows) {
          const answer = await farm.api.call(method, path, body, type);
          const what = `${method} ${path.slice(0, 80)} ${JSON.stringify(body) ?? ''}`;
          t.equal(answer.status, status, what);
          if (status < 400) continue;
          t.match(answer.headers.get('content-type'), /^application\/problem\+json/, what);
          t.match(answer.body, { type: 'about:blank', status, title: String, detail: String }, what);
          t.equal(answer.body['instance'], answer.headers.get('x-request-id'), what);
        }
        for (const query of [
          { max_attempts: 0 },
          { max_attempts: 'many' },
          { retry_delay_seconds: -1 },
          { failure_limit: -1 },
          { priority: '1e3' },
          { depends_on: UNKNOWN },
          { depends_on: 'x' },
        ] as Readonly<Record<string, string | number>>[]) {
          const answer = await quiet.trySubmit(jobOf('bad', { line: OK }), query);
          t.equal(answer.status, 400, JSON.stringify(query));
        }
        t.equal((await quiet.trySubmit(jobOf('bad', { line: OK }), {}, UNKNOWN)).status, 400);
        t.equal((await quiet.trySubmit(jobOf('bad', { line: OK }), {}, farm.queueId)).status, 400);
      },
    ],
  ]);
});

await test('work goes where the rules of the lease say', async (t) => {
  const { folder, farm: makeFarm } = await startApi(
    t,
    '--scheduler-retry-delay-seconds=0',
    '--scheduler-unschedulable-grace=1s',
    '--scheduler-heartbeat-timeout=10m',
  );
  const farm = await makeFarm('pack');
  const empty = await makeFarm('empty');
  let gates = 0;
  const gate = (): Gate => new Gate(folder, `gate-${gates++}`);
  const needing = (...attributes: readonly object[]): object => jobOf('needing', { line: OK, attributes });
  /** Waits until the task of a job says this reason; checks what the contract says of it. */
  const says = async (t: Test, at: ContractFarm, id: string, reason: string): Promise<TaskDoc> => {
    const task = await at.taskIs(id, 0, `it says ${reason}`, (each) => each.unschedulable_reason === reason);
    const { status, task_counts: counts } = await at.job(id);
    t.match(
      { status, counts },
      { status: 'pending', counts: { unschedulable: counts['ready'], total: counts['ready'] } },
    );
    return task;
  };
  const clear = async (t: Test, at: ContractFarm, id: string): Promise<void> => {
    await at.over(id);
    t.notOk('unschedulable_reason' in (await at.task(id)));
    t.equal((await at.job(id)).task_counts['unschedulable'], 0);
  };
  let quad: WorkerDoc;
  const frozen = await makeFarm('frozen');
  let stale: { readonly id: string; readonly task: TaskDoc };

  await runAll(t, [
    [
      'no online workers; the reason clears when a match appears',
      async (t) => {
        const id = await farm.submit(jobOf('alone', { line: OK, tasks: 2 }));
        const gpu = await farm.submit(needing(attribute('tag.gpu', 'anyOf', 'a5000')));
        const task = await says(t, farm, id, 'no online workers');
        await says(t, farm, gpu, 'no online workers');
        await farm.explained(task.id, /^No worker is online\.$/);
        quad = await farm.worker(
          'quad', '--worker-cpus=4', '--worker-tags=gpu=a4000,app=Maya', '--worker-compute-location=berlin',
        ); // prettier-ignore
        await clear(t, farm, id);
        await says(t, farm, gpu, 'no eligible online worker: attribute requirement not met');
        await farm.cancel(gpu);
      },
    ],
    [
      'a lease request is parked, and wakes when a job is submitted: ready to assigned, assigned_at stamped',
      async (t) => {
        const one = await frozen.worker('one', '--worker-cpus=1');
        await frozen.over(await frozen.submit(jobOf('warm', { line: OK })));
        frozen.workers.get('one')?.child.kill('SIGSTOP');
        const queue = await frozen.queue('of stale');
        const once = { max_attempts: 1, failure_limit: 1 };
        const id = await frozen.submit(jobOf('stale', { line: OK }), once, queue);
        const task = await frozen.taskIs(id, 0, 'it is assigned', ({ status }) => status === 'assigned');
        t.match(task, { assigned_worker_id: one.id, assigned_at: String });
        t.match(await frozen.attempts(task.id), [
          { attempt_number: 1, status: 'running', worker_id: one.id },
        ]);
        await frozen.explained(task.id, /^Assigned to frozen-one /);
        stale = { id, task };
      },
    ],
    [
      'the reason clears when a match appears, before there is room',
      async (t) => {
        const hold = gate();
        const busy = await farm.submit(jobOf('busy', { line: hold.wait, cores: null }));
        await farm.counts(busy, 'running', 1);
        const id = await farm.submit(jobOf('later', { line: OK, pools: ['late'] }));
        await says(t, farm, id, 'no eligible online worker: usage pool at capacity');
        await farm.api.must('POST', '/api/v1/usage-pools', { name: 'late', max_concurrent: 1 });
        const task = await farm.taskIs(
          id,
          0,
          'no reason is left',
          (each) => !('unschedulable_reason' in each),
        );
        t.equal(task.status, 'ready');
        t.equal((await farm.job(id)).task_counts['unschedulable'], 0);
        await farm.patch(id, { action: 'pause' });
        t.match(await farm.job(id), { status: 'paused' });
        await farm.patch(id, { action: 'resume' });
        hold.open();
        await farm.over(id);
      },
    ],
    [
      'a parked job whose other tasks still run: they end, and the job with them',
      async (t) => {
        const hold = gate();
        const line = `[ {{Task.Param.N}} = 1 ] && exit 3; ${hold.wait}`;
        const id = await farm.submit(jobOf('parked with live tasks', { line, tasks: 2 }), {
          failure_limit: 1,
        });
        t.match(await farm.over(id, 'paused'), { task_counts: { failed: 1, running: 1 } });
        hold.open();
        t.match(await farm.over(id, 'failed'), { task_counts: { failed: 1, succeeded: 1 } });
      },
    ],
    [
      'a job that moves to another queue takes its live tasks along',
      async (t) => {
        const hold = gate();
        const [from, to] = [
          await farm.queue('from', { max_concurrent_tasks: 1 }),
          await farm.queue('to', { max_concurrent_tasks: 1 }),
        ];
        const id = await farm.submit(jobOf('moves', { line: hold.wait, tasks: 2 }), {}, from);
        await farm.counts(id, 'running', 1);
        await farm.patch(id, { queue_id: to });
        await farm.over(await farm.submit(jobOf('in its place', { line: OK }), {}, from));
        const behind = await farm.submit(jobOf('behind', { line: OK }), {}, to);
        await farm.explained((await farm.task(behind)).id, /^Queue to is at its cap of 1 concurrent task/);
        t.match((await farm.job(id)).task_counts, { running: 1, ready: 1 });
        hold.open();
        await farm.over(behind);
      },
    ],
    [
      'no eligible online worker: farm mismatch',
      async (t) => {
        const id = await empty.submit(jobOf('elsewhere', { line: OK }));
        const task = await says(t, empty, id, 'no eligible online worker: farm mismatch');
        await empty.explained(task.id, /./);
        await empty.cancel(id);
        t.notOk('unschedulable_reason' in (await empty.task(id)), 'clears when the task leaves ready');
        t.equal((await empty.job(id)).task_counts['unschedulable'], 0);
      },
    ],
    [
      'co-scheduled only while summed core reservations fit: two 2-core tasks on a 4-core worker',
      async (t) => {
        const hold = gate();
        const id = await farm.submit(jobOf('pairs', { line: hold.wait, cores: 2, tasks: 3 }));
        await farm.counts(id, 'running', 2);
        const { body } = await farm.api.call<WorkerDoc>('GET', `/api/v1/workers/${quad.id}`);
        t.match(body, { committed_cores: 4 });
        t.equal(body.current_tasks.length, 2);
        t.match((await farm.job(id)).task_counts, { running: 2, ready: 1 });
        await farm.explained(
          (await farm.task(id, 2)).id,
          /^Ready, and next in line: the only eligible worker is busy/,
        );
        hold.open();
        await farm.over(id);
      },
    ],
    [
      'a step without amount.worker.vcpu reserves the whole machine; first fit continues to tasks that fit',
      async (t) => {
        const [hold, small] = [gate(), gate()];
        const three = await farm.submit(jobOf('three', { line: hold.wait, cores: 3 }), { priority: 90 });
        await farm.counts(three, 'running', 1);
        const whole = await farm.submit(jobOf('whole', { line: small.wait, cores: null, tasks: 2 }), {
          priority: 80,
        });
        const one = await farm.submit(jobOf('one', { line: OK }), { priority: 10 });
        await farm.over(one);
        t.same(await farm.statuses(whole), ['ready', 'ready'], 'it does not fit in addition');
        hold.open();
        await farm.counts(whole, 'running', 1);
        const other = await farm.submit(jobOf('other', { line: OK }));
        t.match((await farm.job(whole)).task_counts, { running: 1, ready: 1 });
        t.same(await farm.statuses(other), ['ready']);
        small.open();
        await farm.over(whole);
        await farm.over(other);
      },
    ],
    [
      'an omitted min means 1 core',
      async () => {
        const hold = gate();
        const template = JSON.stringify(jobOf('min', { line: hold.wait, cores: 99, tasks: 5 }));
        const id = await farm.submit(JSON.parse(template.replace('"min":99', '"max":4')) as object);
        await farm.counts(id, 'running', 4);
        hold.open();
        await farm.over(id);
      },
    ],
    [
      'amount requirement not met',
      async (t) => {
        const id = await farm.submit(jobOf('big', { line: OK, cores: 5 }));
        const task = await says(t, farm, id, 'no eligible online worker: amount requirement not met');
        await farm.explained(task.id, /^No worker can run it: .*amount\.worker\.vcpu/);
        const big = await farm.worker('big', '--worker-cpus=5');
        await clear(t, farm, id);
        t.equal((await farm.attempts(task.id))[0]?.worker_id, big.id);
        await farm.workers.get('big')?.kill('SIGTERM');
      },
    ],
    [
      'compute location: affinity per step, matched case-sensitively; compute location mismatch',
      async (t) => {
        for (const kind of ['anyOf', 'allOf'] as const) {
          const here = await farm.submit(needing(attribute('computelocation', kind, 'berlin')));
          await farm.over(here);
          t.match((await farm.job(here)).steps, [{ compute_location: 'berlin' }], 'promoted');
        }
        const two = await farm.submit(needing(attribute('computelocation', 'anyOf', 'potsdam', 'berlin')));
        await farm.over(two);
        const id = await farm.submit(needing(attribute('computelocation', 'anyOf', 'Berlin')));
        const task = await says(t, farm, id, 'no eligible online worker: compute location mismatch');
        await farm.explained(
          task.id,
          /^No worker can run it: 1 worker is not at Berlin; the nearest, pack-quad, is at berlin\.$/,
        );
        await farm.cancel(id);
        const steps = await farm.submit(
          jobOf(
            'per step',
            { line: OK, attributes: [attribute('computelocation', 'anyOf', 'berlin')] },
            { line: OK, name: 'Anywhere' },
          ),
        );
        await farm.over(steps);
      },
    ],
    [
      'attributes: anyOf, allOf, auto-detected; attribute requirement not met',
      async (t) => {
        for (const met of [
          [attribute('tag.gpu', 'anyOf', 'a5000', 'a4000')],
          [attribute('tag.gpu', 'allOf', 'a4000')],
          [attribute('tag.gpu', 'anyOf', 'a4000'), attribute('tag.app', 'anyOf', 'Maya')],
          [attribute('os.family', 'anyOf', 'linux', 'windows')],
        ]) {
          await farm.over(await farm.submit(needing(...met)));
        }
        for (const unmet of [
          [attribute('tag.gpu', 'anyOf', 'a5000')],
          [attribute('tag.gpu', 'allOf', 'a4000', 'a5000')],
          [attribute('tag.gpu', 'anyOf', 'a4000'), attribute('tag.none', 'anyOf', 'true')],
          [attribute('os.family', 'anyOf', 'windows')],
        ]) {
          const id = await farm.submit(needing(...unmet));
          const task = await says(t, farm, id, 'no eligible online worker: attribute requirement not met');
          await farm.explained(task.id, /^No worker can run it: .*attr\.worker\./);
          await farm.cancel(id);
        }
      },
    ],
    [
      'queue affinity: a worker with queues takes only theirs; without, every queue of its farm',
      async (t) => {
        const day = await farm.queue('day');
        const night = await farm.queue('night');
        const tied = await makeFarm('tied');
        const main = tied.queueId;
        const other = await tied.queue('other');
        const third = await tied.queue('third');
        await tied.worker('one', '--worker-cpus=1', `--worker-queues=main,${other}`);
        await tied.over(await tied.submit(jobOf('main', { line: OK }), {}, main));
        await tied.over(await tied.submit(jobOf('other', { line: OK }), {}, other));
        const id = await tied.submit(jobOf('third', { line: OK }), {}, third);
        const task = await says(t, tied, id, 'no eligible online worker: queue affinity');
        await tied.explained(task.id, /^No worker can run it: .*queue/);
        t.match(await tied.patch(id, { queue_id: other }), { status: 200 });
        await clear(t, tied, id);
        for (const queue of [day, night])
          await farm.over(await farm.submit(jobOf('any', { line: OK }), {}, queue));
        const { items } = await tied.api.must<Page<WorkerDoc>>('GET', `/api/v1/workers?queue_id=${third}`);
        t.same(items, [], 'no worker serves it');
      },
    ],
    [
      'usage pools: one slot while live, several per step, unregistered never dispatches; a raised limit wakes',
      async (t) => {
        const pool = async (name: string, max_concurrent: number): Promise<string> =>
          (await farm.api.must<{ id: string }>('POST', '/api/v1/usage-pools', { name, max_concurrent })).id;
        const slots = async (id: string): Promise<readonly number[]> => {
          const view = await farm.api.must<{ in_use: number; available: number }>(
            'GET',
            `/api/v1/usage-pools/${id}`,
          );
          return [view.in_use, view.available];
        };
        const hold = gate();
        const nuke = await pool('nuke', 1);
        const id = await farm.submit(jobOf('pooled', { line: hold.wait, pools: ['nuke', 'maya'], tasks: 4 }));
        const task = await says(t, farm, id, 'no eligible online worker: usage pool at capacity');
        await farm.explained(task.id, /maya is not registered and has no slots/);
        t.same(await slots(nuke), [0, 1], 'no slot is held by who waits for another');
        const maya = await pool('maya', 3);
        await farm.counts(id, 'running', 1);
        t.same(await slots(nuke), [1, 0]);
        t.same(await slots(maya), [1, 2]);
        await farm.explained(
          (await farm.task(id, 1)).id,
          /^Usage pool nuke is at capacity: 1 of 1 slot is taken/,
        );
        await farm.taskIs(id, 1, 'the full pool is a reason', ({ unschedulable_reason: reason }) => {
          return reason === 'no eligible online worker: usage pool at capacity';
        });
        t.match((await farm.job(id)).task_counts, { unschedulable: 3, ready: 3, total: 4 });
        await farm.api.must('PUT', `/api/v1/usage-pools/${nuke}`, { name: 'nuke', max_concurrent: 9 });
        await farm.counts(id, 'running', 3);
        t.same(await slots(maya), [3, 0]);
        await farm.api.must('PUT', `/api/v1/usage-pools/${maya}`, { name: 'maya', max_concurrent: 1 });
        t.same(await slots(maya), [3, 0], 'max(max_concurrent - in_use, 0)');
        const [first] = (await farm.tasks(id)).filter(({ status }) => status === 'running');
        await farm.post(`tasks/${first?.id ?? ''}/cancel`);
        await until('the slot is released', async () => (await slots(maya))[0] === 2);
        hold.open();
        await farm.jobIs(id, 'the others are done', ({ task_counts: counts }) => counts['succeeded'] === 3);
        await until('the slots are released', async () => (await slots(nuke))[0] === 0);
        t.same(await slots(nuke), [0, 9]);
        t.same(await slots(maya), [0, 1]);
        const failing = await farm.submit(jobOf('failing', { line: 'exit 3', pools: ['maya'] }), {
          max_attempts: 3,
        });
        await farm.over(failing, 'failed');
        await until('failed attempts hold no slot', async () => (await slots(maya))[0] === 0);
        const doomed = await farm.submit(jobOf('doomed', { line: 'exec sleep 600', pools: ['maya'] }));
        await farm.counts(doomed, 'running', 1);
        await farm.api.must('DELETE', `/api/v1/jobs/${doomed}`);
        await until('nor does a deleted job', async () => (await slots(maya))[0] === 0);
      },
    ],
    [
      'max_concurrent_tasks of queue and farm; a raised cap wakes',
      async (t) => {
        const hold = gate();
        const capped = await farm.queue('capped', { max_concurrent_tasks: 1 });
        const id = await farm.submit(jobOf('capped', { line: hold.wait, tasks: 4 }), {}, capped);
        await farm.counts(id, 'running', 1);
        await farm.over(await farm.submit(jobOf('other queue', { line: OK })));
        t.match((await farm.job(id)).task_counts, { running: 1, ready: 3 });
        await farm.explained((await farm.task(id, 1)).id, /^Queue capped is at its cap of 1 concurrent task/);
        await farm.setQueue(capped, 'capped', { max_concurrent_tasks: 2 });
        await farm.counts(id, 'running', 2);
        await farm.api.must('PUT', `/api/v1/farms/${farm.id}`, { name: 'pack', max_concurrent_tasks: 2 });
        await farm.setQueue(capped, 'capped', {});
        const other = await farm.submit(jobOf('farm cap', { line: OK }));
        await farm.explained((await farm.task(other)).id, /^Farm pack is at its cap of 2 concurrent tasks/);
        t.match((await farm.job(id)).task_counts, { running: 2, ready: 2 });
        await farm.api.must('PUT', `/api/v1/farms/${farm.id}`, { name: 'pack', max_concurrent_tasks: 3 });
        await farm.counts(id, 'running', 3);
        await farm.api.must('PUT', `/api/v1/farms/${farm.id}`, { name: 'pack' });
        await farm.counts(id, 'running', 4);
        hold.open();
        await farm.over(id);
        await farm.over(other);
      },
    ],
    [
      'disable drains the current task and stops new assignments; enable reverses it',
      async (t) => {
        const hold = gate();
        const id = await farm.submit(jobOf('drained', { line: hold.wait, cores: 4, tasks: 2 }));
        await farm.counts(id, 'running', 1);
        t.match(await farm.post(`workers/${quad.id}/disable`), {
          status: 200,
          body: { id: quad.id, status: 'disabled' },
        });
        t.equal((await farm.api.call('DELETE', `/api/v1/workers/${quad.id}`)).status, 409, 'live-disabled');
        hold.open();
        await farm.counts(id, 'succeeded', 1);
        const [, second] = await farm.tasks(id);
        t.equal(second?.status, 'ready');
        await farm.taskIs(id, 1, 'a disabled worker is not online', ({ unschedulable_reason: reason }) => {
          return reason !== undefined && reason !== '';
        });
        t.match(await farm.post(`workers/${quad.id}/enable`), {
          status: 200,
          body: { id: quad.id, status: 'online' },
        });
        await farm.over(id);
        t.equal((await farm.api.call('DELETE', `/api/v1/workers/${quad.id}`)).status, 409, 'online');
      },
    ],
    [
      'a compute location is entered by its workers, counts those online, and gates nothing',
      async (t) => {
        type Location = { readonly id: string; readonly name: string; readonly worker_count: number };
        const find = async (name: string): Promise<Location | undefined> =>
          (await farm.api.must<Location[]>('GET', '/api/v1/compute-locations')).find(
            (each) => each.name === name,
          );
        const berlin = await find('berlin');
        t.match(berlin, { worker_count: 1 });
        t.equal((await farm.api.call('DELETE', `/api/v1/compute-locations/${berlin?.id ?? ''}`)).status, 204);
        await farm.over(await farm.submit(needing(attribute('computelocation', 'anyOf', 'berlin'))));
        await farm.workers.get('quad')?.kill('SIGTERM');
        await farm.worker('quad', '--worker-cpus=4', '--worker-compute-location=berlin');
        await until('it is back', async () => (await find('berlin'))?.worker_count === 1);
      },
    ],
    [
      'a task that stays assigned longer than 30 s is reclaimed to ready; the job is idle and pending; late reports change nothing',
      async (t) => {
        const { task } = stale;
        const first = await frozen.taskIs(stale.id, 0, 'it goes back', ({ status }) => status === 'ready');
        t.match(first, { failed_attempts: 0 });
        t.notOk('failure_reason' in first || 'assigned_worker_id' in first);
        t.match(await frozen.job(stale.id), { status: 'pending', failed_attempts: 0 });
        t.match(await frozen.attempts(task.id), [{ attempt_number: 1, status: 'failed', message: String }]);
        frozen.workers.get('one')?.child.kill('SIGCONT');
        t.match(await frozen.over(stale.id), { failed_attempts: 0 });
        const attempts = await frozen.attempts(task.id);
        t.match(attempts, [
          { attempt_number: 1, status: 'failed' },
          { attempt_number: 2, status: 'succeeded' },
        ]);
        t.equal(await frozen.counter(RETRIES, (await frozen.job(stale.id)).queue_id), 0);
      },
    ],
  ]);
});

await test('what is silent, old or starved is dealt with', async (t) => {
  const { folder, farm: makeFarm } = await startApi(
    t,
    '--scheduler-heartbeat-timeout=2s',
    '--scheduler-job-retention=2s',
    '--scheduler-reservation-after=3s',
    '--scheduler-retry-delay-seconds=0',
  );
  let gates = 0;
  const gate = (): Gate => new Gate(folder, `gate-${gates++}`);
  const farm = await makeFarm('sweeps');
  const pool = await farm.api.must<{ id: string }>('POST', '/api/v1/usage-pools', {
    name: 'nuke',
    max_concurrent: 1,
  });

  await runAll(t, [
    [
      'a silent worker is offline; its tasks go back to ready, worker went offline on the attempt only, nothing counted',
      async (t) => {
        const lost = await farm.worker('lost', '--worker-cpus=1');
        const spec = { line: 'exec sleep 600', pools: ['nuke'] };
        const id = await farm.submit(jobOf('lost', spec), { failure_limit: 1, max_attempts: 1 });
        await farm.counts(id, 'running', 1);
        farm.workers.get('lost')?.child.kill('SIGSTOP');
        const task = await farm.taskIs(id, 0, 'it is ready again', ({ status }) => status === 'ready');
        t.match(task, { failed_attempts: 0 });
        for (const field of ['failure_reason', 'retry_after', 'assigned_worker_id', 'assigned_at']) {
          t.notOk(field in task, field);
        }
        await farm.workerBecomes('lost', 'offline');
        const [attempt] = await farm.attempts(task.id);
        t.match(attempt, {
          attempt_number: 1,
          status: 'failed',
          message: 'worker went offline',
          ended_at: String,
        });
        const job = await farm.job(id);
        t.equal(job.failed_attempts, 0);
        t.match(['running', 'pending'].includes(job.status), true, job.status);
        t.equal(await farm.counter(RETRIES), 0, 'reclaims are not counted');
        t.match(await farm.api.must('GET', `/api/v1/usage-pools/${pool.id}`), { in_use: 0 });
        t.equal((await farm.api.call('DELETE', `/api/v1/workers/${lost.id}`)).status, 204);
        t.equal((await farm.api.call('GET', `/api/v1/workers/${lost.id}`)).status, 404);
        await farm.worker('next', '--worker-cpus=2');
        await farm.taskIs(id, 0, 'another runs it', ({ status }) => status === 'running');
        t.match(await farm.attempts(task.id), [
          { attempt_number: 1 },
          { attempt_number: 2, status: 'running' },
        ]);
        await farm.cancel(id);
      },
    ],
    [
      'the retention sweep removes completed jobs, and not failed or canceled ones',
      async (t) => {
        const failed = await farm.submit(jobOf('failed', { line: 'exit 3' }), { max_attempts: 1 });
        await farm.over(failed, 'failed');
        const id = await farm.submit(jobOf('completed', { line: OK }));
        await until(
          'it was deleted',
          async () => (await farm.api.call('GET', `/api/v1/jobs/${id}`)).status === 404,
        );
        t.equal((await farm.job(failed)).status, 'failed');
      },
    ],
    [
      'a whole-machine task does not starve',
      async (t) => {
        const hold = gate();
        const spec = { line: 'sleep 0.$((3 + {{Task.Param.N}} % 5))', tasks: 400 };
        const stream = await farm.submit(jobOf('stream', spec), { priority: 10 });
        await farm.counts(stream, 'running', 2);
        const whole = await farm.submit(jobOf('whole', { line: hold.wait, cores: null }), { priority: 90 });
        await farm.explained((await farm.task(whole)).id, /; sweeps-next is kept free for its step\.$/);
        await farm.explained(
          (await farm.task(stream, 399)).id,
          /the only eligible worker is (busy|kept free for)/,
        );
        await farm.counts(whole, 'running', 1);
        const { task_counts: counts } = await farm.job(stream);
        t.match(counts, { assigned: 0, running: 0 });
        t.ok((counts['ready'] ?? 0) > 0, 'others still wait');
        hold.open();
        await farm.cancel(stream);
      },
    ],
    [
      'a worker that departs gracefully, or dies and comes back, costs its task no attempt',
      async (t) => {
        await farm.workers.get('next')?.kill('SIGTERM');
        await farm.worker('one', '--worker-cpus=1');
        const hold = gate();
        const id = await farm.submit(jobOf('hops', { line: hold.wait }), {
          max_attempts: 1,
          failure_limit: 1,
        });
        for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
          await farm.counts(id, 'running', 1);
          await farm.workers.get('one')?.kill(signal);
          if (signal === 'SIGTERM') await farm.counts(id, 'ready', 1);
          await farm.worker('one', '--worker-cpus=1');
        }
        await until('a third attempt runs', async () => {
          const attempts = await farm.attempts((await farm.task(id)).id);
          return attempts.length >= 3;
        });
        hold.open();
        t.match(await farm.over(id), { failed_attempts: 0 });
      },
    ],
  ]);
});
