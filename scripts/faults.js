/**
 * `npm run faults [-- --rows F9,F12] [--count N] [--mib N] [--short] [--json]`: injects faults into real workers
 * (test/faults). `npm run faults -- --outages [TEXT]`: outages of service and bus of their real length, about 15 minutes;
 * with TEXT only those with it in their name. `npm run faults -- cluster [--short] [--faults NAME[=COUNT],...] [--nemesis SECONDS]`:
 * a cluster of three nodes in network namespaces (test/faults/cluster).
 */
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

await runMain(async () => {
  const env = await bootstrap();
  const [first, ...rest] = process.argv.slice(2);
  if (first === '--outages')
    return run(process.execPath, [join(root, 'dist/test/faults/outages.js'), ...rest], { env });
  if (first === 'cluster')
    return run(process.execPath, [join(root, 'dist/test/faults/cluster/cluster.js'), ...rest], { env });
  return run(process.execPath, [join(root, 'dist/test/faults/faults.js'), ...process.argv.slice(2)], { env });
});
