import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { parseMetrics, type Scrape } from '../kit/metrics-text.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** A job of one step with `tasks` tasks of one core that run a shell command. */
const template = (name: string, tasks: number, line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } },
    },
  ],
});

await test('the metrics of a running service show its activity', { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-metrics-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-shards=2'],
  });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const worker = startWorker(service, 'one', ['--worker-cpus=1']);
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  const scrape = async (): Promise<Scrape> => {
    const response = await fetch(`${api.url}/metrics`);
    t.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    return parseMetrics(await response.text());
  };
  /** Waits for a scrape with these samples. */
  const shows = (what: string, samples: Readonly<Record<string, number>>): Promise<Scrape> =>
    until(what, async () => {
      const seen = await scrape();
      return Object.entries(samples).every(([name, value]) => seen.value(name) === value) ? seen : null;
    });

  await shows('the worker is idle', {
    'svc_workers{status="online"}': 1,
    'svc_scheduler_jobs{status="running"}': 0,
    svc_scheduler_parked_requests: 1,
  });
  const retried = await farm.submit(template('retried', 1, 'exit 3'), {
    max_attempts: '3',
    retry_delay_seconds: '0',
  });
  t.equal(retried.status, 201);
  const ended = await shows('the job has failed after two retries', {
    [`svc_scheduler_task_retries_total{queue="${farm.queueId}"}`]: 2,
    svc_scheduler_leased_tasks_total: 3,
    'svc_scheduler_leases_total{answer="leased"}': 3,
    svc_scheduler_lease_seconds_count: 3,
    'svc_scheduler_lease_seconds_bucket{le="+Inf"}': 3,
    'svc_scheduler_tasks{status="running"}': 0,
  });
  t.ok(
    (ended.value('svc_scheduler_lease_wait_seconds_count') ?? 0) >= 1,
    'the first request waited for the job',
  );
  t.ok((ended.value('svc_scheduler_lease_seconds_sum') ?? 0) > 0);
  await farm.submit(template('quick', 10, 'true'));
  const quick = await shows('ten short tasks have ended', {
    svc_scheduler_leased_tasks_total: 13,
    'svc_scheduler_tasks{status="ready"}': 0,
    'svc_scheduler_tasks{status="assigned"}': 0,
    'svc_scheduler_tasks{status="running"}': 0,
  });
  const waited = quick.value('svc_scheduler_lease_wait_seconds_count') ?? Infinity;
  const leased = quick.value('svc_scheduler_lease_seconds_count') ?? 0;
  t.ok(waited < leased, `${waited} of ${leased} waited: ready tasks are assigned immediately`);
  t.ok((ended.value('svc_store_commit_seconds_count') ?? 0) > 3);
  t.equal(ended.value(`svc_scheduler_jobs_autoparked_total{queue="${farm.queueId}"}`), 0);

  await farm.submit(template('parked', 3, 'exit 3'), { failure_limit: '1' });
  await shows('the job is parked with its remaining tasks', {
    [`svc_scheduler_jobs_autoparked_total{queue="${farm.queueId}"}`]: 1,
    'svc_scheduler_jobs{status="paused"}': 1,
    'svc_scheduler_tasks{status="ready"}': 2,
  });
  await farm.submit(template('long', 3, 'sleep 600'));
  const running = await shows('one of its tasks runs', {
    'svc_scheduler_jobs{status="running"}': 1,
    'svc_scheduler_tasks{status="ready"}': 4,
    'svc_scheduler_tasks{status="assigned"}': 0,
    'svc_scheduler_tasks{status="running"}': 1,
    'svc_workers{status="online"}': 1,
    'svc_workers{status="offline"}': 0,
  });
  for (const thread of ['front', 'shard 0', 'shard 1', 'store', 'logs']) {
    for (const stat of ['mean', 'p99', 'max']) {
      const lag = running.value(`svc_event_loop_lag_seconds{thread="${thread}",stat="${stat}"}`);
      t.ok(lag !== undefined && lag >= 0, `${thread} ${stat}`);
    }
  }
  for (const stream of ['status', 'presence', 'logs'])
    t.equal(running.value(`svc_bus_redeliveries_total{stream="${stream}"}`), 0);
  t.ok((running.value('process_resident_memory_bytes') ?? 0) > 0);
});
