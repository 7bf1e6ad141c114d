import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import { anchorsOf } from './headings.ts';
import { ROOT, contentOf, projectFiles } from './project-files.ts';

/** Files whose comments and prose cite pages. The changelog names pages of earlier versions. */
const SOURCES = projectFiles().filter(
  (file) => /\.(ts|tsx|js|md|yaml|yml|css)$/.test(file) && file !== 'CHANGELOG.md',
);

/** Names of files that a program of the project writes. */
const WRITTEN_BY_PROGRAMS = new Set(['summary.md']);

const COMMENT = /\/\*[^]*?\*\/|(?<![:'"`\w])\/\/.*$/gm;
const HASH_COMMENT = /(?:^|\s)#\s.*$/gm;

/** Text of a file in which a page is cited: comments of a source, prose of a document. */
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

/** Pages below docs/ that a file names anywhere, in strings too. */
const NAMED_PAGE = /(?<![\w./-])docs\/[\w/-]+\.md\b(?:#[\p{L}\p{N}_-]+)?/gu;

const citationsOf = (text: string, pattern: RegExp): readonly string[] => text.match(pattern) ?? [];

/** The file that a citation names, seen from the root, from docs/ or from the citing file; null without such a file. */
function targetOf(file: string, path: string): string | null {
  const candidates = [path, join('docs', path), join(dirname(file), path)].map(normalize);
  return candidates.find((each) => !each.startsWith('..') && existsSync(join(ROOT, each))) ?? null;
}

/** Why a citation leads nowhere, or null. */
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
  t.same(faults(contentOf, NAMED_PAGE), [], 'a name of a page in a string or a link is a citation too');
});

test('citations are found', async (t) => {
  const cited = SOURCES.filter((file) => citationsOf(citingText(file), CITATION).length > 0);
  t.ok(cited.length > 50, 'comments of many files cite a page');
});
