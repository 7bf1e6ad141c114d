import { test } from 'tap';
import type { FarmInput } from '../../../../actors/service/catalog/messages.ts';
import type { AmountRequirement } from '../../../../src/openjd/template/plan.ts';
import { parseAttemptId, workerId } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const MEMORY = 'amount.worker.memory';
const GPU = 'amount.worker.gpu';
const GPU_MEMORY = 'amount.worker.gpu.memory';

type Booked = NonNullable<FarmInput['bookedAmounts']>;

/** A farm that books these amounts, with a worker of 8 cores, 8,000 MiB and two GPUs. */
function farmThatBooks(bookedAmounts: Booked, settings = {}): TestFarm {
  const fixture = new TestFarm(settings);
  fixture.replaceFarm({ bookedAmounts });
  fixture.register('w1', { cpu_count: 8, memory_mib: 8000, gpu_count: 2, gpu_memory_mib: 1000 });
  fixture.takeOutputs();
  return fixture;
}

const needs = (cores: number | null, ...amounts: AmountRequirement[]) => ({ cores, amounts });

const bookingsOf = (fixture: TestFarm, worker: string) =>
  fixture.store.get('booking', keys.booking(workerId(`id-of-${worker}`)))?.bookings ?? [];

test('tasks book memory like cores until they end', (t) => {
  const fixture = farmThatBooks({ names: [MEMORY] });
  fixture.submit('A', [{ name: 's', tasks: 4, needs: needs(1, { name: MEMORY, min: 3000 }) }]);
  fixture.lease('w1');
  fixture.expect(t, 'two of them fit', [
    'job A pending',
    'submit A: ok',
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'lease w1: A/0/0#1, A/0/1#1',
  ]);
  t.strictSame(
    bookingsOf(fixture, 'w1').map(({ amounts }) => amounts),
    [{ [MEMORY]: 3000 }, { [MEMORY]: 3000 }],
  );
  fixture.lease('w1');
  t.strictSame(fixture.takeOutputs(), [], 'the request waits: 2,000 MiB are free');
  fixture.submit('B', [{ name: 's', tasks: 1, needs: needs(1, { name: MEMORY, min: 2000 }) }]);
  fixture.expect(t, 'a smaller task of a later job fits', [
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w1',
    'job B running',
    'lease w1: B/0/0#1',
  ]);
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  fixture.takeOutputs();
  fixture.lease('w1');
  t.match(
    fixture.takeOutputs(),
    ['task A/0/2 assigned w1', 'lease w1: A/0/2#1'],
    'the amounts are free again',
  );
  t.end();
});

test('a request that waits for memory is served as soon as it is free', (t) => {
  const fixture = farmThatBooks({ names: [MEMORY] });
  fixture.submit('A', [{ name: 's', tasks: 2, needs: needs(1, { name: MEMORY, min: 5000 }) }]);
  fixture.lease('w1');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  fixture.expect(t, 'the parked request', [
    'task A/0/0 succeeded',
    'task A/0/1 assigned w1',
    'lease w1: A/0/1#1',
  ]);
  t.end();
});

test('without the setting, amounts are only matched', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 8, memory_mib: 8000 });
  fixture.submit('A', [{ name: 's', tasks: 4, needs: needs(1, { name: MEMORY, min: 3000 }) }]);
  fixture.takeOutputs();
  fixture.lease('w1');
  t.match(fixture.takeOutputs().at(-1), 'lease w1: A/0/0#1, A/0/1#1, A/0/2#1, A/0/3#1');
  t.strictSame(
    Object.keys(bookingsOf(fixture, 'w1')[0] ?? {}),
    ['attemptId', 'cores'],
    'the rows are as before',
  );
  t.end();
});

test('a step that names no amount takes none, or its share of the cores', (t) => {
  const shared = farmThatBooks({ names: [MEMORY, GPU], byDefault: 'core_share' });
  shared.submit('A', [{ name: 's', tasks: 4, needs: needs(3) }]);
  shared.lease('w1');
  t.strictSame(
    bookingsOf(shared, 'w1').map(({ amounts, gpus }) => ({ amounts, gpus })),
    [
      { amounts: { [MEMORY]: 3000 }, gpus: undefined },
      { amounts: { [MEMORY]: 3000 }, gpus: undefined },
    ],
    '3 of 8 cores are 3,000 of 8,000 MiB and less than one of two GPUs',
  );
  const whole = farmThatBooks({ names: [MEMORY, GPU], byDefault: 'core_share' });
  whole.submit('A', [{ name: 's', tasks: 1, needs: needs(null) }]);
  whole.lease('w1');
  t.match(bookingsOf(whole, 'w1'), [{ amounts: { [MEMORY]: 8000, [GPU]: 2 }, gpus: [0, 1] }]);
  const none = farmThatBooks({ names: [MEMORY, GPU] });
  none.submit('A', [{ name: 's', tasks: 2, needs: needs(3) }]);
  none.lease('w1');
  t.equal(bookingsOf(none, 'w1')[0]?.amounts, undefined);
  t.end();
});

