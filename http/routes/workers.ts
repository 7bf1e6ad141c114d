import { queueId, workerId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { BookingRecord, WorkerRecord } from '../../src/core/records/worker.ts';
import type { Ports } from '../ports.ts';
import { pageOf, sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { workerView } from '../views/worker-view.ts';
import { findTask } from './find-task.ts';
import { notFound, type Call, type Handler } from './operation.ts';

const SORT_KEYS = {
  name: (worker: WorkerRecord) => worker.name,
  hostname: (worker: WorkerRecord) => worker.hostname,
  status: (worker: WorkerRecord) => worker.status,
  compute_location: (worker: WorkerRecord) => worker.computeLocation,
  registered_at: (worker: WorkerRecord) => worker.registeredAt,
  last_heartbeat_at: (worker: WorkerRecord) => worker.lastHeartbeatAt,
} as const;

export const listWorkers: Handler<'listWorkers'> = ({ query }, { store }) => {
  const isWanted = filterOf(store, query);
  const found: WorkerRecord[] = [];
  for (const { value: worker } of store.scan('worker')) if (isWanted(worker)) found.push(worker);
  const sorted = sortedBy(found, SORT_KEYS[query.sort_by], query.sort_dir);
  const view = (worker: WorkerRecord): Schemas['Worker'] => workerView(worker, bookingOf(store, worker));
  return { kind: 'json', status: 200, body: pageOf(sorted, query, view) };
};

function filterOf(
  store: StoreReader,
  query: Call<'listWorkers'>['query'],
): (worker: WorkerRecord) => boolean {
  const isOfQueue = query.queue_id === undefined ? () => true : servesQueue(store, query.queue_id);
  return (worker) =>
    (query.farm_id === undefined || worker.farmId === query.farm_id) &&
    (query.compute_location === undefined || worker.computeLocation === query.compute_location) &&
    (query.status === undefined || worker.status === query.status) &&
    isOfQueue(worker);
}

function servesQueue(store: StoreReader, id: string): (worker: WorkerRecord) => boolean {
  const queue: QueueRecord | undefined = store.get('queue', keys.queue(queueId(id)));
  if (queue === undefined) return () => false;
  return (worker) =>
    worker.queueIds.length === 0 ? worker.farmId === queue.farmId : worker.queueIds.includes(queue.id);
}

export const getWorker: Handler<'getWorker'> = ({ path }, ports) => {
  const worker = ports.store.get('worker', keys.worker(workerId(path.id)));
  if (worker === undefined) return notFound('worker', path.id);
  const booking = bookingOf(ports.store, worker);
  const body = { ...workerView(worker, booking), current_tasks: currentTasks(ports, booking) };
  return { kind: 'json', status: 200, body };
};

const bookingOf = (store: StoreReader, worker: WorkerRecord): BookingRecord | undefined =>
  store.get('booking', keys.booking(worker.id));

function currentTasks(ports: Ports, booking: BookingRecord | undefined): Schemas['Task'][] {
  const viewers = new Map<string, TaskViewer>();
  return (booking?.bookings ?? []).flatMap(({ taskId }) => {
    const task = findTask(ports.store, taskId);
    if (task === null) return [];
    const viewer = viewers.get(task.job.id) ?? new TaskViewer(ports.store, task.job);
    viewers.set(task.job.id, viewer);
    return [viewer.view(task.step, task.address.index)];
  });
}
