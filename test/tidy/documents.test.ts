import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import { capabilitiesPage } from '../../scripts/docs/capabilities-page.ts';
import { configurationReference } from '../../scripts/docs/configuration-page.ts';
import { functionsPage } from '../../scripts/docs/functions-page.ts';
import { mistakesPage } from '../../scripts/docs/mistakes-page.ts';
import { anchorsOf } from './headings.ts';
import { ROOT, contentOf, projectFiles } from './project-files.ts';

const DOCUMENTS = projectFiles().filter((file) => file.endsWith('.md'));

/** Removes code, in which brackets have another meaning. */
const prose = (markdown: string): string =>
  markdown.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');

test('links within the documents can be resolved', async (t) => {
  const dead: string[] = [];
  for (const file of DOCUMENTS) {
    for (const match of prose(contentOf(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = '', anchor] = (match[1] ?? '').split('#');
      if (/^[a-z]+:/.test(path)) continue;
      const target = path === '' ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(ROOT, target))) dead.push(`${file}: ${match[1]}`);
      else if (anchor !== undefined && !anchorsOf(target).has(anchor)) dead.push(`${file}: ${match[1]}`);
    }
  }
  t.same(dead, [], 'a link to a file or heading of the project must exist');
});

test('every page of docs/ is linked from its index', async (t) => {
  const isLost = (file: string): boolean =>
    !contentOf(join(dirname(file), 'README.md')).includes(`(${basename(file)})`);
  const lost = DOCUMENTS.filter((file) => file.startsWith('docs/') && !file.endsWith('README.md')).filter(
    isLost,
  );
  t.same(lost, [], 'the README.md of a folder of docs/ names every page in it');
});

test('paths of sources in the documents exist', async (t) => {
  const named = DOCUMENTS.flatMap((file) =>
    [
      ...contentOf(file).matchAll(
        /`((?:src|actors|http|client|daemons|cli|web|bench|test|scripts|examples|docs)\/[\w./-]+)`/g,
      ),
    ].map((match) => [file, match[1] ?? ''] as const),
  );
  const missing = named.filter(([, path]) => !existsSync(join(ROOT, path)));
  t.same(missing, [], 'a page must not name a missing file');
});

test('the changelog has a section for the next release', async (t) => {
  t.match(contentOf('CHANGELOG.md'), /^## \[Unreleased\]$/m, 'CHANGELOG.md has a section [Unreleased]');
});

test('generated files are current', async (t) => {
  t.equal(contentOf('docs/configuration.md'), configurationReference(), 'run "npm run generate"');
  t.equal(contentOf('docs/expression-functions.md'), functionsPage(), 'run "npm run generate"');
  t.equal(contentOf('docs/template-mistakes.md'), mistakesPage(), 'run "npm run generate"');
  t.equal(contentOf('docs/capabilities.md'), capabilitiesPage(), 'run "npm run generate"');
});
