import { jobId, type JobId, type QueueId, type WorkerId } from '../../src/core/ids.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { FarmRecord } from '../../src/core/records/farm.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { keys, lastNumberOfKey } from '../../src/core/records/tables.ts';
import type { WorkerStatus } from '../../src/core/records/worker.ts';
import { newExpiryLimiter, type ExpiryLimiter } from './expiry-limiter.ts';

/** A job of the farm that is not terminal. */
export interface ActiveJob {
  queueId: QueueId;
  /** Upstream jobs that have not completed yet. */
  readonly waitsFor: Set<JobId>;
}

export interface KnownWorker {
  readonly id: WorkerId;
  readonly name: string;
  readonly ordinal: number;
  readonly registeredAt: number;
  incarnation: string;
  status: WorkerStatus;
}

/** Jobs that ended lately: enough to bridge the moment between a client's look at the store and its request. */
const RECENTLY_ENDED_MAX = 10_000;

export interface FarmState {
  record: FarmRecord;
  readonly queues: Map<QueueId, QueueRecord>;
  readonly activeJobs: Map<JobId, ActiveJob>;
  /** Jobs that wait for a job. */
  readonly dependents: Map<JobId, Set<JobId>>;
  readonly recentlyEnded: Map<JobId, JobStatus>;
  readonly workers: Map<WorkerId, KnownWorker>;
  nextOrdinal: number;
  readonly expiry: ExpiryLimiter;
  isRemoved: boolean;
}

export function newFarmState(record: FarmRecord): FarmState {
  return {
    record,
    queues: new Map(),
    activeJobs: new Map(),
    dependents: new Map(),
    recentlyEnded: new Map(),
    workers: new Map(),
    nextOrdinal: 1,
    expiry: newExpiryLimiter(),
    isRemoved: false,
  };
}

export function loadFarm(id: string, reader: StoreReader): FarmState | null {
  const record = reader.get('farm', id);
  if (record === undefined) return null;
  const state = newFarmState(record);
  for (const { value: queue } of reader.scan('queue')) {
    if (queue.farmId === record.id) state.queues.set(queue.id, queue);
  }
  const prefix = keys.activeJobsOf(record.id);
  for (const { key } of reader.scan('activeJob', { prefix })) {
    const id = jobId(key.slice(prefix.length));
    const job = reader.get('job', id);
    if (job === undefined) throw new Error(`the store has no job ${id}, which it lists as active`);
    const waits = job.status === 'blocked' || (job.status === 'paused' && job.waitsWhilePaused === true);
    const waitsFor = waits ? job.dependsOn : [];
    addActiveJob(
      state,
      id,
      job.queueId,
      waitsFor.filter((upstream) => reader.get('job', upstream)?.status !== 'completed'),
    );
  }
  for (const { value: worker } of reader.scan('worker')) {
    if (worker.farmId !== record.id) continue;
    const { id: workerId, name, ordinal, registeredAt, incarnation, status } = worker;
    state.workers.set(workerId, { id: workerId, name, ordinal, registeredAt, incarnation, status });
  }
  for (const { key } of reader.scan('workerOrdinal', { prefix: keys.workerOrdinalsOf(record.id) })) {
    state.nextOrdinal = lastNumberOfKey(key) + 1;
  }
  return state;
}

export function addActiveJob(
  state: FarmState,
  id: JobId,
  queueId: QueueId,
  waitsFor: readonly JobId[],
): void {
  state.activeJobs.set(id, { queueId, waitsFor: new Set(waitsFor) });
  for (const upstream of waitsFor) {
    const waiting = state.dependents.get(upstream);
    if (waiting === undefined) state.dependents.set(upstream, new Set([id]));
    else waiting.add(id);
  }
}

export function rememberEnded(state: FarmState, id: JobId, status: JobStatus): void {
  state.recentlyEnded.set(id, status);
  if (state.recentlyEnded.size <= RECENTLY_ENDED_MAX) return;
  for (const oldest of state.recentlyEnded.keys()) {
    state.recentlyEnded.delete(oldest);
    return;
  }
}
