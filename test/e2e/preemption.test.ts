import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { ApiClient } from '../kit/api-client.ts';
import { startAuthService } from '../kit/auth-service.ts';
import { startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** A job of one task of one core that runs a shell command. */
const template = (name: string, line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'S',
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } },
    },
  ],
});

await test('a queue takes back a running task, which runs again without using up an attempt', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-preemption-'));
  const { service, url, admin } = await startAuthService(folder);
  const api = new ApiClient(url, admin);
  const key = (admin['authorization'] ?? '').replace('Bearer ', '');
  const farm = await api.makeFarm('north');
  const worker = startWorker(service, 'one', [`--worker-farm=${farm.farmId}`, '--worker-cpus=1']);
  try {
    const urgent = await api.must<{ id: string }>('POST', '/api/v1/queues', {
      farm_id: farm.farmId,
      name: 'urgent',
    });
    const night = await api.must<{ name: string }>('GET', `/api/v1/queues/${farm.queueId}`);
    const cli = (...args: string[]) => runCallsheet([...args, '--url', url, '--api-key', key]);
    t.equal((await cli('queues', 'set', 'urgent', '--preempt-after', '1')).code, 0);
    t.equal((await cli('queues', 'set', night.name, '--preemptible', 'true')).code, 0);
    t.match(await api.must('GET', `/api/v1/queues/${urgent.id}`), {
      preempt_after_seconds: 1,
      preemption_version: 1,
    });
    t.equal((await cli('queues', 'set', 'urgent', '--preempt-after', '2')).code, 0);
    t.equal((await cli('queues', 'set', 'urgent', '--preempt-after', '1')).code, 0);
    const first = join(folder, 'first-run');
    const long = await farm.submit(
      template('Long', `if [ -e '${first}' ]; then exit 0; fi; touch '${first}'; sleep 600`),
      { max_attempts: '1' },
    );
    await until('the long task runs', async () => (await api.tasks(long.body.id))[0]?.status === 'running');
    const short = await api.must<{ id: string }>(
      'POST',
      `/api/v1/jobs?farm_id=${farm.farmId}&queue_id=${urgent.id}`,
      template('Short', 'true'),
    );
    await until('both jobs have completed', async () => {
      const jobs = await Promise.all([api.job(short.id), api.job(long.body.id)]);
      return jobs.every(({ status }) => status === 'completed');
    });
    const [task] = await api.tasks(long.body.id);
    const [taken, again] = (await api.attempts(task?.id ?? '')) as unknown as readonly {
      readonly status: string;
      readonly started_at: string;
      readonly preemption?: object;
    }[];
    t.match(taken, {
      status: 'canceled',
      preemption: {
        queue: 'urgent',
        queue_id: urgent.id,
        job_id: short.id,
        after_seconds: 1,
        policy_version: 3,
      },
    });
    t.match(again, { status: 'succeeded' });
    const [other] = await api.tasks(short.id);
    const [ran] = (await api.attempts(other?.id ?? '')) as unknown as readonly {
      readonly started_at: string;
    }[];
    t.ok((ran?.started_at ?? '') < (again?.started_at ?? ''), 'the urgent task ran first');
    t.equal((await api.job(long.body.id)).failed_attempts, 0);
    const shown = await cli('tasks', 'show', task?.id ?? '');
    t.match(shown.out, /Attempt 1: Taken back for queue urgent, of which a task had waited/);
    const { items } = await api.must<{ items: object[] }>('GET', '/api/v1/audit?outcome=decided');
    t.match(items, [
      {
        actor: '',
        method: 'PREEMPT',
        path: `/api/v1/tasks/${task?.id ?? ''}`,
        status: 0,
        reason: /^Taken back for queue urgent, of which a task had waited .* \(.*, preemption setting 3\)/,
        decision: {
          kind: 'preemption',
          from_queue_id: farm.queueId,
          preemption: { queue: 'urgent', job_id: short.id, policy_version: 3 },
        },
      },
    ]);
    t.equal(items.length, 1, 'one entry');
    t.strictSame(
      (await api.must<{ items: object[] }>('GET', `/api/v1/audit?target=${short.id}&outcome=decided`)).items,
      items,
      'the job that waited is a target',
    );
    t.match((await cli('audit', '--outcome', 'decided')).out, /queue urgent .*decided +PREEMPT .*Taken back/);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    t.match(metrics, `svc_scheduler_task_preemptions_total{queue="${farm.queueId}"} 1`);
    t.equal((await cli('queues', 'set', 'urgent', '--preempt-after', 'never')).code, 0);
    t.notMatch(await api.must('GET', `/api/v1/queues/${urgent.id}`), { preempt_after_seconds: 1 });
  } finally {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
});
