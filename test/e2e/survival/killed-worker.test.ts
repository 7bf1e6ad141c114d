import tap, { test } from 'tap';
import { until } from '../../kit/until.ts';
import { checkAttempts, checkCompleted, checkRuns, CORES, startFarm, TEST_MS } from './survival-farm.ts';

tap.setTimeout(TEST_MS);

await test('only the tasks of a killed worker run again', { timeout: TEST_MS }, async (t) => {
  const farm = await startFarm(t, ['--scheduler-heartbeat-timeout=6s']);
  const victim = farm.workers[0];
  if (victim === undefined) throw new Error('there is no worker');
  await victim.kill();
  const offline = await until('the worker is offline', async () => {
    const { items } = await farm.service.api.must<{ items: { id: string; name: string; status: string }[] }>(
      'GET',
      '/api/v1/workers',
    );
    return items.find((worker) => worker.name === 'w0' && worker.status === 'offline') ?? null;
  });
  await checkCompleted(t, farm);
  await checkAttempts(t, farm);
  checkRuns(t, farm, CORES);
  const lost = [];
  for (const task of await farm.service.api.tasks(farm.jobId)) {
    for (const attempt of await farm.service.api.attempts(task.id)) {
      if (attempt.message === 'worker went offline') lost.push(attempt.worker_id);
    }
    t.equal(task.failure_reason, undefined);
  }
  t.ok(lost.length > 0 && lost.length <= CORES, `${lost.length} tasks were reclaimed`);
  t.ok(lost.every((worker) => worker === offline.id));
});
