import tap, { test } from 'tap';
import { openBrowserFixture } from '../../kit/browser/browser-fixture.ts';
import { saveScreenshots, violations } from '../../kit/browser/browser.ts';

tap.setTimeout(240_000);

const LINES = [
  'echo "callsheet_output: /mnt/shows/dune/beauty.{{Task.Param.Frame}}.exr"',
  'echo "callsheet_output: /mnt/shows/<img src=x onerror=alert(1)>.{{Task.Param.Frame}}"',
  'echo "callsheet_output: relative/path"',
];
const TEMPLATE = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Shot 010',
  parameterDefinitions: [
    { name: 'Frames', type: 'PATH', objectType: 'DIRECTORY', dataFlow: 'OUT', default: '/mnt/shows/dune' },
    { name: 'Scene', type: 'PATH', objectType: 'FILE', dataFlow: 'IN', default: '/mnt/shows/dune.usd' },
  ],
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '1-2' }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', LINES.join('; ')] } } },
    },
  ],
};

interface Outputs {
  readonly items: readonly { readonly path: string; readonly mapped_path?: string }[];
}

/** Tests outputs with a server, a worker and a browser. */
await test('outputs that a task names reach the API and the pages', { timeout: 240_000 }, async (t) => {
  const fixture = await openBrowserFixture();
  t.teardown(() => fixture.close(!t.passing()));
  const { api } = fixture.service;
  const farm = await api.makeFarm('show');
  await api.must('POST', '/api/v1/storage-locations', {
    name: 'shows',
    roots: { default: '/mnt/shows', office: 'S:\\shows' },
  });
  fixture.worker('render-01');
  const { body: job } = await farm.submit(TEMPLATE);
  const { page } = await fixture.open(`/jobs/${job.id}?tab=outputs`);
  await page.getByText('/mnt/shows/dune', { exact: true }).waitFor();
  await page.locator('.page').getByText('Completed').first().waitFor();
  const [task] = await api.tasks(job.id);
  if (task === undefined) throw new Error('a job without a task');
  const own = ['/mnt/shows/dune/beauty.1.exr', '/mnt/shows/<img src=x onerror=alert(1)>.1'];
  const ofTask = await api.must<Outputs>('GET', `/api/v1/tasks/${task.id}/outputs`);
  t.strictSame(ofTask.items.map(({ path }) => path).slice(0, 1), ['/mnt/shows/dune']);
  t.strictSame(
    new Set(ofTask.items.slice(1).map(({ path }) => path.replace(/\.2(\.exr)?$/, '.1$1'))),
    new Set(own),
  );
  const ofJob = await api.must<Outputs>('GET', `/api/v1/jobs/${job.id}/outputs?compute_location=office`);
  t.equal(ofJob.items.length, 5);
  t.equal(ofJob.items[1]?.mapped_path, 'S:\\shows\\dune\\beauty.1.exr');

  await page.reload();
  await page.getByText('/mnt/shows/dune/beauty.2.exr').waitFor();
  await page.getByLabel('Show paths of').selectOption('office');
  const row = page.getByRole('row', { name: /beauty\.1\.exr/ });
  await row.getByText('S:\\shows\\dune\\beauty.1.exr', { exact: true }).waitFor();
  t.equal(
    await row.getByRole('link', { name: /Open folder/ }).getAttribute('href'),
    'file:///S:/shows/dune/',
  );
  await row.getByRole('button', { name: 'Copy path' }).waitFor();
  await saveScreenshots(page, 'job-outputs');
  t.strictSame(await violations(page), []);
  await page.goto(`/tasks/${task.id}`);
  await page.getByRole('region', { name: 'Outputs' }).getByText('S:\\shows\\dune', { exact: true }).waitFor();
  await saveScreenshots(page, 'task-outputs');
  t.strictSame(await violations(page), []);
});
