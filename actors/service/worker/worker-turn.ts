import { parseAttemptId, type AttemptId, type JobId } from '../../../src/core/ids.ts';
import { put } from '../../../src/core/records/change-set.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';
import type { Holding } from '../../../src/core/records/holding.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { BookingRecord, WorkerRecord } from '../../../src/core/records/worker.ts';
import { CATALOG_ID } from '../catalog/messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { committedCoresOf, holdingsOf, usesOf, type WorkerState } from './state.ts';

type WorkerContext = ServiceContext<'worker'>;

/** Writes the worker's record. Notifies others if its status or incarnation has changed, and returns whether it has. */
export function changeWorker(
  state: WorkerState,
  patch: Partial<WorkerRecord>,
  context: WorkerContext,
): boolean {
  const before = state.record;
  state.record = { ...before, ...patch };
  state.storedHeartbeatAt = state.record.lastHeartbeatAt;
  context.change(put('worker', keys.worker(state.record.id), state.record));
  if (before.status === state.record.status && before.incarnation === state.record.incarnation) return false;
  announce(state, context);
  if (before.status === 'online' && state.record.status === 'offline') raiseOffline(state.record, context);
  return true;
}

/** Notifies the farm, the lease actor and clients of the worker's current record. */
function announce(state: WorkerState, context: WorkerContext): void {
  const { record } = state;
  context.send('farm', record.farmId, {
    type: 'worker.changed',
    workerId: record.id,
    name: record.name,
    incarnation: record.incarnation,
    status: record.status,
  });
  sendOffer(state, context);
  publishWorker(record, record.status, context);
}

/** Raises the event of a worker that has just become offline. */
function raiseOffline({ id, name, hostname, farmId, departed }: WorkerRecord, context: WorkerContext): void {
  const worker = { id, name, hostname, departed: departed === true };
  context.send('farm', farmId, { type: 'notice.raised', subject: { type: 'worker.offline', worker } });
}

/** Publishes a worker event to clients. */
export function publishWorker(
  record: WorkerRecord,
  status: WorkerRecord['status'] | 'removed',
  context: WorkerContext,
): void {
  const { id, name, hostname, farmId } = record;
  context.effect({
    kind: 'event',
    event: { subject: 'workers', payload: { worker_id: id, name, hostname, farm_id: farmId, status } },
  });
}

export function sendOffer(state: WorkerState, context: WorkerContext): void {
  context.send('lease', state.record.farmId, {
    type: 'worker.offered',
    record: state.record,
    committedCores: committedCoresOf(state),
    uses: usesOf(state),
    holdings: holdingsOf(state),
  });
}

/** Reports resources that tasks of a step held, and that are free again, to the lease actor. */
export function sendFreed(
  { record: { id: workerId, farmId } }: WorkerState,
  { jobId, stepOrder }: StepName,
  cores: number,
  holdings: readonly Holding[],
  context: WorkerContext,
): void {
  if (holdings.length === 0)
    context.send('lease', farmId, { type: 'cores.freed', workerId, jobId, stepOrder, cores });
  else context.send('lease', farmId, { type: 'cores.freed', workerId, jobId, stepOrder, cores, holdings });
}

/** Reports the worker's compute location to the catalog. */
export function reportLocation({ record }: WorkerState, context: WorkerContext): void {
  if (record.computeLocation === '') return;
  context.effect({
    kind: 'forward',
    envelope: {
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'location.seen', name: record.computeLocation },
    },
  });
}

/** Writes the bookings of a worker, once per commit window. */
export function saveWorker(state: WorkerState, context: WorkerContext): void {
  if (state.isDeleted) return;
  const bookings = state.bookings.all();
  const { exiting, ending } = state;
  const held: BookingRecord =
    exiting.size === 0
      ? { version: 1, bookings }
      : { version: 1, bookings, exiting: [...exiting], ...(ending !== null && { ending }) };
  context.change(put('booking', keys.booking(state.record.id), held));
}

/** Requests the jobs to reclaim attempts of this worker. */
export function reclaimAttempts(attempts: Iterable<AttemptId>, reason: string, context: WorkerContext): void {
  for (const [job, attemptIds] of byJob(attempts)) {
    context.send('job', job, { type: 'attempts.reclaim', attemptIds, reason });
  }
}

/** Groups attempts by job. */
export function byJob(attempts: Iterable<AttemptId>): ReadonlyMap<JobId, readonly AttemptId[]> {
  const ofJobs = new Map<JobId, AttemptId[]>();
  for (const attemptId of attempts) {
    const job = parseAttemptId(attemptId)?.jobId;
    if (job === undefined) continue;
    const ofJob = ofJobs.get(job);
    if (ofJob === undefined) ofJobs.set(job, [attemptId]);
    else ofJob.push(attemptId);
  }
  return ofJobs;
}
