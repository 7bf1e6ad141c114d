/**
 * State of the farm actor. An active job is either waiting (`waitsFor` is not empty, listed in `dependents` under all
 * its upstream jobs) or independent. It leaves `activeJobs` when it ends or is deleted, and returns when it is
 * reactivated.
 *
 * Invariants: `activeJobs` holds exactly the jobs of the farm that are not terminal. Queue names and worker names are
 * unique. The ordinal of a worker that has had a task is never reused. Exit: `isDeleted`, after the deletion of a farm without active jobs.
 */

import { jobId, type JobId, type QueueId } from '../../../src/core/ids.ts';
import {
  isTerminalJob,
  type JobStatus,
  type TerminalJobStatus,
} from '../../../src/core/lifecycle/job-transitions.ts';
import { rulesOfPools } from '../../../src/core/lifecycle/retry-policy.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import type { QueueEnvironmentRecord } from '../../../src/core/records/queue-environment.ts';
import type { QueueRecord } from '../../../src/core/records/queue.ts';
import { keys, lastNumberOfKey } from '../../../src/core/records/tables.ts';
import type { RetryRuleSet } from '../../../src/core/retry-rules/retry-rule.ts';
import { newExpiryLimiter, type ExpiryLimiter } from './expiry-limiter.ts';
import { KnownWorkers } from './known-workers.ts';

/** A job of the farm that is not terminal. */
export interface ActiveJob {
  queueId: QueueId;
  /** Upstream jobs that have not completed yet. */
  readonly waitsFor: Set<JobId>;
  /** All upstream jobs while it waits for any of them. Retention must not delete these. */
  upstreams: readonly JobId[];
}

/** Outcome of a job that is no longer active. */
export type UpstreamOutcome = TerminalJobStatus | 'deleted';

/** Maximum number of recent outcomes. Enough for the time between a client's read of the store and its request. */
const RECENTLY_ENDED_MAX = 10_000;

export interface FarmState {
  record: FarmRecord;
  readonly queues: Map<QueueId, QueueRecord>;
  /** Environments of all queues, by their id. */
  readonly environments: Map<string, QueueEnvironmentRecord>;
  readonly activeJobs: Map<JobId, ActiveJob>;
  /** Waiting jobs by each of their upstream jobs, completed or not. */
  readonly dependents: Map<JobId, Set<JobId>>;
  readonly recentlyEnded: Map<JobId, UpstreamOutcome>;
  readonly workers: KnownWorkers;
  /** Retry rules of all usage pools. */
  poolRules: readonly RetryRuleSet[];
  nextOrdinal: number;
  readonly expiry: ExpiryLimiter;
  isDeleted: boolean;
  /** Jobs that, at load, wait for an upstream that has failed, was canceled or was deleted. */
  readonly jobsToCancel: JobId[];
}

export function newFarmState(record: FarmRecord): FarmState {
  return {
    record,
    queues: new Map(),
    environments: new Map(),
    activeJobs: new Map(),
    dependents: new Map(),
    recentlyEnded: new Map(),
    workers: new KnownWorkers(),
    poolRules: [],
    nextOrdinal: 1,
    expiry: newExpiryLimiter(),
    isDeleted: false,
    jobsToCancel: [],
  };
}

