import { test } from 'tap';
import { usagePool } from '../../../kit/lease-parts.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/** Registers usage pools, as the catalog does. */
const register = (fixture: TestFarm, pools: Readonly<Record<string, number>>): void => {
  fixture.post({
    actor: 'lease',
    id: fixture.farm,
    message: {
      type: 'pools.changed',
      pools: Object.entries(pools).map(([name, max], at) => usagePool(name, max, at + 1)),
    },
  });
  fixture.run();
};

test('a pool limits live tasks, and a freed slot serves a waiting request', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.register('w2');
  register(fixture, { nuke: 1 });
  fixture.submit('A', [{ name: 's', tasks: 3, needs: { pools: ['nuke'] } }]);
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.lease('w2');
  fixture.expect(t, 'one slot', ['task A/0/0 assigned w1', 'job A running', 'lease w1: A/0/0#1']);
  t.strictSame(fixture.explain('A/0/1').pools, [
    {
      name: 'nuke',
      maxConcurrent: 1,
      inUse: 1,
      holders: [{ jobId: fixture.jobId('A'), stepOrder: 0, live: 1 }],
    },
  ]);
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'succeeded: the slot goes to the waiting task', [
    'task A/0/0 succeeded',
    'task A/0/1 assigned w2',
    'lease w2: A/0/1#1',
  ]);
  fixture.lease('w1');
  fixture.deregister('w2');
  fixture.expect(t, 'reclaimed: the same', [
    'worker w2 offline',
    'deregister w2: departed',
    'task A/0/1 ready',
    'task A/0/1 assigned w1',
    'lease w1: A/0/1#2',
  ]);
  fixture.lease('w1');
  fixture.cancelTask('A/0/1');
  fixture.expect(t, 'canceled: the same', [
    'stop A/0/1#2: canceled by user',
    'task A/0/1 canceled',
    'cancel A/0/1: ok',
    'task A/0/2 assigned w1',
    'lease w1: A/0/2#1',
  ]);
  fixture.report('A/0/2', 'failed', { exitCode: 1 });
  t.equal(fixture.explain('A/0/2').pools[0]?.inUse, 0, 'a failure frees the slot');
  t.end();
});

test('a step needs a slot of each of its pools, and an unregistered pool has none', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 8 });
  register(fixture, { nuke: 5, ocula: 2 });
  fixture.submit('A', [{ name: 's', tasks: 4, needs: { pools: ['nuke', 'ocula'] } }]);
  fixture.submit('B', [{ name: 's', tasks: 4, needs: { pools: ['nuke', 'mari'] } }]);
  fixture.submit('C', [{ name: 's', tasks: 4, needs: { pools: ['nuke'] } }]);
  fixture.takeOutputs();
  fixture.lease('w1');
  fixture.expect(t, 'two of A, none of B, three of C', [
    'task A/0/0 assigned w1',
    'task A/0/1 assigned w1',
    'job A running',
    'task C/0/0 assigned w1',
    'task C/0/1 assigned w1',
    'task C/0/2 assigned w1',
    'job C running',
    'lease w1: A/0/0#1, A/0/1#1, C/0/0#1, C/0/1#1, C/0/2#1',
  ]);
  fixture.lease('w1');
  register(fixture, { nuke: 6, ocula: 2, mari: 1 });
  fixture.expect(t, 'a registered or enlarged pool serves waiting requests', [
    'task B/0/0 assigned w1',
    'job B running',
    'lease w1: B/0/0#1',
  ]);
  register(fixture, { nuke: 1, ocula: 2, mari: 1 });
  t.match(fixture.explain('A/0/2').pools, [
    { name: 'nuke', maxConcurrent: 1, inUse: 6 },
    { name: 'ocula', maxConcurrent: 2, inUse: 2 },
  ]);
  t.end();
});

test('farms share the pools', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createFarm({ name: 'G' });
  fixture.register('w1');
  register(fixture, { nuke: 2 });
  fixture.post({
    actor: 'lease',
    id: other,
    message: { type: 'pools.changed', pools: [usagePool('nuke', 2, 1)] },
  });
  fixture.run();
  fixture.submit('A', [{ name: 's', tasks: 3, needs: { pools: ['nuke'] } }]);
  fixture.lease('w1');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.tallies.claim(other, 1, 1, Infinity);
  fixture.report('A/0/0', 'succeeded');
  fixture.expect(t, 'the other farm has taken the slot first', ['task A/0/0 succeeded']);
  fixture.tallies.release(other, 1, 1);
  fixture.run();
  fixture.expect(t, 'and releases it', ['task A/0/2 assigned w1', 'lease w1: A/0/2#1']);
  t.end();
});

test('the use of a pool names the steps that hold and want slots, in the order of candidates', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1', { cpu_count: 8 });
  register(fixture, { nuke: 2, maya: 1 });
  fixture.submit('A', [{ name: 's', tasks: 3, needs: { pools: ['nuke'] } }]);
  fixture.submit('B', [
    { name: 's', tasks: 4, needs: { pools: ['nuke'] } },
    { name: 'other', tasks: 1 },
  ]);
  fixture.lease('w1');
  const step = (job: string) => ({ jobId: fixture.jobId(job), stepOrder: 0 });
  t.strictSame(fixture.poolUse('nuke'), {
    holders: [{ ...step('A'), live: 2 }],
    waiters: [
      { ...step('A'), tasks: 1 },
      { ...step('B'), tasks: 4 },
    ],
    waitingTasks: 5,
    isPartial: false,
  });
  t.strictSame(fixture.poolUse('maya'), { holders: [], waiters: [], waitingTasks: 0, isPartial: false });
  t.end();
});
