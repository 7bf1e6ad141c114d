import { until } from '../kit/until.ts';
import { uptimeNow } from './evidence.ts';
import {
  FaultFarm,
  waitSeconds,
  tasksOf,
  type FaultFarmOptions,
  type FaultWorker,
  type SeenAttempt,
} from './fault-farm.ts';
import { descendants } from './process-list.ts';
import { round2, valueAtQuantile, type RowResult } from './row.ts';
import { Trials } from './trial.ts';

export interface DeathPlan {
  readonly farm: FaultFarmOptions;
  readonly rounds: number;
}

/** Time after the end of its daemon by which no process of a worker may be left. */
const ORPHAN_SECONDS = 25;
/** Message of a reclaimed attempt. */
const OFFLINE_MESSAGE = 'worker went offline';
const RESTARTED_MESSAGE = 'the worker was restarted';

/** F10: the daemon is killed while its tasks run. */
export async function daemonCrashes(plan: DeathPlan): Promise<RowResult> {
  const farm = await FaultFarm.start(plan.farm);
  try {
    const trials = new Trials(farm);
    const childSeconds: number[] = [];
    const reclaimSeconds: number[] = [];
    const violations: string[] = [];
    let orphans = 0;
    for (let round = 0; round < plan.rounds; round++) {
      const victims = await trials.victims();
      const before = await farm.openAttempts(victims);
      const killedAt = uptimeNow();
      await Promise.all(victims.map(({ daemon }) => daemon.kill('SIGKILL')));
      const left = await waitForChildren(victims, killedAt, childSeconds);
      orphans += left;
      const closed = await farm.closed(before);
      reclaimSeconds.push(uptimeNow() - killedAt);
      violations.push(...notReclaimed(closed, OFFLINE_MESSAGE));
      for (const worker of victims) farm.restart(worker);
      await farm.areOnline(victims);
    }
    if (orphans > 0)
      violations.push(`${orphans} processes were left ${ORPHAN_SECONDS} s after the end of their daemon`);
    const kills = plan.farm.victims * plan.rounds;
    return await settled(farm, trials, violations, {
      row: 'F10',
      title: 'daemons killed while their tasks run',
      means: 'SIGKILL',
      figures: {
        kills,
        [`orphans after ${ORPHAN_SECONDS} s`]: orphans,
        'last child gone p50 s': round2(valueAtQuantile(childSeconds, 0.5)),
        'last child gone max s': round2(Math.max(...childSeconds)),
        'reclaimed p50 s': round2(valueAtQuantile(reclaimSeconds, 0.5)),
        'reclaimed max s': round2(Math.max(...reclaimSeconds)),
      },
    });
  } finally {
    await farm.stop();
  }
}

/** F11: the machine fails with all of its processes, and is back within seconds. */
export async function reboots(plan: DeathPlan): Promise<RowResult> {
  const farm = await FaultFarm.start(plan.farm);
  try {
    const trials = new Trials(farm);
    const latencies: number[] = [];
    const violations: string[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const victims = await trials.victims();
      const before = await farm.openAttempts(victims);
      for (const { daemon } of victims) for (const pid of descendants(daemon.pid)) killIfThere(pid);
      await Promise.all(victims.map(({ daemon }) => daemon.ended));
      const startedAt = uptimeNow();
      for (const worker of victims) farm.restart(worker);
      const closed = await farm.closed(before);
      latencies.push(uptimeNow() - startedAt);
      violations.push(...notReclaimed(closed, RESTARTED_MESSAGE));
      await farm.areOnline(victims);
    }
    return await settled(farm, trials, violations, {
      row: 'F11',
      title: 'machines that go down and come back at once',
      means: 'SIGKILL of the daemon, its guards and tasks; a new daemon',
      figures: {
        reboots: plan.farm.victims * plan.rounds,
        'heartbeat timeout s': plan.farm.heartbeatTimeoutSeconds,
        'reclaimed after the start p50 s': round2(valueAtQuantile(latencies, 0.5)),
        'reclaimed after the start p99 s': round2(valueAtQuantile(latencies, 0.99)),
      },
    });
  } finally {
    await farm.stop();
  }
}

/** Waits until none of these processes is left, at most `ORPHAN_SECONDS`. Returns the number that is left. */
async function waitForChildren(
  victims: readonly FaultWorker[],
  killedAt: number,
  seconds: number[],
): Promise<number> {
  const count = (): number => victims.flatMap(tasksOf).length;
  try {
    await until('the child processes have exited', () => count() === 0, ORPHAN_SECONDS * 1000);
  } catch {
    await waitSeconds(Math.max(0, killedAt + ORPHAN_SECONDS - uptimeNow()));
  }
  seconds.push(uptimeNow() - killedAt);
  return count();
}

/** Attempts that had not ended a moment before must have been reclaimed. */
const notReclaimed = (attempts: readonly SeenAttempt[], expected: string): string[] =>
  attempts
    .filter(({ status, message }) => status !== 'succeeded' && message !== expected)
    .map((attempt) => `an attempt was not reclaimed: ${JSON.stringify(attempt)}`);

async function settled(
  farm: FaultFarm,
  trials: Trials,
  violations: readonly string[],
  {
    figures,
    ...row
  }: Pick<RowResult, 'row' | 'title' | 'means'> & { readonly figures: RowResult['lines'][number] },
): Promise<RowResult> {
  const { consumed, wrong } = await farm.finish();
  const found = trials.newOverlaps();
  return {
    ...row,
    lines: [{ ...figures, overlaps: found.length, 'attempts consumed': consumed }],
    violations: [
      ...violations,
      ...found.map((overlap) => `two runs of a task overlapped: ${JSON.stringify(overlap)}`),
      ...(consumed > 0 ? [`${consumed} attempts were used`] : []),
      ...wrong,
    ],
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
