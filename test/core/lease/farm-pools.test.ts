import { test } from 'tap';
import { LocalTallies } from '../../../src/adapters/memory/local-tallies.ts';
import { farmId, workerId } from '../../../src/core/ids.ts';
import { FarmPools } from '../../../src/core/lease/farm-pools.ts';
import { usagePool } from '../../kit/lease-parts.ts';

const FARM = farmId('f1');
const W = workerId('w1');
const OTHER = workerId('w2');
const [MANY, FEW] = [usagePool('many', 5, 1), usagePool('few', 2, 2)] as const;

function pools(): { readonly tallies: LocalTallies; readonly farm: FarmPools } {
  const tallies = new LocalTallies();
  const farm = new FarmPools(FARM, tallies);
  farm.register([MANY, FEW], 0);
  return { tallies, farm };
}

test('a task that gets no slot of one pool keeps none of the others', (t) => {
  const { tallies, farm } = pools();
  farm.counted();
  t.equal(farm.claim({ pools: ['many', 'few'] }, 4, W), 2);
  t.same([tallies.total(MANY.slot), tallies.total(FEW.slot)], [2, 2]);
  t.same([farm.liveTasks('many'), farm.liveTasks('few')], [2, 2]);
  t.equal(farm.claim({ pools: ['many', 'few'] }, 1, W), 0);
  t.same([tallies.total(MANY.slot), tallies.total(FEW.slot)], [2, 2], 'the second pool is full');
  t.equal(farm.claim({ pools: ['many', 'unknown'] }, 1, W), 0);
  t.equal(tallies.total(MANY.slot), 2, 'the second pool is not registered');
  t.end();
});

test('claims are limited by a measured value until it is too old', (t) => {
  const { tallies, farm } = pools();
  const measured = { slots: 2, at: 1000, until: 5000 };
  farm.register([{ ...MANY, measured }], 1000);
  farm.counted();
  t.equal(farm.claim({ pools: ['many'] }, 4, W), 2);
  t.equal(farm.nextHoldEnd(), 5000);
  t.strictSame(farm.updateHolds(4999), []);
  t.equal(farm.claim({ pools: ['many'] }, 4, W), 0);
  t.strictSame(farm.updateHolds(5000), ['many']);
  t.equal(farm.nextHoldEnd(), null);
  t.equal(farm.claim({ pools: ['many'] }, 4, W), 3);
  t.equal(tallies.total(MANY.slot), 5);
  farm.register([{ ...MANY, measured: { ...measured, slots: 9 } }], 1000);
  t.equal(farm.nextHoldEnd(), null, 'a larger value limits nothing');
  t.end();
});

test('a measured value limits the hosts of a pool that counts them', (t) => {
  const { farm } = pools();
  const measured = { slots: 1, at: 1000, until: 5000 };
  farm.register([{ ...MANY, counts: 'hosts', measured }], 1000);
  farm.counted();
  t.equal(farm.claim({ pools: ['many'] }, 3, W), 3);
  t.equal(farm.claim({ pools: ['many'] }, 1, OTHER), 0);
  farm.register([{ ...MANY, counts: 'hosts', measured: { ...measured, slots: 0 } }], 1000);
  t.equal(farm.claim({ pools: ['many'] }, 1, W), 0, 'not even on a host with a slot');
  farm.updateHolds(5000);
  t.equal(farm.claim({ pools: ['many'] }, 1, OTHER), 1);
  t.end();
});

test('nothing is claimed before the live tasks of the farm are counted', (t) => {
  const { tallies, farm } = pools();
  t.equal(farm.room({ pools: ['many'] }, null), 0);
  t.equal(farm.claim({ pools: ['many'] }, 1, W), 0);
  t.equal(farm.claim({ pools: [] }, 3, W), 3, 'a task without pools');
  farm.recount(
    { demand: { pools: [] }, workers: [] },
    { demand: { pools: ['many'] }, workers: [W, W, W, W] },
  );
  t.equal(tallies.total(MANY.slot), 0);
  farm.counted();
  t.equal(tallies.total(MANY.slot), 4);
  t.equal(farm.claim({ pools: ['many'] }, 3, W), 1);
  t.end();
});

test('released slots are returned once, and free only then', (t) => {
  const { tallies, farm } = pools();
  farm.counted();
  farm.claim({ pools: ['few'] }, 2, W);
  farm.release({ pools: ['few'] }, [W]);
  t.equal(farm.liveTasks('few'), 1);
  t.equal(tallies.total(FEW.slot), 2);
  t.same(farm.takeReleased(), [{ slot: FEW.slot, count: 1 }]);
  t.same(farm.takeReleased(), []);
  t.end();
});

