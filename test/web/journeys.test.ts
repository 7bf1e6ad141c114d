import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../kit/browser/browser-fixture.ts';
import { saveScreenshots } from '../kit/browser/browser.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** Text of a template with one step of four frames, each on one core. `amounts` are further requirements. */
const frames = (
  name: string,
  command: string,
  ...amounts: readonly string[]
): string => `specificationVersion: jobtemplate-2023-09
name: ${name}
steps:
  - name: Render
    parameterSpace: { taskParameterDefinitions: [{ name: Frame, type: INT, range: 1-4 }] }
    hostRequirements: { amounts: [${['{ name: amount.worker.vcpu, min: 1 }', ...amounts].join(', ')}] }
    script: { actions: { onRun: { command: sh, args: ['-c', ${JSON.stringify(command)}] } } }
`;

const slotOf = (pool: string): string => `{ name: amount.worker.usagepool.${pool}, min: 1 }`;

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** Returns a time in milliseconds as a field for local times takes it, in whole seconds. */
function localTime(time: number): string {
  const offset = new Date(time).getTimezoneOffset() * 60 * SECOND_MS;
  return new Date(time - offset).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

async function chooseTemplate(page: Page, text: string): Promise<void> {
  await page.goto('/submit');
  const file = { name: 'shot.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) };
  await page.getByLabel('Template file').setInputFiles(file);
  await page.getByText('shot.yaml · ').waitFor();
}

/** Submits the form. Returns the id of the job, whose page is open. */
async function submitForm(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Submit job', exact: true }).click();
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

async function submitInForm(page: Page, text: string): Promise<string> {
  await chooseTemplate(page, text);
  return submitForm(page);
}

const hasStatus = (page: Page, status: string): Promise<void> =>
  page.locator('.page__title').getByText(status, { exact: true }).waitFor();

/** The daily work of a wrangler, with nothing but the pages. The API only waits where a page has no event. */
await test('a wrangler solves daily problems in the pages', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const { api, folder } = fixture.service;
  const { page, faults } = await fixture.open('/');
  page.setDefaultTimeout(30_000);
  const dialog = page.getByRole('dialog');

  await t.test('first farm', async () => {
    await page.getByLabel('Farm name').fill('north');
    await page.getByRole('button', { name: 'Create farm' }).click();
    await page.getByLabel('Queue name in north').fill('lighting');
    await page.getByRole('button', { name: 'Create queue' }).click();
    await page.getByText(/^callsheet worker --bus-url=/).waitFor();
    fixture.worker('render-01', ['--worker-cpus=2']);
    await page.getByRole('heading', { name: 'Worker connected' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Submit a job' }).click();
    await page.waitForURL(/\/submit/);
    await submitInForm(page, frames('First', 'echo frame {{Task.Param.Frame}}'));
    await hasStatus(page, 'Completed');
    await saveScreenshots(page, 'journey-first-farm');
  });

  await t.test('wrong pool name to running frames', async () => {
    const job = await submitInForm(page, frames('Wrong pool', 'true', slotOf('nuk')));
    const notice = page.locator('.notice').filter({ hasText: 'usage pool nuk is not registered' });
    await notice.waitFor();
    await saveScreenshots(page, 'journey-wrong-pool');
    await page.getByRole('tab', { name: /^Tasks/ }).click();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('link', { name: /Frame=1/ }).click();
    const why = page.getByRole('region', { name: 'Why is it waiting?' });
    await why.getByRole('link', { name: 'nuk', exact: true }).click();
    await page.waitForURL(/\/usage-pools\?search=nuk/);
    await page.getByRole('button', { name: 'New usage pool' }).click();
    await dialog.getByLabel('Name').first().fill('nuk');
    await dialog.getByRole('spinbutton', { name: 'Slots *' }).fill('2');
    await dialog.getByRole('button', { name: 'Create usage pool' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`/jobs/${job}`);
    await hasStatus(page, 'Completed');
  });

  await t.test('licence limit raised', async (t) => {
    const go = join(folder, 'licence-go');
    await page.goto('/usage-pools?edit=new');
    await dialog.getByLabel('Name').first().fill('houdini');
    await dialog.getByRole('spinbutton', { name: 'Slots *' }).fill('1');
    await dialog.getByRole('button', { name: 'Create usage pool' }).click();
    await dialog.waitFor({ state: 'detached' });
    const wait = `while [ ! -e ${go} ]; do sleep 0.05; done`;
    const job = await submitInForm(page, frames('Licences', wait, slotOf('houdini')));
    const counts = async (): Promise<number> => {
      const { running, assigned } = (await api.job(job)).task_counts;
      return running + assigned;
    };
    await until('one task runs', async () => (await counts()) === 1);
    await page.goto('/usage-pools');
    await page.getByRole('meter', { name: '1 of 1 slots' }).waitFor();
    await page
      .getByRole('row', { name: /houdini/ })
      .getByRole('button', { name: /actions|houdini/i })
      .click();
    await page.getByRole('menuitem', { name: /^Edit/ }).click();
    await dialog.getByRole('spinbutton', { name: 'Slots *' }).fill('2');
    await dialog.getByRole('button', { name: /^Save/ }).click();
    await page.getByRole('meter', { name: '2 of 2 slots' }).waitFor();
    t.equal(await counts(), 2, 'the worker has two cores');
    await saveScreenshots(page, 'journey-licence');
    await writeFile(go, '');
    await page.goto(`/jobs/${job}`);
    await hasStatus(page, 'Completed');
  });

  await t.test('failed frame to its fix', async () => {
    const texture = join(folder, 'tex.exr');
    const render = `[ {{Task.Param.Frame}} != 3 ] || [ -e ${texture} ] || { echo "Error: cannot read ${texture}" >&2; exit 2; }`;
    await submitInForm(page, frames('Textures', render));
    await hasStatus(page, 'Failed');
    await page.reload();
    await page.getByRole('tab', { name: /^Failures/, selected: true }).waitFor();
    await page
      .getByRole('region', { name: /Error: cannot read/ })
      .getByRole('link', { name: '3', exact: true })
      .click();
    await page.getByRole('log').getByText(`Error: cannot read ${texture}`).waitFor();
    await saveScreenshots(page, 'journey-failed-frame');
    await writeFile(texture, '');
    await page.getByRole('button', { name: 'Retry' }).click();
    await hasStatus(page, 'Succeeded');
    await page
      .getByRole('navigation', { name: 'Breadcrumbs' })
      .getByRole('link', { name: 'Textures' })
      .click();
    await hasStatus(page, 'Completed');
  });

  await t.test('dependents recovered', async () => {
    const asset = join(folder, 'asset');
    await chooseTemplate(page, frames('Publish', `[ -e ${asset} ] || exit 1`));
    await page.getByLabel('Submit paused').check();
    const upstream = await submitForm(page);
    await hasStatus(page, 'Paused');
    await chooseTemplate(page, frames('Review', 'true'));
    await page.getByLabel('Wait for jobs').fill('Publish');
    await page.getByRole('option', { name: /Publish/ }).click();
    const dependent = await submitForm(page);
    await hasStatus(page, 'Blocked');
    await page.goto(`/jobs/${upstream}`);
    await page.getByRole('button', { name: 'Resume' }).click();
    await hasStatus(page, 'Failed');
    await page.goto(`/jobs/${dependent}`);
    await hasStatus(page, 'Canceled');
    await writeFile(asset, '');
    await page.goto(`/jobs/${upstream}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Retry…' }).click();
    await dialog.getByLabel('Also retry 1 dependent').waitFor();
    await saveScreenshots(page, 'journey-dependents');
    await dialog.getByRole('button', { name: 'Retry 4 tasks', exact: true }).click();
    await hasStatus(page, 'Completed');
    await page.goto(`/jobs/${dependent}`);
    await hasStatus(page, 'Completed');
  });

  await t.test('bad node taken out of service', async (t) => {
    const go = join(folder, 'node-go');
    fixture.worker('bad-node', ['--worker-cpus=1']);
    await page.goto('/workers');
    const row = page.getByRole('row', { name: /bad-node/ });
    await row.getByText('Online').waitFor();
    const render =
      'case "$PWD" in *worker-bad-node*) echo "Error: no driver" >&2; exit 1;; esac; ' +
      `while [ ! -e ${go} ]; do sleep 0.05; done`;
    const job = await submitInForm(page, frames('Node', render));
    await page.goto('/workers');
    await row.locator('.workers-page__failures').waitFor();
    await row.getByRole('link', { name: 'bad-node' }).click();
    const failures = page.getByRole('table', { name: 'Failures by step' });
    await failures.getByRole('link', { name: 'Node' }).waitFor();
    await saveScreenshots(page, 'journey-bad-node');
    await page.getByRole('button', { name: 'Disable', exact: true }).first().click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await writeFile(go, '');
    await page.goto(`/jobs/${job}`);
    await hasStatus(page, 'Completed');
    const { items } = await api.must<{ items: { name: string; status: string }[] }>('GET', '/api/v1/workers');
    t.match(
      items.find(({ name }) => name === 'bad-node'),
      { status: 'disabled' },
    );
  });

  await t.test('job cloned and released at a set time', async (t) => {
    await submitInForm(page, frames('Dailies', 'echo frame {{Task.Param.Frame}}'));
    await hasStatus(page, 'Completed');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Clone with changes' }).click();
    await page.waitForURL(/\/submit\?from=/);
    await page.getByLabel('Start after').fill(localTime(Date.now() + DAY_MS));
    const clone = await submitForm(page);
    await page
      .getByText(/starts? (after|before) /)
      .first()
      .waitFor();
    await saveScreenshots(page, 'journey-start-time');
    t.match(await api.job(clone), { task_counts: { ready: 4 } });
    const release = Date.now() + SECOND_MS;
    await page.getByRole('button', { name: 'Change start time' }).click();
    await dialog.getByLabel('Start after').fill(localTime(release));
    await dialog.getByRole('button', { name: 'Set start time' }).click();
    await hasStatus(page, 'Completed');
    const { items } = await api.must<{ items: { started_at: string }[] }>(
      'GET',
      `/api/v1/jobs/${clone}/tasks`,
    );
    t.equal(items.length, 4);
    for (const { started_at: started } of items)
      t.ok(Date.parse(started) >= release - SECOND_MS, 'no task started before the time');
  });

  t.strictSame(faults, []);
});
