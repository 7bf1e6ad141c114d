import tap, { test } from 'tap';
import { openBrowserFixture } from '../kit/browser/browser-fixture.ts';
import { PHONE, saveScreenshots, violations } from '../kit/browser/browser.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** The timeline of a job and the notification of its end, in a real browser with a real service and workers. */
await test('the timeline of a job, and the notification of its end', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const { api } = fixture.service;
  const farm = await api.makeFarm('north');
  const template = (name: string, command: string) => ({
    specificationVersion: 'jobtemplate-2023-09',
    name,
    steps: [
      {
        name: 'Render',
        parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '1-12' }] },
        script: { actions: { onRun: { command: 'sh', args: ['-c', command] } } },
      },
    ],
  });
  const job = (
    await farm.submit(template('Sequence 010', 'sleep 1; test {{Task.Param.Frame}} != 7'), {
      max_attempts: '1',
    })
  ).body;
  const { page, faults } = await fixture.open(`/jobs/${job.id}?tab=timeline`);
  await page.getByText('No task has started yet').waitFor();

  fixture.worker('render-02');
  fixture.worker('render-10');
  await until('the job ended', async () => (await api.job(job.id)).status === 'failed');
  await page.reload();
  const chart = page.getByRole('application', { name: 'Tasks by worker over time' });
  await chart.waitFor();
  await page.getByText('Show as table').click();
  const rows = page.getByRole('table').getByRole('row');
  await rows.filter({ hasText: 'render-' }).first().waitFor();
  t.match(await rows.filter({ hasText: 'render-' }).allInnerTexts(), [/render-/]);

  await t.test('the keyboard reaches every bar and opens it', async (t) => {
    await chart.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const details = page.locator('.timeline__details strong');
    await details.waitFor();
    const name = await details.innerText();
    await page.keyboard.press('+');
    await page.locator('button[aria-label="Show the whole timeline"]:not([aria-disabled])').waitFor();
    t.strictSame(await violations(page), []);
    await saveScreenshots(page, 'job-timeline');
    await page.keyboard.press('0');
    await page.locator('button[aria-label="Show the whole timeline"][aria-disabled]').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/tasks/*');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.goBack();
    await chart.waitFor();
  });

  await t.test('a bar shows its details under the pointer, and opens on a click', async () => {
    const box = await chart.boundingBox();
    const details = page.locator('.timeline__details strong');
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) - 3, (box?.y ?? 0) + 24 + 9];
    await page.mouse.move(x - 1, y);
    for (let at = x; (await details.count()) === 0 && at > (box?.x ?? 0) + 140; at -= 4)
      await page.mouse.move(at, y);
    await details.waitFor();
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForURL('**/tasks/*');
  });

  await t.test('no overflow on a phone', async (t) => {
    await page.setViewportSize({ ...PHONE, width: 320 });
    await page.goto(`/jobs/${job.id}?tab=timeline`);
    await chart.waitFor();
    t.ok(
      await page.evaluate(
        `document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth`,
      ),
    );
  });

  await t.test('the timelines of workers have the attempts before a retry too', async (t) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await api.must('POST', `/api/v1/jobs/${job.id}/retry`);
    await until('the task has failed again', async () => {
      const [task] = (await api.tasks(job.id)).filter(({ status }) => status === 'failed');
      if (task === undefined) return false;
      const { items } = await api.must<{ items: object[] }>(
        'GET',
        `/api/v1/tasks/${encodeURIComponent(task.id)}/attempts`,
      );
      return items.length === 2;
    });
    const tasksOf = async (): Promise<number> => {
      await page.getByText('Show as table').click();
      const cells = await page.locator('.timeline-table tbody td:nth-of-type(1)').allInnerTexts();
      return cells.reduce((sum, text) => sum + Number(text), 0);
    };
    await page.goto('/workers?view=timeline');
    const farmChart = page.getByRole('application', { name: 'Attempts by worker over time' });
    await farmChart.waitFor();
    t.equal(await tasksOf(), 13, '12 tasks and one retry on both workers');
    t.strictSame(await violations(page), []);
    await saveScreenshots(page, 'workers-timeline');
    await page.goto('/workers');
    await page.getByRole('link', { name: 'render-02' }).first().click();
    const chart = page.getByRole('application', { name: 'Attempts by job over time' });
    await chart.waitFor();
    const ofWorker = await tasksOf();
    t.ok(ofWorker > 0 && ofWorker < 13, `${ofWorker} of them on this worker`);
    t.strictSame(await page.locator('.timeline-table tbody th').allInnerTexts(), ['Sequence 010']);
    t.strictSame(await violations(page), []);
    await saveScreenshots(page, 'worker-timeline');
    await chart.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tasks\/.*\?attempt=1/);
    await page.goBack();
    await chart.waitFor();
    await page.getByRole('button', { name: '24 hours' }).click();
    await page.waitForURL(/span=24h/);
    await chart.waitFor();
  });

  await t.test('the button that watches a job', async (t) => {
    const open = (await farm.submit(template('Sequence 020', 'sleep 60'))).body;
    await page.goto(`/jobs/${open.id}`);
    const bell = page.getByRole('button', { name: 'Notify me when this job ends' });
    await bell.click();
    await page.locator('button[aria-label="Notify me when this job ends"][aria-pressed=true]').waitFor();
    await page.goto('/farms');
    await api.must('POST', `/api/v1/jobs/${open.id}/cancel`);
    const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await messages.filter({ hasText: 'Sequence 020' }).filter({ hasText: 'was canceled' }).waitFor();
    await page.goto(`/jobs/${open.id}`);
    await page.getByRole('heading', { level: 1, name: 'Sequence 020' }).waitFor();
    t.equal(await bell.count(), 0, 'an ended job has no such button');
  });
  t.strictSame(faults, []);
});
