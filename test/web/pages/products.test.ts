import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(240_000);

interface Product {
  readonly name: string;
  readonly source: string;
  readonly revision?: number;
  readonly title: string;
  readonly readme: string;
  readonly template: string;
}

const template = (name: string, more = ''): string => `specificationVersion: jobtemplate-2023-09
name: ${name}
parameterDefinitions:
  - name: Frames
    type: STRING
    default: 1-10
    minLength: 1
    description: Frames to render.
    userInterface: { control: LINE_EDIT, label: Frame range }
  - { name: Quality, type: STRING, allowedValues: [draft, final] }
steps:
  - name: Render
    script: { actions: { onRun: { command: echo, args: ['{{Param.Frames}}'] } } }
${more}`;

const NEEDS = `    hostRequirements:
      amounts: [{ name: amount.worker.usagepool.maya, min: 1 }]
      attributes: [{ name: attr.worker.tag.maya, anyOf: ['true'] }]
`;

const preset = (version: string, readme: string): string =>
  [
    'name: maya/render',
    'title: Maya render',
    'description: Renders a scene.',
    'category: 3D',
    `version: ${version}`,
    `readme: ${JSON.stringify(readme)}`,
    'template:',
    ...template('Maya', NEEDS)
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
    '',
  ].join('\n');

