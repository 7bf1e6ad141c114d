import { test } from 'tap';
import { contentOf, projectFiles } from './project-files.ts';

const TEXT = projectFiles().filter((file) =>
  /(\.(ts|js|json|md|yaml|yml|html|css)|\/[A-Z]+|^\.[a-z0-9]+rc)$/.test(file),
);

/** Files with a match, each with the first one. */
const found = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) => {
    const match = pattern.exec(contentOf(file));
    return match === null ? [] : [`${file}: ${match[0]}`];
  });

test('no file speaks of one machine', async (t) => {
  const folders = ['home', 'root', 'work', 'Users'].join('|');
  // Tests make up paths of workers.
  const files = TEXT.filter((file) => !file.startsWith('test/'));
  t.same(
    found(files, new RegExp(`(?<![\\w.:/*])/(${folders})/[\\w.-]+`)),
    [],
    'a path that exists on one machine means nothing on another',
  );
});

test('no file names a package registry', async (t) => {
  t.same(
    // Written so that this file does not find itself.
    found(TEXT, /\b[r]egistry\.[a-z0-9-]+\.[a-z]+|"[r]esolved": "http/),
    [],
    'where packages come from is for whoever installs to say: the lockfile holds integrity hashes only',
  );
});

test('nothing is left for later in the sources', async (t) => {
  const marks = ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|');
  t.same(
    found(
      TEXT.filter((file) => /\.(ts|js)$/.test(file)),
      new RegExp(`\\b(${marks})\\b`),
    ),
    [],
    'what is not there is an issue, not a comment',
  );
});

test('no test is switched off or alone', async (t) => {
  const tests = TEXT.filter((file) => file.endsWith('.test.ts'));
  t.same(found(tests, /\b(only|skip|todo): (true|')/), [], 'a test that does not run proves nothing');
});
