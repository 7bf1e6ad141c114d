/**
 * `npm run test:nightly [-- FILE or FOLDER]...`: `npm test` with the files of test-runner/nightly.js, with the full number of
 * repetitions (test/kit/rounds.ts), and with all tests of the HTTP layer repeated by both engines.
 */
import { bootstrap } from './bootstrap.js';
import { runMain } from './run.js';
import { runTests } from './test-runner/run-tests.js';

await runMain(async () => {
  Object.assign(process.env, await bootstrap({ tests: true, nightly: true }), {
    CALLSHEET_TEST_NIGHTLY: 'true',
  });
  return runTests(process.argv.slice(2));
});
