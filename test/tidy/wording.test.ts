import { test } from 'tap';
import { contentOf, projectFiles } from './project-files.ts';

const TEXT = projectFiles().filter((file) =>
  /(\.(ts|js|json|md|yaml|yml|html|css)|\/[A-Z]+|^\.[a-z0-9]+rc)$/.test(file),
);

/** Returns the files with a match, each with the first match. */
const found = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) => {
    const match = pattern.exec(contentOf(file));
    return match === null ? [] : [`${file}: ${match[0]}`];
  });

test('no file contains paths of one machine', async (t) => {
  const folders = ['home', 'root', 'work', 'Users'].join('|');
  // Tests use made-up paths of workers.
  const files = TEXT.filter((file) => !file.startsWith('test/'));
  t.same(
    found(files, new RegExp(`(?<![\\w.:/*])/(${folders})/[\\w.-]+`)),
    [],
    'a path that exists only on one machine is meaningless elsewhere',
  );
});

test('no file names a package registry', async (t) => {
  t.same(
    // Written so that this file does not match itself.
    found(TEXT, /\b[r]egistry\.[a-z0-9-]+\.[a-z]+|"[r]esolved": "http/),
    [],
    'each installation chooses its package source: the lockfile contains integrity hashes only',
  );
});

test('sources contain no markers for later work', async (t) => {
  const marks = ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|');
  t.same(
    found(
      TEXT.filter((file) => /\.(ts|js)$/.test(file)),
      new RegExp(`\\b(${marks})\\b`),
    ),
    [],
    'open an issue instead of writing a comment',
  );
});

test('no test is skipped or exclusive', async (t) => {
  const tests = TEXT.filter((file) => file.endsWith('.test.ts'));
  t.same(found(tests, /\b(only|skip|todo): (true|')/), [], 'a test that does not run proves nothing');
});