export function loadFarm(id: string, reader: StoreReader): FarmState | null {
  const record = reader.get('farm', id);
  if (record === undefined) return null;
  const state = newFarmState(record);
  state.poolRules = rulesOfPools([...reader.scan('usagePool')].map(({ value }) => value));
  for (const { value: queue } of reader.scan('queue')) {
    if (queue.farmId !== record.id) continue;
    state.queues.set(queue.id, queue);
    for (const { value: environment } of reader.scan('queueEnvironment', {
      prefix: keys.queueEnvironmentsOf(queue.id),
    }))
      state.environments.set(environment.id, environment);
  }
  const prefix = keys.activeJobsOf(record.id);
  for (const { key } of reader.scan('activeJob', { prefix })) {
    const id = jobId(key.slice(prefix.length));
    const job = reader.get('job', id);
    if (job === undefined) throw new Error(`the store lists job ${id} as active but does not have it`);
    const waits = job.status === 'blocked' || (job.status === 'paused' && job.waitsWhilePaused === true);
    if (waits) addWaitingJob(state, job, reader);
    else addActiveJob(state, id, job.queueId);
  }
  for (const { value: worker } of reader.scan('worker')) {
    if (worker.farmId !== record.id) continue;
    const { id: workerId, name, ordinal, registeredAt, incarnation, status } = worker;
    state.workers.put({ id: workerId, name, ordinal, registeredAt, incarnation, status });
  }
  for (const { key } of reader.scan('workerOrdinal', { prefix: keys.workerOrdinalsOf(record.id) })) {
    state.nextOrdinal = lastNumberOfKey(key) + 1;
  }
  return state;
}

function addWaitingJob(state: FarmState, job: JobRecord, reader: StoreReader): void {
  const ends = job.dependsOn.map((id) => reader.get('job', id)?.status ?? 'deleted');
  const waitsFor = job.dependsOn.filter((_id, each) => ends[each] !== 'completed');
  addActiveJob(state, job.id, job.queueId, job.dependsOn, waitsFor);
  // A retried job waits for the retry of upstream jobs that had ended before.
  const awaited = new Set(job.endedUpstreams);
  const hasFailed = ends.some(
    (end, each) => end === 'deleted' || (hasFailedAs(end) && !awaited.has(job.dependsOn[each] ?? job.id)),
  );
  if (hasFailed) state.jobsToCancel.push(job.id);
}

export const hasFailedAs = (status: JobStatus): status is 'failed' | 'canceled' =>
  status === 'failed' || status === 'canceled';

/**
 * Returns the status of an upstream job, `running` for every active one; null if the job ended but the farm has no
 * record of it. `seen`: its stored status when the client sent the request.
 */
export function upstreamStatus(
  state: FarmState,
  id: JobId,
  seen: JobStatus | 'deleted',
): UpstreamOutcome | 'running' | null {
  if (state.activeJobs.has(id)) return 'running';
  const known = state.recentlyEnded.get(id);
  if (known !== undefined) return known;
  return seen === 'deleted' || isTerminalJob(seen) ? seen : null;
}

/**
 * Adds a job that is not terminal, and its dependencies if it waits for upstream jobs. Jobs that wait for it and for
 * others wait for it again, if it had completed before a skip was undone.
 */
export function addActiveJob(
  state: FarmState,
  id: JobId,
  queueId: QueueId,
  upstreams: readonly JobId[] = [],
  waitsFor: readonly JobId[] = [],
): void {
  const waiting = waitsFor.length > 0 ? upstreams : [];
  state.activeJobs.set(id, { queueId, waitsFor: new Set(waitsFor), upstreams: waiting });
  for (const dependent of state.dependents.get(id) ?? []) state.activeJobs.get(dependent)?.waitsFor.add(id);
  for (const upstream of waiting) {
    const dependents = state.dependents.get(upstream);
    if (dependents === undefined) state.dependents.set(upstream, new Set([id]));
    else dependents.add(id);
  }
}

/** Removes the dependencies of a job. */
export function removeDependencies(state: FarmState, id: JobId): void {
  const job = state.activeJobs.get(id);
  if (job === undefined) return;
  for (const upstream of job.upstreams) {
    const dependents = state.dependents.get(upstream);
    dependents?.delete(id);
    if (dependents?.size === 0) state.dependents.delete(upstream);
  }
  job.upstreams = [];
  job.waitsFor.clear();
}

export function recordOutcome(state: FarmState, id: JobId, end: UpstreamOutcome): void {
  state.recentlyEnded.delete(id);
  state.recentlyEnded.set(id, end);
  if (state.recentlyEnded.size <= RECENTLY_ENDED_MAX) return;
  for (const oldest of state.recentlyEnded.keys()) {
    state.recentlyEnded.delete(oldest);
    return;
  }
}
