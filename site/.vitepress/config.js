import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Returns the anchor of a heading, like code hosts: the pages are also read there. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Shows double braces, which are references in job templates. Vue would evaluate them. */
function showBraces(md) {
  const { code_inline: code, text } = md.renderer.rules;
  md.renderer.rules.code_inline = (...args) => code(...args).replace('<code', '<code v-pre');
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '<span v-pre>{{</span>');
}

/** scripts/build-site.js writes the pages with their sidebar. */
const base = process.env.SITE_BASE || '/';
const { sidebar, version } = JSON.parse(readFileSync(at('../../var/site-source/site.json'), 'utf8'));

export default {
  title: 'Callsheet',
  description: 'Documentation of Callsheet, a scheduler for render farms',
  srcDir: at('../../var/site-source'),
  outDir: at('../../var/site'),
  cacheDir: at('../../var/site-cache'),
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  cleanUrls: false,
  ignoreDeadLinks: false,
  metaChunk: true,
  markdown: { html: false, anchor: { slugify: anchorOf }, config: showBraces },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar,
    nav: [{ text: `Version ${version}`, link: '/' }],
  },
};
