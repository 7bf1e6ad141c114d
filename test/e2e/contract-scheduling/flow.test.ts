import tap, { test } from 'tap';
import { runCases } from '../../kit/cases.ts';
import { cancelCases } from './cancel-and-delete.ts';
import { candidateOrderCases } from './candidate-order.ts';
import { catalogAndListCases } from './catalogs-and-lists.ts';
import { errorCases } from './errors.ts';
import { jobDependencyCases } from './job-dependencies.ts';
import { startScheduling, type FlowContext } from './kit.ts';
import { parkCases } from './parks.ts';
import { retryCases } from './retries.ts';
import { taskStateCases } from './task-states.ts';

/** Tests docs/contract/task-states.md to docs/contract/limits.md by HTTP against a real service and real workers. */
tap.setTimeout(240_000);

await test('tasks and jobs change state as the contract says', async (t) => {
  const fixture = await startScheduling(t, '--scheduler-retry-delay-seconds=0');
  const quiet = await fixture.createFarm('quiet');
  const farm = await fixture.createFarm('flow');
  const context: FlowContext = {
    ...fixture,
    quiet,
    farm,
    solo: await farm.worker('solo', '--worker-cpus=1'),
    failingLine: (failures) => {
      const { path } = fixture.createGate();
      return `echo x >> ${path}; [ $(wc -l < ${path}) -gt ${failures} ] || exit 3`;
    },
  };
  await runCases(t, context, [
    ...taskStateCases,
    ...retryCases,
    ...parkCases,
    ...catalogAndListCases,
    ...cancelCases,
    ...candidateOrderCases,
    ...jobDependencyCases,
    ...errorCases,
  ]);
});
