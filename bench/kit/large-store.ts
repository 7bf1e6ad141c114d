import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { jobId, type FarmId, type JobId, type QueueId } from '../../src/core/ids.ts';
import { countsOf, sumCounts, type TaskCounts } from '../../src/core/lifecycle/task-counts.ts';
import { isTerminalJob, type JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { JobPlan } from '../../src/openjd/template/plan.ts';
import { put, type Change } from '../../src/core/records/change-set.ts';
import { keys } from '../../src/core/records/tables.ts';
import { emptyTaskPage, TASKS_PER_PAGE, writeTask } from '../../src/core/records/task-page.ts';
import { seedFarm, openLaidOutStore } from './seeded-store.ts';

const ACTIVE_SHARE = 100;
const ENDED: readonly JobStatus[] = ['completed', 'completed', 'completed', 'failed', 'canceled'];
/** Tasks of the large job without a record, which workers of the bench may lease. */
const READY = 100_000;

export interface LargeStore {
  readonly farmId: FarmId;
  readonly queueIds: readonly QueueId[];
  /** A running job of a million tasks. All its pages except the last contain tasks of many statuses. */
  readonly largeJob: JobId;
  /** A job in the middle of the list. */
  readonly anyJob: JobId;
}

/**
 * Creates a store with the given numbers of jobs and tasks, with the writer of the service and without submissions: one farm, ten queues, one
 * job of a million tasks, and the others alike. One job in a hundred is not ended.
 */
export async function makeLargeStore(directory: string, jobs: number, tasks: number): Promise<LargeStore> {
  const store = await openLaidOutStore(directory);
  const startedAt = Date.now() - 30 * 86_400_000;
  let clock = startedAt;
  const ids = new Uuid7(() => clock);
  const { farm, queues, queueOf } = seedFarm(store, () => ids.next(), clock);
  const step = Math.floor((29 * 86_400_000) / jobs);
  const largeTasks = Math.min(1_000_000, tasks);
  const others = Math.max(1, Math.floor((tasks - largeTasks) / Math.max(1, jobs - 1)));
  const made: JobId[] = [];
  for (let nth = 0; nth < jobs; nth += 1) {
    clock = startedAt + nth * step;
    const id = jobId(ids.next());
    made.push(id);
    const queue = queueOf(nth);
    const isLarge = nth === jobs - 1;
    writeJob({ id, nth, farm, queue, clock, isLarge, count: isLarge ? largeTasks : others }, store.write);
  }
  await store.close();
  return {
    farmId: farm,
    queueIds: queues,
    largeJob: made.at(-1) ?? jobId(''),
    anyJob: made[Math.floor(jobs / 2)] ?? jobId(''),
  };
}

interface JobSketch {
  readonly id: JobId;
  readonly nth: number;
  readonly farm: FarmId;
  readonly queue: QueueId;
  readonly clock: number;
  readonly isLarge: boolean;
  readonly count: number;
}

/** Returns the record of the task at an index, or null for one without a record. */
function taskStatusOf(index: number, { isLarge, count }: JobSketch, status: JobStatus): TaskStatus | null {
  if (isLarge) {
    if (index >= count - READY) return null;
    return index % 97 === 0 ? 'failed' : index % 13 === 0 ? 'canceled' : 'succeeded';
  }
  if (!isTerminalJob(status)) return null;
  if (status === 'completed') return 'succeeded';
  if (status === 'canceled') return 'canceled';
  return index === 0 ? 'failed' : 'succeeded';
}

function writeJob(sketch: JobSketch, write: (...changes: readonly Change[]) => void): void {
  const { id, nth, farm, queue, clock, isLarge, count } = sketch;
  const status = statusOf(nth, isLarge);
  const ended = clock + 3_600_000 + (nth % 1000) * 1000;
  const untouched = isLarge || !isTerminalJob(status) ? 'ready' : 'canceled';
  const counts: Record<string, number> = { ...countsOf(count, untouched) };
  for (let page = 0; page * TASKS_PER_PAGE < count; page += 1) {
    const bytes = emptyTaskPage();
    const first = page * TASKS_PER_PAGE;
    let isTouched = false;
    for (let index = first; index < Math.min(first + TASKS_PER_PAGE, count); index += 1) {
      const found = taskStatusOf(index, sketch, status);
      if (found === null) continue;
      isTouched = true;
      counts[untouched] = (counts[untouched] ?? 0) - 1;
      counts[found] = (counts[found] ?? 0) + 1;
      writeTask(bytes, index, {
        status: found,
        failedAttempts: found === 'failed' ? 3 : 0,
        attemptNumber: 1,
        // Tasks end in a mixed order.
        updatedAt: clock + ((index * 7919) % 1_000_003) * 20,
        assignedAt: clock + 1000,
        retryAfter: null,
        workerOrdinal: null,
        hasText: false,
        unschedulable: false,
        silent: true,
        exiting: false,
        cascaded: false,
        skipped: false,
      });
    }
    if (isTouched) write(put('taskPage', keys.taskPage(id, 0, page), bytes));
  }
  // Only with keys of countsOf.
  const taskCounts = sumCounts([counts as unknown as TaskCounts]);
  const shot = `shot_${String(nth % 400).padStart(3, '0')}`;
  const common = { version: 1, createdAt: clock, updatedAt: isTerminalJob(status) ? ended : clock } as const;
  write(
    put('job', keys.job(id), {
      ...common,
      id,
      farmId: farm,
      queueId: queue,
      name: isLarge
        ? 'Crowd simulation'
        : `${shot} v${nth % 7} ${nth % 3 === 0 ? 'Lighting' : 'comp'} ${nth}`,
      description: '',
      owner: `artist${nth % 60}`,
      submitter: `artist${nth % 60}`,
      priority: isLarge ? 90 : (nth % 10) * 5,
      project: `film${nth % 25}`,
      status,
      parkReason: '',
      cancelReason: '',
      templateFormat: 'yaml',
      retry: {},
      failedAttempts: 0,
      dependsOn: [],
      extensions: [],
      taskCounts,
      ...(isTerminalJob(status) && { endedAt: ended }),
    }),
    put('plan', keys.plan(id), planOf(count)),
    put('template', keys.template(id), {
      version: 1,
      format: 'yaml',
      text: 'specificationVersion: jobtemplate-2023-09',
    }),
    put('step', keys.step(id, 0), {
      ...common,
      jobId: id,
      order: 0,
      name: 'Render',
      status: status === 'completed' || status === 'failed' || status === 'canceled' ? status : 'ready',
      computeLocation: '',
      dependsOn: [],
      taskCount: count,
      taskCounts,
      untouched: { status: untouched, updatedAt: clock, failureReason: '' },
    }),
    isTerminalJob(status)
      ? put('endedJob', keys.endedJob(farm, status, ended, id), { version: 1 })
      : put('activeJob', keys.activeJob(farm, id), { version: 1 }),
  );
}

function statusOf(nth: number, isLarge: boolean): JobStatus {
  if (isLarge) return 'running';
  if (nth % ACTIVE_SHARE === 0) return nth % (2 * ACTIVE_SHARE) === 0 ? 'paused' : 'pending';
  return ENDED[nth % ENDED.length] ?? 'completed';
}

const planOf = (count: number): JobPlan => ({
  version: 1,
  jobName: 'bench',
  parameters: {},
  environments: [],
  steps: [
    {
      name: 'Render',
      order: 0,
      dependsOn: [],
      taskCount: count,
      taskParameters: [{ name: 'Frame', type: 'INT' }],
      space: {
        kind: 'axis',
        name: 'Frame',
        values: { kind: 'runs', runs: [{ start: '1', step: '1', count }] },
      },
      requirements: { cores: 1, computeLocation: '', amounts: [], pools: [], attributes: [] },
      environments: [],
      script: { onRun: { command: 'true', args: [] }, embeddedFiles: [] },
    },
  ],
});
