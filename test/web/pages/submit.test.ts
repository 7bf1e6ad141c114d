import type { Locator, Page } from 'playwright-core';
import tap, { test } from 'tap';
import { parse } from 'yaml';
import { openBrowserFixture, type BrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import { SHOWCASE } from './submit/showcase.ts';

tap.setTimeout(240_000);

const SMALL = `specificationVersion: jobtemplate-2023-09
name: '{{Param.JobName}}'
parameterDefinitions:
  - { name: JobName, type: STRING, default: Small }
  - { name: Frames, type: STRING, default: 1-3, userInterface: { label: Frames } }
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions:
        - { name: Frame, type: INT, range: '{{Param.Frames}}' }
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
    script: { actions: { onRun: { command: echo, args: ['{{Task.Param.Frame}}'] } } }
`;

interface Job {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
  readonly project: string;
  readonly owner: string;
  readonly status: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[];
  readonly effective_retry: { readonly max_attempts: number };
}

/** Line of the cursor in the focused text area. */
const LINE_OF_CURSOR =
  "(({ value, selectionStart }) => value.slice(0, selectionStart).split('\\n').length)(document.activeElement)";

/** Browsers also log rejected requests and lost responses as errors. */
const unexpected = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !/status of 4(00|04|22)|ERR_CONNECTION_RESET/.test(fault));

/** Creates a farm with a queue and a storage location. Returns the id of the farm. */
async function createFarm({ service: { api } }: BrowserFixture): Promise<string> {
  const farm = (await api.call<{ id: string }>('POST', '/api/v1/farms', { name: 'north' })).body.id;
  await api.call('POST', '/api/v1/queues', { name: 'lighting', farm_id: farm });
  await api.call('POST', '/api/v1/storage-locations', {
    name: 'projects',
    roots: { default: '/mnt/projects' },
  });
  return farm;
}

/** Chooses a template file and waits for its form. */
async function load(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'application/yaml', buffer: Buffer.from(text) };
  await page.getByLabel('Template file').setInputFiles(file);
  await page.getByText(`${name} · `).waitFor();
}

/** Submits the form and returns the job. */
async function submitted(fixture: BrowserFixture, page: Page): Promise<Job> {
  await page.getByRole('button', { name: 'Submit job', exact: true }).click();
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').at(-1) ?? '';
  return (await fixture.service.api.call<Job>('GET', `/api/v1/jobs/${id}`)).body;
}

