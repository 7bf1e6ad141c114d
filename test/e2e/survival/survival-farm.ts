import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Test } from 'tap';
import type { JobView } from '../../kit/api-client.ts';
import { freePort, startService, startWorker, type Daemon, type RunningService } from '../../kit/daemons.ts';
import { finishedRuns, overlappingRuns, readRuns, recordingTemplate } from '../../kit/flight-recorder.ts';
import { until } from '../../kit/until.ts';
import { rounds } from '../../kit/rounds.ts';

/** Real processes: tasks on 4 workers while a process of the farm is killed at random times. */
export const TASKS = rounds(240, 500);
const WORKERS = 4;
export const CORES = 3;
const TASK_MS = 900;
export const KILLS = rounds(6, 20);
const JOB_MS = 420_000;

/** Time limit of a test, and of its file, in milliseconds. */
export const TEST_MS = 600_000;

export interface Farm {
  readonly folder: string;
  service: RunningService;
  readonly workers: Daemon[];
  readonly record: string;
  readonly jobId: string;
}

/** Starts a service and workers, submits the job, and waits until most cores run tasks. */
export async function startFarm(t: Test, flags: readonly string[] = []): Promise<Farm> {
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
  if (status !== 201) throw new Error(`the job was refused: ${JSON.stringify(body)}`);
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

/** Waits for a random time, so that kills happen in every phase of the work. */
export const moment = (): Promise<void> => delay(200 + Math.random() * 1500);

export const isRunning = async (farm: Farm): Promise<boolean> => (await jobOf(farm)).status === 'running';

/** Returns the job. Repeats the request while the service does not answer. */
async function jobOf(farm: Farm): Promise<JobView> {
  return until('the service answers', () => farm.service.api.job(farm.jobId).catch(() => null));
}

/** Waits for the end of the job and checks that no attempt was consumed. */
export async function checkCompleted(t: Test, farm: Farm): Promise<void> {
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

/**
 * Checks the attempts as the service reports them: one success for each task, and consecutive numbers. Returns the
 * number of attempts.
 */
export async function checkAttempts(t: Test, farm: Farm): Promise<number> {
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

/**
 * Checks what the processes recorded: each task finished, at most `interrupted` processes did not, and no two processes
 * of a task ran at the same time. A task finished once, except for at most `interrupted` tasks whose process ended just
 * before its worker was killed, so that no report was sent.
 */
export function checkRuns(t: Test, farm: Farm, interrupted = 0): void {
  const runs = readRuns(farm.record);
  const finished = finishedRuns(runs);
  t.equal(finished.size, TASKS, 'every task finished');
  const repeated = [...finished].filter(([, times]) => times !== 1);
  t.ok(repeated.length <= interrupted, `tasks that finished more than once: ${JSON.stringify(repeated)}`);
  t.same(overlappingRuns(runs), [], 'no task ran twice at the same time');
  const unfinished = runs.filter((run) => run.stoppedAt === null).length;
  t.ok(
    unfinished <= interrupted,
    `${unfinished} processes were interrupted, at most ${interrupted} expected`,
  );
}
