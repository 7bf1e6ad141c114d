import tap, { test } from 'tap';
import { openBrowserFixture } from '../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../kit/browser/browser.ts';
import { startService } from '../kit/daemons.ts';

tap.setTimeout(240_000);

/** The requests that report who the user is. */
const OF_THE_USER = /\/api\/v1\/(auth\/me|start)$/;

/** The frame around every page, in a real browser against the real service. */
await test('the frame of the application', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const farm = await fixture.service.api.makeFarm('north');
  const { page, faults } = await fixture.open('/jobs');
  const palette = page.getByRole('dialog', { name: 'Command palette' });

  await t.test('the palette finds pages and jobs by keyboard', async (t) => {
    const job = await fixture.service.api.call<{ id: string }>(
      'POST',
      `/api/v1/jobs?farm_id=${farm.farmId}&queue_id=${farm.queueId}`,
      'specificationVersion: jobtemplate-2023-09\nname: Sequence 020\nsteps:\n  - name: Render\n    script: { actions: { onRun: { command: "true" } } }\n',
      'application/x-yaml',
    );
    t.equal(job.status, 201);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await palette.waitFor();
    await saveScreenshots(page, 'palette');
    t.strictSame(await violations(page), []);
    await page.keyboard.type('usage');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Usage pools', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sequence');
    await palette.getByRole('option', { name: /Sequence 020/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/jobs/${job.body.id}`);
    await page.getByRole('heading', { name: 'Sequence 020', level: 1 }).waitFor();
  });

  await t.test('two-key shortcuts open pages, and "?" lists all shortcuts', async (t) => {
    await page.locator('main').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    t.strictSame(await violations(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.locator('[data-search]:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: 'Workers', level: 1 }).waitFor();
  });

  await t.test('the top bar shows that the bus is down, until it is back', async (t) => {
    const down = await fetch(`${fixture.url}/readyz`);
    const answer = (await down.json()) as { readonly checks: object };
    await page.route('**/readyz', (route) =>
      route.fulfill({
        // A status of 503 would count as a fault of the page.
        status: 200,
        json: { ...answer, status: 'degraded', checks: { ...answer.checks, bus: 'no answer within 5 s' } },
      }),
    );
    await page.goto('/');
    await page.getByRole('button', { name: 'Bus down' }).waitFor();
    await page
      .getByRole('status')
      .getByText('The server cannot reach the bus: no answer within 5 s.')
      .waitFor();
    await saveScreenshots(page, 'bus-down');
    t.strictSame(await violations(page), []);
    await page.unroute('**/readyz');
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await page.goto('/farms');
  });

  await t.test('a page that cannot be loaded is loaded when the server is back', async (t) => {
    const opened = await fixture.open('/jobs');
    const { page: other } = opened;
    await other.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await other.route('**/assets/queues-page*', (route) => route.abort());
    await other.route(`${fixture.url}/`, (route) => route.abort());
    await other.getByRole('link', { name: 'Queues' }).click();
    await other.getByText('The server cannot be reached, so this page could not be loaded.').waitFor();
    t.notMatch(await other.locator('main').innerText(), /\.js:\d/, 'no stack trace');
    await saveScreenshots(other, 'page-not-loaded');
    t.strictSame(await violations(other), []);
    await other.unrouteAll();
    await other.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
    await opened.close();
  });

  await t.test('a page of another build reloads the application once', async (t) => {
    const opened = await fixture.open('/jobs');
    const { page: other } = opened;
    await other.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await other.route('**/assets/queues-page*', (route) => route.fulfill({ status: 404 }));
    await other.route(`${fixture.url}/`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<script type="module" src="/assets/new.js"></script>',
      }),
    );
    let loads = 0;
    other.on('domcontentloaded', () => (loads += 1));
    await other.getByRole('link', { name: 'Queues' }).click();
    await other
      .getByText('The server has a new version, and this page could not be loaded from it.')
      .waitFor();
    t.equal(loads, 1);
    await other.unrouteAll();
    await other.getByRole('button', { name: 'Try again' }).click();
    await other.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
    await opened.close();
  });

  await t.test('the theme is remembered', async (t) => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Theme: dark' }).click();
    const background = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await background();
    await page.reload();
    t.equal(await background(), dark);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Theme: light' }).click();
    t.not(await background(), dark);
    await page.locator('main').focus();
    await page.keyboard.press('t');
    t.equal(await background(), dark);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: '✓ Theme: dark' }).waitFor();
    await page.getByRole('menuitem', { name: 'Theme: light' }).click();
  });

  await t.test('a browser in read-only mode changes nothing and shows a badge', async (t) => {
    const badge = page.getByText('Read-only', { exact: true });
    await page.goto('/farms');
    await page.getByRole('button', { name: 'New farm' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Read-only mode' }).click();
    await badge.waitFor();
    await page.locator('button[aria-disabled=true][title*="Read-only mode"]').first().waitFor();
    t.strictSame(await violations(page), []);
    await page.goto('/farms?edit=new');
    await badge.waitFor();
    await page.getByRole('row', { name: /north/ }).waitFor();
    t.equal(await page.getByRole('dialog').count(), 0, 'the address of a form does not open the form');
    await page.goto('/farms');
    await page.getByRole('link', { name: 'Submit a job' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /north/ }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: '✓ Read-only mode' }).click();
    await badge.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Submit a job' }).waitFor();
  });

  await t.test('any page shows when a watched job ends', async (t) => {
    const submit = (name: string) =>
      farm.submit({
        specificationVersion: 'jobtemplate-2023-09',
        name,
        steps: [{ name: 'Render', script: { actions: { onRun: { command: 'true' } } } }],
      });
    const seen = (await submit('Seen to the end')).body;
    const missed = (await submit('Ended meanwhile')).body;
    await page.evaluate(
      `localStorage.setItem('callsheet.watched-jobs', ${JSON.stringify(
        JSON.stringify([seen, missed].map(({ id, name }) => ({ id, name }))),
      )})`,
    );
    await page.goto('about:blank');
    await fixture.service.api.must('POST', `/api/v1/jobs/${missed.id}/cancel`);
    await page.goto('/farms');
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('Ended meanwhile').and(messages.getByText('was canceled')).waitFor();
    // Also while live updates are paused.
    await page.getByRole('button', { name: 'Live' }).click();
    await fixture.service.api.must('POST', `/api/v1/jobs/${seen.id}/cancel`);
    const message = messages.getByRole('listitem').filter({ hasText: 'Seen to the end' });
    await message.waitFor();
    t.strictSame(await violations(page), []);
    t.equal(await page.evaluate(`localStorage.getItem('callsheet.watched-jobs')`), '[]');
    await message.getByRole('link', { name: 'Open' }).click();
    await page.waitForURL(`**/jobs/${seen.id}`);
    await message.waitFor({ state: 'detached' });
  });

  await t.test('the about dialog shows the version for a bug report', async (t) => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'About Callsheet' }).click();
    await page.getByRole('dialog').getByText('Commit').waitFor();
    t.strictSame(await violations(page), []);
    await page.keyboard.press('Escape');
  });

  await t.test('an unknown address shows that the page was not found', async (t) => {
    await page.goto('/no/such/page');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    t.strictSame(await violations(page), []);
  });

  await t.test('actions without permission are hidden or disabled', async () => {
    const principal = {
      subject: 'u1',
      username: 'ada',
      display_name: 'Ada',
      roles: ['read-only'],
      permissions: ['jobs.read', 'jobs.read.all', 'workers.read', 'infra.read'],
      kind: 'user',
    };
    await page.route('**/api/v1/start', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as object;
      await route.fulfill({ response, json: { ...answer, principal } });
    });
    await page.goto('/farms');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Farms' }).waitFor();
    await navigation.getByRole('link', { name: 'Diagnostics' }).waitFor({ state: 'detached' });
    await navigation.getByRole('link', { name: 'Submit a job' }).waitFor({ state: 'detached' });
    await page.locator('button[aria-disabled=true][title*="infra.manage"]').first().waitFor();
    await page.unroute('**/api/v1/start');
  });

  t.strictSame(faults, [], 'no error in the browser');

  await t.test('a user without a session is asked to sign in', async (t) => {
    let asked = 0;
    await page.route(OF_THE_USER, (route) => {
      asked += 1;
      return route.fulfill({
        status: 401,
        contentType: 'application/problem+json',
        headers: { 'X-Request-Id': 'asked-by-a-stranger' },
        json: { title: 'Unauthorized', status: 401, detail: 'the session has ended' },
      });
    });
    await page.goto('/farms');
    await page.getByRole('heading', { name: 'Farms', level: 1 }).waitFor();
    await page.getByText('Could not load your permissions').waitFor();
    await page.getByText(/Your session has ended.* the session has ended/).waitFor();
    await page.getByText('asked-by-a-stranger').waitFor();
    t.strictSame(await violations(page), []);
    t.ok(asked < 10, `requests must not repeat endlessly: ${asked} requests`);
    await page.unroute(OF_THE_USER);
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Farms' }).waitFor();
  });

  await t.test('a lost connection is shown, and restored without a reload', async (t) => {
    await page.goto('/farms');
    await page.getByRole('heading', { name: 'Farms', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await fixture.service.daemon.kill('SIGKILL');
    await page.getByText('Cannot reach the server.').waitFor();
    await saveScreenshots(page, 'away');
    t.strictSame(await violations(page), []);
    const again = await startService(fixture.service);
    t.teardown(() => again.daemon.kill('SIGTERM'));
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await page.getByText('Cannot reach the server.').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /north/ }).waitFor();
  });
});
