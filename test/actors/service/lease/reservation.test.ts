import { test } from 'tap';
import { put } from '../../../../src/core/records/change-set.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const AFTER_MS = 300_000;
const TASK_MS = 60_000;

/** Two workers of four cores, a stream of one-core tasks that never leaves both idle, and a whole-machine task. */
class BusyFarm {
  readonly fixture: TestFarm;
  private readonly running: { readonly task: string; readonly worker: string; endsAt: number }[] = [];
  readonly wholeRanOn: string[] = [];

  constructor(reservationAfterMs = AFTER_MS) {
    this.fixture = new TestFarm({ reservationAfterMs });
    for (const worker of ['w1', 'w2']) this.fixture.register(worker);
    this.fixture.submit('small', [{ name: 's', tasks: 2_000 }]);
    this.ask();
  }

  /** Runs the farm: every task takes a minute, and every worker with a free core requests more. */
  workFor(ms: number): void {
    const end = this.fixture.now + ms;
    while (this.fixture.now < end) {
      this.fixture.advance(15_000);
      for (const run of this.running.splice(0)) {
        if (run.endsAt > this.fixture.now) this.running.push(run);
        else this.fixture.report(run.task, 'succeeded', { exitCode: 0 });
      }
      this.ask();
    }
  }

  /** Each worker sends a lease request and starts its tasks. */
  private ask(): void {
    this.fixture.lease('w1');
    this.fixture.lease('w2');
    for (const line of this.fixture.takeOutputs()) {
      const [, worker = '', tasks = ''] = /^lease (\w+): (.*)$/.exec(line) ?? [];
      for (const [each, at] of tasks.split(', ').map((text, place) => [text, place] as const)) {
        const task = /^([^#]+)#\d+/.exec(each)?.[1];
        if (task === undefined) continue;
        if (task.startsWith('whole')) this.wholeRanOn.push(worker);
        this.fixture.report(task, 'running');
        // They end one after another, so that the cores of a worker are never all free by chance.
        this.running.push({ task, worker, endsAt: this.fixture.now + TASK_MS + (at % 4) * 15_000 });
      }
    }
  }
}

test('without reservations a stream of small tasks starves a whole-machine task', (t) => {
  const farm = new BusyFarm(0);
  farm.workFor(60_000);
  farm.fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(30 * 60_000);
  t.strictSame(farm.wholeRanOn, []);
  t.end();
});

test('a worker is reserved after the wait, and the task runs once the worker is free', (t) => {
  const farm = new BusyFarm();
  farm.workFor(60_000);
  farm.fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(AFTER_MS - 15_000);
  t.strictSame(farm.wholeRanOn, [], 'first fit, as in the contract');
  t.equal(farm.fixture.explain('whole/0/0').reservedWorker, null);
  farm.workFor(30_000);
  t.match(farm.fixture.explain('whole/0/0').reservedWorker, /^id-of-w/);
  farm.workFor(15_000);
  t.match(
    farm.fixture.explain('small/0/1999').workers,
    { withRoom: 0, keptForOthers: 1 },
    'it has no capacity for other tasks',
  );
  farm.workFor(2 * TASK_MS);
  t.equal(farm.wholeRanOn.length, 1, 'the wait plus the longest task of the worker');
  t.end();
});

test('a task with a lower priority than those before it is not starving', (t) => {
  const farm = new BusyFarm();
  farm.fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 10 });
  farm.workFor(2 * AFTER_MS);
  t.strictSame(farm.wholeRanOn, [], 'the contract orders the others first');
  t.end();
});

