import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';
import { writeImage } from '../../kit/images.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(240_000);

const COLORS = ['#205080', '#803020', '#208040', '#806020'];
const TASKS = 14;
const DECODED =
  "[...document.querySelectorAll('.contact-sheet img')].some((image) => image.naturalWidth > 0)";
const DECODED_OF_TASK =
  "[...document.querySelectorAll('.output-list__preview')].filter((image) => image.naturalWidth > 0).length === 4";

/** A job whose tasks name these images. */
const templateOf = (paths: readonly string[]): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Shot 010',
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: `1-${TASKS}` }] },
      script: {
        actions: {
          onRun: {
            command: 'bash',
            args: ['-c', paths.map((path) => `echo 'callsheet_output: ${path}'`).join('; ')],
          },
        },
      },
    },
  ],
});

/** Tests previews with a server that limits requests, a worker and a browser. */
await test(
  'previews on the page of a task, and the contact sheet of a job',
  { timeout: 240_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'callsheet-images-'));
    const fixture = await openBrowserFixture([], undefined, { isRateLimited: true });
    t.teardown(async () => {
      await fixture.close(!t.passing());
      await rm(folder, { recursive: true, force: true });
    });
    const { api } = fixture.service;
    const farm = await api.makeFarm('show');
    const paths = await Promise.all(
      COLORS.map((color, index) =>
        writeImage(folder, `beauty.${index}.png`, [960 - 200 * index, 540], color),
      ),
    );
    const { body: job } = await farm.submit(templateOf(paths));
    const { page } = await fixture.open(`/jobs/${job.id}?tab=previews`);
    await page.getByRole('heading', { name: 'No previews' }).waitFor();
    await page.getByText('worker.previews=true').waitFor();
    t.strictSame(await violations(page), []);

    fixture.worker('render-01', ['--worker-previews=true', '--worker-cpus=2']);
    await page.getByText('Last image').waitFor({ timeout: 60_000 });
    const stored = async (): Promise<true | null> => {
      const { items } = await api.must<{ items: unknown[] }>(
        'GET',
        `/api/v1/jobs/${job.id}/previews?limit=1000`,
      );
      return items.length === 4 * TASKS ? true : null;
    };
    await until('all previews are stored', stored, 120_000);

    const refused: string[] = [];
    const requested: string[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/previews')) requested.push(response.url());
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    await page.reload();
    const sheet = page.getByRole('list', { name: 'Previews' });
    await sheet.getByRole('listitem').first().waitFor();
    t.equal(requested.length, 1, 'the first page of the sheet is one request');
    await page.getByRole('button', { name: 'Show more previews' }).scrollIntoViewIfNeeded();
    await sheet
      .getByRole('listitem')
      .nth(4 * TASKS - 1)
      .waitFor();
    await until('images are decoded', () => page.evaluate<boolean>(DECODED));
    t.strictSame(refused, []);
    const first = sheet.getByRole('link').first();
    t.match(await first.getAttribute('href'), /^\/tasks\//);
    await first.getByAltText('Preview of beauty.0.png').waitFor();
    await first.getByText('Succeeded').waitFor();
    await page.getByText('Last image').scrollIntoViewIfNeeded();
    await saveScreenshots(page, 'job-contact-sheet');
    t.strictSame(await violations(page), []);

    await first.focus();
    await page.keyboard.press('Enter');
    const outputs = page.getByRole('region', { name: 'Outputs' });
    const image = outputs.getByAltText('Preview of beauty.3.png');
    await image.waitFor();
    await until('the images of the task are decoded', () => page.evaluate<boolean>(DECODED_OF_TASK));
    await saveScreenshots(page, 'task-previews');
    t.strictSame(await violations(page), []);
    t.strictSame(refused, []);
  },
);
