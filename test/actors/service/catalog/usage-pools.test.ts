import { test } from 'tap';
import { POOLS_MAX } from '../../../../actors/service/catalog/pool-slots.ts';
import { CATALOG_ID } from '../../../../actors/service/catalog/messages.ts';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestHouse } from '../../../kit/test-house.ts';
import { UNTOLD } from '../../../kit/untold.ts';

/** At rest a house checks that the lease actor of every farm knows the pools of the store. */

const slotsOf = (house: TestHouse): Record<string, number> =>
  Object.fromEntries(house.pools().map(({ name, slot }) => [name, slot]));

test('pools are created, replaced and deleted, and every farm hears of it', (t) => {
  const house = new TestHouse();
  house.createFarm({ name: 'G' });
  house.heard();
  const madeAt = house.now;
  house.createPool('nuke', { maxConcurrent: 4, serverHint: 'license-1' });
  const made = house.pool('nuke');
  t.strictSame(made, {
    version: 1,
    id: made.id,
    name: 'nuke',
    maxConcurrent: 4,
    serverHint: 'license-1',
    slot: 1,
    createdAt: madeAt,
    updatedAt: madeAt,
  });
  house.expect(t, 'created', ['create pool nuke: ok']);
  house.advance(5);
  house.replacePool('nuke', { name: 'nukex', maxConcurrent: 2 });
  const after = { ...made, name: 'nukex', maxConcurrent: 2, serverHint: '', updatedAt: madeAt + 5 };
  t.strictSame(house.pools(), [after]);
  t.strictSame(house.answer('replace pool nuke'), { ok: true, value: after });
  house.expect(t, 'replaced', ['replace pool nuke: ok']);
  house.deletePool('nukex');
  t.strictSame(house.pools(), []);
  t.strictSame(house.answer('delete pool nukex'), { ok: true, value: null });
  house.expect(t, 'deleted', ['delete pool nukex: ok']);
  t.end();
});

test('a pool that is not there is neither replaced nor deleted', (t) => {
  const house = new TestHouse();
  house.replacePool('no-pool');
  house.deletePool('no-pool');
  house.expect(t, 'refused', [
    'replace pool no-pool: not-found, there is no usage pool no-pool',
    'delete pool no-pool: not-found, there is no usage pool no-pool',
  ]);
  t.strictSame(house.pools(), []);
  t.end();
});

test('names of pools are unique, in upper and lower case', (t) => {
  const house = new TestHouse();
  house.createPool('Nuke');
  house.createPool('maya');
  house.createPool('nUKE');
  house.replacePool('maya', { name: 'nuke' });
  house.replacePool('Nuke', { name: 'NUKE' });
  house.deletePool('NUKE');
  house.createPool('nuke');
  house.expect(t, 'a pool may change the case of its own name', [
    'create pool Nuke: ok',
    'create pool maya: ok',
    'create pool nUKE: conflict, there is a usage pool named "Nuke" already',
    'replace pool maya: conflict, there is a usage pool named "Nuke" already',
    'replace pool Nuke: ok',
    'delete pool NUKE: ok',
    'create pool nuke: ok',
  ]);
  t.strictSame(
    house.pools().map(({ name }) => name),
    ['maya', 'nuke'],
  );
  house.restart();
  house.createPool('MAYA');
  house.expect(t, 'names are known after a restart', [
    'create pool MAYA: conflict, there is a usage pool named "maya" already',
  ]);
  t.end();
});

test('two pools of one name at the same moment: one is made', (t) => {
  const house = new TestHouse();
  house.together(() => {
    house.createPool('nuke');
    house.createPool('NUKE');
  });
  house.expect(t, 'the second is refused', [
    'create pool nuke: ok',
    'create pool NUKE: conflict, there is a usage pool named "nuke" already',
  ]);
  t.end();
});

test('a slot is never given twice while the service lives', (t) => {
  const house = new TestHouse();
  house.createPool('a');
  house.createPool('b');
  house.deletePool('a');
  house.createPool('c');
  t.strictSame(slotsOf(house), { b: 2, c: 3 });
  house.deletePool('c');
  house.createPool('d');
  house.replacePool('d', { maxConcurrent: 9 });
  t.strictSame(slotsOf(house), { b: 2, d: 4 });
  house.deletePool('d');
  house.heard();
  house.post({
    actor: 'catalog',
    id: CATALOG_ID,
    // No input: the handler throws, and the actor is loaded again.
    message: { type: 'pool.create', replyTo: replyTo('faulty') } as never,
  });
  house.run();
  t.match(house.answer('faulty'), { ok: false, problem: { kind: 'internal' } });
  t.strictSame(house.warned(), [
    'a handler threw; its actors are loaded again',
    'a message is poisoned: its handler threw twice',
  ]);
  house.createPool('e');
  t.strictSame(slotsOf(house), { b: 2, e: 5 }, 'not even when the catalog is loaded again');
  house.restart();
  house.createPool('f');
  house.createPool('g');
  t.strictSame(slotsOf(house), { b: 2, e: 5, f: 1, g: 3 }, 'a new life begins with those that are free');
  t.end();
});

