import type { AttemptId } from '../../../src/core/ids.ts';
import { NO_WORKER_FAILURES } from '../../../src/core/lifecycle/failure-tallies.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { WorkerFailuresRecord } from '../../../src/core/records/step-failures.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import { Bookings } from './bookings.ts';

export interface WorkerState {
  record: WorkerRecord;
  /** Open attempts that hold cores of the worker. */
  readonly bookings: Bookings;
  /** Which of them the worker has said that it has. In memory only: it says so with every heartbeat. */
  readonly held: Set<AttemptId>;
  /** Since when heartbeats have come without an attempt that is booked. In memory only. */
  readonly missedSince: Map<AttemptId, number>;
  failures: WorkerFailuresRecord;
  /** The time of the last heartbeat that the store has: those that say nothing new are not all written (liveness.ts). */
  storedHeartbeatAt: number;
  /** Of a worker that was loaded: it may have been heard until then, for all that the store says. */
  readonly maybeHeardAt: number;
  isRemoved: boolean;
}

/** A worker that the store does not hold yet. */
export const newWorkerState = (record: WorkerRecord): WorkerState => ({
  record,
  bookings: new Bookings(),
  held: new Set(),
  missedSince: new Map(),
  failures: NO_WORKER_FAILURES,
  storedHeartbeatAt: 0,
  maybeHeardAt: 0,
  isRemoved: false,
});

/**
 * The worker as the store holds it at `now`; null when there is none, or its farm lives on another shard. What the store says of its last
 * heartbeat is up to `heartbeatAgeMs` older than that.
 */
export function loadWorker(
  id: string,
  reader: StoreReader,
  ownsFarm: (farm: string) => boolean,
  heartbeatAgeMs: number,
  now: number,
): WorkerState | null {
  const record = reader.get('worker', id);
  if (record === undefined || !ownsFarm(record.farmId)) return null;
  return {
    ...newWorkerState(record),
    bookings: new Bookings(reader.get('booking', id)?.bookings),
    failures: reader.get('workerFailures', keys.workerFailures(record.id)) ?? NO_WORKER_FAILURES,
    storedHeartbeatAt: record.lastHeartbeatAt,
    maybeHeardAt: Math.min(now, record.lastHeartbeatAt + heartbeatAgeMs),
  };
}

export function committedCoresOf(state: WorkerState): number {
  let cores = 0;
  for (const booking of state.bookings.all()) cores += booking.cores;
  return cores;
}
