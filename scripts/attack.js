/**
 * `npm run attack [-- --rows T8,T9] [--share 0.1] [--json]`: attacks a running service with the full tables of test/attack, about 20
 * minutes. `npm test` makes a part of each.
 */
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

await runMain(async () => {
  const env = await bootstrap({ tests: true });
  return run(process.execPath, [join(root, 'dist/test/attack/attack-service.js'), ...process.argv.slice(2)], {
    env,
  });
});
