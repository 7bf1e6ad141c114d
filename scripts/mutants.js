/**
 * `npm run mutants [-- --only TEXT] [--jobs N]`: plants the bugs of test/mutants one at a time and requires that the tests find
 * them. With TEXT only those with it in their name or file.
 */
import { bootstrap } from './bootstrap.js';
import { runMutants } from './mutants/run-mutants.js';
import { runMain } from './run.js';

await runMain(async () => {
  Object.assign(process.env, await bootstrap());
  return runMutants(process.argv.slice(2));
});
