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
import { TestHouse } from '../../../kit/test-house.ts';

const one = [{ name: 's', tasks: 1 }];
const two = [{ name: 's', tasks: 2 }];

/** Asserts that nothing of a job is left anywhere, but for what it was called. */
function expectGone(t: Test, house: TestHouse, id: string, what: string): void {
  t.strictSame(rowsOfJob(house.store, id), [], `${what}: rows`);
  t.notOk(house.isResident('job', id), `${what}: the actor`);
  t.notOk(house.isResident('purge', id), `${what}: the purge`);
}

/** Brings a job A, which has two tasks, into a status. */
const INTO: Readonly<Record<JobStatus, (house: TestHouse) => void>> = {
  pending: (house) => {
    house.submit('A', two);
  },
  blocked: (house) => {
    house.submit('up', one);
    house.submit('A', two, { after: ['up'] });
  },
  paused: (house) => {
    house.submit('A', two);
    house.updateJob('A', { action: 'pause' });
  },
  running: (house) => {
    house.submit('A', two);
    house.lease('w1');
    house.report('A/0/0', 'running');
  },
  completed: (house) => {
    house.submit('A', two);
    house.lease('w1');
    house.report('A/0/0', 'succeeded');
    house.report('A/0/1', 'succeeded');
  },
  failed: (house) => {
    house.submit('A', two, { retry: { maxAttempts: 1 } });
    house.lease('w1');
    house.report('A/0/0', 'failed', { exitCode: 3 });
    house.report('A/0/1', 'succeeded');
  },
  canceled: (house) => {
    house.submit('A', two);
    house.lease('w1');
    house.cancelJob('A');
  },
};

for (const [status, into] of Object.entries(INTO)) {
  test(`a ${status} job is deleted, with all that it had`, (t) => {
    const house = new TestHouse();
    house.register('w1');
    into(house);
    const { id, status: found } = house.job('A');
    t.equal(found, status);
    house.heard();
    house.deleteJob('A');
    const live = status === 'running' ? ['A/0/0', 'A/0/1'] : [];
    house.expect(t, 'deleted', [
      ...live.flatMap((task) => [`stop ${task}#1: canceled by user`, `task ${task} canceled`]),
      'job A removed',
      'delete A: ok',
    ]);
    expectGone(t, house, id, status);
    house.deleteJobById(id);
    house.expect(t, 'a second time', [`delete: not-found, there is no job ${id}`]);
    t.strictSame(house.warned(), [], 'warnings');
    house.restart();
    house.expect(t, 'nothing of it comes back', []);
    t.end();
  });
}

test('a paused job is deleted while tasks of it run, and so is a blocked one that is paused', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', two);
  house.submit('B', one, { after: ['A'] });
  house.lease('w1');
  house.updateJob('A', { action: 'pause' });
  house.updateJob('B', { action: 'pause' });
  const ids = [house.jobId('A'), house.jobId('B')];
  house.heard();
  house.deleteJob('B');
  house.expect(t, 'B', ['job B removed', 'delete B: ok']);
  house.deleteJob('A');
  house.expect(t, 'A', [
    'stop A/0/0#1: canceled by user',
    'task A/0/0 canceled',
    'stop A/0/1#1: canceled by user',
    'task A/0/1 canceled',
    'job A removed',
    'delete A: ok',
  ]);
  for (const id of ids) expectGone(t, house, id, id);
  t.end();
});

