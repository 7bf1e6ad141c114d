import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { jobId, type FarmId, type QueueId } from '../../src/core/ids.ts';
import { countsOf, sumCounts, type TaskCounts } from '../../src/core/lifecycle/task-counts.ts';
import type { JobPlan } from '../../src/openjd/template/plan.ts';
import { put, type Change } from '../../src/core/records/change-set.ts';
import { keys } from '../../src/core/records/tables.ts';
import { emptyTaskPage, TASKS_PER_PAGE, writeTask } from '../../src/core/records/task-page.ts';
import { seedFarm, openLaidOutStore } from './seeded-store.ts';

/** Milliseconds between the creation of two jobs. */
const APART_MS = 1_000;

export interface ManyJobs {
  readonly jobs: number;
  /** Tasks of each job. */
  readonly tasksEach: number;
  /** Number of requirement signatures, one per job in turn. Workers of `WORKER_MIB` may run all of them. */
  readonly signatures: number;
  /** Number of tasks at the beginning of each job that have already succeeded. */
  readonly doneEach: number;
  /** Owners of the jobs, in turn; 60 if absent. */
  readonly owners?: number;
}

const OWNERS = 60;

/** Memory of a worker that may run every job. */
const WORKER_MIB = 1024;

/**
 * Creates a store with many running jobs in one farm, with the writer of the service and without submissions:
 * everything that a start of the service has to recover.
 */
export async function layOutManyJobs(
  directory: string,
  size: ManyJobs,
): Promise<{ readonly farmId: FarmId }> {
  const store = await openLaidOutStore(directory);
  let clock = Date.now() - size.jobs * APART_MS;
  const ids = new Uuid7(() => clock);
  const { farm, queueOf } = seedFarm(store, () => ids.next(), clock);
  for (let nth = 0; nth < size.jobs; nth += 1) {
    clock += APART_MS;
    store.write(...rowsOf({ farm, queue: queueOf(nth), nth, clock }, ids.next(), size));
  }
  await store.close();
  return { farmId: farm };
}

interface Place {
  readonly farm: FarmId;
  readonly queue: QueueId;
  readonly nth: number;
  readonly clock: number;
}

function rowsOf({ farm, queue, nth, clock }: Place, newId: string, size: ManyJobs): Change[] {
  const id = jobId(newId);
  const { tasksEach, doneEach } = size;
  const counts: Record<string, number> = { ...countsOf(tasksEach, 'ready') };
  counts['ready'] = tasksEach - doneEach;
  counts['succeeded'] = doneEach;
  // Only with keys of countsOf.
  const taskCounts = sumCounts([counts as unknown as TaskCounts]);
  return [
    put('job', keys.job(id), {
      version: 1,
      id,
      farmId: farm,
      queueId: queue,
      name: `shot_${String(nth).padStart(5, '0')} lighting`,
      description: '',
      owner: `artist${nth % (size.owners ?? OWNERS)}`,
      submitter: `artist${nth % (size.owners ?? OWNERS)}`,
      priority: 50,
      project: `film${nth % 25}`,
      status: doneEach > 0 ? 'running' : 'pending',
      parkReason: '',
      cancelReason: '',
      templateFormat: 'yaml',
      retry: {},
      failedAttempts: 0,
      dependsOn: [],
      extensions: [],
      taskCounts,
      createdAt: clock,
      updatedAt: clock,
    }),
    put('plan', keys.plan(id), planOf(nth, size)),
    put('template', keys.template(id), { version: 1, format: 'yaml', text: 'x'.repeat(500) }),
    put('step', keys.step(id, 0), {
      version: 1,
      jobId: id,
      order: 0,
      name: 'Render',
      status: doneEach > 0 ? 'running' : 'ready',
      computeLocation: '',
      dependsOn: [],
      taskCount: tasksEach,
      taskCounts,
      untouched: { status: 'ready', updatedAt: clock, failureReason: '' },
      createdAt: clock,
      updatedAt: clock,
    }),
    put('activeJob', keys.activeJob(farm, id), { version: 1 }),
    ...donePages(doneEach, clock).map((page, number) => put('taskPage', keys.taskPage(id, 0, number), page)),
  ];
}

function donePages(done: number, clock: number): Uint8Array[] {
  const pages = Array.from({ length: Math.ceil(done / TASKS_PER_PAGE) }, () => emptyTaskPage());
  for (let index = 0; index < done; index += 1) {
    writeTask(pages[Math.floor(index / TASKS_PER_PAGE)] ?? emptyTaskPage(), index, {
      status: 'succeeded',
      failedAttempts: 0,
      attemptNumber: 1,
      updatedAt: clock + index,
      assignedAt: clock,
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
  return pages;
}

const planOf = (nth: number, { tasksEach, signatures }: ManyJobs): JobPlan => ({
  version: 1,
  jobName: `shot ${nth}`,
  parameters: {
    Scene: { type: 'PATH', value: `/projects/film/shot_${nth}/scene.usd` },
    Samples: { type: 'INT', value: '256' },
  },
  environments: [],
  steps: [
    {
      name: 'Render',
      order: 0,
      dependsOn: [],
      taskCount: tasksEach,
      taskParameters: [{ name: 'Frame', type: 'INT' }],
      space: {
        kind: 'axis',
        name: 'Frame',
        values: { kind: 'runs', runs: [{ start: '1', step: '1', count: tasksEach }] },
      },
      requirements: {
        cores: 1,
        computeLocation: '',
        amounts:
          signatures > 1
            ? [{ name: 'amount.worker.memory', min: 1 + (nth % Math.min(signatures, WORKER_MIB)) }]
            : [],
        pools: [],
        attributes: [],
      },
      environments: [],
      script: {
        onRun: {
          command: 'render',
          args: ['{{Param.Scene}}', '--frame', '{{Task.Param.Frame}}', '--samples', '{{Param.Samples}}'],
        },
        embeddedFiles: [],
      },
    },
  ],
});
