import { test } from 'tap';
import { leaseOfTask } from '../../../../src/core/lease/explanation.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

test('explains a ready task that is behind other tasks', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.register('w2', { cpu_count: 2, queues: ['Q'] });
  farm.submit('first', [{ name: 's', tasks: 5 }]);
  farm.submit('high', [{ name: 's', tasks: 3 }], { priority: 90 });
  farm.submit('other', [{ name: 's', tasks: 4, needs: { attributes: [{ name: 'attr.worker.tag.x' }] } }], {
    priority: 95,
  });
  farm.submit('mine', [
    { name: 'a', tasks: 2 },
    { name: 'b', tasks: 9, after: [] },
  ]);
  farm.lease('w1');
  t.strictSame(farm.explain('mine/1/4'), {
    isOffered: true,
    heldUntil: null,
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
    // One of high, five of first, two of the job's own first step, four of the own step. No worker can run the other
    // job.
    before: { tasks: 12, jobs: 2 },
    reservedWorker: null,
  });
  t.end();
});

test('counts workers by the gate that they fail, with the nearest miss', (t) => {
  const farm = new TestFarm();
  farm.createQueue({ name: 'R' });
  farm.register('w1', { queues: ['R'] });
  farm.register('w2', { compute_location: 'north', memory_mib: 1024 });
  farm.register('w3', { compute_location: 'north', memory_mib: 2048 });
  farm.register('w4', { compute_location: 'south' });
  farm.submit('A', [
    {
      name: 's',
      tasks: 1,
      needs: { computeLocation: 'north', amounts: [{ name: 'amount.worker.memory', min: 4096 }] },
    },
  ]);
  t.match(farm.explain('A/0/0').workers, {
    online: 4,
    eligible: 0,
    withRoom: 0,
    rejected: [
      { reason: 'queue affinity', workers: 1 },
      { reason: 'compute location mismatch', workers: 1 },
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

test('explains which workers could run a job before its submission', (t) => {
  const farm = new TestFarm();
  farm.createQueue({ name: 'R' });
  farm.register('w1', { queues: ['R'] });
  farm.register('w2', { cpu_count: 4 });
  farm.register('w3', { cpu_count: 16 });
  farm.takeOutputs();
  const needs = { cores: 8, computeLocation: '', amounts: [], pools: [], attributes: [] };
  t.strictSame(farm.explainDemands(needs, { ...needs, cores: 32 }, { ...needs, cores: null }), [
    {
      online: 3,
      elsewhere: 0,
      eligible: 1,
      rejected: [
        { reason: 'queue affinity', workers: 1 },
        { reason: 'amount requirement not met', requirement: 'amount.worker.vcpu', workers: 1 },
      ],
      nearestMiss: null,
    },
    {
      online: 3,
      elsewhere: 0,
      eligible: 0,
      rejected: [
        { reason: 'queue affinity', workers: 1 },
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
      rejected: [{ reason: 'queue affinity', workers: 1 }],
      nearestMiss: null,
    },
  ]);
  t.strictSame(farm.explainDemands(), []);
  t.strictSame(farm.takeOutputs(), ['demands: ok', 'demands: ok'], 'nothing else was published');
  t.end();
});

test('explains reached caps with their holders, a pause, a retry delay and an avoided worker', (t) => {
  const farm = new TestFarm();
  farm.register('w1');
  farm.register('w2');
  farm.submit('A', [{ name: 's', tasks: 3 }]);
  farm.submit('B', [{ name: 's', tasks: 3 }]);
  farm.replaceQueue({ maxConcurrentTasks: 4 });
  farm.lease('w1');
  t.strictSame(farm.explain('B/0/2').queueCap, {
    maxConcurrentTasks: 4,
    live: 4,
    holders: [
      { jobId: farm.jobId('A'), stepOrder: 0, live: 3 },
      { jobId: farm.jobId('B'), stepOrder: 0, live: 1 },
    ],
  });
  farm.replaceQueue({ paused: true });
  t.equal(farm.explain('B/0/2').isQueuePaused, true);
  farm.report('A/0/0', 'failed', { exitCode: 3 });
  t.match(farm.explain('A/0/0'), {
    heldUntil: farm.now + 10_000,
    workers: { avoided: ['id-of-w1'] },
  });
  farm.advance(10_000);
  t.match(farm.explain('A/0/0'), { heldUntil: null, workers: { avoided: ['id-of-w1'] } });
  farm.updateJob('B', { action: 'pause' });
  t.equal(farm.explain('B/0/2').isOffered, false);
  t.end();
});

test('explains tasks of many steps as it explains each of them', (t) => {
  const farm = new TestFarm();
  const capped = farm.createQueue({ name: 'R', maxConcurrentTasks: 1 });
  farm.register('w1', { cpu_count: 2 });
  farm.register('w2', { cpu_count: 4 });
  farm.submit('A', [
    { name: 's', tasks: 6 },
    { name: 't', tasks: 5, after: ['s'] },
  ]);
  farm.submit('B', [{ name: 's', tasks: 4 }], { priority: 90 });
  farm.submit('C', [{ name: 's', tasks: 3 }], { queueId: capped });
  farm.submit('D', [{ name: 's', tasks: 2, needs: { pools: ['nuke'] } }]);
  farm.submit('E', [{ name: 's', tasks: 2, needs: { cores: 4 } }], { priority: 95 });
  farm.submit('F', [{ name: 's', tasks: 7, needs: { cores: 1 } }]);
  farm.lease('w1');
  farm.report('B/0/0', 'failed');
  const asked = { 'A/0': [0, 5], 'A/1': [2], 'B/0': [0, 3], 'C/0': [1], 'D/0': [0], 'E/0': [1], 'F/0': [6] };
  const explained = farm.explainSteps(asked);
  for (const [at, [step, indices]] of Object.entries(asked).entries()) {
    const found = explained[at];
    t.strictSame(
      found?.tasks.map((task) => leaseOfTask(found, task)),
      indices.map((index) => farm.explain(`${step}/${index}`)),
      step,
    );
  }
  t.ok(explained.some(({ lease }) => lease.before.jobs > 1));
  t.end();
});

test('chooses the first ready task of a step', (t) => {
  const farm = new TestFarm();
  farm.register('w1', { cpu_count: 2 });
  farm.submit('A', [
    { name: 's', tasks: 6 },
    { name: 't', tasks: 5, after: ['s'] },
  ]);
  farm.lease('w1');
  const chosen = farm.explainSteps({ 'A/0': null, 'A/1': null }).map(({ tasks }) => tasks);
  t.match(chosen, [[{ index: 2, readyBefore: 0, heldUntil: null }], []]);
  t.end();
});
