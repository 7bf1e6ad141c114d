import type { WorkerMessage } from '../../actors/service/worker/messages.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import type { WorkerRecord, WorkerStatus } from '../../src/core/records/worker.ts';
import { Violation } from './violation.ts';

type Edges = readonly `${WorkerStatus} ${WorkerStatus}`[];

/** Permitted status changes of a worker in one turn, by event (docs/contract/workers.md). */
const WORKER_EDGES: Readonly<Record<WorkerMessage['type'], Edges>> = {
  'worker.registered': ['offline online'],
  'worker.activate': [],
  'worker.heartbeat': ['offline online'],
  'worker.deregister': ['online offline'],
  'bookings.survey': [],
  'attempts.booked': [],
  'attempts.released': [],
  'attempts.overdue': [],
  'bus.confirmed': [],
  'attempts.ended': [],
  'attempt.failed': [],
  'worker.disable': ['online disabled', 'offline disabled'],
  'worker.enable': ['disabled online', 'disabled offline'],
  'worker.delete': [],
  'liveness.due': [],
  'unused.due': [],
  'disabled-until.due': ['disabled online', 'disabled offline'],
  'expiry.granted': ['online offline'],
  'expiry.deferred': [],
  'failure.judged': [],
  'quarantine.set': [],
  'quarantine.granted': [],
  'quarantine.lift': [],
  'suspicion.due': [],
  'worker.remove': [],
};

/** Allowed status changes in a turn of a worker, and the conditions of its deletion. */
export function judgeWorkerTurn(
  before: WorkerRecord,
  { record, isDeleted }: WorkerState,
  { type }: WorkerMessage,
  now: number,
  silentMs: number,
  timeoutMs: number,
): Violation | null {
  const edge = `${before.status} ${record.status}` as const;
  if (before.status !== record.status && !WORKER_EDGES[type].includes(edge))
    return new Violation('a worker changes its status as in the contract', `${record.id}, ${type}: ${edge}`);
  const fault = type === 'disabled-until.due' ? judgeEnd(before, record, now) : null;
  if (fault !== null) return fault;
  if (!isDeleted || type === 'worker.remove') return null;
  const mayGo = before.status === 'offline' || (before.status === 'disabled' && silentMs >= timeoutMs);
  if (type === 'worker.delete' && mayGo) return null;
  if (type === 'unused.due' && before.status === 'offline' && before.hasLeased === false) return null;
  const detail = `${record.id}, ${type}: ${before.status}, silent for ${silentMs} ms`;
  return new Violation('only a worker that is offline, or disabled and silent, is deleted', detail);
}

/** A worker that is disabled until a time is enabled when that has come, and not earlier. */
function judgeEnd(before: WorkerRecord, after: WorkerRecord, now: number): Violation | null {
  if (before.status !== 'disabled') return null;
  const until = before.disabling?.until ?? Number.POSITIVE_INFINITY;
  const isEnabled = after.status !== 'disabled';
  if (isEnabled === until <= now) return null;
  const detail = `${before.id}: ${after.status} at ${now}, disabled until ${until}`;
  return new Violation('a worker is disabled until its time has come', detail);
}
