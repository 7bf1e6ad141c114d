/**
 * `npm test [-- FILE or FOLDER]...`: makes the repository ready and runs the compiled tests (scripts/test-runner). The last line
 * of the output is `N passed, N failed[, N skipped]`.
 */
import { bootstrap } from './bootstrap.js';
import { runMain } from './run.js';
import { runTests } from './test-runner/run-tests.js';

await runMain(async () => {
  Object.assign(process.env, await bootstrap({ tests: true }));
  return runTests(process.argv.slice(2));
});