await test('the submit page submits jobs', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const farm = await createFarm(fixture);
  fixture.worker('render-01');
  const { page, faults } = await fixture.open('/submit');
  page.setDefaultTimeout(15_000);
  const text = page.getByRole('textbox', { name: 'Template text' });
  /** A label can continue after its name. Labels of buttons next to a field have the name at their end. */
  const field = (label: string): Locator => page.getByLabel(new RegExp(`^${label}`));
  const side = page.getByRole('region', { name: 'Check and submit' });

  await t.test('a page without a template explains how to add one', async (t) => {
    await page.getByText('Drop an OpenJD job template here').waitFor();
    await side.getByText('Choose a template to see its parameters.').waitFor();
    await saveScreenshots(page, 'submit-empty');
    t.strictSame(await violations(page), []);
    await page.getByRole('button', { name: 'A single command' }).click();
    await side.getByText('Checked: 1 task in 1 step').waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start over' }).click();
    await page.getByRole('button', { name: 'A sequence of frames' }).click();
    await field('Scene').waitFor();
    await side.getByText('Required: Scene.').waitFor();
    await page.getByRole('button', { name: 'Check job', exact: true }).click();
    await side.getByText('Missing or invalid fields').waitFor();
    await page.getByText('Enter a path.').waitFor();
  });

  await t.test('a syntax error is marked at its line', async (t) => {
    await page.getByRole('button', { name: 'Show template' }).click();
    await text.fill(SMALL.replace('\nsteps:', '\nname: again\nsteps:'));
    await page.getByRole('button', { name: 'Line 6, column 1' }).click();
    await page.getByText('Invalid YAML: Map keys must be unique').waitFor();
    t.equal(await page.evaluate<number>(LINE_OF_CURSOR), 6);
    await side.getByText('The template has an error').waitFor();
    await saveScreenshots(page, 'submit-syntax');
    t.strictSame(await violations(page), []);
  });

  await t.test('the form follows the text and is checked automatically', async (t) => {
    await text.fill(SMALL);
    await field('JobName').fill('From the page');
    await side.getByText('Checked: 3 tasks in 1 step').waitFor();
    await side.getByText('1 of 1 online workers can run it').waitFor();
    await side.getByText('First command').click();
    await side.getByText('echo 1', { exact: true }).waitFor();
    await side.getByText('Last command').click();
    await side.getByText('echo 3', { exact: true }).waitFor();
    t.strictSame(await violations(page), []);
  });

  await t.test('an error of the server is shown at its line', async (t) => {
    await field('Frames').fill('one to three');
    await side.getByText('The server rejected the template').waitFor();
    await page.getByRole('button', { name: /^Line 10, column/ }).waitFor();
    t.strictSame(await violations(page), []);
    await field('Frames').fill('1-4');
    await side.getByText('Checked: 4 tasks in 1 step').waitFor();
    await page.getByRole('button', { name: /^Line / }).waitFor({ state: 'detached' });
  });

  await t.test('a reload keeps the draft', async (t) => {
    await field('Project').fill('shot-020');
    await field('Priority').fill('70');
    await field('Submit paused').check();
    await page.reload();
    await field('JobName').waitFor();
    t.equal(await field('JobName').inputValue(), 'From the page');
    t.equal(await field('Frames').inputValue(), '1-4');
    t.equal(await field('Project').inputValue(), 'shot-020');
    t.equal(await field('Priority').inputValue(), '70');
    t.ok(await field('Submit paused').isChecked());
  });

  const first = await submitted(fixture, page);
  t.match(first, {
    name: 'From the page',
    project: 'shot-020',
    priority: 70,
    owner: 'anonymous',
    status: 'paused',
    parameters: { JobName: 'From the page', Frames: '1-4' },
  });

  await t.test('the form has all controls of OpenJD', async (t) => {
    await page.goto('/submit');
    await page.getByText('Drop an OpenJD job template here').waitFor();
    await load(page, 'showcase.yaml', SHOWCASE);
    await saveScreenshots(page, 'submit-controls');
    t.strictSame(await violations(page), []);
    t.equal(await page.getByText('A secret').count(), 0, 'hidden parameters are not shown');

    await field('A line').fill('ab');
    t.equal(
      await page.getByText('Must have at least 3 characters').count(),
      0,
      'no error before the field is left',
    );
    await field('A line').blur();
    await page.getByText('Must have at least 3 characters, and has 2.').waitFor();
    await field('A line').fill('abc');
    await page.getByText('Must have at least 3 characters').waitFor({ state: 'detached' });

    await field('Some lines').fill('a\nb');
    await field('A choice').selectOption('blue');
    await field('A switch').check();
    await field('Denoise').uncheck();
    await field('A count').press('ArrowUp');
    await field('A scale').press('ArrowUp');
    await field('A depth').selectOption('32');
    await field('Frames').fill('1-9:4,20');
    await page.getByText('4 values, from 1 to 20').waitFor();

    await field('Layers 2').press('Enter');
    await page.keyboard.type('x');
    await field('Layers 3').blur();
    await page.getByText('Must have at least 2 characters, and has 1.').waitFor();
    await field('Layers 3').fill('depth');
    await page.getByRole('button', { name: 'Move up: Layers 3' }).click();
    await page.getByRole('button', { name: 'Remove: Layers 1' }).click();
    await page.getByRole('button', { name: 'Increase: Sizes 1' }).click();
    await page.getByRole('button', { name: 'Add to Weights' }).click();
    await page.keyboard.type('0.5');
    await field('Passes 2').check();
    await page.getByRole('button', { name: 'Add to Outputs' }).click();
    await page.keyboard.type('/tmp/out.exr');
    await field('Tiles 2').fill('2, 3');

    // The first missing field has the focus.
    await page.getByRole('button', { name: 'Submit job', exact: true }).click();
    await side.getByText('Missing or invalid fields').waitFor();
    const scene = field('A scene');
    t.equal(await page.locator('input:focus').getAttribute('id'), await scene.getAttribute('id'));
    t.strictSame(await violations(page), []);
    await saveScreenshots(page, 'submit-incomplete');
    t.equal(await page.locator('datalist option').first().getAttribute('value'), '/mnt/projects');
    await scene.fill('/mnt/projects/a.usd');
    await side.getByText('Checked: 4 tasks in 1 step').waitFor();
    await saveScreenshots(page, 'submit-checked');

    await field('Wait for jobs').fill('from the');
    await page.getByRole('option', { name: /From the page/ }).click();
    await page.getByRole('list', { name: 'Jobs to wait for' }).getByText('From the page').waitFor();
    await page.getByText(/^Retry policy/).click();
    await field('Attempts per task').fill('7');
    await field('Owner').fill('ada');

    const job = await submitted(fixture, page);
    t.match(job, { owner: 'ada', depends_on: [first.id], effective_retry: { max_attempts: 7 } });
    t.strictSame(job.parameters, {
      Line: 'abc',
      Lines: 'a\nb',
      Choice: 'blue',
      Switch: 'Yes',
      Count: '9223372036854775805',
      Scale: '0.30',
      Depth: '32',
      Scene: '/mnt/projects/a.usd',
      Movie: '/tmp/movie.mov',
      Folder: '/tmp',
      Secret: 'unseen',
      Denoise: 'false',
      Frames: '1-9:4,20',
      Layers: '["depth", "shadow"]',
      Sizes: '[1928, 1080]',
      Weights: '[0.25, 0.5]',
      Passes: '[true, true]',
      Textures: '["/tmp/a.tx"]',
      Outputs: '["/tmp/out.exr"]',
      Caches: '["/tmp"]',
      Tiles: '[[0, 1], [2, 3]]',
    });

    await t.test('a job is cloned with changes', async (t) => {
      await page.goto(`/submit?from=${job.id}`);
      await page.getByRole('heading', { name: 'Clone with changes' }).waitFor();
      await field('A line').waitFor();
      t.equal(await field('A line').inputValue(), 'abc');
      t.equal(await field('Tiles 2').inputValue(), '2, 3');
      t.equal(await field('Attempts per task').inputValue(), '7');
      await field('A choice').selectOption('green');
      await page.getByRole('button', { name: 'Reset to default: A line' }).click();
      await saveScreenshots(page, 'submit-again');
      t.strictSame(await violations(page), []);
      const again = await submitted(fixture, page);
      t.strictSame(again.parameters, { ...job.parameters, Choice: 'green', Line: 'one line' });
      t.not(again.id, job.id);
    });
  });

  await t.test('a dropped template shows that no worker can run it', async (t) => {
    await page.goto('/submit');
    await page.getByText('Drop an OpenJD job template here').waitFor();
    const demanding = SMALL.replace(
      '{ amounts: [{ name: amount.worker.vcpu, min: 1 }] }',
      `{ amounts: [{ name: amount.worker.vcpu, min: 1 }, { name: amount.worker.usagepool.nuke, min: 1 }],
        attributes: [{ name: attr.worker.os.family, anyOf: [windows] }] }`,
    );
    const dropped = await page.evaluateHandle(
      `(() => {
        const files = new DataTransfer();
        files.items.add(new File([${JSON.stringify(demanding)}], 'demanding.yaml'));
        return files;
      })()`,
    );
    await page.getByRole('region', { name: 'Template' }).dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('demanding.yaml · 1 step · 2 parameters').waitFor();
    await side
      .getByText(/No worker can run it: .*attr\.worker\.os\.family; the nearest, render-01, has linux/)
      .waitFor();
    await side.getByRole('link', { name: 'Show render-01' }).waitFor();
    await side.getByText(/until this usage pool is created: nuke/).waitFor();
    await saveScreenshots(page, 'submit-demanding');
    t.strictSame(await violations(page), []);
  });

  await t.test('a repeated submission after a lost response creates no second job', async (t) => {
    await page.goto('/submit');
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start over' }).click();
    await load(page, 'small.json', JSON.stringify(parse(SMALL), null, 2));
    await field('JobName').fill('Only once');
    await side.getByText('Checked: 3 tasks in 1 step').waitFor();
    const isSubmission = (url: URL): boolean =>
      url.pathname === '/api/v1/jobs' && url.searchParams.get('dry_run') === null;
    await page.route(isSubmission, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Submit job', exact: true }).click();
    await side.getByText('Cannot reach the server.').waitFor();
    await page.unroute(isSubmission);
    await page.reload();
    await side.getByText('Checked: 3 tasks in 1 step').waitFor();
    const job = await submitted(fixture, page);
    const { body } = await fixture.service.api.call<{ items: Job[] }>('GET', '/api/v1/jobs?search=Only+once');
    t.strictSame(
      body.items.map(({ id }) => id),
      [job.id],
    );
  });

  await t.test('an error of the server is shown at its field', async (t) => {
    await page.goto('/submit');
    await page.getByText('Drop an OpenJD job template here').waitFor();
    await load(page, 'small.yaml', SMALL);
    await side.getByText('Checked: 3 tasks in 1 step').waitFor();
    const spare = { name: 'spare', farm_id: farm };
    const gone = (await fixture.service.api.call<{ id: string }>('POST', '/api/v1/queues', spare)).body.id;
    await page.reload();
    await field('Queue').selectOption('spare');
    await side.getByText('Checked: 3 tasks in 1 step').waitFor();
    await fixture.service.api.call('DELETE', `/api/v1/queues/${gone}`);
    await page.getByRole('button', { name: 'Submit job', exact: true }).click();
    await page.getByText(`the farm has no queue ${gone}`).waitFor();
    t.equal(await field('Queue').getAttribute('aria-invalid'), 'true');
    t.strictSame(await violations(page), []);
    await field('Queue').selectOption('lighting');
    await page.getByText(`the farm has no queue ${gone}`).waitFor({ state: 'detached' });
    t.match(await submitted(fixture, page), { name: 'Small', parameters: { Frames: '1-3' } });
  });

  await t.test('a product is found, filled in, submitted, and remembered', async (t) => {
    const attack = '<img src=x onerror="document.title=1"><b>bold</b> \u202eevil';
    const { api } = fixture.service;
    await api.must('POST', '/api/v1/products', {
      name: 'studio/small',
      title: `Small ${attack}`,
      description: `Describes ${attack} ${'long '.repeat(80)}`.slice(0, 500),
      readme: `# Heading\n\n[go](javascript:alert(1)) **important** <script>document.title=1</script>`,
      category: 'Studio',
      version: '1.2.3',
      template: SMALL.replace('label: Frames', `label: 'Frames <b>of</b>', groupLabel: 'Group <i>x</i>'`),
    });
    await page.goto('/submit');
    const products = page.getByRole('region', { name: 'Products' });
    await products.getByText('Command for each frame', { exact: true }).waitFor();
    await page.getByLabel('Search products').fill('studio small');
    await products.getByText('Command for each frame', { exact: true }).waitFor({ state: 'detached' });
    await products.getByRole('button', { name: /^Add Small/ }).click();
    await products.getByRole('button', { name: /^Remove Small/ }).waitFor();
    await page.getByLabel('Search products').fill('');
    t.match(await products.getByRole('listitem').first().textContent(), /^Small /, 'favourites come first');
    await saveScreenshots(page, 'submit-products');
    t.strictSame(await violations(page), []);
    await products.getByRole('link', { name: /Small/ }).click();
    await page.waitForURL(/product=studio%2Fsmall/);
    await page.getByRole('region', { name: 'Readme' }).getByRole('heading', { name: 'Heading' }).waitFor();
    t.equal(await page.locator('img[src=x], script:not([src]), a[href^="javascript"]').count(), 0);
    t.not(await page.title(), '1');
    await page.getByLabel(/^Frames/).fill('1-7');
    await page.getByLabel('Job name').fill('shot 010');
    await side.getByText('Checked: 7 tasks in 1 step').waitFor();
    await saveScreenshots(page, 'submit-product');
    t.strictSame(await violations(page), []);
    const job = await submitted(fixture, page);
    t.match(job, { name: 'shot 010', parameters: { Frames: '1-7' }, product: { name: 'studio/small' } });
    await page.goto('/submit?product=studio/small');
    await side.getByText('Checked: 7 tasks in 1 step').waitFor();
    t.equal(await page.getByLabel('Job name').inputValue(), '', 'the name was that of one job');
    await page.goto('/submit?product=studio/small&param.Frames=1-2&param.Unknown=x');
    await side.getByText('Checked: 2 tasks in 1 step').waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start over' }).click();
    await page.goto('/submit?product=studio/small');
    await side.getByText('Checked: 3 tasks in 1 step').waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    t.equal(await page.getByRole('dialog').count(), 0, 'there is nothing to lose');
    await page.goto('/submit?product=no-product');
    await page.getByText('no product no-product').waitFor();
  });

  t.strictSame(unexpected(faults), []);
});
