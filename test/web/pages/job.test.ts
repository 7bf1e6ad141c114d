import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { PHONE, saveScreenshots, violations } from '../../kit/browser/browser.ts';

tap.setTimeout(240_000);

/** Frames 1007 and 1013 fail until the file exists. Frame 1030 always fails. */
const template = (flag: string): string => `
specificationVersion: jobtemplate-2023-09
name: sh0140_lighting_v012
parameterDefinitions:
  - { name: Frames, type: STRING, default: 1001-1040 }
  - { name: Scene, type: STRING, default: /projects/sh0140/lighting_v012.hip }
jobEnvironments:
  - name: houdini
    variables: { HOUDINI_PATH: "/sw/houdini/20.5:&", SCENE: "{{Param.Scene}}" }
steps:
  - name: render
    parameterSpace:
      taskParameterDefinitions:
        - { name: Frame, type: INT, range: "{{Param.Frames}}" }
    script:
      actions:
        onRun:
          command: sh
          args: ["-c", "case {{Task.Param.Frame}} in 1007|1013) [ -e ${flag} ] || exit 3;; 1030) echo 'Error: cannot read tex_1030.exr' >&2; exit 137;; esac"]
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
  - name: movie
    dependencies: [{ dependsOn: render }]
    script: { actions: { onRun: { command: "true" } } }
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
`;

const LARGE = `
specificationVersion: jobtemplate-2023-09
name: crowd_v003
steps:
  - name: render
    parameterSpace: { taskParameterDefinitions: [{ name: Frame, type: INT, range: "1-10000" }] }
    script: { actions: { onRun: { command: "true" } } }
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
`;

const hasNoSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth');

