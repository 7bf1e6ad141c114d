import tap, { test } from 'tap';
import { openBrowserHouse } from '../../kit/browser/browser-fixture.ts';
import { takePictures, violations } from '../../kit/browser/browser.ts';

tap.setTimeout(240_000);

/** The catalogs, the first start and the diagnostics in a real browser, against the real service and a real worker. */
await test(
  'an empty farm is set up in the page, and its catalogs are kept',
  { timeout: 240_000 },
  async (t) => {
    const fixture = await openBrowserHouse();
    t.teardown(() => fixture.close(!t.passing()));
    const { page, faults } = await fixture.open('/');
    const dialog = page.getByRole('dialog');
    const farmNames = async (): Promise<string[]> =>
      (await fixture.service.api.call<{ name: string }[]>('GET', '/api/v1/farms')).body.map(
        ({ name }) => name,
      );

    await t.test('what is missing is told, and made', async (t) => {
      await page.getByRole('heading', { name: 'What is missing before frames come out' }).waitFor();
      await takePictures(page, 'first-start');
      t.strictSame(await violations(page), []);
      await page.getByLabel('Name of the farm').fill('north');
      await page.getByRole('button', { name: 'Create the farm' }).click();
      await page.getByLabel('Name of the queue of north').fill('lighting');
      await page.getByRole('button', { name: 'Create the queue' }).click();
      await page.getByRole('heading', { name: 'The queue lighting is there' }).waitFor();
      await page.getByText(/callsheet worker --bus-url=nats:/).waitFor();
      fixture.worker('render-01', ['--worker-compute-location=cph']);
      await page.getByRole('heading', { name: 'A worker has come' }).waitFor();
      await page.getByText(/callsheet submit template.yaml --farm north --queue lighting/).waitFor();
      t.strictSame(await farmNames(), ['north']);
    });

    await t.test('a farm is made, changed and deleted', async (t) => {
      await page.goto('/farms');
      await page.getByRole('button', { name: 'New farm' }).click();
      await dialog.getByRole('button', { name: 'Create the farm' }).click();
      await dialog.getByText('Name must be given.').waitFor();
      await dialog.getByLabel('Name').fill('north');
      await dialog.getByLabel('Tasks at once').fill('12.5');
      await dialog.getByRole('button', { name: 'Create the farm' }).click();
      await dialog.getByText('Must be a whole number.').waitFor();
      await dialog.getByLabel('Tasks at once').fill('12');
      await dialog.getByRole('button', { name: 'Create the farm' }).click();
      // The contract's conflict is shown, and nothing that was typed is lost.
      await dialog.getByRole('alert').filter({ hasText: 'north' }).waitFor();
      t.equal(await dialog.getByLabel('Tasks at once').inputValue(), '12');
      t.strictSame(await violations(page), []);
      await dialog.getByLabel('Name').fill('cloud');
      await dialog.getByRole('button', { name: 'Create the farm' }).click();
      await page.getByRole('row', { name: /cloud/ }).waitFor();
      await takePictures(page, 'farms');
      t.strictSame(await violations(page), []);

      await page
        .getByRole('row', { name: /cloud/ })
        .getByRole('button', { name: /actions|cloud/i })
        .click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await dialog.getByRole('heading', { name: 'Delete the farm cloud?' }).waitFor();
      await dialog.getByRole('button', { name: 'Delete the farm' }).click();
      await page.getByRole('row', { name: /cloud/ }).waitFor({ state: 'detached' });
      t.strictSame(await farmNames(), ['north']);
    });

    await t.test('a queue is paused from its menu, and keeps all else', async (t) => {
      await page.goto('/queues?search=light');
      const row = page.getByRole('row', { name: /lighting/ });
      await row.getByRole('button', { name: /actions|lighting/i }).click();
      await page.getByRole('menuitem', { name: 'Pause' }).click();
      await row.getByText('Paused').waitFor();
      await takePictures(page, 'queues');
      t.strictSame(await violations(page), []);
    });

    await t.test('roots of a storage location are rows', async (t) => {
      await page.goto('/storage-locations?edit=new');
      await dialog.getByLabel('Name').first().fill('projects');
      await dialog.getByRole('button', { name: 'Add a row' }).click();
      await dialog.getByLabel('Root 1').fill('relative/path');
      await dialog.getByRole('button', { name: 'Create the storage location' }).click();
      await dialog.getByText(/^default: /).waitFor();
      await dialog.getByLabel('Root 1').fill('/mnt/projects');
      await dialog.getByRole('button', { name: 'Create the storage location' }).click();
      await page.getByText('default: /mnt/projects').waitFor();
      await takePictures(page, 'storage-locations');
      t.strictSame(await violations(page), []);
    });

    await t.test('a pool shows what is in use', async (t) => {
      await page.goto('/usage-pools?edit=new');
      await dialog.getByLabel('Name').first().fill('houdini');
      await dialog.getByLabel('Slots').fill('3');
      await dialog.getByRole('button', { name: 'Create the usage pool' }).click();
      await page.getByRole('meter', { name: '0 of 3 slots' }).waitFor();
      await takePictures(page, 'usage-pools');
      t.strictSame(await violations(page), []);
    });

    await t.test('a compute location that a worker reported counts it', async (t) => {
      await page.goto('/compute-locations');
      await page.getByRole('row', { name: /cph/ }).getByRole('link', { name: '1' }).waitFor();
      await takePictures(page, 'compute-locations');
      t.strictSame(await violations(page), []);
    });

    await t.test('the log of the service is live, and its filters are in the address', async (t) => {
      await page.goto('/diagnostics?level=INFO&search=ready');
      await page.getByText('bus: ready').first().waitFor();
      fixture.worker('render-02');
      await page.getByLabel('Component').selectOption({ label: 'worker render-02' });
      await page.reload();
      t.match(page.url(), /component=worker/);
      await page
        .getByRole('button', { name: 'Clear the filters' })
        .or(page.getByRole('log'))
        .first()
        .waitFor();
      await takePictures(page, 'diagnostics');
      t.strictSame(await violations(page), []);
    });

    t.strictSame(
      faults.filter((fault) => !fault.includes('409') && !fault.includes('400')),
      [],
    );
  },
);
