/** `npm run simulate -- --seeds N | --seed N [--trace]`: runs random farms under virtual time (test/sim). Needs no bus. */
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

await runMain(async () => {
  const env = await bootstrap({ bus: false });
  return run(process.execPath, [join(root, 'dist/test/sim/simulate.js'), ...process.argv.slice(2)], { env });
});
