import tap, { test } from 'tap';
import { runCases } from '../kit/cases.ts';
import { catalogCommands } from './cli-session/catalogs.ts';
import { exchangeChecks } from './cli-session/exchanges.ts';
import { productCommands } from './cli-session/products.ts';
import { startCliSession } from './cli-session/kit.ts';
import { runningJobCommands } from './cli-session/running-jobs.ts';
import { waitingJobCommands } from './cli-session/waiting-jobs.ts';

tap.setTimeout(600_000);

/** Runs every client command against a real service, and checks every exchange against the OpenAPI document. */
test('a session of the command line follows the OpenAPI document', async (t) => {
  await runCases(t, await startCliSession(t), [
    ...catalogCommands,
    ...waitingJobCommands,
    ...runningJobCommands,
    ...productCommands,
    ...exchangeChecks,
  ]);
});
