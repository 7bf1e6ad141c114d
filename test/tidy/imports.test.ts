import { dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import { contentOf, projectFiles } from './project-files.ts';

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)';?/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/** Files that the bundler handles in addition to modules: styles, and files imported as text. */
const NO_MODULE = /\.css$|\?raw$/;

/** Returns the relative imports of a source. */
function importsOf(file: string): Import[] {
  const content = contentOf(file);
  const found = [
    ...[...content.matchAll(STATEMENT)].map((match) => ({
      to: match[2] ?? '',
      typeOnly: match[1] !== undefined,
    })),
    ...[...content.matchAll(DYNAMIC)].map((match) => ({ to: match[1] ?? '', typeOnly: false })),
  ];
  return found
    .filter(({ to }) => to.startsWith('.') && !NO_MODULE.test(to))
    .map(({ to, typeOnly }) => ({ from: file, to: normalize(join(dirname(file), to)), typeOnly }));
}

const SOURCES = projectFiles().filter((file) =>
  /^(src|actors|http|client|daemons|cli|web|bench|scripts|test)\/.*\.tsx?$/.test(file),
);
const IMPORTS = SOURCES.flatMap(importsOf);

/** The layers that each layer may import (docs/architecture.md#layers). */
const { layers: MAY_IMPORT } = JSON.parse(contentOf('import-rules.json')) as {
  readonly layers: Readonly<Record<string, readonly string[]>>;
};

const layerOf = (file: string): string =>
  Object.keys(MAY_IMPORT).find((layer) => file.startsWith(`${layer}/`)) ?? '';

const shown = ({ from, to }: Import): string => `${from} -> ${to}`;

test('imports follow the order of the layers', async (t) => {
  t.ok(IMPORTS.length > 50, 'imports were found');
  const wrong = IMPORTS.filter(({ from, to }) => {
    const [layer, imported] = [layerOf(from), layerOf(to)];
    return layer !== imported && MAY_IMPORT[layer]?.includes(imported) !== true;
  });
  t.same(wrong.map(shown), [], 'an import points to the same layer or to one below it');
});

test('imports name the source file', async (t) => {
  const wrong = IMPORTS.filter(({ to }) => !SOURCES.includes(to));
  t.same(wrong.map(shown), [], 'an import ends in the .ts of a file that exists');
});

/** Rules that pages share with the command line or with workers: escaping, readmes, comparisons, error lines. */
const SHARED_WITH_PAGES = [
  'src/core/escaped-text.ts',
  'src/core/failure/error-line.ts',
  'src/core/markdown/parse-markdown.ts',
  'src/core/products/product-rules.ts',
  'src/core/text-diff/diff-hunks.ts',
  'src/core/records/log-lines.ts',
  'src/core/text-diff/align-lines.ts',
  'src/core/text-diff/line-diff.ts',
];

test('the web application imports only types of the service, and only the contract of http', async (t) => {
  const wrong = IMPORTS.filter(({ from, to, typeOnly }) => {
    if (!from.startsWith('web/') || to.startsWith('web/') || layerOf(to) === 'client') return false;
    if (SHARED_WITH_PAGES.includes(to)) return false;
    return !typeOnly || (to.startsWith('http/') && to !== 'http/openapi/generated.ts');
  });
  t.same(wrong.map(shown), [], 'code that runs in a browser is in web/');
});

test('only messages.ts of an actor is imported from outside', async (t) => {
  // The actors of the worker's daemon are a group of their own. Files next to the actors are shared.
  const actorOf = (file: string): string => {
    const folder = /^actors\/((?:agent|service)\/[^/]+)\//.exec(file)?.[1] ?? '';
    return folder;
  };
  const wrong = IMPORTS.filter(({ from, to }) => {
    const outside = from.startsWith('http/') || (from.startsWith('actors/') && actorOf(from) !== '');
    return outside && actorOf(to) !== '' && actorOf(from) !== actorOf(to) && !to.endsWith('/messages.ts');
  });
  t.same(wrong.map(shown), [], 'other actors and http may import only the messages of an actor');
});

test('the import graph has no cycles', async (t) => {
  const next = new Map(SOURCES.map((file) => [file, IMPORTS.filter(({ from }) => from === file)]));
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(' -> '));
    if (at >= 0 || done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of SOURCES) visit(file, []);
  t.same(cycles, [], 'no module imports itself indirectly, types included');
});
