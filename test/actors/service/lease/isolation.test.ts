import { test } from 'tap';
import type { IsolationIdentity } from '../../../../src/core/wire/bus-messages.ts';
import { parseLeaseReply } from '../../../../src/core/wire/service-messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

/**
 * Leases one task for the worker and returns the accounts in the reply, as the worker parses it; then ends the task.
 */
function leased(farm: TestFarm, task: string): readonly (IsolationIdentity | undefined)[] {
  farm.lease('w1');
  const answer = farm.answer('lease w1');
  const read = parseLeaseReply(JSON.stringify(answer));
  if (!read.ok) throw new Error(read.reason);
  if (read.value.type !== 'leases') throw new Error('the worker is unknown');
  farm.report(task, 'succeeded', { exitCode: 0 });
  farm.takeOutputs();
  return Object.values(read.value.steps).map(({ isolation }) => isolation);
}

test('a lease contains the current account of the queue', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 6 }]);
  farm.takeOutputs();
  t.strictSame(leased(farm, 'A/0/0'), [undefined]);
  farm.replaceQueue({ runAsUser: 'render', runAsGroup: 'show' });
  t.match(farm.store.get('queue', farm.queue), { runAsUser: 'render', runAsGroup: 'show' });
  t.strictSame(leased(farm, 'A/0/1'), [{ user: 'render', group: 'show' }]);
  farm.replaceQueue({ priority: 3 });
  t.strictSame(leased(farm, 'A/0/2'), [{ user: 'render', group: 'show' }], 'absent settings stay');
  farm.restart();
  farm.register('w1', { cpu_count: 1 });
  farm.takeOutputs();
  t.strictSame(leased(farm, 'A/0/3'), [{ user: 'render', group: 'show' }], 'also after a restart');
  farm.replaceQueue({ runAsGroup: null });
  t.strictSame(leased(farm, 'A/0/4'), [{ user: 'render' }]);
  farm.replaceQueue({ runAsUser: null });
  t.strictSame(leased(farm, 'A/0/5'), [undefined]);
  const stored = farm.store.get('queue', farm.queue);
  t.notOk(stored === undefined || 'runAsUser' in stored || 'runAsGroup' in stored);
  t.end();
});

test('a moved job runs as the account of its new queue', (t) => {
  const farm = new TestFarm();
  const other = farm.createQueue({ name: 'R', runAsUser: 'comp' });
  farm.register('w1', { cpu_count: 1 });
  farm.submit('A', [{ name: 's', tasks: 2 }]);
  farm.takeOutputs();
  t.strictSame(leased(farm, 'A/0/0'), [undefined]);
  farm.updateJob('A', { queueId: other });
  farm.takeOutputs();
  t.strictSame(leased(farm, 'A/0/1'), [{ user: 'comp' }]);
  t.end();
});