test('cores and room under a cap go to other jobs at once, and not to tasks of the deleted one', (t) => {
  const house = new TestHouse();
  house.replaceQueue({ maxConcurrentTasks: 2 });
  house.register('w1', { cpu_count: 2 });
  house.submit('A', [{ name: 's', tasks: 10 }], { priority: 90 });
  house.submit('B', [{ name: 's', tasks: 10 }]);
  house.lease('w1');
  house.lease('w1', { client: 'parked' });
  house.heard();
  house.deleteJob('A');
  house.expect(t, 'the parked request is served', [
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

test('a worker that waits for room under a cap is not handed tasks of the job that makes room', (t) => {
  const house = new TestHouse();
  house.replaceQueue({ maxConcurrentTasks: 2 });
  house.register('w1', { cpu_count: 2 });
  house.register('w2');
  house.submit('A', [{ name: 's', tasks: 10 }], { priority: 90 });
  house.submit('B', [{ name: 's', tasks: 1 }]);
  house.lease('w1');
  house.lease('w2');
  house.heard();
  house.deleteJob('A');
  house.expect(t, 'it gets one of another', [
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

test('what is heard of a deleted job later changes nothing', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', two);
  house.lease('w1');
  house.report('A/0/0', 'running');
  const id = house.jobId('A');
  const lateReport = house.reportOf('A/0/0', 'succeeded');
  const open = [house.attemptId('A/0/0'), house.attemptId('A/0/1')];
  house.deleteJob('A');
  house.heard();
  house.warned();
  house.deliver(lateReport);
  house.deliver(lateReport);
  house.expect(t, 'a report, twice', []);
  t.strictSame(house.warned(), [
    'a status report changes nothing: unknown job',
    'a status report changes nothing: unknown job',
  ]);
  house.heartbeat('w1', { attempts: open });
  house.expect(t, 'a heartbeat is told what is closed', ['heartbeat w1: alive, closed A/0/0#1 A/0/1#1']);
  house.register('w1', { incarnation: 'start-2', open_attempts: open });
  house.expect(t, 'so is a worker that was started anew', [
    'worker w1 online',
    'register w1: registered as w1, closed A/0/0#1 A/0/1#1',
  ]);
  house.advance(120_000);
  house.expect(t, 'no timer of it is left', []);
  t.strictSame(house.warned(), []);
  for (const message of [
    { type: 'job.wake' },
    { type: 'upstreams.completed' },
    { type: 'upstream.failed' },
    { type: 'attempts.held', attemptIds: open },
    { type: 'attempts.reclaim', attemptIds: open, reason: 'gone' },
    { type: 'job.expire', endedAt: 0 },
  ] as const) {
    house.deliver({ actor: 'job', id, message });
  }
  house.expect(t, 'other actors', []);
  expectGone(t, house, id, 'at the end');
  t.end();
});

test('what comes in the same commit window as the deletion finds no job', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', two);
  house.lease('w1');
  const id = house.jobId('A');
  const report = house.reportOf('A/0/0', 'succeeded');
  const upstreams = [{ jobId: id, status: 'running' as const }];
  house.heard();
  house.together(() => {
    house.deleteJob('A');
    house.deleteJobById(id);
    house.cancelJobById(id);
    house.deliver(report);
    house.submitAfter('B', one, upstreams);
  });
  house.expect(t, 'all of it', [
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
  expectGone(t, house, id, 'at the end');
  t.end();
});

test('a deletion that does not reach the disk has not happened', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.submit('A', two);
  house.lease('w1');
  house.report('A/0/0', 'running');
  house.heard();
  house.withoutFlush(() => {
    house.deleteJob('A');
  });
  house.restart();
  house.expect(t, 'nothing was said', []);
  t.equal(house.job('A').status, 'running');
  house.report('A/0/0', 'succeeded');
  house.expect(t, 'it goes on', ['task A/0/0 succeeded']);
  t.end();
});

// Jobs with many rows

/** The job A of the house with that many touched tasks; the first of them are ready again after an attempt that failed. */
function submitTouched(house: TestHouse, tasks: number, failed = tasks): void {
  house.register('w1');
  house.submit('A', [{ name: 's', tasks }]);
  const { id: jobId } = house.job('A');
  const untried: TaskState = {
    status: 'ready',
    failedAttempts: 0,
    attemptNumber: 0,
    updatedAt: house.now,
    assignedAt: 0,
    retryAfter: 0,
    workerOrdinal: 0,
    hasText: false,
    unschedulable: false,
    silent: false,
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
          id: house.attemptId(`A/0/${index}#1`),
          attemptNumber: 1,
          status: 'failed',
          workerId: house.worker('w1').id,
          startedAt: house.now,
          endedAt: house.now,
          message: 'failed',
          sessionId: 's',
        }),
      );
    }
    changes.push(put('taskPage', keys.taskPage(jobId, 0, pageOf(first)), page));
  }
  house.write(changes);
  house.restart();
  house.heard();
}

test('no commit is larger than a piece when a job with 100,000 touched tasks is deleted', (t) => {
  const house = new TestHouse();
  submitTouched(house, 100_000, 10_000);
  house.lease('w1');
  const id = house.jobId('A');
  house.heard();
  house.commits.length = 0;
  house.deleteJob('A');
  t.equal(house.heard().at(-1), 'delete A: ok');
  expectGone(t, house, id, 'purged');
  t.ok(
    house.commits.every((changes) => changes <= PURGE_ROWS),
    `commits of ${house.commits.join()}`,
  );
  const rows = 10_000 + Math.ceil(100_000 / TASKS_PER_PAGE);
  t.ok(house.commits.length >= rows / PURGE_ROWS, 'it took as many pieces as it must');
  t.ok((house.commits[0] ?? Infinity) < 100, 'the deletion itself is small');
  t.end();
});

test('a purge that was cut off goes on after a restart', (t) => {
  const house = new TestHouse();
  submitTouched(house, 3 * PURGE_ROWS);
  const id = house.jobId('A');
  const rowsOf = (): number => rowsOfJob(house.store, id).length;
  const before = rowsOf();
  house.forWindows(2, () => {
    house.deleteJob('A');
  });
  const between = rowsOf();
  t.ok(between < before - PURGE_ROWS && between > PURGE_ROWS, `${before} rows, then ${between}`);
  t.equal(house.store.get('job', id), undefined, 'the job itself is gone');
  t.strictSame(house.store.get('doomedJob', id), { version: 1, farmId: house.farm });
  house.forgetsLogs = false;
  house.restart();
  t.strictSame(rowsOfJob(house.store, id), [`doomedJob ${id}`], 'as long as its logs are there');
  house.forgetsLogs = true;
  house.restart();
  expectGone(t, house, id, 'after the logs are gone');
  house.checkAtRest(t, 'at the end');
  t.end();
});

test('a purge that is asked twice does the same', (t) => {
  const house = new TestHouse();
  submitTouched(house, 3 * PURGE_ROWS);
  const id = house.jobId('A');
  const next = {
    actor: 'purge',
    id,
    message: { type: 'purge.next', farmId: house.farm },
  } as const;
  const gone = { ...next, message: { ...next.message, type: 'purge.logs-gone' } } as const;
  house.deliver(next);
  house.deliver(gone);
  t.equal(house.job('A').status, 'pending', 'a job that is not deleted is left alone');
  house.forWindows(1, () => {
    house.deleteJob('A');
  });
  house.together(() => {
    house.deliver(next);
    house.deliver(next);
  });
  expectGone(t, house, id, 'purged');
  house.deliver(next);
  house.deliver(gone);
  house.checkAtRest(t, 'said once more, later');
  t.end();
});