/** Tests the job page in a browser, with a server and a worker. */
await test('the job page shows a job and retries its failed tasks', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const { api, folder } = fixture.service;
  const made = async (path: string, body: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', `/api/v1/${path}`, body)).body.id;
  const farm = await made('farms', { name: 'north' });
  const queue = await made('queues', { name: 'lighting', farm_id: farm });
  const fx = await made('queues', { name: 'fx', farm_id: farm });
  const submit = async (text: string, more = ''): Promise<string> => {
    const query = `farm_id=${farm}&queue_id=${queue}&owner=mette&project=aurora${more}`;
    const answer = await fetch(`${fixture.url}/api/v1/jobs?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-yaml' },
      body: text,
    });
    if (answer.status !== 201) throw new Error(await answer.text());
    const { id } = (await answer.json()) as { id: string };
    return id;
  };
  const flag = join(folder, 'fixed');
  const job = await submit(template(flag), '&max_attempts=1');
  await submit(LARGE.replace('crowd_v003', 'review_v012'), `&depends_on=${job}`);
  const after = await submit(LARGE);
  await api.call('PATCH', `/api/v1/jobs/${after}`, { action: 'pause' });
  fixture.worker('render-01', ['--worker-allow-root=true', '--worker-cpus=4']);
  const { page, faults } = await fixture.open(`/jobs/${job}?tab=steps`);
  const dialog = page.getByRole('dialog');
  const chip = (name: string, count: string) =>
    page
      .getByRole('group', { name: 'Status' })
      .getByRole('button', { name: new RegExp(`^${name}\\s*${count}$`) });

  await t.test('task counts are live until the job ends', async (t) => {
    await page.getByRole('heading', { level: 1, name: 'sh0140_lighting_v012' }).waitFor();
    const counts = page.getByRole('list', { name: 'Tasks by status' });
    await counts.getByText('37 succeeded').waitFor();
    await counts.getByText('3 failed').waitFor();
    await page.locator('.page__title').getByText('Failed').waitFor();
    await page.getByText('From submission to end').waitFor();
    const node = page.getByRole('button', { name: /^render failed 37\/40 3 failed/ });
    await node.focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Step render' })
      .getByText(/mean of 37 attempts\)$/)
      .waitFor();
    t.match(page.url(), /step=render/);
    await saveScreenshots(page, 'job-steps');
    t.strictSame(await violations(page), []);
  });

  await t.test('the grid names tasks by their frames', async (t) => {
    await page.getByRole('link', { name: 'Show tasks' }).click();
    await chip('Failed', '3').waitFor();
    const box = page.getByLabel('Select by Frame');
    await box.fill('1020-1010');
    await page.getByText('Descending range “1020-1010”. Use 1010-1020.').waitFor();
    await box.fill('1005-1015');
    await box.press('Enter');
    const selected = page.getByRole('region', { name: 'Selected tasks' });
    await selected.getByText('11 tasks: 9 succeeded, 2 failed').waitFor();
    t.match(page.url(), /frames=1005-1015/);
    await saveScreenshots(page, 'job-grid');
    t.strictSame(await violations(page), []);

    const cell = page.getByRole('button', { name: 'Frame 1001: succeeded' });
    await cell.focus();
    for (let nth = 0; nth < 6; nth += 1) await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Frame 1007: failed' }).waitFor();
    await page.locator('.cell-card').getByText('failed (exit 3)').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await selected.getByText('1007-1009').waitFor();
    await page.keyboard.press('Escape');
    await selected.waitFor({ state: 'detached' });
  });

  await t.test('a dragged range is selected and its failed tasks are retried', async () => {
    await writeFile(flag, '');
    const grid = page.locator('.task-grid__scroller');
    const rect = await grid.boundingBox();
    if (rect === null) throw new Error('no grid');
    // The grid has 40 columns of 26 pixels after a gutter of 60 pixels. This drags from frame 1006 to 1015.
    const at = (column: number): [number, number] => [rect.x + 60 + column * 26 + 12, rect.y + 12];
    await page.mouse.move(...at(5));
    await page.mouse.down();
    await page.mouse.move(...at(10));
    await page.mouse.move(...at(14));
    await page.mouse.up();
    const selected = page.getByRole('region', { name: 'Selected tasks' });
    await selected.getByText('1006-1015').waitFor();
    await selected.getByRole('button', { name: 'Retry 2' }).click();
    await page.getByText('2 tasks and 1 dependent retried', { exact: true }).waitFor();
    await selected.getByText('10 tasks: 10 succeeded').waitFor();
    await chip('Failed', '1').waitFor();
  });

  await t.test('failures are grouped by reason and by worker', async (t) => {
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByRole('link', { name: 'failed (exit 137)' }).waitFor();
    await page.getByRole('tab', { name: /^Failures/ }).click();
    const group = page.getByRole('region', { name: 'failed (exit 137): Error: cannot read tex_1030.exr' });
    await group.getByRole('link', { name: 'render 1030' }).waitFor();
    await group.getByRole('link', { name: 'render-01' }).waitFor();
    await saveScreenshots(page, 'job-failures');
    t.strictSame(await violations(page), []);
    await page.getByRole('button', { name: 'Retry tasks of render-01' }).click();
    await page.getByText('1 task of render-01 retried').waitFor();
    await group.waitFor();
  });

  await t.test('the table lists the tasks of a status', async (t) => {
    await page.getByRole('tab', { name: /^Tasks/ }).click();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await chip('Failed', '1').click();
    const row = page.getByRole('row', { name: /render\[Frame=1030\]/ });
    await row.getByText('failed (exit 137): Error: cannot read tex_1030.exr').waitFor();
    await saveScreenshots(page, 'job-table');
    t.strictSame(await violations(page), []);
    await row.getByRole('button', { name: /actions/i }).click();
    await page
      .getByRole('menuitem', { name: /^Why is it waiting/ })
      .getByText('The task is not waiting.')
      .waitFor();
    await page.keyboard.press('Escape');
  });

  await t.test('the split view shows the selected task next to the list', async (t) => {
    await page.goto(`/jobs/${job}?tab=tasks&view=table&step=render&sort=name&dir=desc`);
    const pane = page.getByRole('region', { name: 'Selected task' });
    const shows = (frame: number) => pane.getByRole('heading', { name: `render[Frame=${frame}]` }).waitFor();
    const row = (frame: number) => page.getByRole('row', { name: `render[Frame=${frame}]` });
    const focused = () => page.evaluate('document.activeElement?.dataset.index');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await row(1040).waitFor();
    t.notOk(
      loaded.some((url) => /task-pane|\/api\/v1\/tasks\//.test(url)),
      'the closed pane loads nothing',
    );
    await page.getByRole('button', { name: 'Split view' }).click();
    await shows(1040);
    await row(1030).getByRole('link', { name: 'render[Frame=1030]' }).click();
    await shows(1030);
    await pane.getByText('Error: cannot read tex_1030.exr').last().waitFor();
    await pane.getByRole('region', { name: 'Log' }).getByText('Error: cannot read').waitFor();
    t.match(page.url(), `task=${job}-0-29`);
    t.equal(await row(1030).getAttribute('aria-current'), 'true');
    await saveScreenshots(page, 'job-split');
    t.strictSame(await violations(page), []);

    await row(1028).locator('.status-badge').click();
    await page.keyboard.press('ArrowUp');
    await shows(1029);
    await page.keyboard.press('Enter');
    await page.locator('section:focus').waitFor();
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
    await page.locator('[data-index="11"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await shows(1029);
    await row(1027).locator('.status-badge').click();
    await shows(1027);
    await page.goBack();
    await pane.waitFor({ state: 'detached' });
    t.notMatch(page.url(), 'task=', 'Back closes the pane, however many tasks it has shown');
    t.equal(await focused(), '13');
  });

  await t.test('the split view keeps its width, full screen, selection and double clicks', async (t) => {
    const pane = page.getByRole('region', { name: 'Selected task' });
    const separator = page.getByRole('separator');
    await page.keyboard.press('Enter');
    await separator.press('ArrowLeft');
    await page.reload();
    await pane.getByRole('heading', { name: 'render[Frame=1027]' }).waitFor();
    t.equal(await separator.getAttribute('aria-valuenow'), '60');
    await page.getByRole('button', { name: 'Full-screen table' }).click();
    await page.getByRole('checkbox', { name: 'Select render[Frame=1038]' }).click();
    await page.getByRole('group', { name: 'Selected tasks' }).getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Selected tasks' }).waitFor({ state: 'detached' });
    t.equal(await pane.count(), 1, 'Escape clears the selection first');
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
    t.equal(await page.locator('.data-table--full').count(), 1, 'then it closes the pane');
    await page.keyboard.press('Escape');
    await page.locator('.data-table--full').waitFor({ state: 'detached' });

    await page.setViewportSize(PHONE);
    await page.getByRole('row', { name: 'render[Frame=1038]' }).locator('.status-badge').click();
    await pane.getByRole('heading', { name: 'render[Frame=1038]' }).waitFor();
    t.notOk(await page.getByRole('row', { name: 'render[Frame=1038]' }).isVisible());
    t.ok(await hasNoSideways(page));
    t.strictSame(await violations(page), []);
    await pane.getByRole('button', { name: 'Back' }).click();
    await page.locator('[data-index="2"]:focus').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    // After the first click, the pane is where the right end of the row was.
    const cell = page.getByRole('row', { name: 'render[Frame=1038]' }).locator('.data-table__cell').last();
    await cell.dblclick();
    await page.waitForURL(`/tasks/${job}-0-37`);
    await page.goto(`/jobs/${job}?tab=tasks&view=table`);
    await page.getByRole('button', { name: 'Split view', pressed: true }).click();
  });

  await t.test('priority and retry policy are changed on the page', async (t) => {
    await page.getByRole('button', { name: 'Change priority' }).click();
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('1.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a whole number.').waitFor();
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('80');
    await page.keyboard.press('Enter');
    await page.getByText('Priority set to 80').waitFor();
    await page.getByText('from the server').first().waitFor();
    await page.getByRole('button', { name: 'Change failure limit' }).click();
    await page.getByRole('spinbutton', { name: 'Failure limit' }).fill('7');
    await page.keyboard.press('Enter');
    await page.getByText('of 7', { exact: false }).first().waitFor();
    const { body } = await api.call('GET', `/api/v1/jobs/${job}`);
    t.match(body, { priority: 80, effective_retry: { failure_limit: 7 }, own_retry: { failure_limit: 7 } });
  });

  await t.test('the second of two users who set the priority decides', async (t) => {
    const opened = page.waitForResponse(
      (response) => response.request().method() === 'GET' && response.url().endsWith(`/jobs/${job}`),
    );
    await page.getByRole('button', { name: 'Change priority' }).click();
    await opened;
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('90');
    await api.must('PATCH', `/api/v1/jobs/${job}`, { priority: 33 });
    const refused = page.waitForResponse((response) => response.status() === 412);
    await page.getByRole('button', { name: 'Save' }).click();
    await refused;
    const alert = page.getByRole('alert').filter({
      hasText: 'Priority is now 33: another user has changed it meanwhile.',
    });
    await alert.waitFor();
    t.match((await api.call('GET', `/api/v1/jobs/${job}`)).body, { priority: 33 }, 'nothing was overwritten');
    await alert.getByRole('button', { name: 'Overwrite' }).click();
    await page.getByText('Priority set to 90').waitFor();
    t.match((await api.call('GET', `/api/v1/jobs/${job}`)).body, { priority: 90 });
  });

  await t.test('a job is moved unless another user moves it meanwhile', async (t) => {
    await page.goto(`/jobs/${after}`);
    const dialog = page.getByRole('dialog');
    const open = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click();
      const read = page.waitForResponse((response) => response.url().endsWith(`/jobs/${after}`));
      await page.getByRole('menuitem', { name: 'Move to queue…' }).click();
      await read;
    };
    await open();
    await dialog.getByLabel('Queue').selectOption({ label: 'fx' });
    await api.must('PATCH', `/api/v1/jobs/${after}`, { priority: 34 });
    await dialog.getByRole('button', { name: 'Move job' }).click();
    await page.getByText(/ moved$/).waitFor();
    t.match((await api.call('GET', `/api/v1/jobs/${after}`)).body, { queue_id: fx, priority: 34 });
    await open();
    await dialog.getByLabel('Queue').selectOption({ label: 'lighting' });
    const third = await made('queues', { name: 'third', farm_id: farm });
    await api.must('PATCH', `/api/v1/jobs/${after}`, { queue_id: third });
    await dialog.getByRole('button', { name: 'Move job' }).click();
    await dialog.getByText('Another user has changed this meanwhile. Try again to replace it.').waitFor();
    t.match((await api.call('GET', `/api/v1/jobs/${after}`)).body, { queue_id: third });
    await dialog.getByRole('button', { name: 'Move job' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    t.match((await api.call('GET', `/api/v1/jobs/${after}`)).body, { queue_id: queue });
  });

  await t.test(
    'the form of the priority shows the place in the queue, if the job has not ended',
    async () => {
      await page.goto(`/jobs/${after}`);
      await page.getByRole('button', { name: 'Change priority' }).click();
      await page.getByText(/^Place \d+ of \d+ in its queue, as now/).waitFor();
      await page.getByRole('button', { name: 'To the top of the queue' }).waitFor();
      await page.keyboard.press('Escape');
    },
  );

  await t.test('an open form is closed when the page changes to another job', async (t) => {
    await page.goto(`/jobs/${job}?tab=dependencies`);
    await page.getByRole('button', { name: 'Change priority' }).click();
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('3');
    await page.keyboard.press('Escape');
    t.equal(await page.evaluate('document.activeElement?.ariaLabel'), 'Change priority');
    await page.keyboard.press('Enter');
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('3');
    await page.getByRole('region', { name: 'Dependent jobs' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'review_v012', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Change priority' }).waitFor();
    t.equal(await page.getByRole('spinbutton').count(), 0);
  });

  await t.test('the tabs show parameters, environments, dependencies and the template', async (t) => {
    await page.goto(`/jobs/${job}?tab=parameters`);
    await page.getByRole('row', { name: /Scene \/projects\/sh0140/ }).waitFor();
    t.strictSame(await violations(page), []);
    await page.getByRole('tab', { name: 'Environment' }).click();
    await page.getByRole('row', { name: 'SCENE {{Param.Scene}}' }).waitFor();
    await saveScreenshots(page, 'job-environment');
    t.strictSame(await violations(page), []);
    await page.getByRole('tab', { name: 'Dependencies' }).click();
    await page
      .getByRole('region', { name: 'Dependent jobs' })
      .getByRole('link', { name: 'review_v012' })
      .waitFor();
    const graph = page.getByRole('group', { name: 'Jobs and their dependencies' });
    const node = graph.getByRole('link', { name: /review_v012/ });
    await node.waitFor();
    await graph.getByRole('button', { name: 'Zoom in' }).click();
    await graph.getByRole('button', { name: 'Fit to window' }).click();
    await saveScreenshots(page, 'job-dependencies');
    t.strictSame(await violations(page), []);
    await node.press('Enter');
    await page.getByRole('heading', { name: 'review_v012', level: 1 }).waitFor();
    await graph.locator('[aria-current=page]').getByText('review_v012').waitFor();
    await page.goBack();
    await graph.waitFor();
    await page.getByRole('tab', { name: 'Template' }).click();
    const shown = await page.getByLabel('Template text').textContent();
    t.equal(shown, template(flag));
    t.strictSame(await violations(page), []);
  });

  await t.test('the dialog retries a range of the tasks that failed on a worker', async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Retry…' }).click();
    await dialog.getByLabel('Step').selectOption('render');
    await dialog.getByLabel('Range of Frame').fill('2000');
    await dialog.getByText('No Frame in this range.').waitFor();
    await dialog.getByLabel('Range of Frame').fill('1025-1035');
    await dialog.getByLabel('Failed on').selectOption({ label: 'render-01' });
    await dialog.getByText('render: 1 task (Frame=1030)', { exact: true }).waitFor();
    await dialog.getByText('movie: 1 task', { exact: true }).waitFor();
    await dialog.getByLabel('Also retry 1 dependent').waitFor();
    await page.getByText(/ retried$/).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Retry 2 tasks', exact: true }).click();
    await page.getByText('2 tasks and 1 dependent retried', { exact: true }).waitFor();
  });

  await t.test('a grid of ten thousand tasks is live', async (t) => {
    await page.goto(`/jobs/${after}?tab=tasks`);
    await chip('Ready', '10,000').waitFor();
    await page.getByText('The job is paused', { exact: true }).waitFor();
    const ids = Array.from({ length: 500 }, (_, nth) => `${after}-0-${1000 + nth}`);
    await api.call('POST', '/api/v1/tasks/bulk', { action: 'cancel', ids });
    await chip('Canceled', '500').waitFor();
    await page.getByLabel('Select by Frame').fill('1001-1500');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByText('500 tasks: 500 canceled').waitFor();
    await saveScreenshots(page, 'job-large');
    t.strictSame(await violations(page), []);
    await page.setViewportSize(PHONE);
    t.ok(await hasNoSideways(page));
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await t.test('a job is canceled and deleted after a confirmation', async () => {
    await page.locator('.page__head').getByRole('button', { name: 'Cancel…' }).click();
    await dialog.getByRole('button', { name: 'Cancel job' }).click();
    await page.locator('.page__title').getByText('Canceled').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete job' }).click();
    await page.waitForURL(/\/jobs$/);
    await page.goto(`/jobs/${after}`);
    await page.getByRole('heading', { name: 'Job not found' }).waitFor();
  });

  await t.test('a button opens the first failed task', async () => {
    await page.goto(`/jobs/${job}`);
    await page.getByRole('tab', { name: /^Failures/, selected: true }).waitFor();
    await page.getByRole('button', { name: 'First failure' }).click();
    await page.waitForURL(new RegExp(`/tasks/${job}-0-29$`));
  });

  t.strictSame(
    faults.filter((fault) => !/\b(404|412)\b/.test(fault)),
    [],
  );
});
