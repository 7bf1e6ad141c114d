import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

/**
 * A job A with two live tasks on a worker of its own. When both fail in one message, the first is ready again and is
 * selected, and the second parks the job, which therefore refuses the selection.
 */
function withFailingJob(cores: number): TestFarm {
  const farm = new TestFarm();
  farm.register('busy', { cpu_count: 2 * cores, tags: { old: 'true' } });
  const retry = { maxAttempts: 9, retryDelaySeconds: 0, failureLimit: 2 };
  farm.submit('A', [{ name: 's', tasks: 2, needs: { cores } }], { priority: 90, retry });
  farm.lease('busy');
  return farm;
}

function failBoth(farm: TestFarm): readonly string[] {
  farm.takeOutputs();
  farm.reportAll([
    ['A/0/0', 'failed'],
    ['A/0/1', 'failed'],
  ]);
  return farm.takeOutputs();
}

const REFUSED = ['task A/0/0 ready', 'count task-retries of Q', 'task A/0/1 failed', 'job A paused'];

test('the cores of refused picks are free again', (t) => {
  const farm = withFailingJob(2);
  farm.register('w1', { cpu_count: 4 });
  farm.lease('w1');
  t.match(failBoth(farm), [...REFUSED.slice(0, 3), /^job A|^count/], 'nothing is assigned');
  t.equal(farm.job('A').status, 'paused');
  farm.submit('B', [{ name: 's', tasks: 1, needs: { cores: 4 } }]);
  farm.expect(t, 'the whole worker is free', [
    'job B pending',
    'submit B: ok',
    'task B/0/0 assigned w1',
    'job B running',
    'lease w1: B/0/0#1 (4 cores)',
  ]);
  t.end();
});

test('a refusal serves another request of the worker, for which its cores were missing', (t) => {
  const farm = withFailingJob(4);
  const other = farm.createQueue({ name: 'other' });
  farm.replaceFarm({ maxConcurrentTasks: 2 });
  farm.register('w1', { cpu_count: 4 });
  farm.submit('B', [{ name: 's', tasks: 1 }], { queueId: other });
  farm.lease('w1', { queue: farm.queue, client: 'lease of Q' });
  farm.lease('w1', { queue: other, client: 'lease of other' });
  t.equal(failBoth(farm).at(-1), 'lease of other: B/0/0#1');
  t.strictSame(farm.job('A').status, 'paused');
  farm.expectInvariants(t, 'after the refusal');
  t.end();
});

test('a refusal that frees a cap serves the requests of other workers', (t) => {
  const farm = withFailingJob(1);
  farm.replaceFarm({ maxConcurrentTasks: 1 });
  farm.register('w1');
  farm.register('w2', { compute_location: 'North' });
  farm.submit('B', [{ name: 's', tasks: 1, needs: { computeLocation: 'North' } }]);
  farm.lease('w1');
  farm.lease('w2');
  t.equal(failBoth(farm).at(-1), 'lease w2: B/0/0#1', 'the task that only the other worker can run');
  farm.expectInvariants(t, 'after the refusal');
  t.end();
});

test('the amounts of refused picks are free again', (t) => {
  const farm = new TestFarm();
  const memory = 'amount.worker.memory';
  const gpu = 'amount.worker.gpu';
  farm.replaceFarm({ bookedAmounts: { names: [memory, gpu] } });
  const amounts = [
    { name: memory, min: 4000 },
    { name: gpu, min: 1 },
  ];
  const big = { cpu_count: 8, memory_mib: 8000, gpu_count: 2 };
  farm.register('busy', { ...big, tags: { old: 'true' } });
  const retry = { maxAttempts: 9, retryDelaySeconds: 0, failureLimit: 2 };
  farm.submit('A', [{ name: 's', tasks: 2, needs: { cores: 1, amounts } }], { priority: 90, retry });
  farm.lease('busy');
  farm.register('w1', { ...big, memory_mib: 4000, gpu_count: 1 });
  farm.lease('w1');
  failBoth(farm);
  t.equal(farm.job('A').status, 'paused');
  farm.submit('B', [{ name: 's', tasks: 1, needs: { cores: 1, amounts } }]);
  t.equal(farm.takeOutputs().at(-1), 'lease w1: B/0/0#1', 'the only GPU and all memory');
  farm.expectInvariants(t, 'after the refusal');
  t.end();
});
