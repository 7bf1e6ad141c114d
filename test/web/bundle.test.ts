import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** Maximum size of the scripts of the first load of any page, compressed with gzip. */
const FIRST_LOAD_MAX = 250_000;

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

const app = fileURLToPath(new URL('dist/web-app/', packageRoot));
const manifest = JSON.parse(readFileSync(join(app, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

/** Returns a chunk and its static imports. */
function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const one of manifest[name]?.imports ?? []) withImports(one, found);
  return found;
}

const sizeOf = (names: Iterable<string>): number =>
  [...names].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(app, manifest[name]?.file ?? ''))).length,
    0,
  );

test('no page loads more script at first than the limit', (t) => {
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true) ?? '';
  const pages = Object.keys(manifest).filter((name) => /^pages\/.*-page\.tsx$/.test(name));
  t.ok(pages.length >= 13, 'every page is a separate chunk');
  for (const page of pages) {
    const size = sizeOf(new Set([...withImports(entry), ...withImports(page)]));
    t.ok(size < FIRST_LOAD_MAX, `${page}: ${size} bytes`);
  }
  t.end();
});

test('large text files have compressed copies', (t) => {
  for (const { file } of Object.values(manifest)) {
    if (!/\.(js|css)$/.test(file) || readFileSync(join(app, file)).length < 1024) continue;
    for (const extension of ['gz', 'br'])
      t.ok(existsSync(join(app, `${file}.${extension}`)), `${file}.${extension}`);
  }
  t.end();
});

test('the page complies with a strict content security policy and loads nothing from other hosts', (t) => {
  const html = readFileSync(join(app, 'index.html'), 'utf8');
  t.notMatch(html, /<script(?![^>]*\bsrc=)/, 'no inline script');
  t.notMatch(html, /<style|\sstyle=|\son\w+=/, 'no inline style or event handler');
  t.notMatch(html, /(src|href)="(https?:)?\/\//, 'no external resource');
  t.end();
});