test('GPUs are assigned by index, and the first free one again', (t) => {
  const fixture = farmThatBooks({ names: [GPU] });
  fixture.submit('A', [{ name: 's', tasks: 4, needs: needs(1, { name: GPU, min: 1 }) }]);
  fixture.lease('w1');
  const gpus = () => bookingsOf(fixture, 'w1').map(({ gpus: indices }) => indices);
  t.strictSame(gpus(), [[0], [1]]);
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  fixture.lease('w1');
  t.strictSame(gpus(), [[1], [0]]);
  t.end();
});

test('tasks share a GPU by its memory', (t) => {
  const fixture = farmThatBooks({ names: [GPU, GPU_MEMORY] });
  fixture.submit('A', [{ name: 's', tasks: 3, needs: needs(1, { name: GPU_MEMORY, min: 600 }) }], {
    priority: 90,
  });
  fixture.lease('w1');
  t.strictSame(
    bookingsOf(fixture, 'w1').map(({ gpus }) => gpus),
    [[0], [1]],
    'two of them do not fit on one GPU',
  );
  fixture.submit('B', [{ name: 's', tasks: 1, needs: needs(1, { name: GPU_MEMORY, min: 400 }) }], {
    priority: 95,
  });
  fixture.submit('C', [{ name: 's', tasks: 1, needs: needs(1, { name: GPU, min: 1 }) }], { priority: 99 });
  fixture.lease('w1');
  t.strictSame(
    bookingsOf(fixture, 'w1').map(({ gpus }) => gpus),
    [[0], [1], [0]],
    'no GPU is free for a task that wants one for itself',
  );
  t.end();
});

test('booked amounts survive a restart of the service', (t) => {
  const fixture = farmThatBooks({ names: [MEMORY, GPU] });
  const amounts = [
    { name: MEMORY, min: 3000 },
    { name: GPU, min: 1 },
  ];
  fixture.submit('A', [{ name: 's', tasks: 3, needs: needs(1, ...amounts) }]);
  fixture.lease('w1');
  for (const task of ['A/0/0', 'A/0/1']) fixture.report(task, 'running');
  const before = bookingsOf(fixture, 'w1');
  t.equal(before.length, 2);
  fixture.restart();
  fixture.advance(0);
  fixture.takeOutputs();
  fixture.lease('w1');
  t.strictSame(fixture.takeOutputs(), [], 'the amounts of the running tasks are still booked');
  fixture.report('A/0/1', 'succeeded', { exitCode: 0 });
  fixture.expect(t, 'the freed GPU', ['task A/0/1 succeeded', 'task A/0/2 assigned w1', 'lease w1: A/0/2#1']);
  t.strictSame(
    bookingsOf(fixture, 'w1').map(({ gpus }) => gpus),
    [[0], [1]],
  );
  t.end();
});

test('a change of the setting counts for tasks that are assigned after it', (t) => {
  const fixture = farmThatBooks({ names: [MEMORY] });
  fixture.submit('A', [{ name: 's', tasks: 6, needs: needs(1, { name: MEMORY, min: 3000 }) }]);
  fixture.lease('w1');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.replaceFarm({ description: 'other' });
  t.strictSame(
    fixture.takeOutputs().filter((line) => line.startsWith('lease')),
    [],
    'a client that does not know the setting keeps it',
  );
  fixture.replaceFarm({ bookedAmounts: { names: [] } });
  t.match(
    fixture.takeOutputs().filter((line) => line.startsWith('lease')),
    ['lease w1: A/0/2#1, A/0/3#1, A/0/4#1, A/0/5#1'],
    'only cores are booked now',
  );
  t.end();
});

