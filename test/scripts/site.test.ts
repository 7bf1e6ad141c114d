import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { contentOf, projectFiles } from '../tidy/project-files.ts';

const SCRIPTS = new URL('../../../scripts/site/', import.meta.url).href;

/** Evaluates an expression with the functions of the site, which are plain JavaScript without types. */
function evaluate(expression: string): unknown {
  const program = `import { screenshotsPage, sidebarOf, sitePage } from ${JSON.stringify(`${SCRIPTS}pages.js`)};
    import { checkLinks } from ${JSON.stringify(`${SCRIPTS}check-links.js`)};
    import { SCREENSHOTS } from ${JSON.stringify(`${SCRIPTS}screenshots.js`)};
    console.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test('a page of the documentation becomes a page of the site', (t) => {
  const page = (text: string, folder = ''): unknown =>
    evaluate(`sitePage(${JSON.stringify(text)}, ${JSON.stringify(folder)})`);
  t.equal(
    page(
      '<!-- made -->\n\n# A\n\n[b](contract/README.md#x) [d](rest.md#e) [e](https://example.com/README.md)\n',
    ),
    '# A\n\n[b](contract/index.md#x) [d](rest.md#e) [e](https://example.com/README.md)\n',
  );
  t.equal(
    page('[c](../README.md) ![p](../images/a.png)', 'contract'),
    '[c](../index.md) ![p](../images/a.png)',
  );
  t.equal(page('[the template](../examples/a/t.yaml)'), 'the template (`examples/a/t.yaml`)');
  t.equal(page('[the project](../../README.md#a)', 'decisions'), 'the project (`README.md#a`)');
  t.equal(page('```\n<!-- kept --> [a](README.md)\n```\n'), '```\n<!-- kept --> [a](README.md)\n```\n');
  t.end();
});

test('the sidebar has every page of the index', (t) => {
  const index = contentOf('docs/README.md');
  const groups = evaluate(`sidebarOf(${JSON.stringify(index)})`) as readonly {
    readonly text: string;
    readonly items: readonly { readonly link: string }[];
  }[];
  t.match(groups[0], { text: 'Start here' });
  const links = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link)));
  const pages = projectFiles().filter((file) => /^docs\/[^/]+\.md$/.test(file) && file !== 'docs/README.md');
  t.ok(pages.length > 40);
  t.strictSame(
    pages.filter((file) => !links.has(`/${file.slice('docs/'.length, -'.md'.length)}`)),
    [],
  );
  t.end();
});

test('dead links and missing anchors of the site are found', (t) => {
  const folder = t.testdir({
    'index.html':
      '<a href="/base/a.html#here">a</a> <a href="./a">b</a> <img src="./x.png"> <a href="/base/sub/">c</a>',
    'a.html':
      '<p id="here"></p> <a href="#gone">x</a> <a href="/other">y</a> <a href="https://example.com">z</a>',
    sub: { 'index.html': '<a href="../a.html#here">a</a>' },
  });
  t.strictSame(evaluate(`checkLinks(${JSON.stringify(folder)}, '/base/')`), {
    dead: ['a.html: #gone', 'a.html: /other', 'index.html: ./x.png'],
    checked: 7,
  });
  t.end();
});

test('each screenshot of the site is one that a test saves', (t) => {
  const pictures = evaluate('SCREENSHOTS') as readonly { readonly taken: string; readonly file: string }[];
  const tests = projectFiles().filter((file) => /^test\/(web|integrations)\/.*\.(ts|py)$/.test(file));
  const sources = tests
    .map((file) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'))
    .join('\n');
  for (const { taken } of pictures) {
    const name = taken.replace(/(-1440-light)?\.png$/, '');
    t.match(sources, new RegExp(`saveScreenshots\\(\\w+, '${name}'\\)|save_picture\\("${name}"\\)`), name);
  }
  t.end();
});