test("a reservation ends with its task, its job's pause or its worker", (t) => {
  for (const end of ['cancel', 'pause', 'deregister'] as const) {
    const farm = new BusyFarm();
    const { fixture } = farm;
    fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
    farm.workFor(AFTER_MS + 30_000);
    const reserved = fixture.explain('whole/0/0').reservedWorker;
    t.match(reserved, /^id-of-w/, end);
    if (end === 'cancel') fixture.cancelJob('whole');
    if (end === 'pause') fixture.updateJob('whole', { action: 'pause' });
    if (end === 'deregister') fixture.deregister((reserved ?? '').slice('id-of-'.length));
    fixture.takeOutputs();
    fixture.advance(3_000);
    if (end !== 'deregister') {
      t.equal(fixture.explain('whole/0/0').reservedWorker, null);
      farm.workFor(60_000);
      t.equal(fixture.bookedCores('w1') + fixture.bookedCores('w2'), 8, 'every core is in use again');
    } else {
      t.not(fixture.explain('whole/0/0').reservedWorker, reserved, 'the other worker is reserved');
    }
  }
  t.end();
});

test('a reservation moves from a worker whose tasks do not end', (t) => {
  const fixture = new TestFarm();
  for (const worker of ['w1', 'w2']) fixture.register(worker);
  fixture.submit('endless', [{ name: 's', tasks: 2 }]);
  fixture.submit('small', [{ name: 's', tasks: 500, needs: { cores: 4 } }]);
  fixture.lease('w1');
  fixture.lease('w2');
  fixture.report('endless/0/0', 'running');
  fixture.report('endless/0/1', 'running');
  fixture.report('small/0/0', 'running');
  fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  fixture.submit('more', [{ name: 's', tasks: 500 }]);
  fixture.lease('w1');
  fixture.advance(AFTER_MS + 3_000);
  const first = fixture.explain('whole/0/0').reservedWorker;
  t.equal(first, 'id-of-w1');
  fixture.advance(AFTER_MS + 6_000);
  t.equal(fixture.explain('whole/0/0').reservedWorker, 'id-of-w2');
  fixture.lease('w2');
  fixture.takeOutputs();
  fixture.report('small/0/0', 'succeeded');
  t.match(fixture.takeOutputs(), ['task small/0/0 succeeded', 'task whole/0/0 assigned w2']);
  t.end();
});

test('a reservation ends if its task is canceled and retried', (t) => {
  const farm = new BusyFarm();
  const { fixture } = farm;
  fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(AFTER_MS + 30_000);
  t.match(fixture.explain('whole/0/0').reservedWorker, /^id-of-w/);
  fixture.advance(1);
  fixture.cancelJob('whole');
  fixture.retryJob('whole');
  fixture.advance(3_000);
  t.equal(fixture.explain('whole/0/0').reservedWorker, null, 'the wait of the task starts again');
  t.end();
});

test('a step has one reserved worker, also if more could be reserved', (t) => {
  const fixture = new TestFarm();
  const workers = Array.from({ length: 20 }, (_, each) => `w${each}`);
  for (const worker of workers) fixture.register(worker, { cpu_count: 5 });
  fixture.submit('endless', [{ name: 's', tasks: 20, needs: { cores: 3 } }]);
  for (const worker of workers) fixture.lease(worker);
  for (let task = 0; task < 20; task++) fixture.report(`endless/0/${task}`, 'running');
  fixture.submit('whole', [{ name: 's', tasks: 2, needs: { cores: null } }], { priority: 90 });
  fixture.submit('small', [{ name: 's', tasks: 1000, needs: { cores: 2 } }]);
  for (const worker of workers) fixture.lease(worker);
  for (let task = 0; task < 20; task++) fixture.report(`small/0/${task}`, 'running');
  fixture.advance(AFTER_MS + 6_000);
  for (let task = 0; task < 20; task++) fixture.report(`small/0/${task}`, 'succeeded');
  t.match(fixture.explain('small/0/999').workers, { withRoom: 19, keptForOthers: 1 });
  const reserved = fixture.explain('whole/0/0').reservedWorker;
  fixture.advance(3_000);
  t.equal(fixture.explain('whole/0/0').reservedWorker, reserved, 'it stays the same one');
  t.end();
});

