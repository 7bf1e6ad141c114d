import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import type { FarmMessage, QueueEnvironmentInput } from '../../../../actors/service/farm/messages.ts';
import type { QueueId } from '../../../../src/core/ids.ts';
import { inOrder, type QueueEnvironmentRecord } from '../../../../src/core/records/queue-environment.ts';
import { SETTINGS, versionOf, type IfMatch } from '../../../../src/core/records/settings-version.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

class EnvironmentFarm extends TestFarm {
  add(name: string, some: Partial<QueueEnvironmentInput> = {}, queue = this.queue): void {
    const input: QueueEnvironmentInput = { name, format: 'yaml', template: `of ${name}`, ...some };
    const to = replyTo(`add ${name}`);
    this.toFarm({ type: 'queue-environment.create', queueId: queue, input, replyTo: to });
  }

  change(
    id: string,
    input: Partial<QueueEnvironmentInput>,
    ifMatch: IfMatch = null,
    queue = this.queue,
  ): void {
    const full: QueueEnvironmentInput = { name: 'A', format: 'yaml', template: 'changed', ...input };
    const to = replyTo('change');
    this.toFarm({
      type: 'queue-environment.replace',
      queueId: queue,
      environmentId: id,
      input: full,
      ifMatch,
      replyTo: to,
    });
  }

  removeEnvironment(id: string, ifMatch: IfMatch = null): void {
    this.toFarm({
      type: 'queue-environment.delete',
      queueId: this.queue,
      environmentId: id,
      ifMatch,
      replyTo: replyTo('remove'),
    });
  }

  private toFarm(message: FarmMessage): void {
    this.send({ actor: 'farm', id: this.farm, message });
  }

  /** Returns the outcomes since the last call, without their texts. */
  outcomes(): readonly string[] {
    return this.takeOutputs().map((line) => line.split(',')[0] ?? '');
  }

  of(queue: QueueId = this.queue): readonly QueueEnvironmentRecord[] {
    const rows = this.store.scan('queueEnvironment', { prefix: keys.queueEnvironmentsOf(queue) });
    return inOrder([...rows].map(({ value }) => value));
  }

  order(queue = this.queue): readonly string[] {
    return this.of(queue).map(({ name, priority }) => `${name} ${priority}`);
  }
}

test('environments of a queue are entered by priority, new ones last', (t) => {
  const farm = new EnvironmentFarm();
  farm.add('A');
  farm.add('B');
  farm.add('C', { priority: 5 });
  farm.add('D', { priority: 10 });
  farm.add('E', { priority: 10_000 });
  farm.add('F');
  t.same(
    farm.outcomes(),
    ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => `add ${name}: ok`),
    'all are added',
  );
  t.same(farm.order(), ['C 5', 'A 10', 'D 10', 'B 20', 'E 10000', 'F 10000']);
  t.match(farm.of()[0], {
    version: 1,
    farmId: farm.farm,
    queueId: farm.queue,
    format: 'yaml',
    template: 'of C',
  });
  farm.restart(1000);
  farm.add('A');
  t.same(farm.outcomes(), ['add A: conflict'], 'a name is unique, also after a restart');
  const other = farm.createQueue({ name: 'other' });
  farm.takeOutputs();
  farm.add('A', {}, other);
  t.same(farm.outcomes(), ['add A: ok'], 'another queue can have it');
  t.end();
});

test('an environment is changed and removed, with the version that the client has read', (t) => {
  const farm = new EnvironmentFarm();
  farm.add('A');
  farm.add('B');
  farm.takeOutputs();
  const [a, b] = farm.of();
  if (a === undefined || b === undefined) throw new Error('no environments');
  const version = versionOf(SETTINGS['queue environment'](a));
  farm.change(a.id, { name: 'Renamed' }, [version]);
  t.same(farm.outcomes(), ['change: ok'], 'with the present version');
  t.match(farm.of()[0], { name: 'Renamed', template: 'changed', priority: 10, createdAt: a.createdAt });
  farm.change(a.id, {}, [version]);
  t.same(farm.outcomes(), ['change: precondition-failed'], 'with an old version');
  farm.change(a.id, { name: 'B' });
  t.same(farm.outcomes(), ['change: conflict'], 'with the name of another');
  farm.change(a.id, { name: 'Renamed', priority: 99 });
  t.same(farm.outcomes(), ['change: ok'], 'to another place');
  t.same(farm.order(), ['B 20', 'Renamed 99']);
  farm.removeEnvironment(b.id, [version]);
  t.same(farm.outcomes(), ['remove: precondition-failed'], 'the version of another environment');
  farm.removeEnvironment(b.id);
  farm.removeEnvironment(b.id);
  t.same(farm.outcomes(), ['remove: ok', 'remove: not-found'], 'removed once');
  const other = farm.createQueue({ name: 'other' });
  farm.takeOutputs();
  farm.change(a.id, {}, null, other);
  t.same(farm.outcomes(), ['change: not-found'], 'not by the id of another queue');
  t.end();
});

test('a queue has at most 20 environments', (t) => {
  const farm = new EnvironmentFarm();
  for (let number = 0; number < 20; number++) farm.add(`E${number}`);
  farm.takeOutputs();
  farm.add('one more');
  t.same(farm.outcomes(), ['add one more: conflict'], 'full');
  t.equal(farm.of().length, 20);
  t.end();
});

test('a queue that is deleted, and a farm that is deleted, take their environments with them', (t) => {
  const farm = new EnvironmentFarm();
  const other = farm.createQueue({ name: 'other' });
  farm.add('A');
  farm.add('B', {}, other);
  farm.deleteQueue();
  t.same(farm.of(), []);
  t.equal(farm.of(other).length, 1);
  farm.deleteFarm();
  t.same(farm.of(other), []);
  farm.add('C');
  t.match(farm.takeOutputs().join(), /add C: not-found/);
  t.end();
});

test('a job keeps the environments of its submission, in another queue too', (t) => {
  const farm = new EnvironmentFarm();
  const environments = [
    { origin: 'queue', name: 'A', format: 'yaml', text: 'of A' },
    { origin: 'submission', name: 'B', format: 'json', text: '{}' },
  ] as const;
  farm.submit('J', [{ name: 's', tasks: 1 }], { template: { text: 'name: J', environments } });
  farm.submit('K', [{ name: 's', tasks: 1 }], { template: { text: 'name: K' } });
  const templateOf = (name: string): unknown => farm.store.get('template', keys.template(farm.jobId(name)));
  t.strictSame(templateOf('J'), { version: 1, format: 'yaml', text: 'name: J', environments });
  t.strictSame(templateOf('K'), { version: 1, format: 'yaml', text: 'name: K' });
  const other = farm.createQueue({ name: 'other' });
  const before = farm.store.get('plan', keys.plan(farm.jobId('J')));
  farm.updateJob('J', { queueId: other });
  t.equal(farm.job('J').queueId, other);
  t.match(templateOf('J'), { environments });
  t.same(farm.store.get('plan', keys.plan(farm.jobId('J'))), before);
  t.end();
});
