import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

const AFTER_MS = 300_000;
const TASK_MS = 60_000;

/** Two workers of four cores, a stream of one-core tasks that never lets both be idle, and a whole-machine task. */
class BusyFarm {
  readonly house: TestHouse;
  private readonly running: { readonly task: string; readonly worker: string; endsAt: number }[] = [];
  readonly wholeRanOn: string[] = [];

  constructor(reservationAfterMs = AFTER_MS) {
    this.house = new TestHouse({ reservationAfterMs });
    for (const worker of ['w1', 'w2']) this.house.register(worker);
    this.house.submit('small', [{ name: 's', tasks: 2_000 }]);
    this.ask();
  }

  /** Work goes on: every task runs for a minute, and whoever has a core free asks for more. */
  workFor(ms: number): void {
    const end = this.house.now + ms;
    while (this.house.now < end) {
      this.house.advance(15_000);
      for (const run of this.running.splice(0)) {
        if (run.endsAt > this.house.now) this.running.push(run);
        else this.house.report(run.task, 'succeeded', { exitCode: 0 });
      }
      this.ask();
    }
  }

  /** Each worker asks; the tasks that it is given begin. */
  private ask(): void {
    this.house.lease('w1');
    this.house.lease('w2');
    for (const line of this.house.heard()) {
      const [, worker = '', tasks = ''] = /^lease (\w+): (.*)$/.exec(line) ?? [];
      for (const [each, at] of tasks.split(', ').map((text, place) => [text, place] as const)) {
        const task = /^([^#]+)#\d+/.exec(each)?.[1];
        if (task === undefined) continue;
        if (task.startsWith('whole')) this.wholeRanOn.push(worker);
        this.house.report(task, 'running');
        // They end one after the other, so that the cores of a worker are never all free by chance.
        this.running.push({ task, worker, endsAt: this.house.now + TASK_MS + (at % 4) * 15_000 });
      }
    }
  }
}

test('without reservations a stream of small tasks keeps a whole-machine task waiting for ever', (t) => {
  const farm = new BusyFarm(0);
  farm.workFor(60_000);
  farm.house.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(30 * 60_000);
  t.strictSame(farm.wholeRanOn, []);
  t.end();
});

test('after the wait a worker is kept free, and the task runs once what runs there has ended', (t) => {
  const farm = new BusyFarm();
  farm.workFor(60_000);
  farm.house.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  farm.workFor(AFTER_MS - 15_000);
  t.strictSame(farm.wholeRanOn, [], 'first fit, as the contract has it');
  t.equal(farm.house.explain('whole/0/0').reservedWorker, null);
  farm.workFor(30_000);
  t.match(farm.house.explain('whole/0/0').reservedWorker, /^id-of-w/);
  farm.workFor(15_000);
  t.match(
    farm.house.explain('small/0/1999').workers,
    { withRoom: 0, keptForOthers: 1 },
    'it has room for no other',
  );
  farm.workFor(2 * TASK_MS);
  t.equal(farm.wholeRanOn.length, 1, 'the wait, and the longest of the tasks that ran on the worker');
  t.end();
});

test('a task of a lower priority than those that run before it is not overtaken', (t) => {
  const farm = new BusyFarm();
  farm.house.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 10 });
  farm.workFor(2 * AFTER_MS);
  t.strictSame(farm.wholeRanOn, [], 'the contract puts the others first');
  t.end();
});

test('a reservation ends when its task is gone, its job paused, or its worker', (t) => {
  for (const end of ['cancel', 'pause', 'deregister'] as const) {
    const farm = new BusyFarm();
    const { house } = farm;
    house.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
    farm.workFor(AFTER_MS + 30_000);
    const reserved = house.explain('whole/0/0').reservedWorker;
    t.match(reserved, /^id-of-w/, end);
    if (end === 'cancel') house.cancelJob('whole');
    if (end === 'pause') house.updateJob('whole', { action: 'pause' });
    if (end === 'deregister') house.deregister((reserved ?? '').slice('id-of-'.length));
    house.heard();
    house.advance(3_000);
    if (end !== 'deregister') {
      t.equal(house.explain('whole/0/0').reservedWorker, null);
      farm.workFor(60_000);
      t.equal(house.bookedCores('w1') + house.bookedCores('w2'), 8, 'every core is at work again');
    } else {
      t.not(house.explain('whole/0/0').reservedWorker, reserved, 'the other one is kept free');
    }
  }
  t.end();
});

test('a reservation moves on from a worker whose tasks do not end', (t) => {
  const house = new TestHouse();
  for (const worker of ['w1', 'w2']) house.register(worker);
  house.submit('endless', [{ name: 's', tasks: 2 }]);
  house.submit('small', [{ name: 's', tasks: 500, needs: { cores: 4 } }]);
  house.lease('w1');
  house.lease('w2');
  house.report('endless/0/0', 'running');
  house.report('endless/0/1', 'running');
  house.report('small/0/0', 'running');
  house.submit('whole', [{ name: 's', tasks: 1, needs: { cores: null } }], { priority: 90 });
  house.submit('more', [{ name: 's', tasks: 500 }]);
  house.lease('w1');
  house.advance(AFTER_MS + 3_000);
  const first = house.explain('whole/0/0').reservedWorker;
  t.equal(first, 'id-of-w1');
  house.advance(AFTER_MS + 6_000);
  t.equal(house.explain('whole/0/0').reservedWorker, 'id-of-w2');
  house.lease('w2');
  house.heard();
  house.report('small/0/0', 'succeeded');
  t.match(house.heard(), ['task small/0/0 succeeded', 'task whole/0/0 assigned w2']);
  t.end();
});
