import { test } from 'tap';
import { POOLS_MAX } from '../../../../actors/service/catalog/pool-slots.ts';
import { CATALOG_ID } from '../../../../actors/service/catalog/messages.ts';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';
import { NO_CALLBACKS } from '../../../kit/commit-callbacks.ts';

/** The invariants include that the lease actor of every farm has the stored pools. */

const slotsOf = (fixture: TestFarm): Record<string, number> =>
  Object.fromEntries(fixture.pools().map(({ name, slot }) => [name, slot]));

test('pools can be created, replaced and deleted, and every farm is notified', (t) => {
  const fixture = new TestFarm();
  fixture.createFarm({ name: 'G' });
  fixture.takeOutputs();
  const madeAt = fixture.now;
  fixture.createPool('nuke', { maxConcurrent: 4, serverHint: 'license-1' });
  const made = fixture.pool('nuke');
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
  fixture.expect(t, 'created', ['create pool nuke: ok']);
  fixture.advance(5);
  fixture.replacePool('nuke', { name: 'nukex', maxConcurrent: 2 });
  const after = { ...made, name: 'nukex', maxConcurrent: 2, serverHint: '', updatedAt: madeAt + 5 };
  t.strictSame(fixture.pools(), [after]);
  t.strictSame(fixture.answer('replace pool nuke'), { ok: true, value: after });
  fixture.expect(t, 'replaced', ['replace pool nuke: ok']);
  fixture.deletePool('nukex');
  t.strictSame(fixture.pools(), []);
  t.strictSame(fixture.answer('delete pool nukex'), { ok: true, value: null });
  fixture.expect(t, 'deleted', ['delete pool nukex: ok']);
  t.end();
});

test('an unknown pool can be neither replaced nor deleted', (t) => {
  const fixture = new TestFarm();
  fixture.replacePool('no-pool');
  fixture.deletePool('no-pool');
  fixture.expect(t, 'refused', [
    'replace pool no-pool: not-found, there is no usage pool no-pool',
    'delete pool no-pool: not-found, there is no usage pool no-pool',
  ]);
  t.strictSame(fixture.pools(), []);
  t.end();
});

test('pool names are unique, ignoring case', (t) => {
  const fixture = new TestFarm();
  fixture.createPool('Nuke');
  fixture.createPool('maya');
  fixture.createPool('nUKE');
  fixture.replacePool('maya', { name: 'nuke' });
  fixture.replacePool('Nuke', { name: 'NUKE' });
  fixture.deletePool('NUKE');
  fixture.createPool('nuke');
  fixture.expect(t, 'a pool may change the case of its own name', [
    'create pool Nuke: ok',
    'create pool maya: ok',
    'create pool nUKE: conflict, a usage pool named "Nuke" already exists',
    'replace pool maya: conflict, a usage pool named "Nuke" already exists',
    'replace pool Nuke: ok',
    'delete pool NUKE: ok',
    'create pool nuke: ok',
  ]);
  t.strictSame(
    fixture.pools().map(({ name }) => name),
    ['maya', 'nuke'],
  );
  fixture.restart();
  fixture.createPool('MAYA');
  fixture.expect(t, 'names are known after a restart', [
    'create pool MAYA: conflict, a usage pool named "maya" already exists',
  ]);
  t.end();
});

test('of two pools created with one name at the same moment, one is refused', (t) => {
  const fixture = new TestFarm();
  fixture.inOneWindow(() => {
    fixture.createPool('nuke');
    fixture.createPool('NUKE');
  });
  fixture.expect(t, 'the second is refused', [
    'create pool nuke: ok',
    'create pool NUKE: conflict, a usage pool named "nuke" already exists',
  ]);
  t.end();
});

test('a slot is never reused while the service runs', (t) => {
  const fixture = new TestFarm();
  fixture.createPool('a');
  fixture.createPool('b');
  fixture.deletePool('a');
  fixture.createPool('c');
  t.strictSame(slotsOf(fixture), { b: 2, c: 3 });
  fixture.deletePool('c');
  fixture.createPool('d');
  fixture.replacePool('d', { maxConcurrent: 9 });
  t.strictSame(slotsOf(fixture), { b: 2, d: 4 });
  fixture.deletePool('d');
  fixture.takeOutputs();
  fixture.post({
    actor: 'catalog',
    id: CATALOG_ID,
    // No input: the handler throws, and the actor is loaded again.
    message: { type: 'pool.create', replyTo: replyTo('faulty') } as never,
  });
  fixture.run();
  t.match(fixture.answer('faulty'), { ok: false, problem: { kind: 'internal' } });
  t.strictSame(fixture.takeWarnings(), [
    'a handler threw; its actors are reloaded and the message is retried',
    'message poisoned: its handler threw twice',
  ]);
  fixture.createPool('e');
  t.strictSame(slotsOf(fixture), { b: 2, e: 5 }, 'not even when the catalog is loaded again');
  fixture.restart();
  fixture.createPool('f');
  fixture.createPool('g');
  t.strictSame(slotsOf(fixture), { b: 2, e: 5, f: 1, g: 3 }, 'after a restart free slots are used again');
  t.end();
});

