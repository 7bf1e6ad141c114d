import tap, { test } from 'tap';
import { openBrowserHouse } from '../kit/browser/browser-fixture.ts';
import { takePictures, violations } from '../kit/browser/browser.ts';
import { startService } from '../kit/daemons.ts';

tap.setTimeout(240_000);

/** What is around every page, in a real browser against the real service. */
await test('the frame of the application', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserHouse();
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
    await takePictures(page, 'palette');
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

  await t.test('two keys go to a page, and a question mark lists them', async (t) => {
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

  await t.test('a browser that is set to read only changes nothing, and says so', async (t) => {
    const badge = page.getByText('Read only', { exact: true });
    await page.goto('/farms');
    await page.getByRole('button', { name: 'New farm' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Read only in this browser' }).click();
    await badge.waitFor();
    await page.locator('button[aria-disabled=true][title*="set to read only"]').first().waitFor();
    t.strictSame(await violations(page), []);
    await page.goto('/farms?edit=new');
    await badge.waitFor();
    await page.getByRole('row', { name: /north/ }).waitFor();
    t.equal(await page.getByRole('dialog').count(), 0, 'the address of a form does not open it');
    await page.goto('/farms');
    await page.getByRole('link', { name: 'Submit a job' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /north/ }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: '✓ Read only in this browser' }).click();
    await badge.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Submit a job' }).waitFor();
  });

  await t.test('the end of a watched job is told on any page', async (t) => {
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
    // It is told also while live updates are held.
    await page.getByRole('button', { name: 'Live' }).click();
    await fixture.service.api.must('POST', `/api/v1/jobs/${seen.id}/cancel`);
    const told = messages.getByRole('listitem').filter({ hasText: 'Seen to the end' });
    await told.waitFor();
    t.strictSame(await violations(page), []);
    t.equal(await page.evaluate(`localStorage.getItem('callsheet.watched-jobs')`), '[]');
    await told.getByRole('link', { name: 'Show it' }).click();
    await page.waitForURL(`**/jobs/${seen.id}`);
    await told.waitFor({ state: 'detached' });
  });

  await t.test('what runs here is told for a report of a problem', async (t) => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'About Callsheet' }).click();
    await page.getByRole('dialog').getByText('Commit').waitFor();
    t.strictSame(await violations(page), []);
    await page.keyboard.press('Escape');
  });

  await t.test('an address that is nothing says so', async (t) => {
    await page.goto('/no/such/page');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    t.strictSame(await violations(page), []);
  });

  await t.test('what is not allowed is not offered', async () => {
    await page.route('**/api/v1/auth/me', (route) =>
      route.fulfill({
        json: {
          subject: 'u1',
          username: 'ada',
          display_name: 'Ada',
          roles: ['read-only'],
          permissions: ['jobs.read', 'jobs.read.all', 'workers.read', 'infra.read'],
          kind: 'user',
        },
      }),
    );
    await page.goto('/farms');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Farms' }).waitFor();
    await navigation.getByRole('link', { name: 'Diagnostics' }).waitFor({ state: 'detached' });
    await navigation.getByRole('link', { name: 'Submit a job' }).waitFor({ state: 'detached' });
    await page.locator('button[aria-disabled=true][title*="infra.manage"]').first().waitFor();
    await page.unroute('**/api/v1/auth/me');
  });

  t.strictSame(faults, [], 'nothing went wrong in the browser');

  await t.test('somebody whom the service does not know is told so', async (t) => {
    let asked = 0;
    await page.route('**/api/v1/auth/me', (route) => {
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
    await page.getByText('Could not load what you may do').waitFor();
    await page.getByText(/does not know who you are.* the session has ended/).waitFor();
    await page.getByText('asked-by-a-stranger').waitFor();
    t.strictSame(await violations(page), []);
    t.ok(asked < 10, `it is not asked on and on: ${asked} times`);
    await page.unroute('**/api/v1/auth/me');
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Farms' }).waitFor();
  });

  await t.test('a service that is away is told, and comes back by itself', async (t) => {
    await page.goto('/farms');
    await page.getByRole('heading', { name: 'Farms', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await fixture.service.daemon.kill('SIGKILL');
    await page.getByText('The service cannot be reached.').waitFor();
    await takePictures(page, 'away');
    t.strictSame(await violations(page), []);
    const again = await startService(fixture.service);
    t.teardown(() => again.daemon.kill('SIGTERM'));
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await page.getByText('The service cannot be reached.').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /north/ }).waitFor();
  });
});
