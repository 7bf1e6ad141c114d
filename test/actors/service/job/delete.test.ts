import { test, type Test } from 'tap';
import type { JobStatus } from '../../../../src/core/lifecycle/job-transitions.ts';
import { put, type Change } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import {
  emptyTaskPage,
  pageOf,
  TASKS_PER_PAGE,
  writeTask,
  type TaskState,
} from '../../../../src/core/records/task-page.ts';
import { PURGE_ROWS } from '../../../../actors/service/purge/purge-actor.ts';
import { rowsOfJob } from '../../../kit/rows-of-job.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const one = [{ name: 's', tasks: 1 }];
const two = [{ name: 's', tasks: 2 }];

/** Asserts that nothing of a job is left, neither rows nor actors. */
function expectDeleted(t: Test, fixture: TestFarm, id: string, what: string): void {
  t.strictSame(rowsOfJob(fixture.store, id), [], `${what}: rows`);
  t.notOk(fixture.isResident('job', id), `${what}: the actor`);
  t.notOk(fixture.isResident('purge', id), `${what}: the purge`);
}

/** Brings job A, which has two tasks, into a status. */
const INTO: Readonly<Record<JobStatus, (fixture: TestFarm) => void>> = {
  pending: (fixture) => {
    fixture.submit('A', two);
  },
  blocked: (fixture) => {
    fixture.submit('up', one);
    fixture.submit('A', two, { after: ['up'] });
  },
  paused: (fixture) => {
    fixture.submit('A', two);
    fixture.updateJob('A', { action: 'pause' });
  },
  running: (fixture) => {
    fixture.submit('A', two);
    fixture.lease('w1');
    fixture.report('A/0/0', 'running');
  },
  completed: (fixture) => {
    fixture.submit('A', two);
    fixture.lease('w1');
    fixture.report('A/0/0', 'succeeded');
    fixture.report('A/0/1', 'succeeded');
  },
  failed: (fixture) => {
    fixture.submit('A', two, { retry: { maxAttempts: 1 } });
    fixture.lease('w1');
    fixture.report('A/0/0', 'failed', { exitCode: 3 });
    fixture.report('A/0/1', 'succeeded');
  },
  canceled: (fixture) => {
    fixture.submit('A', two);
    fixture.lease('w1');
    fixture.cancelJob('A');
    fixture.report('A/0/0', 'canceled');
    fixture.report('A/0/1', 'canceled');
  },
};

for (const [status, into] of Object.entries(INTO)) {
  test(`a ${status} job is deleted with all its rows`, (t) => {
    const fixture = new TestFarm();
    fixture.register('w1');
    into(fixture);
    const { id, status: found } = fixture.job('A');
    t.equal(found, status);
    fixture.takeOutputs();
    fixture.takeWarnings();
    fixture.deleteJob('A');
    const live = status === 'running' ? ['A/0/0', 'A/0/1'] : [];
    fixture.expect(t, 'deleted', [
      ...live.flatMap((task) => [`stop ${task}#1: canceled by user`, `task ${task} canceled`]),
      'job A removed',
      'delete A: ok',
    ]);
    expectDeleted(t, fixture, id, status);
    fixture.deleteJobById(id);
    fixture.expect(t, 'a second delete', [`delete: not-found, there is no job ${id}`]);
    t.strictSame(fixture.takeWarnings(), [], 'warnings');
    fixture.restart();
    fixture.expect(t, 'nothing of the job reappears', []);
    t.end();
  });
}

test('a paused job with live tasks can be deleted, and so can a paused blocked job', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', two);
  fixture.submit('B', one, { after: ['A'] });
  fixture.lease('w1');
  fixture.updateJob('A', { action: 'pause' });
  fixture.updateJob('B', { action: 'pause' });
  const ids = [fixture.jobId('A'), fixture.jobId('B')];
  fixture.takeOutputs();
  fixture.deleteJob('B');
  fixture.expect(t, 'B', ['job B removed', 'delete B: ok']);
  fixture.deleteJob('A');
  fixture.expect(t, 'A', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'stop A/0/1#1: canceled by user',
    'task A/0/1 canceled',
    'job A removed',
    'delete A: ok',
  ]);
  for (const id of ids) expectDeleted(t, fixture, id, id);
  t.end();
});

test('freed cores and caps go to other jobs at once, not to tasks of the deleted job', (t) => {
  const fixture = new TestFarm();
  fixture.replaceQueue({ maxConcurrentTasks: 2 });
  fixture.register('w1', { cpu_count: 2 });
  fixture.submit('A', [{ name: 's', tasks: 10 }], { priority: 90 });
  fixture.submit('B', [{ name: 's', tasks: 10 }]);
  fixture.lease('w1');
  fixture.lease('w1', { client: 'parked' });
  fixture.takeOutputs();
  fixture.deleteJob('A');
  fixture.expect(t, 'the parked request is served', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'stop A/0/1#1: canceled by user',
    'task A/0/1 canceled',
    'job A removed',
    'delete A: ok',
    'task B/0/0 assigned w1',
    'task B/0/1 assigned w1',
    'job B running',
    'parked: B/0/0#1, B/0/1#1',
  ]);
  t.end();
});

