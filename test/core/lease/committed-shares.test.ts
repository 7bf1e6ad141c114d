import { test } from 'tap';
import { committedShares } from '../../../src/core/lease/committed-shares.ts';
import { ONLINE_WORKERS_SLOT } from '../../../src/core/ports/tallies.ts';
import { TestFarm } from '../../kit/test-farm.ts';

/** Counts by slot. */
const countsOf = (farm: TestFarm): ReadonlyMap<number, number> =>
  new Map(committedShares(farm.store).map(({ slot, count }) => [slot, count]));

/** Three workers, one of which is disabled and runs two tasks with a slot of a pool each. */
function withDisabledWorker(): TestFarm {
  const farm = new TestFarm();
  farm.createPool('nuke', { maxConcurrent: 3 });
  for (const name of ['w1', 'w2', 'w3']) farm.register(name);
  farm.submit('A', [{ name: 's', tasks: 4, needs: { pools: ['nuke'] } }]);
  farm.lease('w1');
  farm.disableWorker('w1');
  farm.report('A/0/0', 'succeeded');
  return farm;
}

test('slots of a disabled worker are counted, and the worker is not online', (t) => {
  const farm = withDisabledWorker();
  t.strictSame(
    countsOf(farm),
    new Map([
      [farm.pool('nuke').slot, 2],
      [ONLINE_WORKERS_SLOT, 2],
    ]),
  );
  t.end();
});

test('after a restart with a disabled worker the pool has the rest of its slots', (t) => {
  const farm = withDisabledWorker();
  farm.restart();
  t.equal(farm.tallies.total(ONLINE_WORKERS_SLOT), 2);
  t.equal(farm.tallies.total(farm.pool('nuke').slot), 2);
  farm.takeOutputs();
  farm.lease('w2');
  farm.expect(t, 'one slot is free', ['task A/0/3 assigned w2', 'lease w2: A/0/3#1']);
  t.end();
});

test('a task holds the slots of its own step', (t) => {
  const farm = new TestFarm();
  for (const name of ['nuke', 'maya']) farm.createPool(name, { maxConcurrent: 5 });
  farm.register('w1');
  farm.submit('A', [
    { name: 'first', tasks: 1, needs: { pools: ['nuke'] } },
    { name: 'second', tasks: 2, needs: { pools: ['maya'] } },
  ]);
  farm.lease('w1');
  const counts = countsOf(farm);
  t.equal(counts.get(farm.pool('nuke').slot), 1);
  t.equal(counts.get(farm.pool('maya').slot), 2);
  t.end();
});

test('pools that count amounts and hosts have the slots of the open attempts', (t) => {
  const farm = new TestFarm();
  farm.createPool('seats', { maxConcurrent: 9, counts: 'amounts' });
  farm.createPool('nodes', { maxConcurrent: 9, counts: 'hosts' });
  for (const worker of ['w1', 'w2']) farm.register(worker, { cpu_count: 2, hostname: 'render-7' });
  farm.register('w3', { cpu_count: 2 });
  const needs = { pools: ['seats', 'nodes'], poolAmounts: { seats: 2 } };
  farm.submit('A', [{ name: 's', tasks: 4, needs }]);
  for (const worker of ['w1', 'w2', 'w3']) farm.lease(worker);
  const counts = countsOf(farm);
  t.equal(counts.get(farm.pool('seats').slot), 8);
  t.equal(counts.get(farm.pool('nodes').slot), 1, 'two workers of one machine; the third has no task');
  t.end();
});
