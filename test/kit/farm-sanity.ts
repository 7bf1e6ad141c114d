import { toStepRecord } from '../../actors/service/job/mutable-step.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import { attemptIdOf, taskIdOf, type FarmId, type WorkerId } from '../../src/core/ids.ts';
import { NO_EVIDENCE } from '../../src/core/quarantine/evidence.ts';
import { NO_WORKER_FAILURES } from '../../src/core/lifecycle/failure-tallies.ts';
import { canaryIndices, isProbing } from '../../src/core/lifecycle/canaries.ts';
import { isTerminalJob } from '../../src/core/lifecycle/job-transitions.ts';
import { stepStatusOf } from '../../src/core/lifecycle/step-rules.ts';
import { NO_TASKS, sumCounts } from '../../src/core/lifecycle/task-counts.ts';
import { isLiveTask, isTerminalTask, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { readAttempts } from '../../src/core/records/open-attempt.ts';
import { heldBookings } from '../../src/core/records/worker.ts';
import { keys } from '../../src/core/records/tables.ts';
import { poolKey } from '../../src/core/records/usage-pool.ts';
import { orphanedRows } from './rows-of-job.ts';
import { pageOf, readTask, untouchedTask, type TaskState } from '../../src/core/records/task-page.ts';

/** Actors in memory, by kind and id: undefined when not loaded. */
export interface Residents {
  job(id: string): JobState | undefined;
  worker(id: string): WorkerState | undefined;
  lease(id: string): LeaseState | undefined;
}

interface StoredTask {
  readonly index: number;
  readonly state: TaskState;
  readonly attempts: readonly AttemptRecord[];
}

/**
 * Checks all invariants that hold at rest (docs/faults.md#invariants): the rows among each other, and the actors in
 * memory against the rows. Returns the problems as sentences, or an empty list.
 */
export function invariantViolations(store: StoreReader, residents: Residents): string[] {
  const problems: string[] = [];
  const wrong = (text: string): void => {
    problems.push(text);
  };
  const open = new Map<WorkerId, Map<string, AttemptRecord>>();
  for (const { value: job } of store.scan('job')) checkJob(store, job, residents.job(job.id), open, wrong);
  for (const { value: worker } of store.scan('worker')) {
    checkWorker(store, worker.id, residents.worker(worker.id), new Set(open.get(worker.id)?.keys()), wrong);
    open.delete(worker.id);
  }
  for (const [id, attempts] of open)
    wrong(`open attempts ${[...attempts.keys()].join()} are on the worker ${id}, which does not exist`);
  checkEnded(store, wrong);
  for (const row of orphanedRows(store)) wrong(`${row} belongs to no job`);
  for (const { value: farm } of store.scan('farm')) {
    const lease = residents.lease(farm.id);
    if (lease !== undefined) checkLease(store, farm.id, lease, wrong);
  }
  return problems;
}

/** Every ended job is listed once, under its end time. Other jobs are not listed. */
function checkEnded(store: StoreReader, wrong: (text: string) => void): void {
  const listed = [...store.scan('endedJob')].map(({ key }) => key);
  const ended = [...store.scan('job')].flatMap(({ value: job }) => {
    const { id, farmId, status, endedAt = 0 } = job;
    if (isTerminalJob(status) === (endedAt === 0)) wrong(`job ${job.name} is ${status}, ended ${endedAt}`);
    return isTerminalJob(status) ? [keys.endedJob(farmId, status, endedAt, id)] : [];
  });
  if (!same(listed, ended.sort())) wrong(`listed as ended: ${text(listed)}, actually ended: ${text(ended)}`);
}

function tasksOf(store: StoreReader, { farmId }: JobRecord, step: StepRecord): StoredTask[] {
  return Array.from({ length: step.taskCount }, (_, index) => {
    const page = store.get('taskPage', keys.taskPage(step.jobId, step.order, pageOf(index)));
    const own = page === undefined ? null : readTask(page, index);
    const address = { jobId: step.jobId, stepOrder: step.order, index };
    const state = own ?? untouchedTask(step.untouched);
    return { index, state, attempts: readAttempts(store, { farmId, address, task: state }) };
  });
}

function checkJob(
  store: StoreReader,
  job: JobRecord,
  resident: JobState | undefined,
  open: Map<WorkerId, Map<string, AttemptRecord>>,
  wrong: (text: string) => void,
): void {
  const steps = [...store.scan('step', { prefix: keys.stepsOf(job.id) })].map((row) => row.value);
  for (const step of steps) {
    const tasks = tasksOf(store, job, step);
    const counts = { ...NO_TASKS, total: tasks.length };
    for (const task of tasks) {
      counts[task.state.status]++;
      if (task.state.unschedulable) counts.unschedulable++;
      if (task.state.unschedulable && task.state.status !== 'ready')
        wrong(`task ${task.index} of step ${step.order} is ${task.state.status} and unschedulable`);
      checkTask(step, task, open, wrong);
    }
    const name = `step ${job.name}/${step.order}`;
    checkFailures(store, step, tasks, resident, wrong);
    if ((step.unschedulableReason !== undefined) !== counts.unschedulable > 0)
      wrong(
        `${name} has the reason "${step.unschedulableReason}", but ${counts.unschedulable} unschedulable tasks`,
      );
    if (!same(counts, step.taskCounts))
      wrong(`${name} counts ${text(step.taskCounts)}, its tasks are ${text(counts)}`);
    if (step.status !== stepStatusOf(counts)) wrong(`${name} is ${step.status} with ${text(counts)}`);
  }
  const counts = sumCounts(steps.map((step) => step.taskCounts));
  if (!same(counts, job.taskCounts))
    wrong(`job ${job.name} counts ${text(job.taskCounts)}, its steps ${text(counts)}`);
  const isActive = store.get('activeJob', keys.activeJob(job.farmId, job.id)) !== undefined;
  if (isActive === isTerminalJob(job.status))
    wrong(`job ${job.name} is ${job.status} and active: ${isActive}`);
  const left = counts.total - counts.succeeded - counts.failed - counts.canceled;
  if (isTerminalJob(job.status) !== (left === 0))
    wrong(`job ${job.name} is ${job.status} with ${left} unfinished tasks`);
  const waits = job.status === 'blocked' || (job.status === 'paused' && job.waitsWhilePaused === true);
  const lost = job.dependsOn.filter((id) => store.get('job', id) === undefined);
  if (waits && lost.length > 0) wrong(`job ${job.name} waits for ${lost.join()}, which does not exist`);
  if (resident === undefined) return;
  if (!same(resident.record, job)) wrong(`job ${job.name} is ${text(resident.record)} in memory`);
  for (const step of resident.steps) {
    if (!same(toStepRecord(step.record), steps[step.record.order]))
      wrong(`step ${job.name}/${step.record.order} differs in memory`);
    for (const [number, page] of step.pages) {
      const stored = store.get('taskPage', keys.taskPage(job.id, step.record.order, number));
      if (stored === undefined || !Buffer.from(page).equals(stored))
        wrong(`a task page of ${job.name} differs in memory`);
    }
  }
  for (const attempt of resident.openAttempts.values()) {
    if (!same(open.get(attempt.workerId)?.get(attempt.id), attempt))
      wrong(`${text(attempt)} is open only in memory`);
  }
}

/** The failures by worker are the failed attempts that were not discarded. */
function checkFailures(
  store: StoreReader,
  step: StepRecord,
  tasks: readonly StoredTask[],
  resident: JobState | undefined,
  wrong: (text: string) => void,
): void {
  const failed = new Map<string, number>();
  for (const { workerId, status, reclaimed, rule, outage } of tasks.flatMap((task) => task.attempts)) {
    if (outage !== undefined) continue;
    // A retry rule found the cause elsewhere.
    if (rule?.action === 'requeue' || rule?.action === 'raise') continue;
    if (status === 'failed' && reclaimed !== true) failed.set(workerId, (failed.get(workerId) ?? 0) + 1);
  }
  const rows = [...store.scan('stepFailures', { prefix: keys.stepFailuresOf(step.jobId, step.order) })];
  const counted = rows.map(({ value }) => [value.workerId, value.failures]);
  if (!same(Object.fromEntries(counted), Object.fromEntries(failed)))
    wrong(
      `step ${step.jobId}/${step.order} counts the failures ${text(counted)}, expected ${text([...failed])}`,
    );
  if (resident === undefined) return;
  const inMemory = [...(resident.failures.get(step.order)?.values() ?? [])];
  const byWorker = (a: { workerId: string }, b: { workerId: string }): number =>
    a.workerId < b.workerId ? -1 : 1;
  if (!same(inMemory.sort(byWorker), rows.map(({ value }) => value).sort(byWorker)))
    wrong(`failures of the step ${step.jobId}/${step.order} differ in memory`);
}

function checkTask(
  step: StepRecord,
  { index, state, attempts }: StoredTask,
  open: Map<WorkerId, Map<string, AttemptRecord>>,
  wrong: (text: string) => void,
): void {
  const address = { jobId: step.jobId, stepOrder: step.order, index };
  const name = taskIdOf(address);
  attempts.forEach((attempt, at) => {
    if (attempt.attemptNumber !== at + 1)
      wrong(`attempt ${at + 1} of ${name} has the number ${attempt.attemptNumber}`);
    if (attempt.id !== attemptIdOf({ ...address, attemptNumber: at + 1 }))
      wrong(`${name} has the attempt ${attempt.id}`);
    const isClosed = attempt.status !== 'running';
    if (isClosed !== (attempt.endedAt !== undefined))
      wrong(`${attempt.id} is ${attempt.status} with the end time ${attempt.endedAt}`);
    if (attempt.endedAt !== undefined && attempt.endedAt < attempt.startedAt)
      wrong(`${attempt.id} ended before it started`);
    if (isClosed) return;
    const ofWorker = open.get(attempt.workerId) ?? new Map<string, AttemptRecord>();
    open.set(attempt.workerId, ofWorker.set(attempt.id, attempt));
  });
  if (state.attemptNumber !== attempts.length)
    wrong(`${name} has the attempt number ${state.attemptNumber} and ${attempts.length} attempts`);
  const running = attempts.filter((attempt) => attempt.status === 'running').length;
  if (running !== (isLiveTask(state.status) ? 1 : 0))
    wrong(`${name} is ${state.status} with ${running} open attempts`);
  const succeeded = attempts.filter((attempt) => attempt.status === 'succeeded').length;
  if (succeeded > 1 || (succeeded === 1) !== (state.status === 'succeeded' && !state.skipped)) {
    wrong(`${name} is ${state.status} and has succeeded ${succeeded} times`);
  }
  if (state.skipped && state.status !== 'succeeded') wrong(`${name} is ${state.status} and skipped`);
  if (state.hasText && !isTerminalTask(state.status))
    wrong(`${name} is ${state.status} and has a failure reason`);
}

/** Maximum age of a stored heartbeat in the test farm. */
const STORED_HEARTBEAT_MS = 15_000;

function checkWorker(
  store: StoreReader,
  id: WorkerId,
  resident: WorkerState | undefined,
  open: ReadonlySet<string>,
  wrong: (text: string) => void,
): void {
  const bookings = store.get('booking', keys.booking(id))?.bookings ?? [];
  const booked = bookings.map((booking) => booking.attemptId).sort();
  if (!same(booked, [...open].sort()))
    wrong(`worker ${id} has booked ${text(booked)}, but the open attempts are ${text([...open])}`);
  const cores = bookings.reduce((sum, booking) => sum + booking.cores, 0);
  const record = store.get('worker', keys.worker(id));
  if (record === undefined || cores > record.cpuCount) wrong(`worker ${id} has ${cores} cores booked`);
  if (resident === undefined) return;
  // A heartbeat without news is not always written.
  if (!same({ ...resident.record, lastHeartbeatAt: resident.storedHeartbeatAt }, record))
    wrong(`worker ${id} differs in memory`);
  if (Math.abs(resident.record.lastHeartbeatAt - resident.storedHeartbeatAt) >= STORED_HEARTBEAT_MS)
    wrong(`the stored heartbeat of the worker ${id} is too old`);
  const failures = store.get('workerFailures', keys.workerFailures(id)) ?? NO_WORKER_FAILURES;
  if (!same(resident.failures, failures)) wrong(`failures of the worker ${id} differ in memory`);
  const evidence = store.get('workerEvidence', keys.workerEvidence(id)) ?? NO_EVIDENCE;
  if (!same(resident.evidence, evidence)) wrong(`evidence about the worker ${id} differs in memory`);
  const setting = store.get('farm', keys.farm(resident.record.farmId))?.quarantine ?? null;
  if (!same(resident.quarantine, setting)) wrong(`the worker ${id} has another setting of quarantine`);
  if (setting?.isOn !== true && !same(evidence, NO_EVIDENCE)) wrong(`the worker ${id} has evidence`);
  if (!same(resident.bookings.all(), bookings)) wrong(`bookings of the worker ${id} differ in memory`);
}

function checkLease(
  store: StoreReader,
  farm: FarmId,
  lease: LeaseState,
  wrong: (text: string) => void,
): void {
  if (lease.pending.size > 0) wrong(`${lease.pending.size} leases are pending at rest`);
  for (const { value: pool } of store.scan('usagePool')) {
    const freeOf = (slots: number): number => Math.max(0, slots - lease.tallies.total(pool.slot));
    const free = freeOf(pool.maxConcurrent);
    // A measured value counts for a while only.
    const measured = freeOf(Math.min(pool.maxConcurrent, pool.measured?.slots ?? Infinity));
    const name = poolKey(pool.name);
    if (lease.outages.record.outages.some((each) => each.endedAt === undefined && each.name === name))
      continue;
    const room = lease.pools.room({ pools: [name] }, null);
    // Hosts that have a slot run any number of tasks.
    if (pool.counts === 'hosts' && room > 0) continue;
    if (room !== free && room !== measured)
      wrong(
        `the lease actor of ${farm} counts ${room} free slots in the pool ${pool.name}, expected ${free}`,
      );
  }
  for (const { value: worker } of store.scan('worker')) {
    if (worker.farmId !== farm) continue;
    const seen = lease.workers.get(worker.id);
    if ((worker.status === 'offline') !== (seen === undefined))
      wrong(`the lease actor has the ${worker.status} worker ${worker.name}: ${seen !== undefined}`);
    if (seen === undefined) continue;
    const evidence = store.get('workerEvidence', keys.workerEvidence(worker.id));
    if (lease.doubts.isQuarantined(worker.id) !== ((evidence?.quarantine ?? null) !== null))
      wrong(`the lease actor does not know whether ${worker.name} is in quarantine`);
    const held = store.get('booking', keys.booking(worker.id));
    const bookings = held === undefined ? [] : heldBookings(held);
    const cores = bookings.reduce((sum, booking) => sum + booking.cores, 0);
    if (seen.committedCores !== cores)
      wrong(`the lease actor counts ${seen.committedCores} cores of ${worker.name}, booked are ${cores}`);
    if (seen.incarnation !== worker.incarnation)
      wrong(`the lease actor has an earlier incarnation of ${worker.name}`);
  }
  for (const { value: job } of store.scan('job')) {
    if (job.farmId !== farm) continue;
    for (const { value: step } of store.scan('step', { prefix: keys.stepsOf(job.id) }))
      checkOffered(store, job, step, lease, wrong);
  }
  const hasCaps = [...store.scan('queue')].some(
    ({ value: queue }) => queue.maxConcurrentTasks > 0 || queue.paused,
  );
  if (hasCaps || (store.get('farm', farm)?.maxConcurrentTasks ?? 0) > 0) return;
  for (const signature of lease.index.waitingSignatures()) {
    if (lease.index.room(signature) <= 0) continue;
    const [request] = lease.parked.waitingFor(signature);
    if (request !== undefined && signature.avoiding === 0 && lease.doubts.size === 0)
      wrong(`tasks are ready, but a request of ${request.workerId}, which is eligible for them, is parked`);
  }
}

/**
 * The index of the lease actor contains exactly the ready tasks of a step that may be leased, and counts its live
 * tasks.
 */
function checkOffered(
  store: StoreReader,
  job: JobRecord,
  step: StepRecord,
  lease: LeaseState,
  wrong: (text: string) => void,
): void {
  const entry = lease.index.entry(job.id, step.order);
  const isLeasable = (job.status === 'pending' || job.status === 'running') && job.startAfter === undefined;
  const tasks = tasksOf(store, job, step);
  const indices = (statuses: readonly TaskStatus[]): number[] =>
    tasks.flatMap(({ index, state }) => (statuses.includes(state.status) ? [index] : []));
  const offered = tasks.flatMap(({ index }) => (entry?.ready.has(index) === true ? [index] : []));
  const held = [...(entry?.held ?? [])];
  const probes = triesCanaries(store, job) && isProbing(step) ? canaryIndices(step.taskCount) : null;
  const ready =
    isLeasable && step.hold === undefined
      ? indices(['ready']).filter((index) => probes === null || probes.includes(index))
      : [];
  const all = [...offered, ...held.map(([index]) => index)].sort((a, b) => a - b);
  const name = `step ${job.name}/${step.order}`;
  if (!same(all, ready)) wrong(`${name} offers ${text(all)}, but ${text(ready)} are ready`);
  for (const [index, { until }] of held) {
    if (tasks[index]?.state.retryAfter !== until) wrong(`task ${index} of ${name} is held until ${until}`);
  }
  const live = indices(['assigned', 'running']).length;
  if ((entry?.live ?? 0) !== live)
    wrong(`the lease actor counts ${entry?.live} live tasks of ${name}, expected ${live}`);
  if (isTerminalJob(job.status) && entry !== undefined)
    wrong(`the lease actor keeps ${name}, but its job has ended`);
}

const triesCanaries = (store: StoreReader, job: JobRecord): boolean =>
  [job, store.get('queue', keys.queue(job.queueId)), store.get('farm', keys.farm(job.farmId))].some(
    (level) => level?.retry.canaryTasks === true,
  );

const text = (value: unknown): string => JSON.stringify(value);

/** Formats a value as JSON with sorted keys: rows are read back from their encoding. */
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a, sorted) === JSON.stringify(b, sorted);

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
