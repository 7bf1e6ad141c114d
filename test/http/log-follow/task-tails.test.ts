import { test, type Test } from 'tap';
import type { CurrentState } from '../../../http/lists/job-lists.ts';
import { CANCEL_GRACE_MS, DRAIN_MAX_MS, DRAIN_PATIENCE_MS } from '../../../http/log-follow/drain.ts';
import { TaskTails } from '../../../http/log-follow/task-tails.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { FollowedJobs, followedMemory } from '../../../src/adapters/system/followed-jobs.ts';
import { TaskEventHub } from '../../../daemons/server/task-events.ts';
import { attemptIdOf, taskIdOf } from '../../../src/core/ids.ts';
import type { TaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';
import type { LogArrival } from '../../../src/core/ports/log-store.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import type { LogChunk, LogPosition } from '../../../src/core/records/log-chunk.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { emptyTaskPage, writeTask } from '../../../src/core/records/task-page.ts';
import { FRAMES, jobChanges, jobNumber, T0, taskState } from '../kit/records.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const JOB = jobNumber(1);
const TASK = { jobId: JOB, stepOrder: 0, index: 1 };
const TASK_ID = taskIdOf(TASK);
const ATTEMPT = { ...TASK, attemptNumber: 1 };

const chunk = (busSeq: number, data = `${busSeq}\n`): LogChunk => ({
  id: `${attemptIdOf(ATTEMPT)}-${busSeq}`,
  taskId: TASK_ID,
  attemptId: attemptIdOf(ATTEMPT),
  seqNum: busSeq,
  busSeq,
  stream: 'stdout',
  data,
  at: '2026-11-20T10:00:01Z',
  receivedAt: T0,
});

/** Runs everything that needs no change or tick. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A running task, its log, a bus and a manual clock. */
class Stage {
  readonly store = createMemoryStore();
  readonly followedJobs = new FollowedJobs(followedMemory());
  readonly hub = new TaskEventHub(this.followedJobs, () => this.behind);
  /** Set while something on disk is not readable yet. */
  behind: Promise<void> | null = null;
  chunks: LogChunk[] = [];
  onBus: () => Promise<LogPosition | null> = () => Promise.resolve(null);
  arrival: LogArrival = 'whole';
  takenInAt = 0;
  clock = 0;
  reads = 0;
  asked = 0;
  watches = 0;
  readonly warned: unknown[] = [];
  readonly ticks: (() => void)[] = [];
  readonly tails: TaskTails;
  readonly #gone = new Map<Followed, AbortController>();
  #sequence = 0;

  constructor() {
    const state: CurrentState = { store: this.store, renew: () => undefined };
    const sketch = { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3) } as const;
    this.write(...jobChanges({}, [{ ...sketch, touched: new Map([[1, taskState({ status: 'running' })]]) }]));
    this.tails = new TaskTails({
      state,
      logs: {
        page: (_task, after, limit) => {
          this.reads++;
          return this.chunks.filter(({ busSeq }) => busSeq > after).slice(0, limit);
        },
        arrival: () => this.arrival,
      },
      bus: {
        lastOf: () => {
          this.asked++;
          return this.onBus();
        },
        takenInAt: () => this.takenInAt,
      },
      events: {
        watch: (task, changed) => {
          this.watches++;
          const unwatch = this.hub.watch(task, changed);
          return () => {
            this.watches--;
            unwatch();
          };
        },
      },
      now: () => T0 + this.clock,
      steadyNow: () => this.clock,
      delay: () => new Promise((resolve) => this.ticks.push(resolve)),
      warn: (text, attributes) => this.warned.push({ text, ...attributes }),
    });
  }

  write(...changes: readonly Change[]): void {
    this.#sequence++;
    this.store.commit({ version: 1, shard: 0, sequence: this.#sequence, changes }, NO_CALLBACKS);
    this.store.flushAll();
  }

  status(status: TaskStatus, updatedAt = T0 + this.clock): void {
    this.statusUntold(status, updatedAt);
    this.hub.publish({ kind: 'status', taskId: TASK_ID });
  }

  /** The same without an event. */
  statusUntold(status: TaskStatus, updatedAt = T0 + this.clock): void {
    const page = emptyTaskPage();
    writeTask(page, TASK.index, taskState({ status, updatedAt }));
    this.write(put('taskPage', keys.taskPageOf(TASK), page));
  }

  log(...chunks: LogChunk[]): void {
    this.chunks.push(...chunks);
    this.hub.publish({ kind: 'log', taskId: TASK_ID });
  }

  async tick(milliseconds: number): Promise<void> {
    this.clock += milliseconds;
    for (const tick of this.ticks.splice(0)) tick();
    await settle();
  }

  /** Disconnects the client. */
  leave(tail: Followed | undefined): void {
    if (tail !== undefined) this.#gone.get(tail)?.abort();
  }

  /** Follows the log to its end. */
  follow(after = 0, limit = 100): Followed {
    const gone = new AbortController();
    const followed: Followed = { lines: [], isOver: false, failure: null };
    this.#gone.set(followed, gone);
    void (async () => {
      try {
        for await (const piece of this.tails.follow(TASK, after, limit, gone.signal)) {
          // Skips the space that sends the response headers.
          if (piece === ' ') continue;
          for (const line of piece.trimEnd().split('\n')) {
            followed.lines.push((JSON.parse(line) as { bus_seq: number }).bus_seq);
          }
        }
      } catch (error) {
        followed.failure = error;
      }
      followed.isOver = true;
    })();
    return followed;
  }
}

interface Followed {
  readonly lines: number[];
  isOver: boolean;
  failure: unknown;
}

const endsFreed = (t: Test, stage: Stage): void => {
  t.equal(stage.watches, 0, 'no watch is left');
  t.equal(stage.hub.hasListeners, false);
  t.strictSame([stage.hub.watches(JOB), stage.followedJobs.mayBeFollowed(JOB)], [false, false]);
};

void test('a follower reads what was durable before its start, as soon as it is readable, without an event', async (t) => {
  const stage = new Stage();
  let applyJournal = (): void => undefined;
  stage.behind = new Promise((resolve) => (applyJournal = resolve));
  const tail = stage.follow();
  const left = stage.follow();
  await settle();
  t.equal(tail.isOver, false);
  stage.leave(left);
  // The end was committed without an event, because there was no follower.
  stage.statusUntold('succeeded');
  applyJournal();
  await settle();
  t.equal(tail.isOver, true);
  t.equal(tail.failure, null);
  endsFreed(t, stage);
});

void test('followers of a task share one watch and its pieces, and each receives the whole log', async (t) => {
  const stage = new Stage();
  stage.chunks = [chunk(1), chunk(2)];
  const tails = Array.from({ length: 1000 }, () => stage.follow());
  const behind = stage.follow(1);
  await settle();
  t.equal(stage.watches, 1);
  t.strictSame([stage.hub.watches(JOB), stage.followedJobs.mayBeFollowed(JOB)], [true, true]);
  t.equal(stage.hub.watches(jobNumber(2)), false);
  t.equal(stage.reads, 3, 'one read of the log, one of the following part, and one for the other cursor');
  stage.log(chunk(3));
  await settle();
  t.equal(stage.reads, 5);
  stage.status('succeeded');
  await settle();
  t.equal(stage.asked, 1, 'one query of the bus');
  t.ok(tails.every(({ isOver, lines }) => isOver && lines.join() === '1,2,3'));
  t.same(behind, { lines: [2, 3], isOver: true, failure: null });
  t.same(stage.ticks, [], 'no timed wait');
  endsFreed(t, stage);
});

void test('events of other tasks wake no follower', async (t) => {
  const stage = new Stage();
  stage.follow();
  await settle();
  const { reads } = stage;
  stage.hub.publish({ kind: 'log', taskId: taskIdOf({ ...TASK, index: 0 }) });
  stage.hub.publish({ kind: 'job', jobId: jobNumber(2) });
  await settle();
  t.equal(stage.reads, reads);
});

void test('a follower continues until everything on the bus at the end has arrived', async (t) => {
  const stage = new Stage();
  stage.onBus = () => Promise.resolve({ attempt: ATTEMPT, seqNum: 2 });
  stage.arrival = 'behind';
  const tail = stage.follow();
  stage.log(chunk(1));
  stage.status('failed');
  await settle();
  t.same(tail, { lines: [1], isOver: false, failure: null });
  stage.arrival = 'whole';
  stage.log(chunk(2));
  await settle();
  t.same(tail, { lines: [1, 2], isOver: true, failure: null });
  t.equal(stage.asked, 1);
  endsFreed(t, stage);
});

void test('missing chunks are waited for up to a limit, and the service logs the loss', async (t) => {
  const stage = new Stage();
  stage.onBus = () => Promise.resolve({ attempt: ATTEMPT, seqNum: 3 });
  stage.arrival = 'gaps';
  const tail = stage.follow();
  stage.log(chunk(1), chunk(3));
  stage.status('succeeded');
  await settle();
  await stage.tick(DRAIN_PATIENCE_MS);
  t.equal(tail.isOver, false);
  await stage.tick(1);
  t.same(tail, { lines: [1, 3], isOver: true, failure: null });
  const text = 'log follow ended before the log was complete';
  t.same(stage.warned, [{ text, task_id: TASK_ID, reason: 'chunks are missing' }]);
  endsFreed(t, stage);
});

void test('a follower waits while the log store is behind', async (t) => {
  const stage = new Stage();
  stage.onBus = () => Promise.resolve({ attempt: ATTEMPT, seqNum: 1 });
  stage.arrival = 'behind';
  const tail = stage.follow();
  stage.status('succeeded');
  await settle();
  for (let nth = 0; nth < 5; nth++) {
    stage.takenInAt = stage.clock;
    await stage.tick(DRAIN_PATIENCE_MS);
  }
  t.equal(tail.isOver, false);
  await stage.tick(1);
  t.equal(tail.isOver, true);
  t.match(stage.warned, [{ reason: 'the log store is behind' }]);
});

void test('the wait for a busy log store is limited', async (t) => {
  const stage = new Stage();
  stage.onBus = () => Promise.resolve({ attempt: ATTEMPT, seqNum: 1 });
  stage.arrival = 'behind';
  const tail = stage.follow();
  stage.status('succeeded');
  await settle();
  for (let waited = 0; waited < DRAIN_MAX_MS; waited += DRAIN_PATIENCE_MS) {
    t.equal(tail.isOver, false);
    stage.takenInAt = stage.clock;
    await stage.tick(DRAIN_PATIENCE_MS);
  }
  t.equal(tail.isOver, false);
  stage.takenInAt = stage.clock;
  await stage.tick(1);
  t.equal(tail.isOver, true);
  t.match(stage.warned, [{ reason: 'the log store is behind' }]);
  endsFreed(t, stage);
});

void test('a bus that does not answer is queried again, up to a limit', async (t) => {
  const stage = new Stage();
  stage.onBus = () => Promise.reject(new Error('not connected to a server'));
  const first = stage.follow();
  stage.status('succeeded');
  await settle();
  t.equal(stage.asked, 1);
  await stage.tick(250);
  t.equal(stage.asked, 2);
  stage.onBus = () => Promise.resolve(null);
  await stage.tick(250);
  t.same([stage.asked, first.isOver], [3, true]);
  t.same(stage.warned, []);
  stage.onBus = () => Promise.reject(new Error('not connected to a server'));
  const second = stage.follow();
  await settle();
  await stage.tick(DRAIN_PATIENCE_MS + 1);
  t.equal(second.isOver, true);
  t.match(stage.warned, [{ reason: 'not connected to a server' }]);
  endsFreed(t, stage);
});

void test('output of a canceled process shortly after the end is included', async (t) => {
  const stage = new Stage();
  const tail = stage.follow();
  stage.status('canceled');
  await settle();
  t.equal(stage.asked, 0);
  await stage.tick(CANCEL_GRACE_MS - 1);
  stage.log(chunk(1));
  await settle();
  t.same(tail, { lines: [1], isOver: false, failure: null });
  await stage.tick(1);
  t.same(tail, { lines: [1], isOver: true, failure: null });
  const late = stage.follow();
  await settle();
  t.same(late, { lines: [1], isOver: true, failure: null }, 'a task that was canceled long ago');
});

void test('a retried task is followed again and drained after its new end', async (t) => {
  const stage = new Stage();
  stage.onBus = () => Promise.resolve({ attempt: ATTEMPT, seqNum: 2 });
  stage.arrival = 'behind';
  const tail = stage.follow();
  stage.log(chunk(1));
  stage.status('failed');
  await settle();
  stage.clock += 5;
  stage.status('pending');
  stage.arrival = 'whole';
  await stage.tick(1);
  t.same(tail, { lines: [1], isOver: false, failure: null });
  stage.log(chunk(2));
  await settle();
  stage.arrival = 'behind';
  stage.clock += 5;
  stage.status('succeeded');
  await settle();
  t.same([tail.lines, tail.isOver, stage.asked], [[1, 2], false, 2]);
  stage.arrival = 'whole';
  stage.log(chunk(3));
  await settle();
  t.same(tail, { lines: [1, 2, 3], isOver: true, failure: null });
});

void test('clients that disconnect release everything, also during a drain', async (t) => {
  const stage = new Stage();
  const running = [stage.follow(), stage.follow()];
  await settle();
  stage.leave(running[0]);
  await settle();
  t.same([running[0]?.isOver, running[1]?.isOver, stage.watches], [true, false, 1]);
  stage.leave(running[1]);
  await settle();
  endsFreed(t, stage);
  stage.arrival = 'behind';
  stage.onBus = () => Promise.resolve({ attempt: ATTEMPT, seqNum: 1 });
  const draining = stage.follow();
  stage.status('succeeded');
  await settle();
  stage.leave(draining);
  await stage.tick(DRAIN_PATIENCE_MS * 2);
  t.equal(draining.isOver, true);
  t.same([stage.warned, stage.ticks], [[], []], 'no wait is left');
  endsFreed(t, stage);
});

void test('a read error ends every follower of the log', async (t) => {
  const stage = new Stage();
  stage.onBus = () => Promise.resolve({ attempt: ATTEMPT, seqNum: 1 });
  Object.defineProperty(stage, 'arrival', {
    get: () => {
      throw new Error('the disk is broken');
    },
  });
  const tails = [stage.follow(), stage.follow()];
  stage.status('succeeded');
  await settle();
  for (const tail of tails) t.match(tail, { isOver: true, failure: { message: 'the disk is broken' } });
  endsFreed(t, stage);
});

void test('a follower ends when its task is deleted', async (t) => {
  const stage = new Stage();
  stage.log(chunk(1));
  const tail = stage.follow();
  await settle();
  t.same(tail, { lines: [1], isOver: false, failure: null });
  stage.write(remove('step', keys.step(JOB, 0)), remove('job', keys.job(JOB)));
  stage.hub.publish({ kind: 'status', taskId: TASK_ID });
  await settle();
  t.same(tail, { lines: [1], isOver: true, failure: null });
  endsFreed(t, stage);
});
