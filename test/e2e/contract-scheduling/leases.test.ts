import tap, { test } from 'tap';
import { runCases } from '../../kit/cases.ts';
import type { TaskDoc } from '../../kit/contract-bench.ts';
import { coreCases } from './cores.ts';
import { eligibilityCases } from './eligibility.ts';
import { firstWorkerCases } from './first-workers.ts';
import { startScheduling, type LeaseContext } from './kit.ts';
import { limitCases } from './limits.ts';
import { liveTaskCases } from './live-tasks.ts';
import { staleAssignmentCases } from './stale-assignments.ts';
import { workerChangeCases } from './worker-changes.ts';

/** Tests docs/contract/lease.md and docs/contract/workers.md by HTTP against a real service and real workers. */
tap.setTimeout(240_000);

await test('tasks are assigned by the rules of the lease', async (t) => {
  const fixture = await startScheduling(
    t,
    '--scheduler-retry-delay-seconds=0',
    '--scheduler-unschedulable-grace=1s',
    '--scheduler-heartbeat-timeout=10m',
  );
  let stale: TaskDoc | undefined;
  const context: LeaseContext = {
    ...fixture,
    farm: await fixture.createFarm('pack'),
    empty: await fixture.createFarm('empty'),
    frozen: await fixture.createFarm('frozen'),
    setStaleTask: (task) => (stale = task),
    staleTask: () => {
      if (stale === undefined) throw new Error('no task was assigned to the stopped worker');
      return stale;
    },
  };
  // Ordered: the 30 s of the stale assignment pass while the other cases run.
  await runCases(t, context, [
    ...firstWorkerCases,
    ...liveTaskCases,
    ...coreCases,
    ...eligibilityCases,
    ...limitCases,
    ...workerChangeCases,
    ...staleAssignmentCases,
  ]);
});
