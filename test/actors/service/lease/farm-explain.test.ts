import { test } from 'tap';
import type { WaitingGroup } from '../../../../src/core/lease/waiting.ts';
import { usagePool } from '../../../kit/lease-parts.ts';
import { TestHouse } from '../../../kit/test-house.ts';

/** The groups in short: the reason, what it is about, tasks, jobs. */
const short = (house: TestHouse): readonly (readonly unknown[])[] =>
  house
    .explainFarm()
    .groups.map((group) => [group.reason, aboutOf(house, group), group.tasks, group.jobs])
    .sort();

const aboutOf = (house: TestHouse, { queueId, pool, unschedulableReason }: WaitingGroup): string =>
  queueId === null ? pool + unschedulableReason : queueId === house.queue ? 'Q' : 'another queue';

test('ready tasks by what holds them', (t) => {
  const house = new TestHouse();
  const other = house.createQueue({ name: 'R' });
  house.register('w1', { cpu_count: 4 });
  t.strictSame(house.explainFarm(), { groups: [], isPartial: false });
  house.submit('A', [{ name: 's', tasks: 9 }]);
  t.strictSame(short(house), [['order', '', 9, 1]]);
  t.strictSame(house.explainFarm().groups[0]?.jobIds, [house.jobId('A')]);
  house.lease('w1');
  t.strictSame(short(house), [['cores', '', 5, 1]]);
  house.submit('B', [{ name: 's', tasks: 2, needs: { attributes: [{ name: 'attr.worker.tag.x' }] } }]);
  house.submit('C', [{ name: 's', tasks: 3, needs: { pools: ['nuke'] } }]);
  house.submit('D', [{ name: 's', tasks: 1 }], { queueId: other });
  house.submit('E', [
    { name: 'a', tasks: 1 },
    { name: 'b', tasks: 7, after: ['a'] },
  ]);
  t.strictSame(short(house), [
    ['cores', '', 7, 3],
    ['usage_pool_missing', 'nuke', 3, 1],
    ['workers', 'no eligible online worker: attribute requirement not met', 2, 1],
  ]);
  house.replaceQueue({ name: 'R', paused: true }, other);
  house.post({
    actor: 'lease',
    id: house.farm,
    message: { type: 'pools.changed', pools: [usagePool('nuke', 1, 1)] },
  });
  house.run();
  t.strictSame(short(house), [
    ['cores', '', 9, 3],
    ['paused_queue', 'another queue', 1, 1],
    ['workers', 'no eligible online worker: attribute requirement not met', 2, 1],
  ]);
  house.tallies.claim(house.createFarm({ name: 'G' }), 1, 1, Infinity);
  t.match(short(house).at(-2), ['usage_pool', 'nuke', 3, 1]);
  house.replaceQueue({ maxConcurrentTasks: 4 });
  t.strictSame(short(house), [
    ['paused_queue', 'another queue', 1, 1],
    ['queue_cap', 'Q', 9, 3],
    ['workers', 'no eligible online worker: attribute requirement not met', 2, 1],
  ]);
  house.replaceFarm({ maxConcurrentTasks: 3 });
  t.match(short(house)[0], ['farm_cap', '', 9, 3]);
  house.deregister('w1');
  t.match(short(house).at(-1), ['workers', 'no online workers', 15, 4]);
  t.end();
});

test('a task that is held back after a failure', (t) => {
  const house = new TestHouse({ retry: { maxAttempts: 3, retryDelaySeconds: 60, failureLimit: 0 } });
  house.register('w1', { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 2 }]);
  house.lease('w1');
  house.report('A/0/0', 'failed', { exitCode: 1 });
  t.strictSame(short(house), [
    ['order', '', 1, 1],
    ['retry_after', '', 1, 1],
  ]);
  house.replaceQueue({ paused: true });
  t.strictSame(short(house), [['paused_queue', 'Q', 2, 1]], 'what is weightier says it');
  t.end();
});