test('a pool that is removed takes no slots, and counts its live tasks when it is registered again', (t) => {
  const { tallies, farm } = pools();
  farm.counted();
  farm.claim({ pools: ['few'] }, 2, W);
  t.equal(tallies.total(FEW.slot), 2);
  farm.register([MANY], 0);
  t.equal(tallies.total(FEW.slot), 0, 'its slot may belong to another pool now');
  farm.register([MANY, usagePool('few', 2, 3)], 0);
  t.equal(tallies.total(3), 2);
  t.end();
});

test('a pool that counts amounts gives each task as many slots as it requires', (t) => {
  const tallies = new LocalTallies();
  const farm = new FarmPools(FARM, tallies);
  const pool = { ...usagePool('seats', 5, 1), counts: 'amounts' } as const;
  farm.register([pool, MANY], 0);
  farm.counted();
  const two = { pools: ['seats'], poolAmounts: { seats: 2 } };
  t.equal(farm.room(two, W), 2);
  t.equal(farm.claim(two, 3, W), 2);
  t.equal(tallies.total(1), 4, 'the slot that is left is given back');
  t.equal(farm.room(two, W), 0);
  t.equal(farm.room({ pools: ['seats'] }, W), 1);
  farm.release(two, [W]);
  t.same(farm.takeReleased(), [{ slot: 1, count: 2 }]);
  tallies.release(FARM, 1, 2);
  farm.register([usagePool('seats', 5, 1)], 0);
  t.equal(tallies.total(1), 1, 'one task is live: amounts count only where the pool says so');
  farm.register([pool], 0);
  t.equal(tallies.total(1), 2);
  t.end();
});

test('a pool that counts hosts has a slot for each host with tasks', (t) => {
  const tallies = new LocalTallies();
  const farm = new FarmPools(FARM, tallies);
  const pool = { ...usagePool('nodes', 1, 1), counts: 'hosts' } as const;
  farm.register([pool, FEW], 0);
  farm.counted();
  farm.setHost(W, 'a');
  farm.setHost(OTHER, 'b');
  const demand = { pools: ['nodes'] };
  t.equal(farm.claim(demand, 3, W), 3);
  t.equal(tallies.total(1), 1);
  t.equal(farm.takeHostChange(), true);
  t.equal(farm.claim(demand, 2, W), 2, 'its host has a slot');
  t.equal(farm.takeHostChange(), false);
  t.equal(farm.room(demand, OTHER), 0);
  t.equal(farm.room(demand, null), Infinity, 'a host has room');
  t.equal(farm.claim(demand, 1, OTHER), 0);
  farm.setHost(OTHER, 'a');
  t.equal(farm.room(demand, OTHER), Infinity, 'it is on the same machine');
  farm.release(demand, [W, W, W, W]);
  t.same(farm.takeReleased(), [], 'one task is left');
  farm.release(demand, [W]);
  t.same(farm.takeReleased(), [{ slot: 1, count: 1 }]);
  t.equal(farm.room(demand, null), 0, 'the slot is free after the commit');
  tallies.release(FARM, 1, 1);
  t.equal(farm.claim({ pools: ['nodes', 'unknown'] }, 1, W), 0);
  t.equal(tallies.total(1), 0, 'a task without all its pools keeps no host');
  t.end();
});

test('a pool that counts hosts starts nothing while it has more hosts than slots', (t) => {
  const tallies = new LocalTallies();
  const farm = new FarmPools(FARM, tallies);
  const pool = { ...usagePool('nodes', 2, 1), counts: 'hosts' } as const;
  farm.register([pool], 0);
  farm.counted();
  const demand = { pools: ['nodes'] };
  farm.claim(demand, 1, W);
  farm.claim(demand, 1, OTHER);
  farm.register([{ ...pool, maxConcurrent: 1 }], 0);
  t.equal(farm.room(demand, W), 0);
  t.equal(farm.room(demand, null), 0);
  t.equal(farm.claim(demand, 1, W), 0);
  farm.release(demand, [OTHER]);
  for (const { slot, count } of farm.takeReleased()) tallies.release(FARM, slot, count);
  t.equal(farm.room(demand, W), Infinity);
  t.equal(farm.room(demand, OTHER), 0);
  t.end();
});

test('tasks of a worker that turns out to be on another host move with it', (t) => {
  const tallies = new LocalTallies();
  const farm = new FarmPools(FARM, tallies);
  farm.register([{ ...usagePool('nodes', 5, 1), counts: 'hosts' }], 0);
  farm.recount(
    { demand: { pools: [] }, workers: [] },
    { demand: { pools: ['nodes'] }, workers: [W, OTHER, W] },
  );
  farm.setHost(W, 'a');
  farm.setHost(OTHER, 'a');
  farm.counted();
  t.equal(tallies.total(1), 1, 'both are on one machine');
  farm.setHost(OTHER, 'b');
  t.equal(tallies.total(1), 2);
  farm.setHost(W, 'b');
  t.same(farm.takeReleased(), [{ slot: 1, count: 1 }]);
  t.end();
});
