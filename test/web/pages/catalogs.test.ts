import type { Route } from 'playwright-core';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(240_000);

/** A job of one task that holds a slot of the pool nuke until it is canceled. */
const comp = (name: string) => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Comp',
      hostRequirements: { amounts: [{ name: 'amount.worker.usagepool.nuke', min: 1 }] },
      script: { actions: { onRun: { command: 'sleep', args: ['600'] } } },
    },
  ],
});

/** Tests the catalogs, the setup steps and the diagnostics in a browser, with a server and workers. */
await test('the pages set up a farm and change its catalogs', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture([
    '--pools-reconcile=nuke=echo 7',
    '--pools-reconcile-interval=1s',
  ]);
  t.teardown(() => fixture.close(!t.passing()));
  const { page, faults } = await fixture.open('/');
  const dialog = page.getByRole('dialog');
  const farmNames = async (): Promise<string[]> =>
    (await fixture.service.api.call<{ name: string }[]>('GET', '/api/v1/farms')).body.map(({ name }) => name);

  await t.test('the overview lists and creates what a new farm needs', async (t) => {
    await page.getByRole('heading', { name: 'Finish setup to start rendering' }).waitFor();
    await saveScreenshots(page, 'first-start');
    t.strictSame(await violations(page), []);
    await page.getByLabel('Farm name').fill('north');
    await page.getByRole('button', { name: 'Create farm' }).click();
    await page.getByLabel('Queue name in north').fill('lighting');
    await page.getByRole('button', { name: 'Create queue' }).click();
    await page.getByRole('heading', { name: 'Queue lighting created' }).waitFor();
    await page.getByText(`callsheet worker --bus-url=nats://127.0.0.1:${fixture.service.busPort}`).waitFor();
    await page.getByText('Any program that reaches the bus can register as a worker.').waitFor();
    await saveScreenshots(page, 'first-start-worker');
    t.strictSame(await violations(page), []);
    fixture.worker('render-01', ['--worker-compute-location=cph']);
    await page.getByRole('heading', { name: 'Worker connected' }).waitFor();
    await page.getByText(/callsheet submit template.yaml --farm north --queue lighting/).waitFor();
    t.strictSame(await farmNames(), ['north']);
  });

  await t.test('the second of two users who edit a farm decides about the change of the first', async (t) => {
    const { api } = fixture.service;
    const [farm] = (await api.call<{ id: string }[]>('GET', '/api/v1/farms')).body;
    if (farm === undefined) throw new Error('there is no farm');
    const path = `/api/v1/farms/${farm.id}`;
    const edit = async (): Promise<void> => {
      const isRead = page.waitForResponse((response) => response.url().endsWith(path));
      await page.goto(`/farms?edit=${farm.id}`);
      await isRead;
    };
    const save = dialog.getByRole('button', { name: 'Save farm' });
    const conflict = dialog.getByRole('alert').filter({ hasText: 'Another user has changed this meanwhile' });
    await edit();
    await api.must('PUT', path, { name: 'north', max_concurrent_tasks: 7 });
    await dialog.getByLabel('Description').fill('the big one');
    await save.click();
    await conflict.getByText('Concurrent tasks is now 7').waitFor();
    await saveScreenshots(page, 'edit-conflict');
    t.strictSame(await violations(page), []);
    await conflict.getByRole('button', { name: 'Take over the other values' }).click();
    await conflict.waitFor({ state: 'detached' });
    t.equal(await dialog.getByLabel('Concurrent tasks').inputValue(), '7');
    t.equal(await dialog.getByLabel('Description').inputValue(), 'the big one');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const both = { max_concurrent_tasks: 7, description: 'the big one' };
    t.match((await api.call('GET', path)).body, both);
    await edit();
    await api.must('PUT', path, { name: 'north', max_concurrent_tasks: 9 });
    await dialog.getByLabel('Concurrent tasks').fill('0');
    await save.click();
    await conflict.getByRole('button', { name: 'Overwrite with my values' }).click();
    await dialog.waitFor({ state: 'detached' });
    t.match((await api.call('GET', path)).body, { ...both, max_concurrent_tasks: 0 });
  });

  await t.test('a farm is created and deleted', async (t) => {
    await page.goto('/farms');
    await page.getByRole('button', { name: 'New farm' }).click();
    await dialog.getByRole('button', { name: 'Create farm' }).click();
    await dialog.getByText('Name is required.').waitFor();
    await dialog.getByLabel('Name').fill('north');
    await dialog.getByLabel('Concurrent tasks').fill('12.5');
    await dialog.getByRole('button', { name: 'Create farm' }).click();
    await dialog.getByText('Enter a whole number.').waitFor();
    await dialog.getByLabel('Concurrent tasks').fill('12');
    await dialog.getByRole('button', { name: 'Create farm' }).click();
    // The form shows the conflict and keeps the inputs.
    await dialog.getByRole('alert').filter({ hasText: 'north' }).waitFor();
    t.equal(await dialog.getByLabel('Concurrent tasks').inputValue(), '12');
    t.strictSame(await violations(page), []);
    await dialog.getByLabel('Name').fill('cloud');
    await dialog.getByRole('button', { name: 'Create farm' }).click();
    await page.getByRole('row', { name: /cloud/ }).waitFor();
    await saveScreenshots(page, 'farms');
    t.strictSame(await violations(page), []);

    await page
      .getByRole('row', { name: /cloud/ })
      .getByRole('button', { name: /actions|cloud/i })
      .click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('heading', { name: 'Delete farm cloud?' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete farm' }).click();
    await page.getByRole('row', { name: /cloud/ }).waitFor({ state: 'detached' });
    t.strictSame(await farmNames(), ['north']);
  });

  await t.test('the form of a queue sets what it takes back, and what others may take back', async (t) => {
    const { api } = fixture.service;
    const { items } = await api.must<{ items: { id: string }[] }>('GET', '/api/v1/queues');
    const id = items[0]?.id ?? '';
    await page.goto(`/queues?edit=${id}`);
    await dialog.getByLabel('Preempt after seconds').fill('0');
    await dialog.getByRole('button', { name: 'Save queue' }).click();
    await dialog.getByText('Must be at least 1.').waitFor();
    await dialog.getByLabel('Preempt after seconds').fill('300');
    await dialog.getByLabel('Preemptible').check();
    await dialog.getByRole('button', { name: 'Save queue' }).click();
    await dialog.waitFor({ state: 'detached' });
    t.match(await api.must('GET', `/api/v1/queues/${id}`), { preempt_after_seconds: 300, preemptible: true });
    await page.goto(`/queues/${id}`);
    await page.getByText('300 s').waitFor();
    await page.goto(`/queues?edit=${id}`);
    await dialog.getByLabel('Preempt after seconds').fill('');
    await dialog.getByLabel('Preemptible').uncheck();
    await dialog.getByRole('button', { name: 'Save queue' }).click();
    await dialog.waitFor({ state: 'detached' });
    t.notMatch(await api.must('GET', `/api/v1/queues/${id}`), { preemptible: true });
  });

  await t.test('the form of a farm sets how it is shared, booked and capped', async (t) => {
    const { api } = fixture.service;
    const [north] = await api.must<{ id: string }[]>('GET', '/api/v1/farms');
    const id = north?.id ?? '';
    await page.goto(`/farms?edit=${id}`);
    await dialog.getByLabel('Queue policy').selectOption('weighted');
    await dialog.getByLabel('Shared by').selectOption('project');
    await dialog.getByLabel('Weights').fill('{"film": 2}');
    await dialog.getByLabel('Half-life of usage in seconds').fill('3600');
    await dialog.getByLabel('Priority before shares').uncheck();
    await dialog.getByLabel('Booked amounts').fill('amount.worker.memory');
    await dialog.getByLabel('Owner limits').fill('{"ana": ');
    await dialog.getByRole('button', { name: 'Save farm' }).click();
    await dialog.getByText(/JSON/).last().waitFor();
    await dialog.getByLabel('Owner limits').fill('{"ana": 20, "*": 50}');
    await dialog.getByRole('button', { name: 'Save farm' }).click();
    await dialog.waitFor({ state: 'detached' });
    t.match(await api.must('GET', `/api/v1/farms/${id}`), {
      queue_policy: 'weighted',
      shared_by: 'project',
      share_weights: { film: 2 },
      usage_half_life_seconds: 3600,
      priority_first: false,
      booked_amounts: ['amount.worker.memory'],
      owner_caps: { ana: 20, '*': 50 },
    });
    await page.goto(`/farms?edit=${id}`);
    await dialog.getByLabel('Queue policy').selectOption('fifo');
    await dialog.getByLabel('Owner limits').fill('');
    await dialog.getByLabel('Booked amounts').fill('');
    await dialog.getByRole('button', { name: 'Save farm' }).click();
    await dialog.waitFor({ state: 'detached' });
    const farm = await api.must<object>('GET', `/api/v1/farms/${id}`);
    t.match(farm, { queue_policy: 'fifo' });
    t.notOk('owner_caps' in farm, 'an empty field removes the caps');
  });

  await t.test('the menu of a queue pauses it', async (t) => {
    await page.goto('/queues?search=light');
    const row = page.getByRole('row', { name: /lighting/ });
    await row.getByRole('button', { name: /actions|lighting/i }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    await saveScreenshots(page, 'queues');
    t.strictSame(await violations(page), []);
  });

  await t.test(
    'the switch of a queue shows the new state at once, and the jobs and tasks are counted',
    async (t) => {
      await page.goto('/queues');
      const row = page.getByRole('row', { name: /lighting/ });
      const open = row.getByRole('switch', { name: 'Queue lighting takes tasks' });
      t.equal(await open.getAttribute('aria-checked'), 'false');
      // The answer of the server is held back: the switch must not wait for it.
      const held: Route[] = [];
      await page.route('**/api/v1/queues/*', (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        held.push(route);
        return undefined;
      });
      await open.focus();
      await page.keyboard.press('Space');
      await row.getByText('Open', { exact: true }).waitFor();
      await until('the change was sent', () => Promise.resolve(held.length > 0));
      for (const route of held) await route.continue();
      await page.getByText('lighting resumed').waitFor();
      await page.unroute('**/api/v1/queues/*');

      await row.getByText('no jobs').waitFor();
      await fixture.service.api.must('POST', '/api/v1/usage-pools', { name: 'nuke', max_concurrent: 1 });
      const [farm] = (await fixture.service.api.call<{ id: string }[]>('GET', '/api/v1/farms')).body;
      const queues = await fixture.service.api.call<{ items: { id: string }[] }>('GET', '/api/v1/queues');
      for (const name of ['Comp 010', 'Comp 020'])
        await fixture.service.api.must(
          'POST',
          `/api/v1/jobs?farm_id=${farm?.id}&queue_id=${queues.body.items[0]?.id}`,
          comp(name),
        );
      await row.getByRole('link', { name: '1 running in queue lighting' }).waitFor();
      await row.getByRole('link', { name: '1 pending in queue lighting' }).waitFor();
      await row.getByText('1 running', { exact: true }).first().waitFor();
      await row.getByText('1 ready').waitFor();
      await saveScreenshots(page, 'queues-load');
      t.strictSame(await violations(page), []);
    },
  );

  await t.test('the page of a queue edits, orders and deletes its environments', async (t) => {
    const { api } = fixture.service;
    const template = (name: string, word: string): string =>
      `specificationVersion: environment-2023-09
parameterDefinitions:
  - { name: ${name}Packages, type: STRING, default: ${word} }
environment:
  name: ${name}
  variables: { ${name.toUpperCase()}: '{{Param.${name}Packages}}' }
`;
    await page.goto('/queues');
    const row = page.getByRole('row', { name: /lighting/ });
    await row.getByRole('button', { name: /actions/i }).click();
    await page.getByRole('menuitem', { name: 'Environments' }).click();
    await page.getByRole('heading', { name: 'lighting', level: 1 }).waitFor();
    await page.getByText('The queue has no environments.').waitFor();

    const text = dialog.getByRole('textbox', { name: 'Template text' });
    const save = dialog.getByRole('button', { name: /environment/ }).last();
    await page.getByRole('button', { name: 'New environment' }).click();
    await text.fill(template('Conda', 'maya').replace('Param.CondaPackages', 'Param.Packages'));
    await dialog.getByText(/unknown value "Param.Packages"/).waitFor();
    await dialog.getByText('1 error in the template.').waitFor();
    t.equal(await save.getAttribute('aria-disabled'), 'true', 'an invalid template cannot be saved');
    await saveScreenshots(page, 'queue-environment-error');
    t.strictSame(await violations(page), []);
    await text.fill(template('Conda', 'maya'));
    await dialog
      .getByText('Environment Conda is valid. The environments of the queue have 1 parameter.')
      .waitFor();
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const table = page.getByRole('table', { name: 'Environments of the queue' });
    await table.getByRole('cell', { name: 'Conda', exact: true }).waitFor();
    await page.getByRole('button', { name: 'New environment' }).click();
    await text.fill(template('Rez', 'katana'));
    await save.click();
    await table.getByRole('cell', { name: 'Rez', exact: true }).waitFor();
    const names = async (): Promise<readonly string[]> => {
      const rows = await table.getByRole('row').allTextContents();
      return rows.slice(1).map((each) => /Conda|Rez/.exec(each)?.[0] ?? '');
    };
    t.same(await names(), ['Conda', 'Rez']);
    await page.getByRole('button', { name: 'Move Rez up' }).click();
    await table.getByRole('row').nth(1).getByRole('cell', { name: 'Rez', exact: true }).waitFor();
    t.same(await names(), ['Rez', 'Conda']);
    await saveScreenshots(page, 'queue-environments');
    t.strictSame(await violations(page), []);

    const [queue] = (await api.call<{ items: { id: string }[] }>('GET', '/api/v1/queues')).body.items;
    const path = `/api/v1/queues/${queue?.id ?? ''}/environments`;
    // Another user changes one of two environments whose order changes here.
    const listed = (await api.call<{ id: string; name: string; template: string }[]>('GET', path)).body;
    const conda = listed.find(({ name }) => name === 'Conda');
    await api.must('PUT', `${path}/${conda?.id ?? ''}`, {
      template: template('Conda', 'nuke'),
      format: 'yaml',
    });
    await page.getByRole('button', { name: 'Move Conda up' }).click();
    await page.getByText('Could not change the order').waitFor();
    await page
      .getByText(/template (is now|has changed)/)
      .first()
      .waitFor();
    t.match((await api.call('GET', path)).body, [
      { name: 'Rez' },
      { name: 'Conda', template: template('Conda', 'nuke') },
    ]);

    await page.getByRole('button', { name: 'Edit Conda' }).click();
    await text.fill(template('Conda', 'houdini'));
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    t.match((await api.call<{ name: string; template: string }[]>('GET', path)).body, [
      { name: 'Rez' },
      { name: 'Conda', template: template('Conda', 'houdini') },
    ]);

    // The form of a new job has the parameters, and the page of the job the environments.
    await page.goto('/submit');
    await page.getByLabel('Template file').setInputFiles({
      name: 'plain.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from(
        'specificationVersion: jobtemplate-2023-09\nname: Plain\nsteps: [{name: S, script: {actions: {onRun: {command: "true"}}}}]\n',
      ),
    });
    await page.getByText('Parameters of the queue').waitFor();
    t.equal(await page.getByLabel('CondaPackages').inputValue(), 'houdini');
    await page.getByLabel('CondaPackages').fill('blender');
    await saveScreenshots(page, 'submit-queue-parameters');
    t.strictSame(await violations(page), []);
    await page.getByRole('button', { name: 'Submit job' }).click();
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
    const id = /[0-9a-f-]{36}/.exec(page.url())?.[0] ?? '';
    t.match((await api.call('GET', `/api/v1/jobs/${id}`)).body, {
      parameters: { CondaPackages: 'blender', RezPackages: 'katana' },
    });
    for (const name of ['Rez', 'Conda']) {
      await page.goto(`/queues/${queue?.id ?? ''}`);
      await page.getByRole('button', { name: `Delete ${name}` }).click();
      await dialog.getByText('Jobs that have been submitted keep it.').waitFor();
      await dialog.getByRole('button', { name: 'Delete environment' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await page.getByText('The queue has no environments.').waitFor();
    await page.goto(`/jobs/${id}?tab=environment`);
    await page.getByRole('heading', { name: 'Rez', exact: true }).waitFor();
    t.equal(await page.getByText('for all steps, from the queue at the submission').count(), 2);
    await page.goto('/queues/none');
    await page.getByText('Queue not found').waitFor();
  });

  await t.test('the page of a usage pool names holders and waiters', async (t) => {
    await page.goto('/usage-pools');
    await page.getByRole('link', { name: 'nuke' }).click();
    await page.getByRole('heading', { name: 'nuke', level: 1 }).waitFor();
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await page.getByText('Measured slots').waitFor();
    await page.getByText(', of 1 configured').waitFor();
    const holders = page.getByRole('table', { name: 'Tasks that hold slots' });
    await holders.getByRole('link', { name: 'Comp 010' }).waitFor();
    await holders.getByRole('link', { name: 'render-01' }).waitFor();
    const waiting = page.getByRole('table', { name: 'Waiting steps' });
    await waiting.getByRole('link', { name: 'Comp 020' }).waitFor();
    await saveScreenshots(page, 'usage-pool');
    t.strictSame(await violations(page), []);
    const jobs = await fixture.service.api.call<{ items: { id: string; name: string }[] }>(
      'GET',
      '/api/v1/jobs',
    );
    const first = jobs.body.items.find(({ name }) => name === 'Comp 010');
    await fixture.service.api.must('POST', `/api/v1/jobs/${first?.id}/cancel`);
    await holders.getByRole('link', { name: 'Comp 020' }).waitFor();
    await page.getByText('No ready task requires the pool.').waitFor();
    const second = jobs.body.items.find(({ name }) => name === 'Comp 020');
    await fixture.service.api.must('POST', `/api/v1/jobs/${second?.id}/cancel`);
    await page.getByText('All slots are free.').waitFor();
    await page.goto('/usage-pools/none');
    await page.getByText('Usage pool not found').waitFor();
  });

  await t.test('a queue with an account on an open bus has a warning', async (t) => {
    const { api } = fixture.service;
    const queues = await api.call<{ items: { id: string; name: string }[] }>('GET', '/api/v1/queues');
    const queue = queues.body.items.find(({ name }) => name === 'lighting');
    const runAs = (user: string | null) =>
      api.must('PUT', `/api/v1/queues/${queue?.id ?? ''}`, { name: 'lighting', run_as_user: user });
    await runAs('artist');
    await page.goto('/queues');
    await page.getByText('The bus has no authentication: lighting').waitFor();
    await page.getByText(/tasks of this queue run as artist, but the bus has no authentication/).waitFor();
    t.strictSame(await violations(page), []);
    await page.goto(`/queues/${queue?.id ?? ''}`);
    await page.getByText('The bus has no authentication', { exact: true }).waitFor();
    await page.getByText(/Tasks of this queue run as artist, but the bus has no authentication/).waitFor();
    await page.getByRole('switch', { name: 'Queue lighting takes tasks' }).waitFor();
    await saveScreenshots(page, 'queue-on-open-bus');
    t.strictSame(await violations(page), []);
    await runAs(null);
    await page.goto('/queues?search=light');
    await page.getByRole('row', { name: /lighting/ }).waitFor();
    t.equal(await page.getByText(/The bus has no authentication/).count(), 0);
  });

  await t.test('the form of a storage location has a row per root', async (t) => {
    await page.goto('/storage-locations?edit=new');
    await dialog.getByLabel('Name').first().fill('projects');
    await dialog.getByRole('button', { name: 'Add row' }).click();
    await dialog.getByLabel('Root 1').fill('relative/path');
    await dialog.getByRole('button', { name: 'Create storage location' }).click();
    await dialog.getByText(/^default: /).waitFor();
    await dialog.getByLabel('Root 1').fill('/mnt/projects');
    await dialog.getByRole('button', { name: 'Create storage location' }).click();
    await page.getByText('default: /mnt/projects').waitFor();
    await saveScreenshots(page, 'storage-locations');
    t.strictSame(await violations(page), []);
  });

  await t.test('the list of usage pools shows the slots in use', async (t) => {
    await page.goto('/usage-pools?edit=new');
    await dialog.getByLabel('Name').first().fill('houdini');
    await dialog.getByRole('spinbutton', { name: 'Slots *' }).fill('3');
    await dialog.getByRole('button', { name: 'Create usage pool' }).click();
    await page.getByRole('meter', { name: '0 of 3 slots' }).waitFor();
    await saveScreenshots(page, 'usage-pools');
    t.strictSame(await violations(page), []);
  });

  await t.test('the list of compute locations counts the workers of a location', async (t) => {
    await page.goto('/compute-locations');
    await page.getByRole('row', { name: /cph/ }).getByRole('link', { name: '1' }).waitFor();
    await saveScreenshots(page, 'compute-locations');
    t.strictSame(await violations(page), []);
  });

  await t.test('a bus without authentication has no join tokens', async (t) => {
    await page.goto('/workers');
    await page.getByRole('button', { name: 'Add worker' }).click();
    await dialog.getByText('The bus has no authentication').waitFor();
    await dialog.getByText(/^callsheet worker --bus-url=/).waitFor();
    await saveScreenshots(page, 'add-worker-open');
    t.strictSame(await violations(page), []);
    await page.keyboard.press('Escape');
    t.equal(await page.getByRole('link', { name: 'Join tokens' }).count(), 0);
    await page.goto('/worker-tokens');
    await page.getByRole('heading', { name: 'This bus has no join tokens' }).waitFor();
    t.strictSame(await violations(page), []);
  });

  await t.test('diagnostics are live and keep their filters in the address', async (t) => {
    await page.goto('/diagnostics?level=INFO&search=ready');
    await page.getByText('bus: ready').first().waitFor();
    fixture.worker('render-02');
    await page.getByLabel('Component').selectOption({ label: 'worker render-02' });
    await page.reload();
    t.match(page.url(), /component=worker/);
    await page.getByRole('button', { name: 'Clear filters' }).or(page.getByRole('log')).first().waitFor();
    await saveScreenshots(page, 'diagnostics');
    t.strictSame(await violations(page), []);
  });

  t.strictSame(
    faults.filter((fault) => !/\b(400|404|409|412|422)\b/.test(fault)),
    [],
  );
});
