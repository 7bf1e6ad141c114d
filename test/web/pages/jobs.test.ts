import type { Locator, Page } from 'playwright-core';
import tap, { test } from 'tap';
import { makeLargeStore } from '../../../bench/kit/large-store.ts';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { PHONE, saveScreenshots, violations } from '../../kit/browser/browser.ts';
import type { JobView, Page as RestPage } from '../../kit/api-client.ts';
import { until } from '../../kit/until.ts';

/** Tests the list of jobs in a browser, with a server and a worker. */

const MANY = 5_000;

const template = (name: string, frames: number, command: string): string =>
  JSON.stringify({
    specificationVersion: 'jobtemplate-2023-09',
    name,
    steps: [
      {
        name: 'Render',
        parameterSpace: {
          taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: `1-${frames}` }],
        },
        script: { actions: { onRun: { command: '/bin/sh', args: ['-c', command] } } },
      },
    ],
  });

tap.setTimeout(240_000);
const fixture = await openBrowserFixture();
tap.teardown(() => fixture.close(!tap.passing()));
const { api } = fixture.service;

const farm = (await api.call<{ id: string }>('POST', '/api/v1/farms', { name: 'feature' })).body.id;
const queueOf = async (name: string): Promise<string> =>
  (await api.call<{ id: string }>('POST', '/api/v1/queues', { name, farm_id: farm })).body.id;
const lighting = await queueOf('lighting');
const comp = await queueOf('comp');

interface Order {
  readonly name: string;
  readonly frames?: number;
  readonly command?: string;
  readonly queue?: string;
  readonly owner?: string;
  readonly project?: string;
}

async function submit(order: Order): Promise<string> {
  const { name, frames = 4, command = 'exit 0', queue = lighting, owner = 'ada', project = 'atlas' } = order;
  const query = new URLSearchParams({ farm_id: farm, queue_id: queue, owner, project });
  const path = `/api/v1/jobs?${query.toString()}`;
  const answer = await api.call<JobView>('POST', path, template(name, frames, command));
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

const jobNow = async (id: string): Promise<JobView> =>
  (await api.call<JobView>('GET', `/api/v1/jobs/${id}`)).body;

const row = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const names = (page: Page): Promise<string[]> =>
  page.locator('.data-table__body [role=row] .data-table__link').allTextContents();
const seen = (page: Page, what: string, list: readonly string[]): Promise<unknown> =>
  until(what, async () => JSON.stringify(await names(page)) === JSON.stringify(list));

void test('an empty list explains how to submit a job', async (t) => {
  const opened = await fixture.open('/jobs');
  const { page, faults } = opened;
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
  const command = await page.locator('.command-line code').textContent();
  t.match(command, /^callsheet submit job\.yaml --farm feature --queue (lighting|comp) --url http:\/\/127/);
  t.same(await violations(page), []);
  t.same(faults, []);
  await opened.close();
});

void test('changes of jobs show without a reload', async (t) => {
  const opened = await fixture.open('/jobs');
  const { page, faults } = opened;
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
  const first = await submit({ name: 'first light' });
  await row(page, 'first light').getByText('Pending', { exact: true }).waitFor();
  await api.call('PATCH', `/api/v1/jobs/${first}`, { action: 'pause' });
  await row(page, 'first light').getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Paused\s*1$/ }).waitFor();
  await api.call('PATCH', `/api/v1/jobs/${first}`, { action: 'resume' });
  const worker = fixture.worker('one', [`--worker-farm=${farm}`, '--worker-cpus=2']);
  await row(page, 'first light').getByText('Completed', { exact: true }).waitFor();
  await row(page, 'first light')
    .getByRole('img', { name: /^100 % done: 4 succeeded$/ })
    .waitFor();
  await worker.kill('SIGTERM');
  await api.call('DELETE', `/api/v1/jobs/${first}`);
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
  t.same(faults, []);
  await opened.close();
});

void test('a change in one window shows in another', async (t) => {
  const id = await submit({ name: 'seen twice' });
  const one = await fixture.open('/jobs');
  const other = await fixture.open(`/jobs/${id}`);
  await other.page.getByRole('heading', { name: 'seen twice', level: 1 }).waitFor();
  await one.page.getByRole('button', { name: 'Actions for seen twice' }).click();
  await one.page.getByRole('menuitem', { name: 'Pause', exact: true }).click();
  await other.page.getByRole('button', { name: 'Resume' }).click();
  await row(one.page, 'seen twice').getByText('Pending', { exact: true }).waitFor();
  t.same([...one.faults, ...other.faults], []);
  await one.close();
  await other.close();
  await api.call('DELETE', `/api/v1/jobs/${id}`);
});

