import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import tap, { test, type Test } from 'tap';
import type { JobView } from '../kit/api-client.ts';
import { freePort, startService, startWorker, type Daemon, type RunningService } from '../kit/daemons.ts';
import { finishedRuns, readRuns, recordingTemplate } from '../kit/flight-recorder.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(1_500_000);

/** Nothing is lost: real processes, killed at random moments while 500 tasks run on 4 workers. */
const TASKS = 500;
const WORKERS = 4;
const CORES = 3;
const TASK_MS = 900;
const KILLS = 20;
const JOB_MS = 420_000;

interface Farm {
  readonly folder: string;
  service: RunningService;
  readonly workers: Daemon[];
  readonly record: string;
  readonly jobId: string;
}

async function startFarm(t: Test, flags: readonly string[] = []): Promise<Farm> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-survival-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags,
  });
  const show = await service.api.makeFarm('show');
  const workers = Array.from({ length: WORKERS }, (_unused, index) =>
    startWorker(service, `w${index}`, [`--worker-cpus=${CORES}`]),
  );
  const record = join(folder, 'record.txt');
  const { status, body } = await show.submit(recordingTemplate(record, TASKS, TASK_MS));
  if (status !== 201) throw new Error(`the job was not taken: ${JSON.stringify(body)}`);
  const farm: Farm = { folder, service, workers, record, jobId: body.id };
  t.teardown(async () => {
    await Promise.all(farm.workers.map((worker) => worker.kill('SIGTERM')));
    await farm.service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
  });
  await until('every worker is online', async () => {
    const { total } = await service.api.must<{ total: number }>('GET', '/api/v1/workers?status=online');
    return total === WORKERS;
  });
  await until(
    'tasks run',
    async () => (await service.api.job(body.id)).task_counts.running > (WORKERS - 1) * CORES,
  );
  return farm;
}

/** A random moment, so that the kill meets every phase of the work. */
const moment = (): Promise<void> => delay(200 + Math.random() * 1500);

const isRunning = async (farm: Farm): Promise<boolean> => (await jobOf(farm)).status === 'running';

/** The job, however often the service is not there to ask. */
async function jobOf(farm: Farm): Promise<JobView> {
  return until('the service answers', () => farm.service.api.job(farm.jobId).catch(() => null));
}

async function completed(t: Test, farm: Farm): Promise<void> {
  const job = await until(
    'the job is terminal',
    async () => {
      const view = await jobOf(farm);
      return ['completed', 'failed', 'canceled'].includes(view.status) ? view : null;
    },
    JOB_MS,
  );
  t.equal(job.status, 'completed');
  t.match(job.task_counts, { total: TASKS, succeeded: TASKS });
  t.equal(job.failed_attempts, 0, 'no attempt was consumed');
}

/** The service's own book: each task has exactly one attempt that succeeded, and numbers without gaps. */
async function checkAttempts(t: Test, farm: Farm): Promise<number> {
  let attempts = 0;
  const wrong: string[] = [];
  for (const task of await farm.service.api.tasks(farm.jobId)) {
    const ofTask = await farm.service.api.attempts(task.id);
    attempts += ofTask.length;
    const succeeded = ofTask.filter((attempt) => attempt.status === 'succeeded').length;
    const open = ofTask.filter((attempt) => attempt.ended_at === undefined).length;
    const isDense = ofTask.every((attempt, index) => attempt.attempt_number === index + 1);
    if (succeeded !== 1 || open !== 0 || !isDense) wrong.push(`${task.id}: ${JSON.stringify(ofTask)}`);
  }
  t.same(wrong, [], 'every task succeeded exactly once');
  return attempts;
}

/** The processes' own evidence: each task ran to its end exactly once. */
function checkRuns(t: Test, farm: Farm, interrupted = 0): void {
  const runs = readRuns(farm.record);
  const finished = finishedRuns(runs);
  t.equal(finished.size, TASKS, 'every task ran to its end');
  t.same(
    [...finished].filter(([, times]) => times !== 1),
    [],
    'and none twice',
  );
  const unfinished = runs.filter((run) => run.stoppedAt === null).length;
  t.ok(unfinished <= interrupted, `${unfinished} processes were disturbed, at most ${interrupted} may be`);
}

await test('the service is killed 20 times', { timeout: 600_000 }, async (t) => {
  const farm = await startFarm(t);
  let kills = 0;
  while (kills < KILLS && (await isRunning(farm))) {
    await moment();
    await farm.service.daemon.kill();
    kills++;
    farm.service = await startService(farm.service);
  }
  t.equal(kills, KILLS);
  await completed(t, farm);
  const attempts = await checkAttempts(t, farm);
  t.comment(`${attempts - TASKS} attempts were assigned and lost in transit`);
  checkRuns(t, farm);
});

await test('nats-server is killed 20 times', { timeout: 600_000 }, async (t) => {
  const farm = await startFarm(t);
  const config = join(farm.folder, 'data', 'bus');
  const serverPid = (): number | null => {
    try {
      return Number(
        execFileSync('pgrep', ['-f', `nats-server.*${config}`], { encoding: 'utf8' }).split('\n')[0],
      );
    } catch {
      return null;
    }
  };
  let kills = 0;
  let last = 0;
  while (kills < KILLS && (await isRunning(farm))) {
    await moment();
    const pid = await until('nats-server runs again', () => {
      const found = serverPid();
      return found !== null && found !== last ? found : null;
    });
    process.kill(pid, 'SIGKILL');
    last = pid;
    kills++;
    await until('the service is ready again', async () => {
      const { status } = await farm.service.api.call('GET', '/readyz');
      return serverPid() !== last && status === 200;
    });
  }
  t.equal(kills, KILLS);
  await completed(t, farm);
  await checkAttempts(t, farm);
  checkRuns(t, farm);
});

await test('a worker is killed', { timeout: 600_000 }, async (t) => {
  const farm = await startFarm(t, ['--scheduler-heartbeat-timeout=6s']);
  const victim = farm.workers[0];
  if (victim === undefined) throw new Error('there is no worker');
  await victim.kill();
  const offline = await until('the worker is offline', async () => {
    const { items } = await farm.service.api.must<{ items: { id: string; name: string; status: string }[] }>(
      'GET',
      '/api/v1/workers',
    );
    return items.find((worker) => worker.name === 'w0' && worker.status === 'offline') ?? null;
  });
  await completed(t, farm);
  await checkAttempts(t, farm);
  checkRuns(t, farm, CORES);
  const lost = [];
  for (const task of await farm.service.api.tasks(farm.jobId)) {
    for (const attempt of await farm.service.api.attempts(task.id)) {
      if (attempt.message === 'worker went offline') lost.push(attempt.worker_id);
    }
    t.equal(task.failure_reason, undefined);
  }
  t.ok(lost.length > 0 && lost.length <= CORES, `${lost.length} tasks came back`);
  t.ok(lost.every((worker) => worker === offline.id));
});