/** Tests the pages of products and presets in a browser, with one server. */
await test('products and presets are managed in pages', { timeout: 240_000 }, async (t) => {
  const presets = await mkdtemp(join(tmpdir(), 'callsheet-presets-'));
  await writeFile(join(presets, 'maya.yaml'), preset('1.0.0', '# Before\n\nOld text.'));
  const fixture = await openBrowserFixture([`--presets-dir=${presets}`]);
  t.teardown(async () => {
    await fixture.close(!t.passing());
    await rm(presets, { recursive: true, force: true });
  });
  const { api, daemon } = fixture.service;
  const farm = await api.makeFarm('north');
  const { page, faults } = await fixture.open('/products');
  const dialog = page.getByRole('dialog');
  const productOf = (name: string): Promise<Product> => api.must<Product>('GET', `/api/v1/products/${name}`);
  const check = async (name: string): Promise<void> => {
    await saveScreenshots(page, name);
    t.strictSame(await violations(page), [], name);
  };

  await t.test('a product is created with a live check of its template', async (t) => {
    await page.getByRole('link', { name: 'container' }).waitFor();
    await page.getByRole('link', { name: 'New product' }).click();
    await page.getByRole('button', { name: 'Create product' }).click();
    t.equal(await page.getByText('Enter a value.').count(), 2, 'name and title are missing');
    await page.getByText('Enter a template, or choose a file.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Studio Turntable');
    await page.getByLabel('Title').fill('Turntable');
    await page.getByLabel('Version').fill('one');
    await page.getByText(/The name must consist of lower-case letters/).waitFor();
    await page.getByText('The version must be a semantic version such as 1.2.0.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('studio/turntable');
    await page.getByLabel('Version').fill('1.0.0');
    await page.getByLabel('Category').fill('Studio');

    await page.getByRole('textbox', { name: 'Template text' }).fill('name: [broken\nsteps: {');
    await page
      .getByRole('button', { name: /^Line \d+, column \d+$/ })
      .first()
      .waitFor();
    await page.getByLabel('Template file').setInputFiles({
      name: 'turntable.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from(template('Turntable', '    nonsense: 1\n')),
    });
    await page.getByText('1 step, 2 parameters').waitFor();
    await page.getByRole('button', { name: 'Create product' }).click();
    // The server names the line of an unknown member.
    await page.getByRole('button', { name: /^Line 14, column/ }).waitFor();
    t.equal(await page.getByLabel('Title').inputValue(), 'Turntable', 'the inputs stay');
    await page.getByRole('textbox', { name: 'Template text' }).fill(template('Turntable'));
    await page
      .getByRole('textbox', { name: 'Readme' })
      .fill('# Use\n\nSee [the wiki](https://wiki.example/).');
    await page.getByRole('link', { name: 'the wiki' }).waitFor();
    await check('product-form');
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.getByRole('heading', { level: 1, name: 'Turntable' }).waitFor();
    await page.getByText('No jobs of this product.').waitFor();
    t.equal((await productOf('studio/turntable')).source, 'custom');
  });

  await t.test('its page shows parameters, template and usage', async (t) => {
    const job = await api.must<{ id: string; name: string }>(
      'POST',
      '/api/v1/products/studio/turntable/jobs',
      {
        farm_id: farm.farmId,
        queue_id: farm.queueId,
        parameters: { Quality: 'final' },
      },
    );
    await page.goto('/products/studio/turntable');
    await page.getByRole('link', { name: '1 job', exact: true }).waitFor();
    await check('product');
    t.equal(
      await page.getByRole('link', { name: 'Submit', exact: true }).getAttribute('href'),
      '/submit?product=studio%2Fturntable',
    );
    await page.getByRole('tab', { name: 'Parameters' }).click();
    const table = page.getByRole('table', { name: 'Parameters' });
    await table.getByRole('row', { name: /Frame range Frames STRING 1-10 at least 1 character/ }).waitFor();
    await table.getByRole('row', { name: /Quality STRING required draft \| final/ }).waitFor();
    await check('product-parameters');
    await page.getByRole('tab', { name: 'Template' }).click();
    await page.getByLabel('Template text').getByText('name: Turntable').waitFor();

    await page.getByRole('tab', { name: 'Overview' }).click();
    await api.must('POST', '/api/v1/products/script/jobs', {
      farm_id: farm.farmId,
      queue_id: farm.queueId,
      name: 'other job',
      parameters: { Command: 'true' },
    });
    await page.getByRole('link', { name: '1 job', exact: true }).click();
    await page.getByRole('row', { name: new RegExp(job.name) }).waitFor();
    t.equal(await page.getByRole('row', { name: /other job/ }).count(), 0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /other job/ }).waitFor();
  });

  await t.test('an edit adds a version, and a former one is compared and restored', async (t) => {
    await page.goto('/products/studio/turntable');
    await page.getByRole('button', { name: 'Edit' }).click();
    t.equal(await page.getByRole('textbox', { name: 'Name' }).count(), 0, 'the name cannot change');
    await page.getByLabel('Title').fill('Turntable 2');
    await page
      .getByRole('textbox', { name: 'Template text' })
      .fill(template('Turntable').replace('1-10', '1-20'));
    await page.getByRole('button', { name: 'Save product' }).click();
    await page.getByRole('heading', { level: 1, name: 'Turntable 2' }).waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByText('present version').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    const lines = page.getByRole('group', { name: 'Differences in template' });
    await lines.getByText('default: 1-10').waitFor();
    await lines.getByText('default: 1-20').waitFor();
    await page.getByRole('group', { name: 'Differences in title' }).waitFor();
    await check('product-versions');
    await page.getByRole('button', { name: 'Restore…' }).click();
    await dialog.getByRole('button', { name: 'Restore revision' }).click();
    await page.getByRole('heading', { level: 1, name: 'Turntable', exact: true }).waitFor();
    const product = await productOf('studio/turntable');
    t.equal(product.revision, 3);
    t.equal(product.template, template('Turntable'));
  });

  await t.test('the form warns when another user has saved the product', async (t) => {
    await page.goto('/products/studio/turntable?edit=1');
    await page.getByLabel('Title').fill('Mine');
    await page.waitForResponse((response) => response.url().endsWith('/products/studio%2Fturntable'));
    await api.must('PUT', '/api/v1/products/studio/turntable', {
      title: 'Theirs',
      template: template('Turntable'),
    });
    await page.getByText('The product has changed').waitFor();
    await page.getByRole('button', { name: 'Save product' }).click();
    await page.getByText('Another user has changed this meanwhile. Try again to replace it.').waitFor();
    t.equal((await productOf('studio/turntable')).title, 'Theirs', 'nothing was overwritten');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor();
  });

  await t.test('a built-in product is read-only and can be copied', async (t) => {
    await page.goto('/products/script');
    await page.getByText(/This product is built in/).waitFor();
    t.equal(await page.getByRole('button', { name: 'Edit' }).getAttribute('aria-disabled'), 'true');
    await check('product-builtin');
    await page.getByRole('link', { name: 'Save a copy' }).click();
    t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'script-copy');
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.waitForURL('**/products/script-copy');
    t.equal((await productOf('script-copy')).template, (await productOf('script')).template);
    await page.goto('/new-product?copy=script');
    await page.getByRole('textbox', { name: 'Name' }).fill('script-copy');
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.getByRole('alert').filter({ hasText: 'script-copy' }).waitFor();
  });

  await t.test('the template of a job becomes a product', async (t) => {
    const { body } = await farm.submit({
      specificationVersion: 'jobtemplate-2023-09',
      name: 'Shot 010: Beauty!',
      steps: [{ name: 'S', script: { actions: { onRun: { command: 'true' } } } }],
    });
    await page.goto(`/jobs/${body.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Save as product…' }).click();
    await page.getByRole('button', { name: 'Create product' }).waitFor();
    t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'shot-010-beauty');
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.waitForURL('**/products/shot-010-beauty');
    t.match((await productOf('shot-010-beauty')).template, /Shot 010: Beauty!/);
  });

  await t.test('the list is searched and filtered, and a product is deleted', async (t) => {
    await page.goto('/products');
    await page.getByLabel('Search products').fill('shot beauty');
    await page.getByRole('row', { name: /script-copy/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'shot-010-beauty' }).waitFor();
    await page.getByLabel('Search products').fill('');
    await page.getByRole('row', { name: /script-copy/ }).waitFor();
    await check('products');
    await page.goto('/products?search=none+such');
    await page.getByText('No matching products').waitFor();
    await page.goto('/products/shot-010-beauty');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete product' }).click();
    await page.waitForURL('**/products');
    await page.getByRole('link', { name: 'script-copy' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'shot-010-beauty' }).count(), 0);
    await page.goto('/products/shot-010-beauty');
    await page.getByText('Product not found').waitFor();
  });

  await t.test('a preset is installed with the usage pool that it needs', async (t) => {
    await page.goto('/presets');
    await page.getByLabel('Category').selectOption('3D');
    await page.getByRole('link', { name: 'maya/render' }).waitFor();
    await check('presets');
    await page.getByRole('link', { name: 'maya/render' }).click();
    await page.getByText('maya=true').waitFor();
    await page.getByText(/The usage pool maya does not exist\. Tasks of this preset wait forever/).waitFor();
    await check('preset');
    await page.getByRole('button', { name: 'Install…' }).click();
    await dialog.getByLabel('Slots of maya').fill('1.5');
    await dialog.getByRole('button', { name: 'Install preset' }).click();
    await dialog.getByText(/Enter a whole number/).waitFor();
    await check('preset-install');
    await dialog.getByLabel('Slots of maya').fill('4');
    await dialog.getByRole('button', { name: 'Install preset' }).click();
    await page.waitForURL('**/products/maya/render');
    await page.getByText(/This product is an installed preset/).waitFor();
    const pools = await api.must<{ name: string; max_concurrent: number }[]>('GET', '/api/v1/usage-pools');
    t.strictSame(
      pools.map(({ name, max_concurrent: slots }) => [name, slots]),
      [['maya', 4]],
    );
    t.equal((await productOf('maya/render')).source, 'installed');
  });

  await t.test('an update shows what it changes', async (t) => {
    await writeFile(join(presets, 'maya.yaml'), preset('1.1.0', '# Before\n\nNew text.'));
    process.kill(daemon.child.pid ?? 0, 'SIGHUP');
    await until('the library has the new version', async () => {
      const { update_available: has } = await api.must<{ update_available: boolean }>(
        'GET',
        '/api/v1/presets/maya/render',
      );
      return has;
    });
    await page.goto('/presets/maya/render');
    await page.getByRole('button', { name: 'Update…' }).click();
    const readme = dialog.getByRole('group', { name: 'Differences in readme' });
    await readme.getByText('Old text.').waitFor();
    await readme.getByText('New text.').waitFor();
    await dialog.getByRole('group', { name: 'Differences in version' }).waitFor();
    t.equal(await dialog.getByRole('group', { name: 'Differences in template' }).count(), 0);
    await check('preset-update');
    await dialog.getByRole('button', { name: 'Update preset' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Update…' }).waitFor({ state: 'detached' });
    t.match((await productOf('maya/render')).readme, /New text/);
    await page.goto('/presets/no/such');
    await page.getByText('Preset not found').waitFor();
  });

  await t.test('read-only mode hides what changes products', async (t) => {
    await page.goto('/products/script-copy');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.evaluate("localStorage.setItem('callsheet.read-only', 'true')");
    await page.reload();
    await page.getByRole('tab', { name: 'Versions' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).waitFor({ state: 'detached' });
    t.equal(await page.getByRole('button', { name: 'More actions' }).count(), 0);
  });

  t.strictSame(
    faults.filter((fault) => !/status of 4(00|04|09|12|22)/.test(fault)),
    [],
  );
});