test('there is an end to slots', (t) => {
  const house = new TestHouse();
  const record = { version: 1, maxConcurrent: 1, serverHint: '', createdAt: 0, updatedAt: 0 } as const;
  // All but slot 7.
  const slots = Array.from({ length: POOLS_MAX }, (_, index) => index + 1).filter((slot) => slot !== 7);
  house.store.commit(
    {
      version: 1,
      shard: 2,
      sequence: 1,
      changes: slots.map((slot) => {
        const id = `pool-${slot}`;
        return put('usagePool', keys.usagePool(id), { ...record, id, name: id, slot });
      }),
    },
    UNTOLD,
  );
  house.store.flushAll();
  house.restart();
  house.createPool('last');
  t.equal(house.pool('last').slot, 7);
  house.createPool('more');
  const refusal =
    'create pool more: conflict, more than 65535 usage pools cannot be counted, those deleted since the start of the service among them';
  t.strictSame(house.heard(), ['create pool last: ok', refusal]);
  house.deletePool('last');
  house.createPool('more');
  t.strictSame(
    house.heard(),
    ['delete pool last: ok', refusal],
    'claims on the deleted one may still be counted',
  );
  t.end();
});

test('a new farm knows the pools there are', (t) => {
  const house = new TestHouse();
  house.createPool('nuke');
  house.createFarm({ name: 'G' });
  house.expect(t, 'made before it', ['create pool nuke: ok', 'create farm G: ok']);
  house.together(() => {
    house.createFarm({ name: 'H' });
    house.createPool('maya');
    house.createFarm({ name: 'I' });
    house.deletePool('nuke');
  });
  house.checkAtRest(t, 'made at the same moment');
  house.restart();
  house.checkAtRest(t, 'read from the store');
  house.createPool('houdini');
  house.checkAtRest(t, 'farms of the store are told');
  t.end();
});

test('a deleted farm is not told, and troubles nobody', (t) => {
  const house = new TestHouse();
  const other = house.createFarm({ name: 'G' });
  house.together(() => {
    house.deleteFarm(other);
    house.createPool('nuke');
  });
  house.createPool('maya');
  t.strictSame(house.warned(), []);
  t.equal(house.isResident('lease', other), false);
  house.checkAtRest(t, 'without it');
  t.end();
});

test('what did not reach the disk is unknown to all after a crash', (t) => {
  const house = new TestHouse();
  house.createPool('nuke');
  house.withoutFlush(() => {
    house.deletePool('nuke');
    house.createPool('maya');
  });
  house.restart();
  house.expect(t, 'as it was', ['create pool nuke: ok']);
  t.strictSame(slotsOf(house), { nuke: 1 });
  t.end();
});

test('leases go by the pools of the catalog', (t) => {
  const house = new TestHouse();
  house.register('w');
  house.submit('A', [{ name: 'S', tasks: 4, needs: { pools: ['nuke'] } }]);
  house.lease('w');
  house.heard();
  house.createPool('Nuke', { maxConcurrent: 1 });
  house.expect(t, 'a pool that is made wakes the request that waits', [
    'create pool Nuke: ok',
    'task A/0/0 assigned w',
    'job A running',
    'lease w: A/0/0#1',
  ]);
  house.lease('w');
  house.replacePool('Nuke', { name: 'nuke', maxConcurrent: 2 });
  house.expect(t, 'so does one that grows', [
    'replace pool Nuke: ok',
    'task A/0/1 assigned w',
    'lease w: A/0/1#1',
  ]);
  house.deletePool('nuke');
  house.report('A/0/0', 'running');
  house.report('A/0/0', 'succeeded', { exitCode: 0 });
  house.heard();
  house.lease('w');
  house.expect(t, 'one that is gone has no room', []);
  house.createPool('nuke', { maxConcurrent: 2 });
  house.expect(t, 'one of its name counts the task that is live still', [
    'create pool nuke: ok',
    'task A/0/2 assigned w',
    'lease w: A/0/2#1',
  ]);
  house.createFarm({ name: 'G' });
  house.checkAtRest(t, 'with another farm');
  t.end();
});
