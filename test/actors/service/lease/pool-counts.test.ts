import { test } from 'tap';
import type { PoolCounts } from '../../../../src/core/records/usage-pool.ts';
import { usagePool } from '../../../kit/lease-parts.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/** Registers the only usage pool, as the catalog does. */
function register(fixture: TestFarm, slots: number, counts?: PoolCounts): void {
  const pool = { ...usagePool('nuke', slots, 1), ...(counts !== undefined && { counts }) };
  fixture.post({ actor: 'lease', id: fixture.farm, message: { type: 'pools.changed', pools: [pool] } });
  fixture.run();
  fixture.takeOutputs();
}

const leases = (fixture: TestFarm): readonly string[] =>
  fixture.takeOutputs().filter((line) => line.startsWith('lease'));

const needs = { cores: 1, pools: ['nuke'] };
const TWO = { ...needs, poolAmounts: { nuke: 2 } };

test('a pool that counts amounts gives a task as many slots as its step requires', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 8 });
  register(fixture, 5, 'amounts');
  fixture.submit('A', [{ name: 's', tasks: 4, needs: TWO }]);
  fixture.submit('B', [{ name: 's', tasks: 4, needs }]);
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/0#1, A/0/1#1, B/0/0#1']);
  t.match(fixture.explain('A/0/2').pools, [
    { name: 'nuke', maxConcurrent: 5, inUse: 5, counts: 'amounts', needed: 2 },
  ]);
  fixture.lease('w1');
  fixture.report('B/0/0', 'succeeded', { exitCode: 0 });
  t.strictSame(leases(fixture), ['lease w1: B/0/1#1'], 'one slot is too few for A');
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.strictSame(leases(fixture), ['lease w1: A/0/2#1']);
  t.end();
});

test('by default each task has one slot, whatever the amount', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 8 });
  register(fixture, 3);
  fixture.submit('A', [{ name: 's', tasks: 4, needs: TWO }]);
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/0#1, A/0/1#1, A/0/2#1']);
  t.end();
});

test('a pool that counts hosts gives one slot to each machine with such tasks', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 2 });
  fixture.register('w2', { cpu_count: 2 });
  register(fixture, 1, 'hosts');
  fixture.submit('A', [{ name: 's', tasks: 9, needs }]);
  fixture.lease('w1');
  fixture.lease('w2');
  t.strictSame(leases(fixture), ['lease w1: A/0/0#1, A/0/1#1'], 'w2 is another machine');
  t.equal(fixture.explain('A/0/2').pools[0]?.inUse, 1);
  fixture.lease('w1');
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.strictSame(leases(fixture), ['lease w1: A/0/2#1'], 'the machine keeps its slot');
  fixture.cancelTask('A/0/1');
  fixture.cancelTask('A/0/2');
  t.strictSame(leases(fixture), ['lease w2: A/0/3#1, A/0/4#1'], 'no task of the pool runs there any longer');
  fixture.expectInvariants(t, 'hosts');
  t.end();
});

test('two workers of one machine share its slot, and the second is served as soon as there is one', (t) => {
  const fixture = new TestFarm();
  for (const worker of ['w1', 'w2']) fixture.register(worker, { cpu_count: 1, hostname: 'render-7' });
  fixture.register('w3', { cpu_count: 1 });
  register(fixture, 1, 'hosts');
  fixture.lease('w2');
  fixture.lease('w3');
  fixture.submit('A', [{ name: 's', tasks: 3, needs }]);
  t.strictSame(leases(fixture).toSorted(), ['lease w2: A/0/0#1']);
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/1#1']);
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  fixture.report('A/0/1', 'succeeded', { exitCode: 0 });
  t.strictSame(leases(fixture), ['lease w3: A/0/2#1'], 'the slot is free after the last task');
  t.end();
});

test('a request that waits is served when another worker of its machine takes a slot', (t) => {
  const fixture = new TestFarm();
  for (const worker of ['w1', 'w2']) fixture.register(worker, { cpu_count: 1, hostname: 'render-7' });
  fixture.register('w3', { cpu_count: 1 });
  register(fixture, 1, 'hosts');
  fixture.submit('A', [{ name: 's', tasks: 4, needs }]);
  fixture.lease('w3');
  fixture.lease('w1');
  fixture.lease('w2');
  t.strictSame(leases(fixture), ['lease w3: A/0/0#1']);
  fixture.report('A/0/0', 'succeeded', { exitCode: 0 });
  t.strictSame(leases(fixture), ['lease w1: A/0/1#1', 'lease w2: A/0/2#1']);
  t.end();
});

test('a request of a machine without a slot does not keep later ones from being served', (t) => {
  const fixture = new TestFarm();
  for (const worker of ['w1', 'w2']) fixture.register(worker, { cpu_count: 1, hostname: 'render-7' });
  fixture.register('w3', { cpu_count: 1 });
  register(fixture, 1, 'hosts');
  fixture.submit('A', [{ name: 's', tasks: 1, needs }]);
  fixture.lease('w1');
  fixture.lease('w3');
  fixture.lease('w2');
  fixture.takeOutputs();
  fixture.submit('B', [{ name: 's', tasks: 1, needs }]);
  t.strictSame(leases(fixture), ['lease w2: B/0/0#1']);
  t.end();
});

for (const counts of [undefined, 'amounts', 'hosts'] as const)
  test(`after a restart a pool that counts ${counts ?? 'tasks'} has the same free slots`, (t) => {
    const fixture = new TestFarm();
    for (const worker of ['w1', 'w2']) fixture.register(worker, { cpu_count: 2 });
    fixture.createPool('nuke', { maxConcurrent: 5, ...(counts !== undefined && { counts }) });
    fixture.submit('A', [{ name: 's', tasks: 3, needs: TWO }]);
    fixture.lease('w1');
    fixture.lease('w2');
    const used = () => fixture.explain('A/0/2').pools[0]?.inUse;
    const warm = used();
    fixture.restart();
    fixture.heartbeat('w1');
    fixture.heartbeat('w2');
    t.equal(used(), warm);
    t.equal(warm, { tasks: 3, amounts: 4, hosts: 2 }[counts ?? 'tasks']);
    fixture.expectInvariants(t, 'restarted');
    t.end();
  });
