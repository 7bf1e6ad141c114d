import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Returns the anchor of a heading, like code hosts: the pages are also read there. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** scripts/build-site.js writes the pages with their sidebar. */
const { sidebar, version } = JSON.parse(readFileSync(at('../../var/site-source/site.json'), 'utf8'));

export default {
  title: 'Callsheet',
  description: 'Documentation of Callsheet, a scheduler for render farms',
  srcDir: at('../../var/site-source'),
  outDir: at('../../var/site'),
  cacheDir: at('../../var/site-cache'),
  base: process.env.SITE_BASE || '/',
  cleanUrls: false,
  ignoreDeadLinks: false,
  metaChunk: true,
  markdown: { html: false, anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar,
    nav: [{ text: `Version ${version}`, link: '/' }],
  },
};
