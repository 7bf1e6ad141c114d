import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import tap, { test } from 'tap';
import { launchBrowser } from '../../bench/kit/browser.ts';
import { openPage, saveScreenshots } from '../kit/browser/browser.ts';
import { ROOT, projectFiles } from '../tidy/project-files.ts';

tap.setTimeout(600_000);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

await test('the site of the documentation is built, has no dead links, and is searched', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-site-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const site = join(folder, 'site');
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(ROOT, 'scripts/build-site.js'),
    '--output',
    site,
    '--base',
    '/docs/',
  ]);
  const checked = Number(/(\d+) links checked/.exec(stdout)?.[1]);
  t.ok(checked > 1_000, `${checked} links`);
  for (const page of projectFiles().filter((file) => /^docs\/.*\.md$/.test(file)))
    t.ok(
      existsSync(
        join(
          site,
          page
            .slice('docs/'.length)
            .replace(/README\.md$/, 'index.md')
            .replace(/md$/, 'html'),
        ),
      ),
      page,
    );

  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/')).replace(
      /^\/docs/,
      '',
    );
    const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
    const isFile = file.startsWith(site) && existsSync(file) && statSync(file).isFile();
    response.writeHead(isFile ? 200 : 404, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    });
    response.end(isFile ? readFileSync(file) : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  const { page, faults } = await openPage(browser, `http://127.0.0.1:${address.port}`, '/docs/');
  await page.getByRole('heading', { name: 'Documentation' }).waitFor();
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('unschedulable grace');
  await page.locator('.VPLocalSearchBox a.result').first().click();
  await page.waitForURL(/\/docs\/.+\.html/);
  await page
    .getByText(/unschedulable/i)
    .first()
    .waitFor();
  await page.goto('/docs/runbooks.html#callsheetdown');
  await page.getByRole('heading', { name: 'CallsheetDown' }).waitFor();
  await saveScreenshots(page, 'site');
  t.strictSame(faults, []);
});
