/**
 * State of the worker actor. Statuses and transitions: src/core/lifecycle/worker-transitions.ts. `draining` and
 * `departed` are flags of the record.
 *
 * Invariants: every booked attempt is open in its job, every exiting one is closed. `held`, `overdue` and `reclaimed`
 * contain only booked attempts, `missedSince` only booked and exiting ones, `ending` only exiting ones. A timer checks liveness while the worker is
 * online or has booked or exiting attempts. Exits: the worker or its farm is
 * deleted.
 */

import { parseAttemptId, type AttemptId } from '../../../src/core/ids.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';
import { holdingOf, type Holding } from '../../../src/core/records/holding.ts';
import { NO_WORKER_FAILURES } from '../../../src/core/lifecycle/failure-tallies.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { WorkerFailuresRecord } from '../../../src/core/records/step-failures.ts';
import { NO_EVIDENCE } from '../../../src/core/quarantine/evidence.ts';
import type { QuarantineSetting } from '../../../src/core/records/farm.ts';
import type { WorkerEvidenceRecord } from '../../../src/core/records/worker-evidence.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { Booking, EndingBookings, WorkerRecord } from '../../../src/core/records/worker.ts';
import { WorkerUses, type StepCores } from '../../../src/core/lease/worker-uses.ts';
import { Bookings } from './bookings.ts';

export interface WorkerState {
  record: WorkerRecord;
  /** Open attempts that hold cores of the worker. */
  readonly bookings: Bookings;
  /** Booked attempts that the worker has reported. In memory only: every heartbeat reports them. */
  readonly held: Set<AttemptId>;
  /** Canceled attempts whose processes may still run on the worker (exiting-attempts.ts). */
  readonly exiting: Set<AttemptId>;
  /**
   * Those of them that were taken back. They hold their resources until their end, for the step that the worker is kept
   * free for (docs/policy.md#preemption). Null for none.
   */
  ending: EndingBookings | null;
  /** Booked attempts that a job was requested to reclaim and has not released yet. In memory only. */
  readonly reclaimed: Set<AttemptId>;
  /** Time of the first heartbeat without a booked or exiting attempt. In memory only. */
  readonly missedSince: Map<AttemptId, number>;
  /**
   * Booked attempts that were not reported in time. They are reclaimed once the bus has confirmed the connection. In
   * memory only: their jobs repeat the request.
   */
  readonly overdue: Set<AttemptId>;
  failures: WorkerFailuresRecord;
  /** Empty while the farm puts no workers in quarantine. */
  evidence: WorkerEvidenceRecord;
  /** Setting of the farm; null if it never had one. */
  quarantine: QuarantineSetting | null;
  /** Time of the stored heartbeat: not every heartbeat is written (liveness.ts). */
  storedHeartbeatAt: number;
  /** For a loaded worker: the latest time at which an unstored heartbeat may have arrived. */
  readonly maybeContactAt: number;
  isDeleted: boolean;
}

/** Returns the state of a new worker. */
export const newWorkerState = (record: WorkerRecord): WorkerState => ({
  record,
  bookings: new Bookings(),
  held: new Set(),
  exiting: new Set(),
  ending: null,
  reclaimed: new Set(),
  missedSince: new Map(),
  overdue: new Set(),
  failures: NO_WORKER_FAILURES,
  evidence: NO_EVIDENCE,
  quarantine: null,
  storedHeartbeatAt: 0,
  maybeContactAt: 0,
  isDeleted: false,
});

/**
 * Loads a worker at `now`. Returns null if there is none, or if another shard owns its farm. The stored heartbeat may
 * be up to `heartbeatAgeMs` older than the last one.
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
  const held = reader.get('booking', id);
  return {
    ...newWorkerState(record),
    bookings: new Bookings(held?.bookings),
    exiting: new Set(held?.exiting),
    ending: held?.ending ?? null,
    failures: reader.get('workerFailures', keys.workerFailures(record.id)) ?? NO_WORKER_FAILURES,
    evidence: reader.get('workerEvidence', keys.workerEvidence(record.id)) ?? NO_EVIDENCE,
    quarantine: reader.get('farm', keys.farm(record.farmId))?.quarantine ?? null,
    storedHeartbeatAt: record.lastHeartbeatAt,
    maybeContactAt: Math.min(now, record.lastHeartbeatAt + heartbeatAgeMs),
  };
}

/** Returns the step of a booked attempt. Throws for an invalid attempt id. */
export function stepOfAttempt(attemptId: AttemptId): StepName {
  const attempt = parseAttemptId(attemptId);
  if (attempt === null) throw new Error(`a booking has the invalid attempt id ${attemptId}`);
  return attempt;
}

/** Returns the cores that attempts hold, by step. */
export function usesOf(state: WorkerState): readonly StepCores[] {
  const uses = new WorkerUses();
  for (const { attemptId, cores } of holdersOf(state)) {
    const { jobId, stepOrder } = stepOfAttempt(attemptId);
    uses.add(jobId, stepOrder, cores);
  }
  return uses.all();
}

/** Returns all bookings that hold resources: of open attempts, and of those that were taken back and have not ended. */
const holdersOf = ({ bookings, ending }: WorkerState): readonly Booking[] =>
  ending === null ? bookings.all() : [...bookings.all(), ...ending.bookings];

/** Returns what the booked attempts hold besides cores. */
export const holdingsOf = (state: WorkerState): readonly Holding[] =>
  holdersOf(state).flatMap((booking) => holdingOf(booking) ?? []);

export function committedCoresOf(state: WorkerState): number {
  let cores = 0;
  for (const booking of holdersOf(state)) cores += booking.cores;
  return cores;
}
