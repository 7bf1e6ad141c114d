import { test } from 'tap';
import type { IsolationIdentity } from '../../../../src/core/wire/bus-messages.ts';
import { parseLeaseReply } from '../../../../src/core/wire/service-messages.ts';
import { TestHouse } from '../../../kit/test-house.ts';

/** Whom the next lease of the worker says that its tasks run as, as the worker reads it; one task, then it is done. */
function leased(house: TestHouse, task: string): readonly (IsolationIdentity | undefined)[] {
  house.lease('w1');
  const answer = house.answer('lease w1');
  const read = parseLeaseReply(JSON.stringify(answer));
  if (!read.ok) throw new Error(read.reason);
  if (read.value.type !== 'leases') throw new Error('the worker is unknown');
  house.report(task, 'succeeded', { exitCode: 0 });
  house.heard();
  return Object.values(read.value.steps).map(({ isolation }) => isolation);
}

test('a lease names the account of the queue as it is at the time', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 6 }]);
  house.heard();
  t.strictSame(leased(house, 'A/0/0'), [undefined]);
  house.replaceQueue({ runAsUser: 'render', runAsGroup: 'show' });
  t.match(house.store.get('queue', house.queue), { runAsUser: 'render', runAsGroup: 'show' });
  t.strictSame(leased(house, 'A/0/1'), [{ user: 'render', group: 'show' }]);
  house.replaceQueue({ priority: 3 });
  t.strictSame(leased(house, 'A/0/2'), [{ user: 'render', group: 'show' }], 'what is not named stays');
  house.restart();
  house.register('w1', { cpu_count: 1 });
  house.heard();
  t.strictSame(leased(house, 'A/0/3'), [{ user: 'render', group: 'show' }], 'also over a restart');
  house.replaceQueue({ runAsGroup: null });
  t.strictSame(leased(house, 'A/0/4'), [{ user: 'render' }]);
  house.replaceQueue({ runAsUser: null });
  t.strictSame(leased(house, 'A/0/5'), [undefined]);
  const stored = house.store.get('queue', house.queue);
  t.notOk(stored === undefined || 'runAsUser' in stored || 'runAsGroup' in stored);
  t.end();
});

test('a job that is moved runs as the account of its new queue', (t) => {
  const house = new TestHouse();
  const other = house.createQueue({ name: 'R', runAsUser: 'comp' });
  house.register('w1', { cpu_count: 1 });
  house.submit('A', [{ name: 's', tasks: 2 }]);
  house.heard();
  t.strictSame(leased(house, 'A/0/0'), [undefined]);
  house.updateJob('A', { queueId: other });
  house.heard();
  t.strictSame(leased(house, 'A/0/1'), [{ user: 'comp' }]);
  t.end();
});
