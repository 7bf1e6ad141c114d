import type { Page } from 'playwright-core';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../kit/browser/browser-fixture.ts';
import { PLACES } from '../kit/browser/places.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/**
 * Maximum requests of a page that is opened, including those for its user and the health of the server, and a reload when
 * its events start. One address may send 40 requests at once and 20 per second.
 */
const REQUESTS_MAX = 3;

const VIEWPORT = { width: 1280, height: 800 };
/** So low that lists of the overview are below its fold. */
const FOLD = { width: 1280, height: 500 };

const TEMPLATE = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Sequence 020',
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '1-3' }] },
      script: { actions: { onRun: { command: 'false' } } },
    },
  ],
};

/** Waits until the page is live, has finished loading, and has sent nothing for half a second. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
}

await test('a page opens with few requests, and none is rejected', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture([], undefined, { isRateLimited: true });
  t.teardown(() => fixture.close(!t.passing()));
  const { api } = fixture.service;
  const farm = await api.makeFarm('north');
  fixture.worker('render-01');
  const job = await farm.submit(TEMPLATE, { max_attempts: '1' });
  t.equal(job.status, 201);
  // An open page reloads on events, and this test does not count those requests.
  await until('the job has failed', async () => (await api.job(job.body.id)).status === 'failed');
  const [task] = await api.tasks(job.body.id);
  const { items } = await api.must<{ items: { id: string }[] }>('GET', '/api/v1/workers');
  const { page, faults } = await fixture.open('/farms');
  const asked: string[] = [];
  const refused: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === '/readyz' || (pathname.startsWith('/api/') && !pathname.endsWith('/ws')))
      asked.push(`${request.method()} ${pathname}${search}`);
  });
  page.on('response', (response) => {
    if (response.status() === 429) refused.push(response.url());
  });
  const pages: readonly (readonly [path: string, most: number, viewport?: typeof FOLD])[] = [
    ...PLACES.filter((path) => path !== '/').map((path) => [path, REQUESTS_MAX] as const),
    [`/workers/${items[0]?.id}`, 3],
    [`/jobs/${job.body.id}`, 3],
    [`/jobs/${job.body.id}?tab=tasks`, 3],
    [`/tasks/${encodeURIComponent(task?.id ?? '')}`, 3],
    ['/', 2, FOLD],
    // Two lists of jobs, and the failures of one, are below the fold.
    ['/', 5],
  ];
  for (const [path, most, viewport = VIEWPORT] of pages) {
    await page.setViewportSize(viewport);
    await settled(page);
    asked.length = 0;
    await page.goto(path);
    await settled(page);
    const requests = [...asked];
    t.ok(requests.length <= most, `${path} sends ${requests.length} requests`, { requests });
  }
  t.strictSame(refused, [], 'no request was rejected');
  t.strictSame(faults, []);
});
