import { fileURLToPath } from 'node:url';
import tap, { test } from 'tap';
import { isolationFault, runIsolated } from '../faults/cluster/isolation.ts';
import { clusterFault } from '../kit/log-cluster.ts';

tap.setTimeout(600_000);

const PROGRAM = fileURLToPath(new URL('../faults/cluster/cluster.js', import.meta.url));

/** Short form of `npm run faults -- cluster` (docs/faults.md#cluster): kills, a pause and a partition of the owner. */
await test(
  'a cluster loses and doubles nothing when its owner is killed, paused and cut off',
  { skip: (await clusterFault()) ?? isolationFault() },
  async (t) => {
    const { status, output } = await runIsolated(PROGRAM, ['--short', '--json'], 'pipe');
    t.comment(output);
    t.equal(status, 0, 'nothing is lost, doubled or stuck');
  },
);
