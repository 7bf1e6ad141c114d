/**
 * `npm run demo [-- --fresh] [-- --exit]`: prepares the repository, then starts the server and two workers on this
 * machine and renders the example job with them (cli/demo).
 */
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

await runMain(async () => {
  const env = await bootstrap();
  return run(process.execPath, [join(root, 'dist/cli/demo/demo.js'), ...process.argv.slice(2)], { env });
});