test('the number of slots is limited', (t) => {
  const fixture = new TestFarm();
  const record = { version: 1, maxConcurrent: 1, serverHint: '', createdAt: 0, updatedAt: 0 } as const;
  // All but slot 7.
  const slots = Array.from({ length: POOLS_MAX }, (_, index) => index + 1).filter((slot) => slot !== 7);
  fixture.store.commit(
    {
      version: 1,
      shard: 2,
      sequence: 1,
      changes: slots.map((slot) => {
        const id = `pool-${slot}`;
        return put('usagePool', keys.usagePool(id), { ...record, id, name: id, slot });
      }),
    },
    NO_CALLBACKS,
  );
  fixture.store.flushAll();
  fixture.restart();
  fixture.createPool('last');
  t.equal(fixture.pool('last').slot, 7);
  fixture.createPool('more');
  const refusal =
    'create pool more: conflict, limit of 65535 usage pools reached, including those deleted since the start of the service';
  t.strictSame(fixture.takeOutputs(), ['create pool last: ok', refusal]);
  fixture.deletePool('last');
  fixture.createPool('more');
  t.strictSame(
    fixture.takeOutputs(),
    ['delete pool last: ok', refusal],
    'claims on the deleted one may still be counted',
  );
  t.end();
});

test('a new farm has the existing pools', (t) => {
  const fixture = new TestFarm();
  fixture.createPool('nuke');
  fixture.createFarm({ name: 'G' });
  fixture.expect(t, 'created before it', ['create pool nuke: ok', 'create farm G: ok']);
  fixture.inOneWindow(() => {
    fixture.createFarm({ name: 'H' });
    fixture.createPool('maya');
    fixture.createFarm({ name: 'I' });
    fixture.deletePool('nuke');
  });
  fixture.expectInvariants(t, 'created at the same moment');
  fixture.restart();
  fixture.expectInvariants(t, 'loaded from the store');
  fixture.createPool('houdini');
  fixture.expectInvariants(t, 'stored farms are notified');
  t.end();
});

test('a deleted farm is not notified', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createFarm({ name: 'G' });
  fixture.inOneWindow(() => {
    fixture.deleteFarm(other);
    fixture.createPool('nuke');
  });
  fixture.createPool('maya');
  t.strictSame(fixture.takeWarnings(), []);
  t.equal(fixture.isResident('lease', other), false);
  fixture.expectInvariants(t, 'without it');
  t.end();
});

test('a pool that was not durable before a crash is unknown to all', (t) => {
  const fixture = new TestFarm();
  fixture.createPool('nuke');
  fixture.withoutFlush(() => {
    fixture.deletePool('nuke');
    fixture.createPool('maya');
  });
  fixture.restart();
  fixture.expect(t, 'as before', ['create pool nuke: ok']);
  t.strictSame(slotsOf(fixture), { nuke: 1 });
  t.end();
});

test('leases follow the pools of the catalog', (t) => {
  const fixture = new TestFarm();
  fixture.register('w');
  fixture.submit('A', [{ name: 'S', tasks: 4, needs: { pools: ['nuke'] } }]);
  fixture.lease('w');
  fixture.takeOutputs();
  fixture.createPool('Nuke', { maxConcurrent: 1 });
  fixture.expect(t, 'a new pool serves the waiting request', [
    'create pool Nuke: ok',
    'task A/0/0 assigned w',
    'job A running',
    'lease w: A/0/0#1',
  ]);
  fixture.lease('w');
  fixture.replacePool('Nuke', { name: 'nuke', maxConcurrent: 2 });
  fixture.expect(t, 'so does an enlarged pool', [
    'replace pool Nuke: ok',
    'task A/0/1 assigned w',
    'lease w: A/0/1#1',
  ]);
  fixture.deletePool('nuke');
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  fixture.takeOutputs();
  fixture.lease('w');
  fixture.expect(t, 'a deleted pool has no capacity', []);
  fixture.createPool('nuke', { maxConcurrent: 2 });
  fixture.expect(t, 'a new pool of the same name counts the task that is still live', [
    'create pool nuke: ok',
    'task A/0/2 assigned w',
    'lease w: A/0/2#1',
  ]);
  fixture.createFarm({ name: 'G' });
  fixture.expectInvariants(t, 'with another farm');
  t.end();
});
