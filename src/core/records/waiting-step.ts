import type { WorkerId } from '../ids.ts';

/** Facts about a waiting step that follow from earlier leases and sweeps only (docs/decisions/reservation.md). */
export interface WaitingStepRecord {
  readonly version: 1;
  /** Whether a later candidate was taken on a worker that had too little room for it, since its last lease. */
  readonly isOvertaken: boolean;
  /** The worker that is kept free for it; null for none. */
  readonly reservation: WaitingStepReservation | null;
}

/** A worker that is kept free for a step. */
export interface WaitingStepReservation {
  readonly workerId: WorkerId;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Set if tasks were taken back on the worker for the step. Absent is false. */
  readonly isPreemption?: true;
}