test('a request of a reserved worker does not keep other tasks from requests behind it', (t) => {
  const fixture = new TestFarm();
  for (const worker of ['w1', 'w2']) fixture.register(worker);
  fixture.submit('endless', [{ name: 's', tasks: 2, needs: { cores: 3 } }]);
  for (const worker of ['w1', 'w2']) fixture.lease(worker);
  for (const task of ['endless/0/0', 'endless/0/1']) fixture.report(task, 'running');
  fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  fixture.submit('first', [{ name: 's', tasks: 1 }]);
  // The request overtakes the step, which therefore starves.
  fixture.lease('w1');
  fixture.report('first/0/0', 'succeeded');
  fixture.advance(AFTER_MS - 10_000);
  for (const worker of ['w1', 'w2']) fixture.lease(worker);
  fixture.advance(16_000);
  t.equal(fixture.explain('whole/0/0').reservedWorker, 'id-of-w1');
  fixture.takeOutputs();
  fixture.submit('small', [{ name: 's', tasks: 1 }]);
  t.equal(fixture.takeOutputs().at(-1), 'lease w2: small/0/0#1');
  t.end();
});

test('a service that starts again knows which steps were overtaken, and keeps its reservations', (t) => {
  const farm = new BusyFarm();
  const { fixture } = farm;
  fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(60_000);
  fixture.restart();
  fixture.advance(AFTER_MS);
  const reserved = fixture.explain('whole/0/0').reservedWorker;
  t.match(reserved, /^id-of-w/, 'no task has overtaken it since the start');
  for (let start = 0; start < 2; start++) {
    fixture.restart();
    fixture.advance(0);
    t.equal(fixture.explain('whole/0/0').reservedWorker, reserved);
  }
  fixture.cancelJob('whole');
  fixture.advance(3_000);
  t.strictSame([...fixture.store.scan('waitingStep')], [], 'nothing waits');
  t.end();
});

test('what is stored of a step that no longer waits is removed when the service starts', (t) => {
  const farm = new BusyFarm();
  const { fixture } = farm;
  fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(60_000);
  const [row] = [...fixture.store.scan('waitingStep')];
  t.match(row?.value, { isOvertaken: true, reservation: null });
  fixture.cancelJob('whole');
  t.strictSame([...fixture.store.scan('waitingStep')], []);
  if (row !== undefined) fixture.write([put('waitingStep', row.key, row.value)]);
  fixture.restart();
  fixture.advance(0);
  t.strictSame([...fixture.store.scan('waitingStep')], []);
  t.end();
});

test('of workers that lack as many cores, the one that registered first is reserved', (t) => {
  const fixture = new TestFarm();
  for (const worker of ['w1', 'w2', 'w3']) fixture.register(worker);
  // It comes back as the last one.
  fixture.deregister('w1');
  fixture.register('w1', { incarnation: 'start-2' });
  fixture.submit('endless', [{ name: 's', tasks: 3, needs: { cores: 3 } }]);
  for (const worker of ['w1', 'w2', 'w3']) fixture.lease(worker);
  fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  fixture.submit('small', [{ name: 's', tasks: 1 }]);
  for (const worker of ['w1', 'w2', 'w3']) fixture.lease(worker);
  for (let task = 0; task < 3; task++) fixture.report(`endless/0/${task}`, 'running');
  fixture.report('small/0/0', 'succeeded', { exitCode: 0 });
  fixture.advance(AFTER_MS + 3_000);
  t.equal(fixture.explain('whole/0/0').reservedWorker, 'id-of-w1');
  t.end();
});

test('a deleted farm leaves nothing stored of its steps', (t) => {
  const farm = new BusyFarm();
  const { fixture } = farm;
  fixture.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(60_000);
  t.equal([...fixture.store.scan('waitingStep')].length, 1);
  for (const job of ['small', 'whole']) fixture.cancelJob(job);
  fixture.deleteFarm();
  t.strictSame([...fixture.store.scan('waitingStep')], []);
  t.end();
});
