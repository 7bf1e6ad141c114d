/**
 * `npm run faults [-- --rows F9,F12] [--count N] [--mib N] [--short] [--json]`: injects faults into real workers
 * (test/faults).
 */
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

await runMain(async () => {
  const env = await bootstrap();
  return run(process.execPath, [join(root, 'dist/test/faults/faults.js'), ...process.argv.slice(2)], { env });
});
