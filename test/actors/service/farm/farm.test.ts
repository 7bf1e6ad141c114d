import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { farmId, queueId } from '../../../../src/core/ids.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const one = [{ name: 's', tasks: 1 }];
const NOBODY = '01900000-0000-7000-8000-ffffffffffff';

test('a farm and its queues can be created and replaced', (t) => {
  const fixture = new TestFarm();
  t.strictSame(fixture.store.get('farm', fixture.farm), {
    version: 1,
    id: fixture.farm,
    name: 'F',
    description: '',
    maxConcurrentTasks: 0,
    retry: {},
    createdAt: fixture.now,
    updatedAt: fixture.now,
  });
  const createdAt = fixture.now;
  fixture.advance(1000);
  fixture.replaceFarm({
    name: 'G',
    description: 'renamed',
    maxConcurrentTasks: 7,
    retry: { maxAttempts: 2 },
  });
  fixture.expect(t, 'changed', ['replace farm: ok']);
  t.strictSame(fixture.store.get('farm', fixture.farm), {
    version: 1,
    id: fixture.farm,
    name: 'G',
    description: 'renamed',
    maxConcurrentTasks: 7,
    retry: { maxAttempts: 2 },
    createdAt,
    updatedAt: fixture.now,
  });
  fixture.replaceFarm({ name: 'G' });
  t.match(
    fixture.store.get('farm', fixture.farm),
    { description: '', maxConcurrentTasks: 0, retry: {} },
    'a full replace',
  );
  fixture.replaceQueue({ name: 'Q2', priority: 5, paused: true });
  t.strictSame(fixture.store.get('queue', fixture.queue), {
    version: 1,
    id: fixture.queue,
    farmId: fixture.farm,
    name: 'Q2',
    description: '',
    priority: 5,
    maxConcurrentTasks: 0,
    paused: true,
    retry: {},
    createdAt,
    updatedAt: fixture.now,
  });
  fixture.expect(t, 'all well', ['replace farm: ok', 'replace queue: ok']);
  t.end();
});

test('queue names are unique in a farm', (t) => {
  const fixture = new TestFarm();
  const farm = fixture.createFarm({ name: 'G' });
  const other = fixture.createQueue({ name: 'R' });
  fixture.takeOutputs();
  fixture.createQueue({ name: 'Q' }, farm);
  fixture.createQueue({ name: 'Q' });
  fixture.replaceQueue({ name: 'Q' }, other);
  fixture.replaceQueue({ name: 'R' }, other);
  fixture.expect(t, 'a name can be used in another farm, and kept by its own queue', [
    'create queue Q: ok',
    'create queue Q: conflict, the farm already has a queue named "Q"',
    'replace queue: conflict, the farm already has a queue named "Q"',
    'replace queue: ok',
  ]);
  fixture.deleteQueue(other);
  fixture.createQueue({ name: 'R' });
  fixture.expect(t, 'the name of a deleted queue can be used again', [
    'delete queue: ok',
    'create queue R: ok',
  ]);
  t.end();
});

test('requests for unknown entities are not found', (t) => {
  const fixture = new TestFarm();
  const nobody = farmId(NOBODY);
  fixture.replaceFarm({ name: 'X' }, nobody);
  fixture.deleteFarm(nobody);
  fixture.createQueue({ name: 'X' }, nobody);
  fixture.replaceQueue({ name: 'X' }, queueId(NOBODY));
  fixture.deleteQueue(queueId(NOBODY));
  fixture.submit('A', one, { queueId: queueId(NOBODY) });
  fixture.expect(t, 'refused', [
    `replace farm: not-found, there is no farm ${NOBODY}`,
    `delete farm: not-found, there is no farm ${NOBODY}`,
    `create queue X: not-found, there is no farm ${NOBODY}`,
    `replace queue: not-found, there is no queue ${NOBODY}`,
    `delete queue: not-found, there is no queue ${NOBODY}`,
    `submit A: bad-request, queue_id: the farm has no queue ${NOBODY}`,
  ]);
  t.strictSame([...fixture.store.scan('job')], [], 'nothing is stored');
  t.end();
});

