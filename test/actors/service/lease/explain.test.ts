import { test } from 'tap';
import { TestHouse } from '../../../kit/test-house.ts';

test('what the lease knows of a task that waits its turn', (t) => {
  const house = new TestHouse();
  house.register('w1', { cpu_count: 2 });
  house.register('w2', { cpu_count: 2, queues: ['Q'] });
  house.submit('first', [{ name: 's', tasks: 5 }]);
  house.submit('high', [{ name: 's', tasks: 3 }], { priority: 90 });
  house.submit('other', [{ name: 's', tasks: 4, needs: { attributes: [{ name: 'attr.worker.tag.x' }] } }], {
    priority: 95,
  });
  house.submit('mine', [
    { name: 'a', tasks: 2 },
    { name: 'b', tasks: 9, after: [] },
  ]);
  house.lease('w1');
  t.strictSame(house.explain('mine/1/4'), {
    isOffered: true,
    heldUntil: 0,
    farmCap: { maxConcurrentTasks: 0, live: 2, holders: [] },
    queueCap: { maxConcurrentTasks: 0, live: 2, holders: [] },
    isQueuePaused: false,
    pools: [],
    workers: {
      online: 2,
      elsewhere: 0,
      eligible: 2,
      withRoom: 1,
      keptForOthers: 0,
      rejected: [],
      nearestMiss: null,
      avoided: [],
    },
    // One of high, five of first, two of the own job's first step, four of the own step. Nobody may run the other.
    before: { tasks: 12, jobs: 2 },
    reservedWorker: null,
  });
  t.end();
});

test('workers by the gate that they fail, and the one that comes nearest', (t) => {
  const house = new TestHouse();
  house.createQueue({ name: 'R' });
  house.register('w1', { queues: ['R'] });
  house.register('w2', { compute_location: 'north', memory_mib: 1024 });
  house.register('w3', { compute_location: 'north', memory_mib: 2048 });
  house.register('w4', { compute_location: 'south' });
  house.submit('A', [
    {
      name: 's',
      tasks: 1,
      needs: { computeLocation: 'north', amounts: [{ name: 'amount.worker.memory', min: 4096 }] },
    },
  ]);
  t.match(house.explain('A/0/0').workers, {
    online: 4,
    eligible: 0,
    withRoom: 0,
    rejected: [
      { reason: 'queue affinity', requirement: '', workers: 1 },
      { reason: 'compute location mismatch', requirement: '', workers: 1 },
      { reason: 'amount requirement not met', requirement: 'amount.worker.memory', workers: 2 },
    ],
    nearestMiss: {
      workerId: 'id-of-w3',
      ineligibility: {
        reason: 'amount requirement not met',
        requirement: { name: 'amount.worker.memory', min: 4096 },
        offered: 2048,
      },
    },
  });
  t.end();
});

test('who could run what is not there yet', (t) => {
  const house = new TestHouse();
  house.createQueue({ name: 'R' });
  house.register('w1', { queues: ['R'] });
  house.register('w2', { cpu_count: 4 });
  house.register('w3', { cpu_count: 16 });
  house.heard();
  const needs = { cores: 8, computeLocation: '', amounts: [], pools: [], attributes: [] };
  t.strictSame(house.explainDemands(needs, { ...needs, cores: 32 }, { ...needs, cores: null }), [
    {
      online: 3,
      elsewhere: 0,
      eligible: 1,
      rejected: [
        { reason: 'queue affinity', requirement: '', workers: 1 },
        { reason: 'amount requirement not met', requirement: 'amount.worker.vcpu', workers: 1 },
      ],
      nearestMiss: null,
    },
    {
      online: 3,
      elsewhere: 0,
      eligible: 0,
      rejected: [
        { reason: 'queue affinity', requirement: '', workers: 1 },
        { reason: 'amount requirement not met', requirement: 'amount.worker.vcpu', workers: 2 },
      ],
      nearestMiss: {
        workerId: 'id-of-w3',
        ineligibility: {
          reason: 'amount requirement not met',
          requirement: { name: 'amount.worker.vcpu', min: 32 },
          offered: 16,
        },
      },
    },
    {
      online: 3,
      elsewhere: 0,
      eligible: 2,
      rejected: [{ reason: 'queue affinity', requirement: '', workers: 1 }],
      nearestMiss: null,
    },
  ]);
  t.strictSame(house.explainDemands(), []);
  t.strictSame(house.heard(), ['demands: ok', 'demands: ok'], 'nothing else has happened');
  t.end();
});

test('caps that are reached, with who holds them; a pause; a hold; a worker that failed', (t) => {
  const house = new TestHouse();
  house.register('w1');
  house.register('w2');
  house.submit('A', [{ name: 's', tasks: 3 }]);
  house.submit('B', [{ name: 's', tasks: 3 }]);
  house.replaceQueue({ maxConcurrentTasks: 4 });
  house.lease('w1');
  t.strictSame(house.explain('B/0/2').queueCap, {
    maxConcurrentTasks: 4,
    live: 4,
    holders: [
      { jobId: house.jobId('A'), stepOrder: 0, live: 3 },
      { jobId: house.jobId('B'), stepOrder: 0, live: 1 },
    ],
  });
  house.replaceQueue({ paused: true });
  t.equal(house.explain('B/0/2').isQueuePaused, true);
  house.report('A/0/0', 'failed', { exitCode: 3 });
  t.match(house.explain('A/0/0'), {
    heldUntil: house.now + 10_000,
    workers: { avoided: ['id-of-w1'] },
  });
  house.advance(10_000);
  t.match(house.explain('A/0/0'), { heldUntil: 0, workers: { avoided: ['id-of-w1'] } });
  house.updateJob('B', { action: 'pause' });
  t.equal(house.explain('B/0/2').isOffered, false);
  t.end();
});