test('a worker that waits for a cap gets no tasks of the deleted job that frees the cap', (t) => {
  const fixture = new TestFarm();
  fixture.replaceQueue({ maxConcurrentTasks: 2 });
  fixture.register('w1', { cpu_count: 2 });
  fixture.register('w2');
  fixture.submit('A', [{ name: 's', tasks: 10 }], { priority: 90 });
  fixture.submit('B', [{ name: 's', tasks: 1 }]);
  fixture.lease('w1');
  fixture.lease('w2');
  fixture.takeOutputs();
  fixture.deleteJob('A');
  fixture.expect(t, 'it gets a task of another job', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'stop A/0/1#1: canceled by user',
    'task A/0/1 canceled',
    'job A removed',
    'delete A: ok',
    'task B/0/0 assigned w2',
    'job B running',
    'lease w2: B/0/0#1',
  ]);
  t.end();
});

test('late messages for a deleted job change nothing', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', two);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  const id = fixture.jobId('A');
  const lateReport = fixture.reportOf('A/0/0', 'succeeded');
  const open = [fixture.attemptId('A/0/0'), fixture.attemptId('A/0/1')];
  fixture.deleteJob('A');
  fixture.takeOutputs();
  fixture.takeWarnings();
  fixture.deliver(lateReport);
  fixture.deliver(lateReport);
  fixture.expect(t, 'a report, twice', []);
  t.strictSame(fixture.takeWarnings(), [
    'status report ignored: unknown job',
    'status report ignored: unknown job',
  ]);
  fixture.heartbeat('w1', { attempts: open });
  fixture.expect(t, 'the heartbeat reply lists the closed attempts', [
    'heartbeat w1: alive, closed A/0/0#1 A/0/1#1',
  ]);
  fixture.register('w1', { incarnation: 'start-2', open_attempts: open });
  fixture.expect(t, 'so does the reply to a restarted worker', [
    'worker w1 online',
    'register w1: registered as w1, closed A/0/0#1 A/0/1#1',
  ]);
  fixture.advance(120_000);
  fixture.expect(t, 'no timer of the job is left', []);
  t.strictSame(fixture.takeWarnings(), []);
  for (const message of [
    { type: 'job.activate' },
    { type: 'upstreams.completed' },
    { type: 'upstream.failed' },
    { type: 'attempts.held', attemptIds: open },
    { type: 'attempts.reclaim', attemptIds: open, reason: 'gone' },
    { type: 'job.expire', endedAt: 0 },
  ] as const) {
    fixture.deliver({ actor: 'job', id, message });
  }
  fixture.expect(t, 'messages of other actors', []);
  expectDeleted(t, fixture, id, 'at the end');
  t.end();
});

test('messages in the same commit window as the deletion find no job', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', two);
  fixture.lease('w1');
  const id = fixture.jobId('A');
  const report = fixture.reportOf('A/0/0', 'succeeded');
  const upstreams = [{ jobId: id, status: 'running' as const }];
  fixture.takeOutputs();
  fixture.inOneWindow(() => {
    fixture.deleteJob('A');
    fixture.deleteJobById(id);
    fixture.cancelJobById(id);
    fixture.deliver(report);
    fixture.submitAfter('B', one, upstreams);
  });
  fixture.expect(t, 'every message', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'stop A/0/1#1: canceled by user',
    'task A/0/1 canceled',
    'job A removed',
    'delete A: ok',
    `delete: not-found, there is no job ${id}`,
    `cancel: not-found, there is no job ${id}`,
    `submit B: bad-request, depends_on: the farm has no job ${id}`,
  ]);
  expectDeleted(t, fixture, id, 'at the end');
  t.end();
});

test('a deletion that was not durable before a crash has no effect', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.submit('A', two);
  fixture.lease('w1');
  fixture.report('A/0/0', 'running');
  fixture.takeOutputs();
  fixture.withoutFlush(() => {
    fixture.deleteJob('A');
  });
  fixture.restart();
  fixture.expect(t, 'nothing was published', []);
  t.equal(fixture.job('A').status, 'running');
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'the job continues', ['task A/0/0 succeeded']);
  t.end();
});

// Jobs with many rows

