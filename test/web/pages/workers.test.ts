import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(240_000);

/** A job with one step that runs a shell command per frame. */
const job = (name: string, command: string, frames: string, requirements: object = {}): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: frames }] },
      script: { actions: { onRun: { command: 'sh', args: ['-c', command] } } },
      ...requirements,
    },
  ],
});

const WINDOWS = {
  hostRequirements: { attributes: [{ name: 'attr.worker.os.family', anyOf: ['windows'] }] },
};

interface WorkerView {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly failed_attempts: number;
}

/** Tests the pages of workers and the overview in a browser, with a server and workers. */
await test('the pages show and change workers and describe the farm', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const { api } = fixture.service;
  const farm = await api.makeFarm('north');
  const workersNow = async (): Promise<readonly WorkerView[]> =>
    (await api.must<{ items: WorkerView[] }>('GET', '/api/v1/workers')).items;
  const statusesNow = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await workersNow()).map(({ name, status }) => [name, status]));

  fixture.worker('render-01', ['--worker-compute-location=cph', '--worker-tags=rack=a1']);
  const second = fixture.worker('render-02', ['--worker-compute-location=cph', '--worker-tags=rack=a2']);
  const third = fixture.worker('cloud-01', ['--worker-compute-location=cloud']);
  await until('three workers', async () => (await workersNow()).length === 3);

  const { page, faults } = await fixture.open('/workers');
  const dialog = page.getByRole('dialog');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });

  await t.test('the list is filtered by search, location and status in the address', async (t) => {
    await row('render-01').getByText('Online').waitFor();
    await row('cloud-01').waitFor();
    await page.getByLabel('Search workers').fill('rack=a2');
    await row('render-01').waitFor({ state: 'detached' });
    await row('render-02').waitFor();
    t.match(page.url(), /search=rack%3Da2/);
    // The page of compute locations links to this address.
    await page.goto('/workers?location=cloud');
    await row('cloud-01').waitFor();
    t.equal(await page.getByRole('row').count(), 2, 'the head and one worker');
    await page.getByRole('button', { name: 'Offline 0' }).click();
    await page.getByRole('heading', { name: 'No matching workers' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await row('render-01').waitFor();
    t.equal(new URL(page.url()).search, '');
  });

  await t.test(
    'changes of a worker are live, and changes of several workers need a confirmation',
    async (t) => {
      await row('render-01').getByRole('button', { name: 'Actions for render-01' }).click();
      await page.getByRole('menuitem', { name: 'Disable', exact: true }).click();
      await row('render-01').getByText('Disabled').waitFor();
      await page.getByRole('button', { name: 'Disabled 1' }).waitFor();

      // The status of a stopped worker changes without a reload.
      await third.kill('SIGTERM');
      await row('cloud-01').getByText('Offline').waitFor();
      t.strictSame(await statusesNow(), {
        'cloud-01': 'offline',
        'render-01': 'disabled',
        'render-02': 'online',
      });
      await saveScreenshots(page, 'workers');
      t.strictSame(await violations(page), []);

      await page.getByLabel('Select cloud-01').click();
      await page.getByLabel('Select render-02').click();
      await page.getByText('2 selected').waitFor();
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete…' }).click();
      await dialog.getByRole('heading', { name: 'Delete 2 workers' }).waitFor();
      await dialog.getByText('1 worker is online and cannot be deleted.').waitFor();
      await dialog.getByRole('button', { name: 'Delete 2 workers' }).click();
      // The server rejects the deletion of the online worker with a reason.
      await dialog.getByText('1 of 2 workers deleted, 1 refused.').waitFor();
      await dialog.getByText(/online/).waitFor();
      await saveScreenshots(page, 'workers-refused');
      t.strictSame(await violations(page), []);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await row('cloud-01').waitFor({ state: 'detached' });
      t.strictSame(await statusesNow(), { 'render-01': 'disabled', 'render-02': 'online' });

      await page.getByLabel('Select all').click();
      await page.getByRole('toolbar').getByRole('button', { name: 'Enable' }).click();
      await dialog.getByRole('button', { name: 'Enable 2 workers' }).click();
      await row('render-01').getByText('Online').waitFor();
      t.strictSame(await statusesNow(), { 'render-01': 'online', 'render-02': 'online' });
    },
  );

  await farm.submit(job('shot_010', 'echo openjd_progress: 40; sleep 120', '1-20'), {
    owner: 'mira',
    project: 'aurora',
  });
  await farm.submit(job('needs_windows', 'true', '1-3', WINDOWS), { owner: 'mira' });

  await t.test('the overview shows running tasks and the reasons of waiting ones', async (t) => {
    await page.goto('/');
    await page.getByText(/^2 tasks running on/).waitFor();
    await page.getByText('Waiting for cores').waitFor();
    await page.getByText('No eligible worker').waitFor();
    const needed = page.getByRole('region', { name: 'Jobs that need attention' });
    await needed.getByRole('link', { name: 'needs_windows' }).waitFor();
    await page.getByRole('table', { name: 'By owner' }).getByRole('link', { name: 'mira' }).waitFor();
    await page.getByRole('table', { name: 'By project' }).getByRole('link', { name: 'aurora' }).waitFor();
    await page.getByRole('button', { name: '30 min' }).click();
    t.match(page.url(), /range=30m/);
    await saveScreenshots(page, 'overview');
    t.strictSame(await violations(page), []);
  });

  await t.test('a worker page shows its tasks and disables the worker', async (t) => {
    const [first] = await workersNow();
    await page.goto(`/workers/${first?.id ?? ''}`);
    await page.getByRole('heading', { name: first?.name ?? '' }).waitFor();
    await page
      .getByRole('table', { name: 'Current tasks' })
      .getByRole('link', { name: 'shot_010' })
      .waitFor();
    t.equal(
      await page.getByRole('button', { name: 'Delete…' }).getAttribute('title'),
      'The worker is online. Stop it first.',
    );
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('It finishes its current task.').waitFor();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    t.strictSame((await statusesNow())[first?.name ?? ''], 'disabled');
    await page.getByText('FEATURE_BUNDLE_1, WRAP_ACTIONS').waitFor();
    await saveScreenshots(page, 'worker');
    t.strictSame(await violations(page), []);
    await page.getByText('by anonymous, ').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
  });

  await t.test('a worker is disabled at once, with a reason', async (t) => {
    const [first] = await workersNow();
    await page.goto(`/workers/${first?.id ?? ''}`);
    const opened = page.waitForResponse(
      (response) => response.ok() && response.url().endsWith(`/workers/${first?.id ?? ''}`),
    );
    await page.getByRole('button', { name: 'Stop tasks and disable…' }).click();
    await opened;
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its 1 task stop').waitFor();
    await dialog.getByLabel('Reason').fill('broken fan');
    await dialog.getByLabel('Stop its tasks now').uncheck();
    await dialog.getByText('finishes its 1 task').waitFor();
    await dialog.getByLabel('Stop its tasks now').check();
    await dialog.getByLabel('Enable again').fill('2099-01-01T08:00');
    t.strictSame(await violations(page), []);
    await api.must('POST', `/api/v1/workers/${first?.id ?? ''}/disable`, { reason: 'bad GPU' });
    await dialog.getByRole('button', { name: 'Disable now' }).click();
    await dialog.getByText('Another user has changed this meanwhile. Try again to replace it.').waitFor();
    await dialog.getByText('reason is now "bad GPU"').waitFor();
    await saveScreenshots(page, 'worker-disabled-by-another');
    t.strictSame(await violations(page), []);
    await dialog.getByRole('button', { name: 'Disable now' }).click();
    await page.getByText(': broken fan').waitFor();
    await page.getByText(', enabled again').waitFor();
    t.strictSame((await statusesNow())[first?.name ?? ''], 'disabled');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
  });

  await t.test('one click and several workers are compared with what the user saw', async (t) => {
    const [first, other] = await workersNow();
    const path = `/api/v1/workers/${first?.id ?? ''}`;
    await page.goto(`/workers/${first?.id ?? ''}`);
    const disable = page.getByRole('button', { name: 'Disable', exact: true });
    await disable.waitFor();
    // The page does not get the change of the other user.
    const isOfWorker = ({ pathname }: URL): boolean => pathname === path;
    await page.route(isOfWorker, (route) => route.abort());
    await api.must('POST', `${path}/disable`, { reason: 'bad GPU' });
    await disable.click();
    await page.getByText(`Could not disable ${first?.name ?? ''}`).waitFor();
    await page.getByText('reason is now "bad GPU"').first().waitFor();
    await page.unroute(isOfWorker);
    await page.goto('/workers');
    await row(first?.name ?? '').waitFor();
    await page.getByLabel('Select all').click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Enable' }).click();
    await dialog.getByRole('button', { name: 'Enable 2 workers' }).waitFor();
    await api.must('POST', `${path}/enable`);
    await dialog.getByRole('button', { name: 'Enable 2 workers' }).click();
    await dialog.getByText(/the worker was changed since it was read: disabled/).waitFor();
    await saveScreenshots(page, 'workers-changed-by-another');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    t.strictSame(await statusesNow(), { [first?.name ?? '']: 'online', [other?.name ?? '']: 'online' });
  });

  await t.test('a worker page lists its failures by step and retries them', async (t) => {
    for (const { id } of (await api.must<{ items: { id: string }[] }>('GET', '/api/v1/jobs')).items)
      await api.must('POST', `/api/v1/jobs/${id}/cancel`);
    const submitted = await farm.submit(job('ocean_sim', 'echo no license >&2; exit 3', '1-4'), {
      owner: 'aiko',
      max_attempts: '1',
    });
    const { id } = submitted.body;
    await until('the job failed', async () => (await api.job(id)).status === 'failed');
    const failing = (await workersNow()).find((worker) => worker.failed_attempts > 0);
    await page.goto(`/workers/${failing?.id ?? ''}`);
    const table = page.getByRole('table', { name: 'Failures by step' });
    await table.getByRole('link', { name: 'ocean_sim' }).waitFor();
    await saveScreenshots(page, 'worker-failures');
    t.strictSame(await violations(page), []);
    const before = (await api.job(id)).failed_attempts;
    await table.getByRole('button', { name: 'Retry step' }).click();
    await page.getByText(/tasks? of Render retried/).waitFor();
    await until('the job failed again', async () => {
      const now = await api.job(id);
      return now.status === 'failed' && now.failed_attempts !== before;
    });

    await page.goto('/');
    // The lists below the fold are loaded when they come into view.
    await page.getByRole('heading', { name: 'Waiting tasks by reason' }).scrollIntoViewIfNeeded();
    const failures = page.getByRole('region', { name: 'Newest failures' });
    await failures.getByText(/exit/i).first().waitFor();
    await page
      .getByRole('region', { name: 'Jobs that need attention' })
      .getByText('4 of 4 tasks failed')
      .waitFor();
    await saveScreenshots(page, 'overview-failures');
    t.strictSame(await violations(page), []);
  });

  await t.test('a worker page shows that the worker was deleted', async () => {
    await page.goto('/workers/no-such-worker');
    await page.getByRole('heading', { name: 'Worker not found' }).waitFor();
    const id = (await workersNow()).find(({ name }) => name === 'render-02')?.id ?? '';
    await page.goto(`/workers/${id}`);
    await page.getByRole('heading', { name: 'render-02' }).waitFor();
    await second.kill('SIGTERM');
    await page.getByText('Offline').first().waitFor();
    await api.must('DELETE', `/api/v1/workers/${id}`);
    await page.getByRole('heading', { name: 'render-02 was deleted' }).waitFor();
  });

  t.strictSame(
    faults.filter((fault) => !/\b(404|412)\b|ERR_FAILED/.test(fault)),
    [],
  );
});