void test('filters, sort order and search are in the address', async (t) => {
  await submit({ name: 'alpha', owner: 'ada', project: 'atlas' });
  const beta = await submit({ name: 'beta', owner: 'grace', project: 'borealis', queue: comp });
  const gamma = await submit({ name: 'gamma', owner: 'grace', project: 'atlas' });
  const delta = await submit({ name: 'delta', owner: 'linus', project: 'atlas' });
  await api.call('PATCH', `/api/v1/jobs/${gamma}`, { action: 'pause' });
  await api.call('POST', `/api/v1/jobs/${delta}/cancel`);

  const opened = await fixture.open('/jobs');
  const { page, faults } = opened;
  await seen(page, 'the newest first', ['delta', 'gamma', 'beta', 'alpha']);
  await page
    .getByRole('button', { name: 'Sort by name' })
    .or(page.getByTitle('Sort by name'))
    .first()
    .click();
  await seen(page, 'by name', ['alpha', 'beta', 'delta', 'gamma']);
  await page.getByRole('button', { name: /^Paused/ }).click();
  await page.getByRole('button', { name: /^Canceled/ }).click();
  await seen(page, 'of either status', ['delta', 'gamma']);
  await page.keyboard.press('/');
  await page.keyboard.type('GRACE');
  await seen(page, 'found', ['gamma']);
  t.same([...new URL(page.url()).searchParams].sort(), [
    ['dir', 'asc'],
    ['search', 'GRACE'],
    ['sort', 'name'],
    ['status', 'canceled'],
    ['status', 'paused'],
  ]);

  await page.reload();
  await seen(page, 'the same after a reload', ['gamma']);
  t.equal(await page.getByRole('searchbox').inputValue(), 'GRACE');
  t.equal(await page.getByRole('button', { name: /^Paused/ }).getAttribute('aria-pressed'), 'true');
  t.equal(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'ascending');
  await page.getByRole('searchbox').fill('nothing like it');
  await page.getByRole('heading', { name: 'No matching jobs' }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await seen(page, 'all again', ['alpha', 'beta', 'delta', 'gamma']);

  await page.getByRole('combobox', { name: 'Queue' }).selectOption({ label: 'comp' });
  await seen(page, 'of the queue', ['beta']);
  await page.goBack();
  await seen(page, 'and back', ['alpha', 'beta', 'delta', 'gamma']);
  await page.getByRole('combobox', { name: 'Owner' }).fill('grace');
  await page.keyboard.press('Enter');
  await seen(page, 'of the owner', ['beta', 'gamma']);

  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Of Grace');
  await page.keyboard.press('Enter');
  await page.goto('/jobs');
  await seen(page, 'all', ['delta', 'gamma', 'beta', 'alpha']);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Of Grace' }).click();
  await seen(page, 'the view', ['beta', 'gamma']);

  await page.goto('/jobs');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Owner' }).uncheck();
  await page.getByRole('checkbox', { name: 'Failed attempts' }).check();
  await page.reload();
  await page.getByRole('columnheader', { name: 'Failed attempts' }).waitFor();
  t.equal(await page.getByRole('columnheader', { name: 'Owner' }).count(), 0);
  t.same(faults, []);
  await opened.close();
  for (const id of [beta, gamma, delta]) await api.call('DELETE', `/api/v1/jobs/${id}`);
});

void test('the keyboard moves, selects, applies actions and opens jobs', async (t) => {
  const ids: string[] = [];
  for (const name of ['k1', 'k2', 'k3', 'k4']) ids.push(await submit({ name, project: 'keys' }));
  const opened = await fixture.open('/jobs?project=keys&sort=name&dir=asc');
  const { page, faults } = opened;
  await seen(page, 'the jobs', ['k1', 'k2', 'k3', 'k4']);
  await page.getByRole('button', { name: 'Columns' }).focus();
  const activeRow = (): Promise<string> =>
    page.evaluate<string>(`document.activeElement?.getAttribute('aria-rowindex') ?? ''`);
  await until('the first row has the focus', async () => {
    if ((await activeRow()) === '2') return true;
    await page.keyboard.press('Tab');
    return false;
  });
  await page.keyboard.press('ArrowDown');
  t.equal(await activeRow(), '3');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('End');
  t.equal(await activeRow(), '5');
  await page.keyboard.press(' ');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Pause 3 jobs' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('3 jobs paused').waitFor();
  await until('they are paused', async () => {
    const jobs = await Promise.all(ids.map(jobNow));
    return jobs.map(({ status }) => status).join() === 'pending,paused,paused,paused';
  });
  t.equal(await activeRow(), '5', 'the focus does not move');
  await row(page, 'k4').getByText('Paused', { exact: true }).waitFor();
  await page.keyboard.press(' ');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('p');
  await page.getByText('1 job resumed').waitFor();
  await row(page, 'k4').getByText('Pending', { exact: true }).waitFor();
  await page.keyboard.press(' ');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByRole('heading', { name: 'Cancel 1 job' }).waitFor();
  await page.keyboard.press('Escape');
  t.equal(await activeRow(), '5', 'the focus returns to the table');
  await page.keyboard.press('p');
  await page.getByText('1 job paused').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Views' }).waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/jobs/${ids[0] ?? ''}`);
  t.same(faults, []);
  await opened.close();
});

void test('shortcuts apply to the selection from the header checkbox and from the page', async (t) => {
  const opened = await fixture.open('/jobs?project=keys&sort=name&dir=asc');
  const { page, faults } = opened;
  await seen(page, 'the jobs', ['k1', 'k2', 'k3', 'k4']);
  const all = page.getByRole('checkbox', { name: 'Select all' });
  const isPartial = (): Promise<boolean> =>
    page.evaluate<boolean>(`document.querySelector('[data-select-all]').indeterminate`);
  await page.getByRole('checkbox', { name: 'Select k2' }).click();
  await page.getByText('1 selected').waitFor();
  t.ok(await isPartial());
  await all.click();
  await page.getByText('4 selected').waitFor();
  t.notOk(await isPartial());
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByRole('heading', { name: 'Cancel 4 jobs' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByText('4 selected').waitFor({ state: 'detached' });
  await all.focus();
  await page.keyboard.press('Space');
  await page.getByText('4 selected').waitFor();
  await page.keyboard.press('Space');
  await page.getByText('4 selected').waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  t.ok(
    await page.evaluate<boolean>(`document.activeElement.hasAttribute('data-index')`),
    'leads to the rows',
  );

  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  t.ok(
    await page.evaluate<boolean>(`document.activeElement.hasAttribute('data-index')`),
    'the row has the focus again',
  );
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.waitForURL('**/usage-pools');
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await page.waitForURL('**/jobs');
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await page.waitForURL('**/workers');
  await page.goto(`${page.url().replace('/workers', '/jobs')}?project=keys&sort=name&dir=asc`);
  await seen(page, 'the jobs again', ['k1', 'k2', 'k3', 'k4']);
  await page.getByRole('button', { name: 'Full-screen table' }).click();
  const box = await page.locator('.data-table').boundingBox();
  t.match(box, { x: 0, y: 0 });
  await saveScreenshots(page, 'jobs-full-screen');
  t.same(await violations(page), []);
  await page.keyboard.press('Escape');
  await page.locator('.data-table--full').waitFor({ state: 'detached' });
  const { items } = await api.must<{ items: JobView[] }>('GET', '/api/v1/jobs?project=keys');
  t.notOk(items.some(({ status }) => status === 'canceled'));
  t.same(faults, []);
  await opened.close();
});

void test('a bulk action asks for a confirmation and reports refusals', async (t) => {
  const opened = await fixture.open('/jobs?project=keys&sort=name&dir=asc');
  const { page, faults } = opened;
  await seen(page, 'the jobs', ['k1', 'k2', 'k3', 'k4']);
  await page.getByRole('checkbox', { name: 'Select k1' }).click();
  await page.getByRole('checkbox', { name: 'Select k3' }).click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Cancel 3 jobs' }).waitFor();
  t.same(await violations(page), []);
  await saveScreenshots(page, 'jobs-cancel');
  await dialog.getByRole('button', { name: 'Cancel 3 jobs' }).click();
  await page.getByText('3 jobs canceled').waitFor();
  for (const name of ['k1', 'k2', 'k3'])
    await row(page, name).getByText('Canceled', { exact: true }).waitFor();

  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByText('4 selected').waitFor();
  const bar = page.getByRole('toolbar', { name: 'Selected jobs' });
  t.equal(await bar.getByRole('button', { name: 'Pause' }).getAttribute('aria-disabled'), 'true');
  await bar.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('3 jobs not resumed').waitFor();
  await page.getByText('1 of 4 jobs resumed').waitFor();

  await row(page, 'k1').getByRole('button', { name: 'Actions for k1' }).click();
  const pause = page.getByRole('menuitem', { name: /^Pause/ });
  t.equal(await pause.getAttribute('aria-disabled'), 'true');
  t.match(await pause.textContent(), /The job has ended\./);
  await page.getByRole('menuitem', { name: 'Priority…' }).click();
  await dialog.getByRole('spinbutton', { name: 'Priority' }).fill('77');
  await dialog.getByRole('button', { name: 'Set priority' }).click();
  await row(page, 'k1').getByRole('gridcell', { name: '77', exact: true }).waitFor();
  t.same(faults, []);
  await opened.close();
});

void test('on a phone the list shows cards with menus', async (t) => {
  const opened = await fixture.open('/jobs?project=keys&sort=name&dir=asc', { size: PHONE });
  const { page, faults } = opened;
  await seen(page, 'the jobs', ['k1', 'k2', 'k3', 'k4']);
  t.equal(
    await page.evaluate<number>('document.documentElement.scrollWidth'),
    PHONE.width,
    'the page fits the window',
  );
  t.same(await violations(page), []);
  await page.getByRole('button', { name: 'Actions for k4' }).click();
  await page.getByRole('menuitem', { name: 'Pause', exact: true }).click();
  await row(page, 'k4').getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption({ label: 'Priority' });
  await page.waitForURL(/sort=priority/);
  t.same(faults, []);
  await opened.close();
});

void test('a list of thousands renders visible rows only and one action changes all matches', async (t) => {
  const large = await openBrowserFixture([], (state) => makeLargeStore(state, MANY, MANY));
  t.teardown(() => large.close(!t.passing()));
  const { api } = large.service;
  const totalOf = async (query: string): Promise<number> =>
    (await api.call<RestPage<unknown>>('GET', `/api/v1/jobs?${query}`)).body.total;
  const { page, faults } = await large.open('/jobs?sort=created_at&dir=asc');
  await row(page, 'shot_000 v0 Lighting 0').waitFor();
  t.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(MANY + 1));
  t.ok((await names(page)).length < 100, 'only visible rows are rendered');
  await page.locator('[data-index="0"]').focus();
  await page.keyboard.press('End');
  await row(page, 'Crowd simulation').waitFor();
  t.equal(
    await page.evaluate<string>(`document.activeElement?.getAttribute('aria-rowindex') ?? ''`),
    String(MANY + 1),
  );
  t.ok((await names(page)).length < 100);
  await saveScreenshots(page, 'jobs');
  t.same(await violations(page), []);

  const [farm] = (await api.call<readonly { id: string }[]>('GET', '/api/v1/farms')).body;
  const queues = (await api.call<RestPage<{ id: string }>>('GET', '/api/v1/queues')).body.items;
  const place = { farm_id: farm?.id ?? '', queue_id: queues[0]?.id ?? '' };
  await page.goto('/jobs');
  await row(page, 'Crowd simulation').waitFor();
  await page.locator('[role=grid]').hover();
  await page.mouse.wheel(0, 2_000);
  await page.locator('[data-index="70"]').waitFor();
  const query = new URLSearchParams(place).toString();
  await api.call('POST', `/api/v1/jobs?${query}`, template('brand new', 1, 'exit 0'));
  await page.getByRole('button', { name: '1 new job' }).click();
  await row(page, 'brand new').waitFor();

  await page.goto('/jobs?search=lighting&project=film0&sort=created_at&dir=asc');
  const matching = await totalOf('search=lighting&project=film0');
  await row(page, 'shot_000 v0 Lighting 0').waitFor();
  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByText(`${matching} selected`).waitFor();
  await row(page, 'shot_000 v0 Lighting 0').getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: `Delete ${matching - 1} jobs` }).click();
  await page.getByText(`${matching - 1} jobs deleted`).waitFor();
  await seen(page, 'the one that was left out', ['shot_000 v0 Lighting 0']);
  t.equal(await totalOf('search=lighting&project=film0'), 1);
  t.equal(await totalOf(''), MANY + 1 - (matching - 1));
  t.same(faults, []);
});
