import tap, { test } from 'tap';
import { runCases } from '../../kit/cases.ts';
import { startScheduling, type LivenessContext } from './kit.ts';
import { livenessCases } from './liveness.ts';

/** Tests the timeouts of docs/contract/workers.md and docs/contract/lease.md by HTTP, on real workers. */
tap.setTimeout(240_000);

await test('timeouts: silent workers, retention and starvation', async (t) => {
  const fixture = await startScheduling(
    t,
    '--scheduler-heartbeat-timeout=2s',
    '--scheduler-job-retention=2s',
    '--scheduler-reservation-after=3s',
    '--scheduler-retry-delay-seconds=0',
  );
  const farm = await fixture.createFarm('sweeps');
  const context: LivenessContext = {
    ...fixture,
    farm,
    pool: await farm.api.must('POST', '/api/v1/usage-pools', { name: 'nuke', max_concurrent: 1 }),
  };
  await runCases(t, context, livenessCases);
});
