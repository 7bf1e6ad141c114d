import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ContractFarm, Gate, jobOf, type TaskDoc, type WorkerDoc } from '../../kit/contract-bench.ts';
import { freePort, startService, type RunningService } from '../../kit/daemons.ts';

/** A service in a temporary folder, with its farms. */
export interface SchedulingFixture {
  readonly service: RunningService;
  readonly createFarm: (name: string, fields?: object) => Promise<ContractFarm>;
  /** Creates a closed gate with a new file. */
  readonly createGate: () => Gate;
}

/** Fixture of the cases about tasks and jobs: failed attempts are retried without a delay. */
export interface FlowContext extends SchedulingFixture {
  /** Farm without workers. */
  readonly quiet: ContractFarm;
  /** Farm of the worker `solo`. */
  readonly farm: ContractFarm;
  /** Worker with one core. */
  readonly solo: WorkerDoc;
  /** Returns a shell command that fails with status 3 the first `failures` times, and then succeeds. */
  readonly failingLine: (failures: number) => string;
}

/** Fixture of the cases about leases: a ready task that no worker can run gets its reason after 1 s. */
export interface LeaseContext extends SchedulingFixture {
  /** Farm `pack`. From the first case on, its worker `quad` has 4 cores. */
  readonly farm: ContractFarm;
  /** Farm without workers. */
  readonly empty: ContractFarm;
  /** Farm of the worker `one`, which is stopped by a signal while a task is assigned to it. */
  readonly frozen: ContractFarm;
  /** Keeps the task that is assigned to the stopped worker, for a later case. */
  readonly setStaleTask: (task: TaskDoc) => void;
  /** Returns the kept task. Throws if there is none. */
  readonly staleTask: () => TaskDoc;
}

/** Fixture of the cases about timeouts: heartbeats 2 s, retention 2 s, reservation after 3 s. */
export interface LivenessContext extends SchedulingFixture {
  readonly farm: ContractFarm;
  /** Usage pool `nuke` with one slot. */
  readonly pool: { readonly id: string };
}

/** Shell command that succeeds. */
export const OK = 'true';
export const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** Counter of automatic retries, by queue. */
export const RETRIES = 'svc_scheduler_task_retries_total';
/** Counter of jobs that reached their failure limit, by queue. */
export const PARKS = 'svc_scheduler_jobs_autoparked_total';

/** Starts a service. Stops it and its workers when the test ends. */
export async function startScheduling(t: Test, ...flags: readonly string[]): Promise<SchedulingFixture> {
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
  let gates = 0;
  return {
    service,
    createFarm: async (name, fields = {}) => {
      const farm = await ContractFarm.make(service, name, fields);
      farms.push(farm);
      return farm;
    },
    createGate: () => new Gate(folder, `gate-${gates++}`),
  };
}

/** Returns a template of one task with these requirements. */
export const needing = (...attributes: readonly object[]): object =>
  jobOf('needing', { line: OK, attributes });

/** Waits until the first task of a job has this reason, checks the counts of the job, and returns the task. */
export async function becomesUnschedulable(
  t: Test,
  farm: ContractFarm,
  jobId: string,
  reason: string,
): Promise<TaskDoc> {
  const task = await farm.waitForTask(
    jobId,
    0,
    `the reason is ${reason}`,
    (each) => each.unschedulable_reason === reason,
  );
  const { status, task_counts: counts } = await farm.job(jobId);
  t.match(
    { status, counts },
    { status: 'pending', counts: { unschedulable: counts['ready'], total: counts['ready'] } },
  );
  return task;
}

/** Waits until the job is completed, and checks that its reason is cleared. */
export async function becomesSchedulable(t: Test, farm: ContractFarm, jobId: string): Promise<void> {
  await farm.waitForJobStatus(jobId);
  t.notOk('unschedulable_reason' in (await farm.task(jobId)));
  t.equal((await farm.job(jobId)).task_counts['unschedulable'], 0);
}
