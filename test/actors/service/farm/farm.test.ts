import { test } from 'tap';
import { farmId, queueId } from '../../../../src/core/ids.ts';
import { TestHouse } from '../../../kit/test-house.ts';

const one = [{ name: 's', tasks: 1 }];
const NOBODY = '01900000-0000-7000-8000-ffffffffffff';

test('a farm and its queues, made and changed', (t) => {
  const house = new TestHouse();
  t.strictSame(house.store.get('farm', house.farm), {
    version: 1,
    id: house.farm,
    name: 'F',
    description: '',
    maxConcurrentTasks: 0,
    retry: {},
    createdAt: house.now,
    updatedAt: house.now,
  });
  const createdAt = house.now;
  house.advance(1000);
  house.replaceFarm({ name: 'G', description: 'renamed', maxConcurrentTasks: 7, retry: { maxAttempts: 2 } });
  house.expect(t, 'changed', ['replace farm: ok']);
  t.strictSame(house.store.get('farm', house.farm), {
    version: 1,
    id: house.farm,
    name: 'G',
    description: 'renamed',
    maxConcurrentTasks: 7,
    retry: { maxAttempts: 2 },
    createdAt,
    updatedAt: house.now,
  });
  house.replaceFarm({ name: 'G' });
  t.match(
    house.store.get('farm', house.farm),
    { description: '', maxConcurrentTasks: 0, retry: {} },
    'a full replace',
  );
  house.replaceQueue({ name: 'Q2', priority: 5, paused: true });
  t.strictSame(house.store.get('queue', house.queue), {
    version: 1,
    id: house.queue,
    farmId: house.farm,
    name: 'Q2',
    description: '',
    priority: 5,
    maxConcurrentTasks: 0,
    paused: true,
    retry: {},
    createdAt,
    updatedAt: house.now,
  });
  house.expect(t, 'all well', ['replace farm: ok', 'replace queue: ok']);
  t.end();
});

test('names of queues are unique in a farm', (t) => {
  const house = new TestHouse();
  const farm = house.createFarm({ name: 'G' });
  const other = house.createQueue({ name: 'R' });
  house.heard();
  house.createQueue({ name: 'Q' }, farm);
  house.createQueue({ name: 'Q' });
  house.replaceQueue({ name: 'Q' }, other);
  house.replaceQueue({ name: 'R' }, other);
  house.expect(t, 'a name is free in another farm, and for its own queue', [
    'create queue Q: ok',
    'create queue Q: conflict, the farm has a queue named "Q" already',
    'replace queue: conflict, the farm has a queue named "Q" already',
    'replace queue: ok',
  ]);
  house.deleteQueue(other);
  house.createQueue({ name: 'R' });
  house.expect(t, 'the name of a deleted queue is free', ['delete queue: ok', 'create queue R: ok']);
  t.end();
});

test('what does not exist is not found', (t) => {
  const house = new TestHouse();
  const nobody = farmId(NOBODY);
  house.replaceFarm({ name: 'X' }, nobody);
  house.deleteFarm(nobody);
  house.createQueue({ name: 'X' }, nobody);
  house.replaceQueue({ name: 'X' }, queueId(NOBODY));
  house.deleteQueue(queueId(NOBODY));
  house.submit('A', one, { queueId: queueId(NOBODY) });
  house.expect(t, 'refused', [
    `replace farm: not-found, there is no farm ${NOBODY}`,
    `delete farm: not-found, there is no farm ${NOBODY}`,
    `create queue X: not-found, there is no farm ${NOBODY}`,
    `replace queue: not-found, there is no queue ${NOBODY}`,
    `delete queue: not-found, there is no queue ${NOBODY}`,
    `submit A: bad-request, queue_id: the farm has no queue ${NOBODY}`,
  ]);
  t.strictSame([...house.store.scan('job')], [], 'nothing is stored');
  t.end();
});

test('a farm and a queue with jobs that are not over are not deleted', (t) => {
  const house = new TestHouse();
  const other = house.createQueue({ name: 'other' });
  house.register('w1');
  house.submit('A', one);
  house.submit('B', one, { after: ['A'] });
  house.heard();
  house.deleteQueue();
  house.deleteQueue(other);
  house.deleteFarm();
  house.expect(t, 'two jobs', [
    'delete queue: conflict, the queue has 2 jobs that are not completed, failed or canceled',
    'delete queue: ok',
    'delete farm: conflict, the farm has 2 jobs that are not completed, failed or canceled',
  ]);
  house.cancelJob('A');
  house.lease('w1');
  house.heard();
  house.deleteQueue();
  house.deleteFarm();
  house.expect(t, 'all of them over', [
    'delete queue: ok',
    'delete farm: ok',
    'worker w1 removed',
    'lease w1: unknown',
  ]);
  for (const table of ['farm', 'queue', 'worker', 'booking', 'activeJob'] as const) {
    t.strictSame([...house.store.scan(table)], [], table);
  }
  t.equal(house.job('A').status, 'canceled', 'what its jobs left behind can be read');
  for (const actor of ['farm', 'lease'] as const) t.notOk(house.isResident(actor, house.farm), actor);
  house.createFarm();
  house.expect(t, 'its name is free', ['create farm F: ok']);
  t.end();
});

test('what reaches a farm while its removal is on its way to the disk finds no farm', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.heard();
  house.together(() => {
    house.deleteFarm();
    house.createQueue({ name: 'late' });
    house.submit('A', one);
    house.heartbeat('w1');
    house.register('w2');
    house.lease('w1');
  });
  house.expect(t, 'in one commit', [
    'delete farm: ok',
    'worker w1 removed',
    `create queue late: not-found, there is no farm ${house.farm}`,
    `submit A: bad-request, farm_id: there is no farm ${house.farm}`,
    'heartbeat w1: unknown',
    `register w2: refused, there is no farm ${house.farm}`,
    'lease w1: unknown',
  ]);
  for (const table of ['farm', 'queue', 'worker', 'job', 'activeJob'] as const) {
    t.strictSame([...house.store.scan(table)], [], table);
  }
  t.end();
});