test('a worker is reserved for a task that waits for its memory', (t) => {
  const fixture = farmThatBooks({ names: [MEMORY] }, { reservationAfterMs: 300_000 });
  fixture.submit('small', [{ name: 's', tasks: 50, needs: needs(1, { name: MEMORY, min: 2000 }) }]);
  fixture.lease('w1');
  for (const task of ['small/0/0', 'small/0/1', 'small/0/2', 'small/0/3']) fixture.report(task, 'running');
  fixture.submit('wide', [{ name: 's', tasks: 1, needs: needs(1, { name: MEMORY, min: 8000 }) }], {
    priority: 90,
  });
  fixture.lease('w1');
  fixture.takeOutputs();
  // Each task that ends lets a small one overtake the wide one.
  let next = 0;
  const endOne = (): string[] => {
    fixture.report(`small/0/${next++}`, 'succeeded', { exitCode: 0 });
    fixture.lease('w1');
    const lines = fixture.takeOutputs();
    for (const line of lines) {
      const task = /^task (\S+) assigned/.exec(line)?.[1];
      if (task !== undefined) fixture.report(task, 'running');
    }
    return lines.filter((line) => line.startsWith('lease') && !line.endsWith('nothing'));
  };
  t.match(endOne(), [/^lease w1: small/], 'a small task overtakes it');
  for (let minute = 0; minute < 6; minute++) {
    fixture.advance(60_000);
    fixture.heartbeat('w1');
  }
  fixture.takeOutputs();
  t.strictSame(endOne(), [], 'no small task gets the memory any more');
  t.strictSame(endOne(), []);
  t.strictSame(endOne(), []);
  t.match(endOne(), [/^lease w1: wide/], 'the wide task has all memory');
  t.end();
});

test('explain names the amount that is short', (t) => {
  const fixture = farmThatBooks({ names: [MEMORY] });
  fixture.submit('A', [{ name: 's', tasks: 3, needs: needs(1, { name: MEMORY, min: 3000 }) }]);
  fixture.lease('w1');
  const { workers } = fixture.explain('A/0/2');
  t.equal(workers.withRoom, 0);
  t.strictSame(workers.short, [{ name: MEMORY, needed: 3000, mostFree: 2000, workers: 1 }]);
  t.match(fixture.explainFarm().groups, [{ reason: 'amounts', amount: MEMORY, tasks: 1 }]);
  t.end();
});

test('a lease actor that was loaded cold decides like one that was warm', (t) => {
  const play = (isCold: boolean): readonly unknown[] => {
    const fixture = farmThatBooks({ names: [MEMORY, GPU, GPU_MEMORY], byDefault: 'core_share' });
    const decisions: unknown[] = [];
    const amounts: readonly (readonly AmountRequirement[])[] = [
      [{ name: MEMORY, min: 1500 }],
      [{ name: GPU_MEMORY, min: 400 }],
      [{ name: GPU, min: 1 }],
      [],
    ];
    for (const [at, each] of amounts.entries())
      fixture.submit(`J${at}`, [{ name: 's', tasks: 6, needs: needs(1, ...each) }], { priority: 50 + at });
    for (let round = 0; round < 12; round++) {
      if (isCold) {
        fixture.restart();
        fixture.advance(0);
      }
      fixture.takeOutputs();
      fixture.lease('w1');
      for (const line of fixture.takeOutputs()) {
        const task = /^task (\S+) assigned/.exec(line)?.[1];
        if (task !== undefined) fixture.report(task, 'running');
      }
      const bookings = bookingsOf(fixture, 'w1');
      decisions.push(bookings.map(({ cores, amounts: held, gpus }) => ({ cores, held, gpus })));
      // Each round ends another one of the running tasks.
      const ended = bookings[(round * 5) % Math.max(1, bookings.length)];
      const address = ended === undefined ? null : parseAttemptId(ended.attemptId);
      if (address === null) continue;
      const job = amounts.findIndex((_each, at) => address.jobId === fixture.jobId(`J${at}`));
      fixture.report(`J${job}/0/${address.index}`, 'succeeded', { exitCode: 0 });
    }
    return decisions;
  };
  const warm = play(false);
  t.ok(warm.some((bookings) => JSON.stringify(bookings).includes('"gpus":[1]')));
  t.strictSame(play(true), warm);
  t.end();
});

test('bookings and explanations name the version of the setting', (t) => {
  const fixture = farmThatBooks({ names: [MEMORY] });
  fixture.submit('A', [{ name: 's', tasks: 9, needs: needs(1, { name: MEMORY, min: 3000 }) }]);
  fixture.lease('w1');
  fixture.replaceFarm({ bookedAmounts: { byDefault: 'core_share' } });
  fixture.replaceFarm({ bookedAmounts: { byDefault: 'core_share' } });
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  fixture.lease('w1');
  t.strictSame(
    bookingsOf(fixture, 'w1').map(({ policyVersion }) => policyVersion),
    [1, 2],
  );
  t.equal(fixture.explain('A/0/8').workers.policyVersion, 2);
  t.end();
});
