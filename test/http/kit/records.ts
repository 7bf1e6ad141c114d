import { farmId, jobId, queueId, taskIdOf, workerId, type JobId } from '../../../src/core/ids.ts';
import { countsOf, sumCounts, type TaskCounts } from '../../../src/core/lifecycle/task-counts.ts';
import type { JobPlan, StepPlan } from '../../../src/openjd/template/plan.ts';
import type { SpaceDescription } from '../../../src/openjd/template/space-description.ts';
import type { AttemptRecord } from '../../../src/core/records/attempt.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import type { QueueRecord } from '../../../src/core/records/queue.ts';
import type { StepRecord } from '../../../src/core/records/step.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { emptyTaskPage, pageOf, writeTask, type TaskState } from '../../../src/core/records/task-page.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';

/** 2026-11-20T10:00:00.000Z */
export const T0 = Date.UTC(2026, 10, 20, 10);

/** Returns the nth id of a kind, readable in failures. */
export const uuid = (kind: 'f' | 'b' | 'a' | 'e', number: number): string =>
  `${kind.repeat(8)}-0000-7000-8000-${String(number).padStart(12, '0')}`;

export const FARM = farmId(uuid('f', 1));
export const QUEUE = queueId(uuid('b', 1));
export const WORKER = workerId(uuid('e', 1));
export const jobNumber = (number: number): JobId => jobId(uuid('a', number));

export const farmRecord = (changes: Partial<FarmRecord> = {}): FarmRecord => ({
  version: 1,
  id: FARM,
  name: 'main',
  description: '',
  maxConcurrentTasks: 0,
  retry: {},
  createdAt: T0,
  updatedAt: T0,
  ...changes,
});

export const queueRecord = (changes: Partial<QueueRecord> = {}): QueueRecord => ({
  version: 1,
  id: QUEUE,
  farmId: FARM,
  name: 'day',
  description: '',
  priority: 0,
  maxConcurrentTasks: 0,
  paused: false,
  retry: {},
  createdAt: T0,
  updatedAt: T0,
  ...changes,
});

export const jobRecord = (changes: Partial<JobRecord> = {}): JobRecord => ({
  version: 1,
  id: jobNumber(1),
  farmId: FARM,
  queueId: QUEUE,
  name: 'fractal',
  description: '',
  owner: 'ada',
  submitter: 'anonymous',
  priority: 50,
  project: 'demo',
  status: 'pending',
  parkReason: '',
  cancelReason: '',
  templateFormat: 'yaml',
  retry: {},
  failedAttempts: 0,
  dependsOn: [],
  extensions: [],
  taskCounts: countsOf(1, 'ready'),
  createdAt: T0,
  updatedAt: T0,
  ...changes,
});

export const workerRecord = (changes: Partial<WorkerRecord> = {}): WorkerRecord => ({
  version: 1,
  id: WORKER,
  ordinal: 1,
  farmId: FARM,
  name: 'node-1',
  hostname: 'node-1.example',
  status: 'online',
  incarnation: 'first',
  computeLocation: '',
  cpuCount: 8,
  memoryMib: 16384,
  os: 'linux',
  arch: 'x64',
  softwareVersion: '0.1.0',
  queueIds: [],
  tags: {},
  lastHeartbeatAt: T0 + 1000,
  registeredAt: T0,
  ...changes,
});

export const FRAMES = (count: number): SpaceDescription => ({
  kind: 'axis',
  name: 'Frame',
  values: { kind: 'runs', runs: [{ start: '1', step: '1', count }] },
});

export const stepPlan = (
  order: number,
  name: string,
  taskCount: number,
  space: SpaceDescription,
): StepPlan => ({
  name,
  order,
  dependsOn: order === 0 ? [] : [order - 1],
  taskCount,
  taskParameters: space.kind === 'single' ? [] : [{ name: 'Frame', type: 'INT' }],
  space,
  requirements: { cores: 1, computeLocation: '', amounts: [], pools: [], attributes: [] },
  environments: [],
  script: { onRun: { command: 'render', args: [] }, embeddedFiles: [] },
});

export const jobPlan = (steps: readonly StepPlan[]): JobPlan => ({
  version: 1,
  jobName: 'fractal',
  parameters: { Scene: { type: 'STRING', value: 'mandelbrot' } },
  environments: [],
  steps,
});

export const taskState = (changes: Partial<TaskState> & Pick<TaskState, 'status'>): TaskState => ({
  failedAttempts: 0,
  attemptNumber: 0,
  updatedAt: T0,
  assignedAt: null,
  retryAfter: null,
  workerOrdinal: null,
  hasText: false,
  unschedulable: false,
  silent: false,
  exiting: false,
  cascaded: false,
  skipped: false,
  ...changes,
});

export interface StepSketch {
  readonly name: string;
  readonly untouched: StepRecord['untouched']['status'];
  readonly taskCount: number;
  readonly space: SpaceDescription;
  /** Tasks with a record of their own. */
  readonly touched: ReadonlyMap<number, TaskState>;
  readonly computeLocation?: string;
}

/** Returns the changes that store a job with plan, steps and pages; computes the counts. */
export function jobChanges(job: Partial<JobRecord>, sketches: readonly StepSketch[]): Change[] {
  const id = job.id ?? jobNumber(1);
  const steps = sketches.map((sketch, order) => stepOf(id, order, sketch));
  const record = jobRecord({ ...job, taskCounts: sumCounts(steps.map((step) => step.taskCounts)) });
  const plans = sketches.map(({ name, taskCount, space }, order) => stepPlan(order, name, taskCount, space));
  return [
    put('job', keys.job(id), record),
    put('plan', keys.plan(id), jobPlan(plans)),
    ...steps.map((step) => put('step', keys.step(id, step.order), step)),
    ...sketches.flatMap((sketch, order) => pageChanges(id, order, sketch.touched)),
  ];
}

function stepOf(id: JobId, order: number, sketch: StepSketch): StepRecord {
  const counts = { ...countsOf(sketch.taskCount, sketch.untouched) };
  for (const { status } of sketch.touched.values()) {
    counts[sketch.untouched] -= 1;
    counts[status] += 1;
  }
  const taskCounts: TaskCounts = counts;
  return {
    version: 1,
    jobId: id,
    order,
    name: sketch.name,
    status: 'ready',
    computeLocation: sketch.computeLocation ?? '',
    dependsOn: order === 0 ? [] : [order - 1],
    taskCount: sketch.taskCount,
    taskCounts,
    untouched: { status: sketch.untouched, updatedAt: T0 + 5, failureReason: '' },
    createdAt: T0,
    updatedAt: T0 + 5,
  };
}

function pageChanges(id: JobId, order: number, touched: ReadonlyMap<number, TaskState>): Change[] {
  const pages = new Map<number, Uint8Array>();
  for (const [index, state] of touched) {
    const page = pages.get(pageOf(index)) ?? emptyTaskPage();
    pages.set(pageOf(index), page);
    writeTask(page, index, state);
  }
  return [...pages].map(([number, page]) => put('taskPage', keys.taskPage(id, order, number), page));
}

export const attemptRecord = (
  changes: Partial<AttemptRecord> & Pick<AttemptRecord, 'id'>,
): AttemptRecord => ({
  version: 1,
  attemptNumber: 1,
  status: 'running',
  workerId: WORKER,
  startedAt: T0,
  message: '',
  sessionId: '',
  ...changes,
});

export const taskIdAt = (stepOrder: number, index: number, job = jobNumber(1)): string =>
  taskIdOf({ jobId: job, stepOrder, index });