/** Submits job A with that many materialized tasks. The first of them are ready again after a failed attempt. */
function submitMaterialized(fixture: TestFarm, tasks: number, failed = tasks): void {
  fixture.register('w1');
  fixture.submit('A', [{ name: 's', tasks }]);
  const { id: jobId } = fixture.job('A');
  const untried: TaskState = {
    status: 'ready',
    failedAttempts: 0,
    attemptNumber: 0,
    updatedAt: fixture.now,
    assignedAt: null,
    retryAfter: null,
    workerOrdinal: null,
    hasText: false,
    unschedulable: false,
    silent: false,
    exiting: false,
    cascaded: false,
    skipped: false,
  };
  const tried: TaskState = { ...untried, failedAttempts: 1, attemptNumber: 1, workerOrdinal: 1 };
  const changes: Change[] = [];
  for (let first = 0; first < tasks; first += TASKS_PER_PAGE) {
    const page = emptyTaskPage();
    for (let index = first; index < Math.min(tasks, first + TASKS_PER_PAGE); index++) {
      const address = { jobId, stepOrder: 0, index };
      writeTask(page, index, index < failed ? tried : untried);
      if (index >= failed) continue;
      changes.push(
        put('attempt', keys.attempt(address, 1), {
          version: 1,
          id: fixture.attemptId(`A/0/${index}#1`),
          attemptNumber: 1,
          status: 'failed',
          workerId: fixture.worker('w1').id,
          startedAt: fixture.now,
          endedAt: fixture.now,
          message: 'failed',
          sessionId: 's',
        }),
      );
    }
    changes.push(put('taskPage', keys.taskPage(jobId, 0, pageOf(first)), page));
  }
  fixture.write(changes);
  fixture.restart();
  fixture.takeOutputs();
}

test('no commit exceeds one batch when a job with 100,000 materialized tasks is deleted', (t) => {
  const fixture = new TestFarm();
  submitMaterialized(fixture, 100_000, 10_000);
  fixture.lease('w1');
  const id = fixture.jobId('A');
  fixture.takeOutputs();
  fixture.commits.length = 0;
  fixture.deleteJob('A');
  t.equal(fixture.takeOutputs().at(-1), 'delete A: ok');
  expectDeleted(t, fixture, id, 'purged');
  t.ok(
    fixture.commits.every((changes) => changes <= PURGE_ROWS),
    `commits of ${fixture.commits.join()}`,
  );
  const rows = 10_000 + Math.ceil(100_000 / TASKS_PER_PAGE);
  t.ok(fixture.commits.length >= rows / PURGE_ROWS, 'with as many batches as needed');
  t.ok((fixture.commits[0] ?? Infinity) < 100, 'the deletion itself is small');
  t.end();
});

test('an interrupted purge resumes after a restart', (t) => {
  const fixture = new TestFarm();
  submitMaterialized(fixture, 3 * PURGE_ROWS);
  const id = fixture.jobId('A');
  const rowsOf = (): number => rowsOfJob(fixture.store, id).length;
  const before = rowsOf();
  fixture.forWindows(2, () => {
    fixture.deleteJob('A');
  });
  const between = rowsOf();
  // An attempt counts twice, with its entry in the index by worker.
  t.ok(between < before - PURGE_ROWS / 2 && between > PURGE_ROWS, `${before} rows, then ${between}`);
  t.equal(fixture.store.get('job', id), undefined, 'the job itself is deleted');
  t.strictSame(fixture.store.get('doomedJob', id), { version: 1, farmId: fixture.farm });
  fixture.removesLogs = false;
  fixture.restart();
  t.strictSame(rowsOfJob(fixture.store, id), [`doomedJob ${id}`], 'until its logs are deleted');
  fixture.removesLogs = true;
  fixture.restart();
  expectDeleted(t, fixture, id, 'after the logs are deleted');
  fixture.expectInvariants(t, 'at the end');
  t.end();
});

test('purge messages are idempotent', (t) => {
  const fixture = new TestFarm();
  submitMaterialized(fixture, 3 * PURGE_ROWS);
  const id = fixture.jobId('A');
  const next = {
    actor: 'purge',
    id,
    message: { type: 'purge.next', farmId: fixture.farm },
  } as const;
  const gone = { ...next, message: { ...next.message, type: 'purge.logs-deleted' } } as const;
  fixture.deliver(next);
  fixture.deliver(gone);
  t.equal(fixture.job('A').status, 'pending', 'a job that is not deleted is not affected');
  fixture.forWindows(1, () => {
    fixture.deleteJob('A');
  });
  fixture.inOneWindow(() => {
    fixture.deliver(next);
    fixture.deliver(next);
  });
  expectDeleted(t, fixture, id, 'purged');
  fixture.deliver(next);
  fixture.deliver(gone);
  fixture.expectInvariants(t, 'sent once more, later');
  t.end();
});
