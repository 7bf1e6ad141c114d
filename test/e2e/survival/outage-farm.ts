import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort, startService, startWorker, type Daemon, type RunningService } from '../../kit/daemons.ts';
import { finishedRuns, readRuns, recordingTemplate } from '../../kit/flight-recorder.ts';
import { until } from '../../kit/until.ts';
import { busPid } from './bus-process.ts';

/** Real processes: long tasks on two workers during an outage of the service, its bus or both. */
const WORKERS = 2;
const CORES = 3;
/** Every task runs from the start, so the outage hits all of them. */
export const TASKS = WORKERS * CORES;
export const HEARTBEAT_TIMEOUT_MS = 2_000;

/** Time limit of a test, and of its file, in milliseconds. */
export const TEST_MS = 300_000;

export interface OutageFarm {
  readonly folder: string;
  service: RunningService;
  readonly workers: readonly Daemon[];
  readonly record: string;
  readonly jobId: string;
}

export interface OutageOptions {
  readonly taskMs: number;
  readonly flags?: readonly string[];
}

/** Starts a farm with a heartbeat timeout of 2 s, whose managed bus survives the service, and waits until all tasks run. */
export async function startOutageFarm(t: Test, { taskMs, flags = [] }: OutageOptions): Promise<OutageFarm> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-outage-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    keepsBus: true,
    flags: [`--scheduler-heartbeat-timeout=${HEARTBEAT_TIMEOUT_MS / 1000}s`, ...flags],
  });
  const show = await service.api.makeFarm('show');
  const workers = Array.from({ length: WORKERS }, (_unused, index) =>
    startWorker(service, `w${index}`, [`--worker-cpus=${CORES}`]),
  );
  const record = join(folder, 'record.txt');
  const { status, body } = await show.submit(recordingTemplate(record, TASKS, taskMs));
  if (status !== 201) throw new Error(`the job was refused: ${JSON.stringify(body)}`);
  const farm: OutageFarm = { folder, service, workers, record, jobId: body.id };
  t.teardown(async () => {
    await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
    await farm.service.daemon.kill('SIGTERM');
    const bus = busPid(farm);
    if (bus !== null) process.kill(bus, 'SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
  });
  await until('every task runs', async () => (await service.api.job(body.id)).task_counts.running === TASKS);
  return farm;
}

/** Starts the service again with the same data. */
export async function startAgain(farm: OutageFarm): Promise<void> {
  farm.service = await startService(farm.service);
}

/** Returns how often a text is in the logs of the workers. */
export const countInLogs = ({ workers }: OutageFarm, text: string): number =>
  workers.reduce((count, worker) => count + worker.log().split(text).length - 1, 0);

/** Waits for the end of the job. Checks that each task has one attempt, which ran to its end once. */
export async function checkNothingLost(t: Test, farm: OutageFarm): Promise<void> {
  const { api } = farm.service;
  const job = await until(
    'the job has ended',
    async () => {
      const view = await api.job(farm.jobId).catch(() => null);
      return view !== null && ['completed', 'failed', 'canceled'].includes(view.status) ? view : null;
    },
    TEST_MS,
  );
  t.equal(job.status, 'completed');
  t.match(job.task_counts, { total: TASKS, succeeded: TASKS });
  for (const task of await api.tasks(farm.jobId))
    t.match(await api.attempts(task.id), { length: 1 }, 'one attempt');
  const runs = readRuns(farm.record);
  t.equal(runs.length, TASKS, 'every task was started once');
  t.equal(finishedRuns(runs).size, TASKS, 'every task ran to its end');
  t.equal(countInLogs(farm, 'the tasks of this worker are stopped'), 0, 'no worker stopped its tasks');
}
