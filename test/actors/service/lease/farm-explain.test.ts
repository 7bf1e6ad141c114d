import { test } from 'tap';
import { usagePool } from '../../../kit/lease-parts.ts';
import { TestFarm } from '../../../kit/test-farm.ts';
import type { WaitingGroup } from '../../../../src/core/lease/explanation.ts';

/** Summary of the groups: reason, subject, tasks, jobs. */
const short = (fixture: TestFarm): readonly (readonly unknown[])[] =>
  fixture
    .explainFarm()
    .groups.map((group) => [group.reason, aboutOf(fixture, group), group.tasks, group.jobs])
    .sort();

function aboutOf(fixture: TestFarm, group: WaitingGroup): string {
  if ('queueId' in group) return group.queueId === fixture.queue ? 'Q' : 'another queue';
  if ('pool' in group) return group.pool;
  return 'unschedulableReason' in group ? group.unschedulableReason : '';
}

test('groups ready tasks by the cause of their wait', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createQueue({ name: 'R' });
  fixture.register('w1', { cpu_count: 4 });
  t.strictSame(fixture.explainFarm(), { groups: [], isPartial: false });
  fixture.submit('A', [{ name: 's', tasks: 9 }]);
  t.strictSame(short(fixture), [['order', '', 9, 1]]);
  t.strictSame(fixture.explainFarm().groups[0]?.jobIds, [fixture.jobId('A')]);
  t.strictSame(fixture.explainFarm([]).groups, [], 'no job of its reader');
  t.match(fixture.explainFarm([fixture.jobId('A')]).groups, [{ tasks: 9, jobs: 1 }]);
  fixture.lease('w1');
  t.strictSame(short(fixture), [['cores', '', 5, 1]]);
  fixture.submit('B', [{ name: 's', tasks: 2, needs: { attributes: [{ name: 'attr.worker.tag.x' }] } }]);
  fixture.submit('C', [{ name: 's', tasks: 3, needs: { pools: ['nuke'] } }]);
  fixture.submit('D', [{ name: 's', tasks: 1 }], { queueId: other });
  fixture.submit('E', [
    { name: 'a', tasks: 1 },
    { name: 'b', tasks: 7, after: ['a'] },
  ]);
  t.strictSame(short(fixture), [
    ['cores', '', 7, 3],
    ['usage_pool_missing', 'nuke', 3, 1],
    ['workers', 'no eligible online worker: attribute requirement not met', 2, 1],
  ]);
  fixture.replaceQueue({ name: 'R', paused: true }, other);
  fixture.post({
    actor: 'lease',
    id: fixture.farm,
    message: { type: 'pools.changed', pools: [usagePool('nuke', 1, 1)] },
  });
  fixture.run();
  t.strictSame(short(fixture), [
    ['cores', '', 9, 3],
    ['paused_queue', 'another queue', 1, 1],
    ['workers', 'no eligible online worker: attribute requirement not met', 2, 1],
  ]);
  fixture.tallies.claim(fixture.createFarm({ name: 'G' }), 1, 1, Infinity);
  t.match(short(fixture).at(-2), ['usage_pool', 'nuke', 3, 1]);
  fixture.replaceQueue({ maxConcurrentTasks: 4 });
  t.strictSame(short(fixture), [
    ['paused_queue', 'another queue', 1, 1],
    ['queue_cap', 'Q', 9, 3],
    ['workers', 'no eligible online worker: attribute requirement not met', 2, 1],
  ]);
  fixture.replaceFarm({ maxConcurrentTasks: 3 });
  t.match(short(fixture)[0], ['farm_cap', '', 9, 3]);
  fixture.deregister('w1');
  t.match(short(fixture).at(-1), ['workers', 'no online workers', 15, 4]);
  t.end();
});

test('groups a task with a retry delay', (t) => {
  const fixture = new TestFarm({ retry: { maxAttempts: 3, retryDelaySeconds: 60, failureLimit: 0 } });
  fixture.register('w1', { cpu_count: 1 });
  fixture.submit('A', [{ name: 's', tasks: 2 }]);
  fixture.lease('w1');
  fixture.report('A/0/0', 'failed', { exitCode: 1 });
  t.strictSame(short(fixture), [
    ['order', '', 1, 1],
    ['retry_after', '', 1, 1],
  ]);
  fixture.replaceQueue({ paused: true });
  t.strictSame(short(fixture), [['paused_queue', 'Q', 2, 1]], 'the stronger cause is listed');
  t.end();
});
