/**
 * `npm run site [-- --output FOLDER] [--base PATH]`: builds the static site of docs/ with VitePress, with a search that needs no server, and
 * checks its links. Pictures are those that the tests of the pages have saved in .tap/screenshots, if they have run, and otherwise those of
 * docs/images. Needs the package registry for the packages of site/, or its cache.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withLock } from './lock.js';
import { Stop, root, run, runMain } from './run.js';
import { checkLinks } from './site/check-links.js';
import { screenshotsPage, sidebarOf, sitePage } from './site/pages.js';
import { SCREENSHOTS } from './site/screenshots.js';

const SITE = join(root, 'site');
const SOURCE = join(root, 'var/site-source');
const BUILT = join(root, 'var/site');
const TAKEN = join(root, '.tap/screenshots');

const say = (text) => console.log(`site: ${text}`);

/** Installs the packages of the site if they are not those of its lockfile. */
async function installPackages() {
  const stamp = join(SITE, 'node_modules/.callsheet-lock');
  const hash = createHash('sha256')
    .update(readFileSync(join(SITE, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  say('installing the packages of the site (npm ci)');
  const status = await run('npm', ['ci', '--prefix', SITE, '--ignore-scripts', '--no-audit', '--no-fund']);
  if (status !== 0) throw new Stop('The packages of the site could not be installed: see above.');
  writeFileSync(stamp, hash);
}

/** Writes the sources of the site. Returns the number of screenshots of the tests. */
function writeSource() {
  rmSync(SOURCE, { recursive: true, force: true });
  const docs = join(root, 'docs');
  for (const entry of readdirSync(docs, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(SOURCE, from.slice(docs.length)).replace(/README\.md$/, 'index.md');
    mkdirSync(dirname(to), { recursive: true });
    if (entry.name.endsWith('.md'))
      writeFileSync(to, sitePage(readFileSync(from, 'utf8'), relative(docs, entry.parentPath)));
    else copyFileSync(from, to);
  }
  mkdirSync(join(SOURCE, 'public'), { recursive: true });
  copyFileSync(join(root, 'web/public/icon.svg'), join(SOURCE, 'public/icon.svg'));
  const taken = SCREENSHOTS.filter(({ taken: name }) => existsSync(join(TAKEN, name)));
  for (const { taken: name, file } of taken) copyFileSync(join(TAKEN, name), join(SOURCE, 'images', file));
  const shown = SCREENSHOTS.filter(({ file }) => existsSync(join(SOURCE, 'images', file)));
  writeFileSync(join(SOURCE, 'screenshots.md'), screenshotsPage(shown));
  const sidebar = sidebarOf(readFileSync(join(docs, 'README.md'), 'utf8'));
  sidebar[0]?.items.push({ text: 'Screenshots', link: '/screenshots' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(SOURCE, 'site.json'), JSON.stringify({ sidebar, version }));
  return taken.length;
}

async function buildSite(output, base) {
  await installPackages();
  const pictures = writeSource();
  const vitepress = join(SITE, 'node_modules/vitepress/bin/vitepress.js');
  const env = { ...process.env, SITE_BASE: base };
  const status = await run(process.execPath, [vitepress, 'build', SITE], { env, stdout: 'ignore' });
  if (status !== 0) throw new Stop('VitePress could not build the site: see above.');
  const { dead, checked } = checkLinks(BUILT, base);
  if (dead.length > 0) throw new Stop(`The site has dead links:\n${dead.join('\n')}`);
  if (output !== BUILT) {
    rmSync(output, { recursive: true, force: true });
    cpSync(BUILT, output, { recursive: true });
  }
  say(`${output}: ${checked} links checked, ${pictures} of ${SCREENSHOTS.length} pictures made by the tests`);
}

await runMain(async () => {
  const { values } = parseArgs({
    options: { output: { type: 'string', default: BUILT }, base: { type: 'string', default: '/' } },
  });
  if (!/^\/(.*\/)?$/.test(values.base)) throw new Stop('--base must begin and end with a slash.');
  mkdirSync(join(root, 'var'), { recursive: true });
  await withLock(join(root, 'var/.site-lock'), () => buildSite(resolve(values.output), values.base));
  return 0;
});