test('a farm or queue with active jobs cannot be deleted', (t) => {
  const fixture = new TestFarm();
  const other = fixture.createQueue({ name: 'other' });
  fixture.register('w1');
  fixture.submit('A', one);
  fixture.submit('B', one, { after: ['A'] });
  fixture.takeOutputs();
  fixture.deleteQueue();
  fixture.deleteQueue(other);
  fixture.deleteFarm();
  fixture.expect(t, 'two jobs', [
    'delete queue: conflict, the queue has 2 jobs that are not completed, failed or canceled',
    'delete queue: ok',
    'delete farm: conflict, the farm has 2 jobs that are not completed, failed or canceled',
  ]);
  fixture.cancelJob('A');
  fixture.lease('w1');
  fixture.takeOutputs();
  fixture.deleteQueue();
  fixture.deleteFarm(fixture.farm, false);
  fixture.expect(t, 'all are terminal, and a worker is online', [
    'delete queue: ok',
    'delete farm: conflict, workers of the farm are not offline (1 online); stop them first, or delete the farm with force=true',
  ]);
  fixture.deleteFarm(fixture.farm, true);
  fixture.expect(t, 'forced', ['delete farm: ok', 'worker w1 removed', 'lease w1: unknown']);
  for (const table of ['farm', 'queue', 'worker', 'booking', 'activeJob'] as const) {
    t.strictSame([...fixture.store.scan(table)], [], table);
  }
  t.equal(fixture.job('A').status, 'canceled', 'its jobs remain readable');
  for (const actor of ['farm', 'lease'] as const) t.notOk(fixture.isResident(actor, fixture.farm), actor);
  fixture.createFarm();
  fixture.expect(t, 'its name can be used again', ['create farm F: ok']);
  t.end();
});

test("requests that arrive while a farm's deletion is not durable yet find no farm", (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.takeOutputs();
  fixture.inOneWindow(() => {
    fixture.deleteFarm();
    fixture.createQueue({ name: 'late' });
    fixture.submit('A', one);
    fixture.heartbeat('w1');
    fixture.register('w2');
    fixture.lease('w1');
  });
  fixture.expect(t, 'in one commit', [
    'delete farm: ok',
    'worker w1 removed',
    `create queue late: not-found, there is no farm ${fixture.farm}`,
    `submit A: bad-request, farm_id: there is no farm ${fixture.farm}`,
    'heartbeat w1: unknown',
    `register w2: refused, there is no farm ${fixture.farm}`,
    'lease w1: unknown',
  ]);
  for (const table of ['farm', 'queue', 'worker', 'job', 'activeJob'] as const) {
    t.strictSame([...fixture.store.scan(table)], [], table);
  }
  t.end();
});

test('a farm stores the samples of a day, and is deleted with them', (t) => {
  const fixture = new TestFarm();
  const minute = 60_000;
  const sampled = (at: number): void => {
    const sample = {
      at,
      coresTotal: 8,
      coresBooked: 0,
      workersOnline: 1,
      ready: 0,
      live: 0,
      succeeded: 7,
      failed: 0,
      queues: [],
      owners: [],
    };
    fixture.post({
      actor: 'farm',
      id: fixture.farm,
      message: { type: 'farm.sampled', sample, replyTo: replyTo(String(at)) },
    });
    fixture.run();
  };
  const stored = (): number[] => [...fixture.store.scan('farmSample')].map(({ value }) => value.sample.at);
  for (const at of [minute, 2 * minute, 1441 * minute]) sampled(at);
  t.strictSame(stored(), [1441 * minute, 2 * minute], 'the row of the day before is replaced');
  fixture.deleteFarm();
  t.strictSame(stored(), []);
  t.end();
});
