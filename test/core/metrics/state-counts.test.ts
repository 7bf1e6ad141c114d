import fc from 'fast-check';
import { test } from 'tap';
import { isTerminalJob, type JobStatus } from '../../../src/core/lifecycle/job-transitions.ts';
import { attemptIdOf } from '../../../src/core/ids.ts';
import { NO_TASKS } from '../../../src/core/lifecycle/task-counts.ts';
import { NO_COUNTS, StateCounter, sumStates } from '../../../src/core/metrics/state-counts.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import { jobRecord, workerRecord } from '../../http/kit/records.ts';

const STATUSES: readonly JobStatus[] = [
  'pending',
  'blocked',
  'paused',
  'running',
  'completed',
  'failed',
  'canceled',
];
const WORKER_STATUSES = ['online', 'offline', 'disabled'] as const;

test('jobs, their tasks and workers are counted as stored', (t) => {
  const counter = new StateCounter();
  t.strictSame(counter.counts(), NO_COUNTS);
  const taskCounts = { ...NO_TASKS, total: 9, pending: 1, ready: 4, assigned: 1, running: 2, succeeded: 1 };
  const job = jobRecord({ status: 'running', taskCounts: { ...taskCounts, unschedulable: 3 } });
  const worker = workerRecord({ status: 'online' });
  const attemptId = attemptIdOf({ jobId: job.id, stepOrder: 0, index: 0, attemptNumber: 1 });
  const bookings = [2, 0.5].map((cores) => ({ attemptId, cores }));
  const booking = put('booking', worker.id, { version: 1, bookings });
  counter.apply([put('job', job.id, job), put('worker', worker.id, worker), booking]);
  const running = {
    jobs: { pending: 0, blocked: 0, paused: 0, running: 1 },
    tasks: { pending: 1, ready: 4, assigned: 1, running: 2, unschedulable: 3 },
    workers: { online: 1, offline: 0, disabled: 0 },
    cores: { total: 8, committed: 2.5 },
  };
  t.strictSame(counter.counts(), running);
  t.strictSame(sumStates([running, NO_COUNTS, running]).tasks.ready, 8);
  t.strictSame(sumStates([running, running]).cores, { total: 16, committed: 5 });
  counter.apply([put('worker', worker.id, { ...worker, status: 'disabled' })]);
  t.strictSame(counter.counts().workers, { online: 0, offline: 0, disabled: 1 });
  t.strictSame(counter.counts().cores, { total: 0, committed: 2.5 }, 'a disabled worker finishes its tasks');
  counter.apply([put('booking', worker.id, { version: 1, bookings: bookings.slice(1) })]);
  t.strictSame(counter.counts().cores, { total: 0, committed: 0.5 });
  counter.apply([
    put('job', job.id, { ...job, status: 'completed' }),
    remove('worker', worker.id),
    remove('booking', worker.id),
  ]);
  t.strictSame(counter.counts(), NO_COUNTS, 'ended and deleted jobs are not counted');
  t.strictSame(sumStates([]), NO_COUNTS);
  t.end();
});

test('the counts equal those of the remaining rows after any changes', (t) => {
  const aChange = fc.record({
    table: fc.constantFrom('job', 'worker'),
    id: fc.integer({ min: 0, max: 4 }),
    isRemoved: fc.boolean(),
    status: fc.integer({ min: 0, max: 6 }),
    ready: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(aChange), (list) => {
      const counter = new StateCounter();
      const jobs = new Map<string, { status: JobStatus; ready: number }>();
      const workers = new Map<string, (typeof WORKER_STATUSES)[number]>();
      for (const { table, id, isRemoved, status: at, ready } of list) {
        const key = String(id);
        const status = STATUSES[at] ?? 'pending';
        const workerStatus = WORKER_STATUSES[at % 3] ?? 'online';
        let change: Change;
        if (isRemoved) {
          change = remove(table === 'job' ? 'job' : 'worker', key);
          (table === 'job' ? jobs : workers).delete(key);
        } else if (table === 'job') {
          change = put('job', key, jobRecord({ status, taskCounts: { ...NO_TASKS, total: ready, ready } }));
          jobs.set(key, { status, ready });
        } else {
          change = put('worker', key, workerRecord({ status: workerStatus }));
          workers.set(key, workerStatus);
        }
        counter.apply([change]);
      }
      const active = [...jobs.values()].filter(({ status }) => !isTerminalJob(status));
      const counts = counter.counts();
      return (
        Object.entries(counts.jobs).every(
          ([name, number]) => number === active.filter(({ status }) => status === name).length,
        ) &&
        counts.tasks.ready === active.reduce((sum, { ready }) => sum + ready, 0) &&
        WORKER_STATUSES.every(
          (name) => counts.workers[name] === [...workers.values()].filter((each) => each === name).length,
        )
      );
    }),
  );
  t.end();
});
