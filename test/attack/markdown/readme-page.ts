import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { launchBrowser } from '../../../bench/kit/browser.ts';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';

const ORIGIN = 'http://readme.example';
const ENTRY = 'virtual:readmes';
const path = (file: string): string => fileURLToPath(new URL(file, packageRoot));

/** Renders readmes with the component of the pages. A policy would hide what the component lets through: there is none. */
const SOURCE = `
import { createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Markdown } from ${JSON.stringify(path('web/parts/markdown.tsx'))};
const root = createRoot(document.getElementById('root'));
globalThis.show = (texts) =>
  flushSync(() => root.render(texts.map((text, key) => createElement(Markdown, { key, text }))));
`;

/** Returns what is wrong with each readme of the page, by its position. */
const CHECK = `(() => {
  const allowed = { A: ['href', 'rel', 'target'], OL: ['start'], PRE: ['tabindex'] };
  for (const name of ['P', 'UL', 'LI', 'CODE', 'STRONG', 'EM', 'H2', 'H3', 'H4', 'H5', 'H6']) allowed[name] = [];
  const wrongs = (element) => {
    const names = [...element.attributes].map(({ name }) => name);
    if (!(element.tagName in allowed)) return ['element ' + element.tagName];
    const wrong = names.filter((name) => !allowed[element.tagName].includes(name)).map((name) => 'attribute ' + name);
    if (element.tagName !== 'A') return wrong;
    if (!['http:', 'https:', 'mailto:'].includes(element.protocol)) wrong.push('link ' + element.href);
    if (element.rel !== 'noopener noreferrer') wrong.push('rel ' + element.rel);
    return wrong;
  };
  return [...document.querySelectorAll('#root > .markdown')].map((readme) => [
    ...[...readme.querySelectorAll('*')].flatMap(wrongs),
    ...(/[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(readme.textContent) ? ['direction'] : []),
  ]);
})()`;

const BATCH = 100;

/** Renders the readmes in Chromium. Returns the violations, with scripts that ran and requests that left the page. */
export async function renderReadmes(readmes: readonly string[]): Promise<readonly string[]> {
  const code = await pageCode();
  const browser = await launchBrowser();
  try {
    return await renderIn(browser, code, readmes);
  } finally {
    await browser.close();
  }
}

async function renderIn(
  browser: Browser,
  code: string,
  readmes: readonly string[],
): Promise<readonly string[]> {
  const violations: string[] = [];
  const page = await browser.newPage();
  page.on('dialog', (dialog) => {
    violations.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => violations.push(`exception: ${error.message}`));
  await page.route('**/*', async (route) => {
    const url = route.request().url();
    if (url === `${ORIGIN}/`)
      await route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>',
      });
    else if (url === `${ORIGIN}/page.js`) await route.fulfill({ contentType: 'text/javascript', body: code });
    else {
      violations.push(`request: ${url}`);
      await route.abort();
    }
  });
  await page.goto(`${ORIGIN}/`);
  await page.waitForFunction('"show" in globalThis');
  for (let from = 0; from < readmes.length; from += BATCH) {
    const batch = readmes.slice(from, from + BATCH);
    await page.evaluate(`show(${JSON.stringify(batch)})`);
    const wrongs = await page.evaluate<string[][]>(CHECK);
    if (wrongs.length !== batch.length) violations.push(`${wrongs.length} of ${batch.length} readmes shown`);
    wrongs.forEach((wrong, at) =>
      violations.push(...wrong.map((what) => `${what} from ${JSON.stringify(batch[at]?.slice(0, 200))}`)),
    );
    if (await page.evaluate<boolean>('"pwned" in globalThis'))
      violations.push(`a script ran in readmes ${from} to ${from + batch.length}`);
  }
  return violations;
}

/** Returns the script of the page, built as the web application is. */
async function pageCode(): Promise<string> {
  const result = await build({
    configFile: path('web/vite.config.js'),
    logLevel: 'error',
    publicDir: false,
    plugins: [
      {
        name: 'readmes',
        resolveId: (id) => (id === ENTRY ? path('web/readmes-of-attack.js') : null),
        load: (id) => (id === path('web/readmes-of-attack.js') ? SOURCE : null),
      },
    ],
    build: { write: false, manifest: false, rollupOptions: { input: ENTRY } },
  });
  const outputs = 'output' in result ? result.output : [];
  const chunks = outputs.flatMap((output) => (output.type === 'chunk' ? [output.code] : []));
  const [code] = chunks;
  if (code === undefined || chunks.length > 1) throw new Error(`the page has ${chunks.length} scripts`);
  return code;
}
