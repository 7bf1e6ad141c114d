import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { WorkerMessage, WorkerStanding } from '../../actors/service/worker/messages.ts';
import { parseAttemptId, queueId, workerId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { FarmRecord } from '../../src/core/records/farm.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { WorkerFailuresRecord } from '../../src/core/records/step-failures.ts';
import type { BookingRecord, WorkerRecord } from '../../src/core/records/worker.ts';
import type { WorkerEvidenceRecord } from '../../src/core/records/worker-evidence.ts';
import type { WorkerCredentialRecord } from '../../src/core/records/worker-credential.ts';
import type { Header } from '../pipeline/message.ts';
import type { Ports } from '../ports.ts';
import { evidenceView } from '../views/quarantine-view.ts';
import { workerHistoryView } from '../views/history-view.ts';
import { pageOf, sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { VisibleJobs } from '../views/visible-jobs.ts';
import {
  bookingViews,
  stepFailuresView,
  visibleWork,
  type VisibleWork,
  workerSummary,
  workerView,
} from '../views/worker-view.ts';
import { readTaskAt } from './find-task.ts';
import { ifMatchOf, versionHeaders } from './if-match.ts';
import { searchTerms } from './jobs.ts';
import { invalid, NO_CONTENT, notFound, type Call, type Handler, type ProblemReply } from './operation.ts';

/** Length of the history that a page about a worker shows. */
const HISTORY_MINUTES = 180;

const SORT_KEYS = {
  name: (worker: WorkerRecord) => worker.name,
  hostname: (worker: WorkerRecord) => worker.hostname,
  status: (worker: WorkerRecord) => worker.status,
  compute_location: (worker: WorkerRecord) => worker.computeLocation,
  registered_at: (worker: WorkerRecord) => worker.registeredAt,
  last_heartbeat_at: (worker: WorkerRecord) => worker.lastHeartbeatAt,
} as const;

export const listWorkers: Handler<'listWorkers'> = ({ query, principal }, ports) => {
  const { store } = ports;
  const { status, ...others } = query;
  const ofAnyStatus = filterWorkers(store, others);
  const wanted = status === undefined ? ofAnyStatus : ofAnyStatus.filter((each) => each.status === status);
  const sorted = sortedBy(wanted, SORT_KEYS[query.sort_by], query.sort_dir);
  const visible = new VisibleJobs(store, principal.ownerScope);
  const view = (worker: WorkerRecord): Schemas['Worker'] => {
    const booking = bookingOf(store, worker);
    const work = visibleWork(booking, failuresOf(store, worker), visible);
    return viewOf(ports, worker, booking, work);
  };
  const page = pageOf(sorted, query, view);
  const body = query.summary ? { ...page, summary: summaryOf(store, ofAnyStatus) } : page;
  return { kind: 'json', status: 200, body };
};

/** Reads the bookings of all workers. */
const summaryOf = (store: StoreReader, workers: readonly WorkerRecord[]): Schemas['WorkerSummary'] =>
  workerSummary(workers, (worker) => bookingOf(store, worker));

/** Returns the sums over the workers that match a filter. Reads every worker, and the bookings of those that match. */
export const summaryOfWorkers = (store: StoreReader, given: GivenFilter): Schemas['WorkerSummary'] =>
  summaryOf(store, filterWorkers(store, given));

type GivenFilter = Pick<
  Call<'listWorkers'>['query'],
  'farm_id' | 'queue_id' | 'compute_location' | 'status' | 'search'
>;

/** Returns the workers that match a filter, in no order. Reads every worker. */
export function filterWorkers(store: StoreReader, given: GivenFilter): readonly WorkerRecord[] {
  const isWanted = filterOf(store, given);
  const found: WorkerRecord[] = [];
  for (const { value: worker } of store.scan('worker')) if (isWanted(worker)) found.push(worker);
  return found;
}

function filterOf(store: StoreReader, query: GivenFilter): (worker: WorkerRecord) => boolean {
  const isOfQueue = query.queue_id === undefined ? () => true : servesQueue(store, query.queue_id);
  const words = searchTerms(query.search ?? '');
  return (worker) =>
    (query.farm_id === undefined || worker.farmId === query.farm_id) &&
    (query.compute_location === undefined || worker.computeLocation === query.compute_location) &&
    (query.status === undefined || worker.status === query.status) &&
    isOfQueue(worker) &&
    hasWords(worker, words);
}

function hasWords(worker: WorkerRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const tags = Object.entries(worker.tags).map(([key, value]) => `${key}=${value}`);
  const texts = [worker.name, worker.hostname, worker.id, ...tags].map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word)));
}

function servesQueue(store: StoreReader, id: string): (worker: WorkerRecord) => boolean {
  const queue: QueueRecord | undefined = store.get('queue', keys.queue(queueId(id)));
  if (queue === undefined) return () => false;
  return (worker) =>
    worker.queueIds.length === 0 ? worker.farmId === queue.farmId : worker.queueIds.includes(queue.id);
}

