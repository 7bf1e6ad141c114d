/**
 * `npm run test:bus-auth [-- FILE or FOLDER]...`: runs the end-to-end tests, or those given, with `bus.auth.enabled`: each service
 * authenticates its workers, and they join with a token. `npm test` runs them without it. For faults, set
 * CALLSHEET_TEST_BUS_AUTH=true and run `npm run faults`.
 */
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

const SUITES = ['dist/test/e2e'];

await runMain(async () => {
  const given = process.argv.slice(2);
  const env = await bootstrap({ tests: true });
  const paths = given.length > 0 ? given : SUITES;
  return run(process.execPath, [join(root, 'scripts/test-runner/run-tests.js'), ...paths], {
    env: { ...env, CALLSHEET_TEST_BUS_AUTH: 'true' },
  });
});
