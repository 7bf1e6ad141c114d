import { needsOf } from './retry-rule-oracle.ts';
import type { Reservation } from '../../src/core/lease/reservations.ts';
import type { JobId, WorkerId } from '../../src/core/ids.ts';
import { mayRun, takesTasks } from './eligibility-oracle.ts';
import type { FarmView } from './service-view.ts';
import { Violation } from './violation.ts';

/** Maximum share of the online workers that are reserved; one worker always may be (docs/decisions/reservation.md). */
const SHARE_MAX = 0.1;

/** The reserved workers before a turn. */
export type ReservedBefore = ReadonlyMap<WorkerId, Reservation>;

/**
 * Checks the workers reserved in this turn: each for a step with tasks that have waited long enough and that the worker
 * is eligible for. After a clock step, the wait of a task is unknown.
 */
export function judgeReservations(
  view: FarmView,
  before: ReservedBefore,
  now: number,
  afterMs: number,
  isClockSteady: boolean,
  readySince: (job: JobId, stepOrder: number) => number,
): Violation | null {
  const { reservations } = view.lease;
  const online = view.workers.filter(takesTasks);
  for (const [workerId, { jobId, stepOrder }] of reservations.list()) {
    if (before.get(workerId) !== undefined) continue;
    const at = `${workerId} for ${jobId} step ${stepOrder}`;
    if (afterMs === 0 || reservations.size > Math.max(1, Math.floor(online.length * SHARE_MAX)))
      return new Violation('the number of reserved workers is limited', at);
    const job = view.jobs.find(({ record }) => record.id === jobId);
    const worker = online.find(({ record }) => record.id === workerId);
    const step = job?.steps[stepOrder];
    if (job === undefined || worker === undefined || step === undefined)
      return new Violation('a worker is reserved for an existing step', at);
    if (!mayRun(worker.record, job.record.queueId, needsOf(step)))
      return new Violation('a worker is reserved for a step that it is eligible for', at);
    if (isClockSteady && now - readySince(jobId, stepOrder) < afterMs)
      return new Violation('a worker is reserved for a step that has waited long enough', at);
  }
  return null;
}