export const getWorker: Handler<'getWorker'> = ({ path, query, principal }, ports) => {
  const { store } = ports;
  const worker = findWorker(store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const booking = bookingOf(store, worker);
  const visible = new VisibleJobs(store, principal.ownerScope);
  const work = visibleWork(booking, failuresOf(store, worker), visible);
  const body = {
    ...viewOf(ports, worker, booking, work),
    current_tasks: currentTasks(ports, work.bookings),
    bookings: bookingViews(work.bookings),
    failures: stepFailuresView(store, work.failures),
    evidence: evidenceView(store, evidenceOf(store, worker), visible, ports.now()),
    ...(query.history && {
      history: workerHistoryView(worker, ports.history.worker(worker.id, HISTORY_MINUTES)),
    }),
  };
  return { kind: 'json', status: 200, body, headers: versionHeaders(SETTINGS.worker(worker)) };
};

const viewOf = (
  ports: Ports,
  worker: WorkerRecord,
  booking: BookingRecord | undefined,
  work: VisibleWork,
): Schemas['Worker'] => {
  const { store } = ports;
  const [farm, credential] = [farmOf(store, worker), credentialOf(store, worker)];
  return workerView(worker, farm, booking, work, credential, evidenceOf(store, worker), ports.now());
};

const farmOf = (store: StoreReader, { farmId: id }: WorkerRecord): FarmRecord | undefined =>
  store.get('farm', keys.farm(id));

export const disableWorker: Handler<'disableWorker'> = ({ path, body, principal, headers }, ports) => {
  const ifMatch = ifMatchOf({ headers });
  const until = body?.until === undefined ? null : Date.parse(body.until);
  if (until !== null && until <= ports.now()) return invalid('/until', 'must be in the future');
  const disabling = {
    by: principal.username,
    reason: body?.reason ?? '',
    stopsTasks: body?.mode === 'now',
    ...(until !== null && { until }),
  };
  return changeStanding(
    path.id,
    (replyTo) => ({ type: 'worker.disable', disabling, ...ifMatch, replyTo }),
    ports,
  );
};

export const enableWorker: Handler<'enableWorker'> = ({ path, headers }, ports) => {
  const ifMatch = ifMatchOf({ headers });
  return changeStanding(path.id, (replyTo) => ({ type: 'worker.enable', ...ifMatch, replyTo }), ports);
};

/** Forgets the evidence about a worker, which ends its quarantines (docs/quarantine.md#lift). */
export const liftQuarantine: Handler<'liftQuarantine'> = async ({ path, principal }, ports) => {
  const worker = findWorker(ports.store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'worker',
    id: worker.id,
    message: { type: 'quarantine.lift', by: principal.username, replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 200, body: { id: worker.id, status: worker.status } };
};

interface StandingReply {
  readonly kind: 'json';
  readonly status: 200;
  readonly body: Schemas['WorkerStanding'];
  readonly headers: readonly Header[];
}

async function changeStanding(
  id: string,
  messageFor: (replyTo: ReplyTo<Outcome<WorkerStanding>>) => WorkerMessage,
  ports: Ports,
): Promise<ProblemReply | StandingReply> {
  const worker = findWorker(ports.store, id);
  if (worker === null) return notFound('worker', id);
  const outcome = await ports.actors.ask<WorkerStanding>((replyTo) => ({
    actor: 'worker',
    id: worker.id,
    message: messageFor(replyTo),
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const { value } = outcome;
  const headers = versionHeaders(SETTINGS.worker(value));
  return { kind: 'json', status: 200, body: { id: worker.id, status: value.status }, headers };
}

export const deleteWorker: Handler<'deleteWorker'> = async ({ path }, ports) => {
  const worker = findWorker(ports.store, path.id);
  if (worker === null) return notFound('worker', path.id);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'worker',
    id: worker.id,
    message: { type: 'worker.delete', replyTo },
  }));
  return outcome.ok ? NO_CONTENT : { kind: 'problem', problem: outcome.problem };
};

/** Returns the worker with an id, or null. */
export const findWorker = (store: StoreReader, id: string): WorkerRecord | null =>
  store.get('worker', keys.worker(workerId(id))) ?? null;

export const failuresOf = (store: StoreReader, worker: WorkerRecord): WorkerFailuresRecord | undefined =>
  store.get('workerFailures', keys.workerFailures(worker.id));

const evidenceOf = (store: StoreReader, worker: WorkerRecord): WorkerEvidenceRecord | undefined =>
  store.get('workerEvidence', keys.workerEvidence(worker.id));

const bookingOf = (store: StoreReader, worker: WorkerRecord): BookingRecord | undefined =>
  store.get('booking', keys.booking(worker.id));

const credentialOf = (store: StoreReader, worker: WorkerRecord): WorkerCredentialRecord | undefined =>
  store.get('workerCredential', keys.workerCredential(worker.id));

function currentTasks(ports: Ports, bookings: BookingRecord['bookings']): Schemas['Task'][] {
  const viewers = new Map<string, TaskViewer>();
  return bookings.flatMap(({ attemptId }) => {
    const address = parseAttemptId(attemptId);
    const task = address === null ? null : readTaskAt(ports.store, address);
    if (task === null) return [];
    const viewer = viewers.get(task.job.id) ?? new TaskViewer(ports.store, task.job);
    viewers.set(task.job.id, viewer);
    return [viewer.view(task.step, task.address.index)];
  });
}
