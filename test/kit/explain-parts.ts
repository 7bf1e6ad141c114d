import type { Names, TaskFacts } from '../../src/core/explain/task-facts.ts';
import { attemptIdOf, farmId, jobId, queueId, workerId } from '../../src/core/ids.ts';
import type { LeaseExplanation } from '../../src/core/lease/explanation.ts';
import { countsOf, NO_TASKS, type TaskCounts } from '../../src/core/lifecycle/task-counts.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import type { TaskState } from '../../src/core/records/task-page.ts';
import { T0, taskState as touchedTask } from '../http/kit/records.ts';
import { requirements } from './lease-parts.ts';

/** 2026-11-20T10:00:00.000Z */
export const NOW = T0;
export const JOB = jobId('00000000-0000-7000-8000-00000000000a');
const FARM = farmId('north');
const QUEUE = queueId('day');

/** Jobs, steps and tasks are named by their IDs; a step by its number in the template, from 1. */
const NAMES: Names = {
  farm: (id) => id,
  queue: (id) => id,
  job: (id) => id,
  step: (_job, order) => `S${order + 1}`,
  worker: (id) => id,
};

export const counts = (changes: Partial<TaskCounts>): TaskCounts => ({ ...NO_TASKS, ...changes });

export const jobRecord = (changes: Partial<JobRecord> = {}): JobRecord => ({
  version: 1,
  id: JOB,
  farmId: FARM,
  queueId: QUEUE,
  name: 'Shot 010',
  description: '',
  owner: 'ada',
  submitter: 'ada',
  priority: 50,
  project: '',
  status: 'pending',
  parkReason: '',
  cancelReason: '',
  templateFormat: 'yaml',
  retry: {},
  failedAttempts: 0,
  dependsOn: [],
  extensions: [],
  taskCounts: countsOf(1, 'ready'),
  createdAt: NOW - 3_600_000,
  updatedAt: NOW - 3_600_000,
  ...changes,
});

export const stepRecord = (order: number, name: string, changes: Partial<StepRecord> = {}): StepRecord => ({
  version: 1,
  jobId: JOB,
  order,
  name,
  status: 'ready',
  computeLocation: '',
  dependsOn: [],
  taskCount: 120,
  taskCounts: countsOf(120, 'ready'),
  untouched: { status: 'ready', updatedAt: NOW - 3_600_000, failureReason: '' },
  createdAt: NOW - 3_600_000,
  updatedAt: NOW - 3_600_000,
  ...changes,
});

export const taskState = (changes: Partial<TaskState> = {}): TaskState =>
  touchedTask({ status: 'ready', updatedAt: NOW - 60_000, ...changes });

export const attempt = (changes: Partial<AttemptRecord> = {}): AttemptRecord => ({
  version: 1,
  id: attemptIdOf({ jobId: JOB, stepOrder: 0, index: 0, attemptNumber: changes.attemptNumber ?? 1 }),
  attemptNumber: 1,
  status: 'running',
  workerId: workerId('render-004'),
  startedAt: NOW - 720_000,
  message: '',
  sessionId: '',
  ...changes,
});

/** A lease actor with 14 workers that are all eligible for the task but have no free cores. */
export const leaseExplanation = (
  changes: Partial<Omit<LeaseExplanation, 'workers'>> & {
    readonly workers?: Partial<LeaseExplanation['workers']>;
  } = {},
): LeaseExplanation => ({
  isOffered: true,
  heldUntil: null,
  farmCap: { maxConcurrentTasks: 0, live: 40, holders: [] },
  queueCap: { maxConcurrentTasks: 0, live: 40, holders: [] },
  isQueuePaused: false,
  pools: [],
  before: { tasks: 0, jobs: 0 },
  reservedWorker: null,
  ...changes,
  workers: {
    online: 14,
    elsewhere: 0,
    eligible: 14,
    withRoom: 0,
    keptForOthers: 0,
    rejected: [],
    nearestMiss: null,
    avoided: [],
    ...changes.workers,
  },
});

export const taskFacts = (changes: Partial<TaskFacts> = {}): TaskFacts => {
  const step = stepRecord(0, 'Render');
  return {
    now: NOW,
    job: jobRecord(),
    steps: [step],
    step,
    requirements: requirements({ cores: 2 }),
    task: taskState(),
    index: 0,
    failureReason: null,
    attempt: null,
    attempts: changes.task?.attemptNumber ?? 0,
    retry: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
    upstreamJobs: [],
    isQueuePaused: false,
    lease: leaseExplanation(),
    elsewhere: new Map(),
    names: NAMES,
    ...changes,
  };
};
