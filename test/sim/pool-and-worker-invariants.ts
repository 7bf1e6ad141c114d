import type { JobState } from '../../actors/service/job/state.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import type { FarmView } from './service-view.ts';
import { attemptIdOf, parseAttemptId, workerId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import { indexedAttempts } from '../../src/core/records/attempts-of-worker.ts';
import type { Invariant } from './invariant-frame.ts';

/** I7: the holders of a pool are the open attempts of the steps that name it. */
export const poolsAreHeldByOpenAttempts: Invariant = {
  name: 'the used slots of a usage pool are those of open attempts',
  check: ({ store, farms, tallies }) => {
    for (const { value: pool } of store.scan('usagePool')) {
      const name = pool.name.toLowerCase();
      let holders = 0;
      for (const { jobs, lease, workers } of farms) {
        const { maxConcurrent, counts } = lease.pools.stateOf(name);
        if (maxConcurrent !== pool.maxConcurrent || counts !== pool.counts) return null;
        holders += slotsHeld(jobs, workers, pool);
      }
      const inUse = tallies.total(pool.slot);
      if (inUse !== holders) return `${pool.name}: ${inUse} slots are in use, open attempts hold ${holders}`;
    }
    return null;
  },
};

/** Slots of the pool that the open attempts of a farm hold (docs/policy.md#what-a-pool-counts). */
export function slotsHeld(
  jobs: FarmView['jobs'],
  workers: FarmView['workers'],
  { name: written, counts }: Pick<UsagePoolRecord, 'name' | 'counts'>,
): number {
  const name = written.toLowerCase();
  let slots = 0;
  const hosts = new Set<string>();
  for (const job of jobs) {
    for (const attempt of job.openAttempts.values()) {
      const needs = job.steps[parseAttemptId(attempt.id)?.stepOrder ?? -1]?.plan.requirements;
      if (needs?.pools.includes(name) !== true) continue;
      slots += counts === 'amounts' ? (needs.poolAmounts?.[name] ?? 1) : 1;
      const host = workers.find(({ record }) => record.id === attempt.workerId)?.record.hostname;
      hosts.add(host ?? attempt.workerId);
    }
  }
  return counts === 'hosts' ? hosts.size : slots;
}

/** Live tasks of the job that hold a slot of the pool. */
export function holdersOf(job: JobState, pool: string): number {
  let holders = 0;
  for (const { plan, record } of job.steps) {
    if (plan.requirements.pools.includes(pool))
      holders += record.taskCounts.assigned + record.taskCounts.running;
  }
  return holders;
}

/** The failure counts by step and worker equal the failed attempts. */
export const failuresAreCounted: Invariant = {
  name: 'the failures of a step by worker are its failed attempts',
  check: ({ store }) => {
    const expected = new Map<string, number>();
    for (const { value: attempt } of store.scan('attempt')) {
      const address = parseAttemptId(attempt.id);
      if (address === null || attempt.status !== 'failed' || attempt.reclaimed === true) continue;
      if (attempt.outage !== undefined) continue;
      if (attempt.rule?.action === 'requeue' || attempt.rule?.action === 'raise') continue;
      const key = keys.stepFailures(address.jobId, address.stepOrder, attempt.workerId);
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
    for (const { key, value } of store.scan('stepFailures')) {
      if (value.failures !== (expected.get(key) ?? 0))
        return `${key}: counted ${value.failures}, actual ${expected.get(key) ?? 0}`;
      expected.delete(key);
    }
    for (const [key, failures] of expected) return `${key}: counted 0, actual ${failures}`;
    return null;
  },
};

/** The index by worker has exactly the closed attempts of the jobs that exist. */
export const attemptsAreIndexed: Invariant = {
  name: 'every closed attempt is in the index of its worker',
  check: ({ store }) => {
    const expected = new Set<string>();
    for (const { value: attempt } of store.scan('attempt')) {
      const address = parseAttemptId(attempt.id);
      if (address === null || attempt.endedAt === undefined) continue;
      if (isThere(store.get('job', address.jobId))) expected.add(`${attempt.workerId} ${attempt.id}`);
    }
    const workers = new Set(
      [...store.scan('workerAttempt')].map(({ key }) => key.slice(0, key.indexOf('/'))),
    );
    for (const worker of workers) {
      for (const { attempt } of indexedAttempts(store, workerId(worker), null)) {
        if (!isThere(store.get('job', attempt.jobId))) continue;
        const entry = `${worker} ${attemptIdOf(attempt)}`;
        if (!expected.delete(entry)) return `the index has ${entry}, which is open, or there twice`;
      }
    }
    for (const entry of expected) return `the index lacks ${entry}`;
    return null;
  },
};

/** A timer ends the holds of usage pools in a lease actor. */
export const holdsOfPoolsEnd: Invariant = {
  name: 'a usage pool is held back until the end of its hold',
  check: ({ store, farms, now, isClockSteady }) => {
    if (!isClockSteady) return null;
    for (const { value: pool } of store.scan('usagePool')) {
      for (const { lease } of farms) {
        const { hold } = lease.pools.stateOf(pool.name.toLowerCase());
        if (hold !== undefined && hold.until < now)
          return `${pool.name} is held back at ${now}, after ${hold.until}`;
      }
    }
    return null;
  },
};

/** A deleted worker leaves no rows, except for its number and its closed attempts. */
export const noRowsOfDeletedWorkersRemain: Invariant = {
  name: 'the rows of a worker are deleted with it',
  check: ({ store }) => {
    for (const table of ['booking', 'workerFailures'] as const) {
      for (const { key } of store.scan(table)) {
        if (!isThere(store.get('worker', key))) return `${table} ${key} belongs to no worker`;
      }
    }
    return null;
  },
};

const isThere = (row: unknown): boolean => row !== undefined;

/** The pools of lease actors equal those of the catalog. */
export const farmsKnowPools: Invariant = {
  name: 'in the end every farm has every usage pool',
  check: ({ store, farms }) => {
    for (const { value: pool } of store.scan('usagePool')) {
      for (const { lease } of farms) {
        const { maxConcurrent } = lease.pools.stateOf(pool.name.toLowerCase());
        if (maxConcurrent !== pool.maxConcurrent)
          return `${pool.name} has ${pool.maxConcurrent}, not ${maxConcurrent}`;
      }
    }
    return null;
  },
};
