import { test } from 'tap';
import { LocalTallies } from '../../../src/adapters/memory/local-tallies.ts';
import { farmId } from '../../../src/core/ids.ts';
import { FarmPools } from '../../../src/core/lease/farm-pools.ts';
import { usagePool } from '../../kit/lease-parts.ts';

const FARM = farmId('f1');
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
  t.equal(farm.claim(['many', 'few'], 4), 2);
  t.same([tallies.total(MANY.slot), tallies.total(FEW.slot)], [2, 2]);
  t.same([farm.liveTasks('many'), farm.liveTasks('few')], [2, 2]);
  t.equal(farm.claim(['many', 'few'], 1), 0);
  t.same([tallies.total(MANY.slot), tallies.total(FEW.slot)], [2, 2], 'the second pool is full');
  t.equal(farm.claim(['many', 'unknown'], 1), 0);
  t.equal(tallies.total(MANY.slot), 2, 'the second pool is not registered');
  t.end();
});

test('nothing is claimed before the live tasks of the farm are counted', (t) => {
  const { tallies, farm } = pools();
  t.equal(farm.room(['many']), 0);
  t.equal(farm.claim(['many'], 1), 0);
  t.equal(farm.claim([], 3), 3, 'a task without pools');
  farm.recount({ pools: [], live: 0 }, { pools: ['many'], live: 4 });
  t.equal(tallies.total(MANY.slot), 0);
  farm.counted();
  t.equal(tallies.total(MANY.slot), 4);
  t.equal(farm.claim(['many'], 3), 1);
  t.end();
});

test('released slots are returned once, and free only then', (t) => {
  const { tallies, farm } = pools();
  farm.counted();
  farm.claim(['few'], 2);
  farm.release(['few'], 1);
  t.equal(farm.liveTasks('few'), 1);
  t.equal(tallies.total(FEW.slot), 2);
  t.same(farm.takeReleased(), [{ slot: FEW.slot, count: 1 }]);
  t.same(farm.takeReleased(), []);
  t.end();
});
