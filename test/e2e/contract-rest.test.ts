import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import type { Site } from '../attack/browser/attempts.ts';
import { BROWSER_ATTACKS, shortForm } from '../attack/browser/browser-attacks.ts';
import { runExposure } from '../attack/browser/exposure.ts';
import { runCases } from '../kit/cases.ts';
import { CheckedClient } from '../kit/checked-client.ts';
import { freePort, startService, type RunningService } from '../kit/daemons.ts';
import { catalogCases } from './contract-rest/catalogs.ts';
import { conditionalRequestCases } from './contract-rest/conditional-requests.ts';
import { departedWorkerCases } from './contract-rest/departed-workers.ts';
import { diagnosticsCases } from './contract-rest/diagnostics.ts';
import { farmAndQueueCases } from './contract-rest/farms-and-queues.ts';
import { jobChangeCases } from './contract-rest/job-changes.ts';
import { jobListCases } from './contract-rest/job-lists.ts';
import { createRestContext } from './contract-rest/kit.ts';
import { requestCases } from './contract-rest/requests.ts';
import { runningTaskCases } from './contract-rest/running-tasks.ts';
import { submissionCases } from './contract-rest/submission.ts';
import { taskCases } from './contract-rest/tasks.ts';
import { workerCases } from './contract-rest/workers.ts';

/**
 * Tests docs/contract/resources.md, docs/contract/rest.md, docs/contract/errors.md and docs/contract/limits.md against
 * a real service and real workers. Uses only what the contract states, and checks every response against the OpenAPI
 * document.
 */
tap.setTimeout(240_000);

/** Starts a service in a temporary folder, and stops it when the test ends. */
async function startTestService(t: Test, ...flags: readonly string[]): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-rest-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags,
  });
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-6000));
  });
  return service;
}

await test('the REST API follows the contract', { timeout: 200_000 }, async (t) => {
  const context = await createRestContext(await startTestService(t));
  t.teardown(() => context.farm.stop());
  // Ordered: later cases use the workers and records of earlier ones.
  await runCases(t, context, [
    ...requestCases,
    ...farmAndQueueCases,
    ...catalogCases,
    ...submissionCases,
    ...jobListCases,
    ...jobChangeCases,
    ...taskCases,
    ...conditionalRequestCases,
    ...workerCases,
    ...runningTaskCases,
    ...diagnosticsCases,
    ...departedWorkerCases,
  ]);
});

await test(
  'diagnostics.buffer_size 0: the diagnostics route returns 503; http.cors_origins limits CORS and writes of pages',
  { timeout: 60_000 },
  async (t) => {
    const pprofPort = await freePort();
    const service = await startTestService(
      t,
      '--diagnostics-buffer-size=0',
      '--http-cors-origins=https://pipeline.example',
      '--http-public-url=https://farm.example',
      '--http-enable-pprof',
      `--http-pprof-addr=0.0.0.0:${pprofPort}`,
    );
    const api = new CheckedClient(service.api.url);
    const { status, body } = await api.get('/api/v1/diagnostics/logs');
    t.equal(status, 503);
    t.match(body, { title: 'Service Unavailable', status: 503 });
    const allowed = async (origin: string): Promise<string | undefined> =>
      (await api.get('/api/v1/farms', { origin })).headers['access-control-allow-origin'];
    t.equal(await allowed('https://pipeline.example'), 'https://pipeline.example');
    t.equal(await allowed('https://other.example'), undefined);
    t.equal(await allowed('https://pipeline.example.evil'), undefined);

    const site: Site = {
      port: service.httpPort,
      listed: 'https://pipeline.example',
      publicUrl: 'https://farm.example',
      session: null,
      apiKey: null,
    };
    for (const { row, count, run } of BROWSER_ATTACKS)
      t.strictSame((await run(site, shortForm(count))).violations, [], row);
    t.same((await api.get('/api/v1/farms')).body, [], 'the attacks have changed nothing');
    t.strictSame((await runExposure(site, 20, [])).violations, [], 'profiles have an address of their own');
    t.equal((await fetch(`http://127.0.0.1:${pprofPort}/debug/pprof/`)).status, 200);
    t.match(service.daemon.log(), 'every client that reaches this address can take profiles of the service');
  },
);
