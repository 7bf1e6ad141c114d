import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import { anchorsOf } from './headings.ts';
import { ROOT, contentOf, projectFiles } from './project-files.ts';

/** Files whose comments and texts cite pages. The changelog names pages of earlier versions. */
const SOURCES = projectFiles().filter(
  (file) => /\.(ts|tsx|js|md|yaml|yml|css)$/.test(file) && file !== 'CHANGELOG.md',
);

/** Names of files that programs of the project write. */
const WRITTEN_BY_PROGRAMS = new Set(['summary.md']);

const COMMENT = /\/\*[^]*?\*\/|(?<![:'"`\w])\/\/.*$/gm;
const HASH_COMMENT = /(?:^|\s)#\s.*$/gm;

/** Returns the text of a file that can cite pages: the comments of a source, the text of a document. */
function citingText(file: string): string {
  const content = contentOf(file);
  if (file.endsWith('.md')) {
    return content
      .replaceAll(/^```[^]*?^```/gm, '')
      .replaceAll(/\]\([^)]*\)/g, ']')
      .replaceAll(/`[^`\n]*`/g, '');
  }
  return (content.match(/\.ya?ml$/.test(file) ? HASH_COMMENT : COMMENT) ?? []).join('\n');
}

const CITATION = /[\w./-]*\w\.md\b(?:#[\p{L}\p{N}_-]+)?/gu;

/** Returns the pages below docs/ that a file names anywhere, including strings. */
const NAMED_PAGE = /(?<![\w./-])docs\/[\w/-]+\.md\b(?:#[\p{L}\p{N}_-]+)?/gu;

const citationsOf = (text: string, pattern: RegExp): readonly string[] => text.match(pattern) ?? [];

/** Resolves a citation relative to the root, to docs/, or to the citing file. Returns null without such a file. */
function targetOf(file: string, path: string): string | null {
  const candidates = [path, join('docs', path), join(dirname(file), path)].map(normalize);
  return candidates.find((each) => !each.startsWith('..') && existsSync(join(ROOT, each))) ?? null;
}

/** Returns why a citation cannot be resolved, or null. */
function citationFault(file: string, citation: string): string | null {
  const [path = '', anchor] = citation.split('#');
  const target = targetOf(file, path);
  if (WRITTEN_BY_PROGRAMS.has(path)) return null;
  if (target === null) return `${file}: ${citation}: no such file`;
  return anchor === undefined || anchorsOf(target).has(anchor)
    ? null
    : `${file}: ${citation}: no such heading`;
}

const faults = (textOf: (file: string) => string, pattern: RegExp): readonly string[] =>
  SOURCES.flatMap((file) =>
    citationsOf(textOf(file), pattern).flatMap((citation) => citationFault(file, citation) ?? []),
  );

test('a citation of a page names an existing file and heading', async (t) => {
  t.same(
    faults(citingText, CITATION),
    [],
    'cite a page of the repository, best with its heading: docs/contract/retry.md#lost-work',
  );
});

test('a page below docs/ that a source names anywhere exists', async (t) => {
  t.same(faults(contentOf, NAMED_PAGE), [], 'page names in strings and links are citations too');
});

test('the check finds citations', async (t) => {
  const cited = SOURCES.filter((file) => citationsOf(citingText(file), CITATION).length > 0);
  t.ok(cited.length > 50, 'comments of many files cite a page');
});
